"""`Ring`: the last items, bounded by their number, by their size, and for each key."""

from collections import OrderedDict
from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

__all__ = ["Ring"]

T = TypeVar("T")


class Ring(Generic[T]):
    """The last items, in the order in which they came; the oldest make room for new ones.

    Args:
        most: How many items are kept.
        most_bytes: How many bytes they may take together.
        most_each: How many are kept for one key: one that comes all the time must not push out
            those of all others.
    """

    def __init__(self, *, most: int, most_bytes: int, most_each: int) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._most_each = most_each
        # Not a dict: to find the first item of one, it looks at the places of all that are gone.
        self._items: OrderedDict[int, tuple[Hashable, T, int]] = OrderedDict()
        # Lists, though the first goes first: most are short, and an empty deque takes 700 bytes.
        self._by_key: dict[Hashable, list[int]] = {}
        self._next = 0
        self.size: int = 0
        """How many bytes they take together."""

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[T]:
        return iter([item for _, item, _ in self._items.values()])

    @property
    def keys(self) -> int:
        """How many keys have items."""
        return len(self._by_key)

    def of(self, key: Hashable) -> list[T]:
        """Return the items of *key*, the newest last."""
        return [self._items[number][1] for number in self._by_key.get(key, ())]

    def add(self, key: Hashable, item: T, *, size: int) -> None:
        """Keep *item*, and drop what is too much."""
        number = self._next
        self._next = number + 1
        self._items[number] = (key, item, size)
        self.size += size
        of_key = self._by_key.get(key)
        if of_key is None:
            self._by_key[key] = [number]
        else:
            of_key.append(number)
            if len(of_key) > self._most_each:
                self.size -= self._items.pop(of_key.pop(0))[2]
        while len(self._items) > self._most or (self.size > self._most_bytes and self._items):
            self._drop_oldest()

    def clear(self) -> None:
        """Drop all."""
        self._items.clear()
        self._by_key.clear()
        self.size = 0

    def _drop_oldest(self) -> None:
        _, (key, _, size) = self._items.popitem(last=False)
        self.size -= size
        of_key = self._by_key[key]
        del of_key[0]  # numbers only grow, so the oldest of all is the oldest of its key
        if not of_key:
            del self._by_key[key]

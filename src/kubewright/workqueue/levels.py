"""Keys that are ready: one line for each priority, first in, first out."""

from collections import deque
from typing import Generic, TypeVar

K = TypeVar("K")

KEPT_LEVELS = 25
"""How many empty lines are kept for reuse; controller-runtime shows as many in metrics."""

_FEW = 64


class Level(Generic[K]):
    """The line of one priority.

    A key that moves to another line leaves a ghost behind, which is skipped at its turn: removing
    it from the middle would mean a walk along the whole line.
    """

    __slots__ = ("ghost_count", "ghosts", "keys", "priority")

    def __init__(self, priority: int) -> None:
        self.priority: int = priority
        self.keys: deque[K] = deque()
        self.ghosts: dict[K, int] = {}
        self.ghost_count: int = 0

    def __len__(self) -> int:
        return len(self.keys) - self.ghost_count

    def leave(self, key: K) -> None:
        """Remove *key*; it must be in the line."""
        self.ghosts[key] = self.ghosts.get(key, 0) + 1
        self.ghost_count += 1
        if self.ghost_count > len(self) + _FEW:  # spreads the cost of the walk
            alive = [key for key in self.keys if not self.lay(key)]
            self.keys.clear()
            self.keys.extend(alive)

    def pop(self) -> K:
        """Remove and return the first key; there must be one."""
        key = self.keys.popleft()
        while self.ghosts and self.lay(key):
            key = self.keys.popleft()
        return key

    def lay(self, key: K) -> bool:
        """Tell whether the next *key* in the line is a ghost; if so, count it as removed."""
        # A key's ghosts come before the key itself, since it was added again after it left.
        count = self.ghosts.get(key)
        if count is None:
            return False
        if count == 1:
            del self.ghosts[key]
        else:
            self.ghosts[key] = count - 1
        self.ghost_count -= 1
        return True


class Levels(Generic[K]):
    """The lines of all priorities, the highest first."""

    __slots__ = ("_by_priority", "_ordered", "normal")

    def __init__(self) -> None:
        self.normal: Level[K] = Level(0)
        self._by_priority: dict[int, Level[K]] = {0: self.normal}
        self._ordered: list[Level[K]] = [self.normal]

    def __getitem__(self, priority: int) -> Level[K]:
        """Return the line of *priority*."""
        level = self._by_priority.get(priority)
        return self._open(priority) if level is None else level

    def highest(self) -> Level[K] | None:
        """Return the line whose turn it is, or ``None`` if all are empty."""
        for level in self._ordered:
            if len(level.keys) > level.ghost_count:  # len(level), without the call
                return level
        return None

    def depths(self) -> dict[int, int]:
        """Return how many keys each priority has, including empty ones."""
        return {level.priority: len(level) for level in self._by_priority.values()}

    def _open(self, priority: int) -> Level[K]:
        if len(self._by_priority) >= KEPT_LEVELS:  # priorities may be anything, even a time
            self._by_priority = {
                level.priority: level
                for level in self._by_priority.values()
                if len(level) or level is self.normal
            }
        level: Level[K] = Level(priority)
        # First, since it raises if the priority is not a number: such a line would break the order.
        self._ordered = sorted([*self._by_priority.values(), level], key=_descending)
        self._by_priority[priority] = level
        return level


def _descending(level: Level[K]) -> int:
    return -level.priority

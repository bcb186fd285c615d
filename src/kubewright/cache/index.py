"""`Index`: finds objects by a value, such as all pods of one owner."""

from collections.abc import Callable, Collection, Iterable
from typing import Generic, TypeVar

from kubewright.api.kind import ObjectKey
from kubewright.cache.entry import Entry
from kubewright.log import get_logger

R = TypeVar("R")

IndexFunction = Callable[[R], Iterable[str]]
"""Returns the values that an object is found by; nothing to leave it out."""

_FEW = 8  # keys: up to this many, a tuple is smaller than a dict and as fast

_log = get_logger(__name__)


class _Buckets:
    """The keys for each value. A value without keys is dropped."""

    def __init__(self) -> None:
        self._keys: dict[str, tuple[ObjectKey, ...] | dict[ObjectKey, None]] = {}

    def add(self, value: str, key: ObjectKey) -> None:
        keys = self._keys.get(value, ())
        if isinstance(keys, dict):
            keys[key] = None
        elif key not in keys:
            more = (*keys, key)
            self._keys[value] = more if len(more) <= _FEW else dict.fromkeys(more)

    def discard(self, value: str, key: ObjectKey) -> None:
        keys = self._keys.get(value, ())
        if isinstance(keys, dict):
            keys.pop(key, None)
        else:
            keys = self._keys[value] = tuple(one for one in keys if one != key)
        if not keys:
            self._keys.pop(value, None)

    def keys(self, value: str) -> Collection[ObjectKey]:
        return self._keys.get(value, ())

    def values(self) -> Iterable[str]:
        return self._keys.keys()


class OwnerIndex(Generic[R]):
    """Finds objects by the uid of an owner, without decoding them."""

    def __init__(self) -> None:
        self._buckets = _Buckets()

    def change(self, old: Entry[R] | None, new: Entry[R] | None) -> None:
        """Note that *new* has replaced *old*; both have the same key."""
        before = old.owners if old is not None else ()
        after = new.owners if new is not None else ()
        if before is after:
            return
        for owner in before:
            assert old is not None
            self._buckets.discard(owner.uid, old.key)
        for owner in after:
            assert new is not None
            self._buckets.add(owner.uid, new.key)

    def keys(self, value: str) -> Collection[ObjectKey]:
        """Return the keys of the objects whose owner has the uid *value*."""
        return self._buckets.keys(value)


class Index(Generic[R]):
    """Finds objects by the values that a user's function returns for them.

    An object for which the function fails is logged and left out: one bad object must not stop
    the stream.
    """

    def __init__(self, name: str, function: IndexFunction[R]) -> None:
        self.name: str = name
        self._function = function
        self._buckets = _Buckets()
        # Kept, so that the function is not called for an object that leaves: its answer may differ.
        self._values: dict[ObjectKey, tuple[str, ...]] = {}

    def change(self, key: ObjectKey, obj: R | None) -> None:
        """Note that the object of *key* is now *obj*; ``None`` if it is gone."""
        before = self._values.get(key, ())
        after = self._values_for(key, obj) if obj is not None else ()
        if before == after:
            return
        for value in before:
            self._buckets.discard(value, key)
        for value in after:
            self._buckets.add(value, key)
        if after:
            self._values[key] = after
        else:
            self._values.pop(key, None)

    def keys(self, value: str) -> Collection[ObjectKey]:
        """Return the keys of the objects found by *value*."""
        return self._buckets.keys(value)

    def values(self) -> list[str]:
        """Return all values by which objects are found."""
        return list(self._buckets.values())

    def _values_for(self, key: ObjectKey, obj: R) -> tuple[str, ...]:
        try:
            values = self._function(obj)
            if isinstance(values, str):
                raise TypeError(f"it returned the text {values!r}, not a list of texts")  # noqa: TRY301  # logged like any other failure of it
            return tuple(dict.fromkeys(values))
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException:  # noqa: BLE001  # user code may raise anything; the stream must go on
            _log.exception("index function failed, object left out", name=self.name, key=str(key))
            return ()

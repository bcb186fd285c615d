"""Predicates: which changes are worth a reconcile.

A predicate looks at an `Event` and says yes or no; they combine with ``&``, ``|`` and ``~``. They
spare work and nothing else: a reconciler must be right whatever they let through, since after a
restart it hears of everything.

All that are called ``…_changed`` let creations and deletions through, and an object that was
deleted and made again under its name.
"""

from collections.abc import Callable
from typing import Any, Generic, NoReturn, TypeAlias, TypeVar

import msgspec

from kubewright import _json
from kubewright._aio import Clock
from kubewright.api.selectors import SelectorLike, selector_from
from kubewright.cache.entry import Entry, Event

__all__ = [
    "PRIMARY",
    "Filter",
    "Predicate",
    "annotations_changed",
    "content_changed",
    "created",
    "deleted",
    "deletion_changed",
    "finalizers_changed",
    "generation_changed",
    "labels_changed",
    "matches",
    "owners_changed",
    "predicate",
    "resource_version_changed",
    "updated",
]

R = TypeVar("R")

Filter: TypeAlias = Callable[[Event[R]], bool]
"""What is taken for a predicate: a `Predicate`, or any function of an event."""


class Predicate(Generic[R]):
    """A yes or no about an event, to be combined with others.

    Example:
        >>> quiet = ~(labels_changed | annotations_changed)
        >>> quiet
        ~(labels_changed | annotations_changed)
    """

    name: str
    """How it is shown."""

    def __init__(self, test: Filter[R], *, name: str = "") -> None:
        if not callable(test):
            raise TypeError(f"a predicate is a function of an event, not {test!r}")
        self.test: Filter[R] = test
        """The function itself."""
        self.name = name or getattr(test, "__name__", "") or type(test).__name__
        if text := getattr(test, "__doc__", None):
            self.__doc__ = text  # so that help(generation_changed) says what that one does

    def __call__(self, event: Event[R]) -> bool:
        """Say whether *event* is let through."""
        return self.test(event)

    def __and__(self, other: Filter[Any]) -> "Predicate[R]":
        first, second = self.test, _test_of(other)
        return Predicate(
            lambda event: first(event) and second(event), name=f"({self} & {_name_of(other)})"
        )

    def __or__(self, other: Filter[Any]) -> "Predicate[R]":
        first, second = self.test, _test_of(other)
        return Predicate(
            lambda event: first(event) or second(event), name=f"({self} | {_name_of(other)})"
        )

    def __invert__(self) -> "Predicate[R]":
        test = self.test
        return Predicate(lambda event: not test(event), name=f"~{self}")

    def __bool__(self) -> NoReturn:
        # Python's own words would silently drop one of the two.
        raise TypeError(
            f"the predicate {self} is neither true nor false before it sees an event: combine"
            " predicates with & | ~ instead of `and`, `or` and `not`, and compare with None by `is`"
        )

    def __repr__(self) -> str:
        return self.name


def predicate(test: Filter[R]) -> Predicate[R]:
    """Make a function of an event a predicate that combines with others.

    Example:
        >>> @predicate
        ... def in_shop(event: Event[Any]) -> bool:
        ...     return event.key.namespace == "shop"
        >>> in_shop & generation_changed
        (in_shop & generation_changed)
    """
    return Predicate(test)


def _test_of(other: Filter[Any]) -> Filter[Any]:
    return other.test if isinstance(other, Predicate) else Predicate(other).test


def _name_of(other: Filter[Any]) -> str:
    return other.name if isinstance(other, Predicate) else Predicate(other).name


def _changed(test: Callable[[Entry[Any], Entry[Any]], bool]) -> Predicate[Any]:
    """Return the predicate that asks *test* about the two states of an object that was changed."""

    def changed(event: Event[Any]) -> bool:
        old, new = event.old, event.new
        return old is None or new is None or old.uid != new.uid or test(old, new)

    changed.__doc__ = test.__doc__
    return Predicate(changed, name=test.__name__.lstrip("_"))


class _Marks(msgspec.Struct, gc=False):
    """The parts of the metadata that the cache does not keep decoded."""

    annotations: dict[str, str] | None = None
    finalizers: list[str] | None = None


class _Marked(msgspec.Struct, gc=False):
    metadata: _Marks = msgspec.field(default_factory=_Marks)


_decode_marks = msgspec.json.Decoder(_Marked).decode


def _marks(entry: Entry[Any]) -> tuple[dict[str, str], list[str]]:
    metadata = _decode_marks(entry.raw).metadata
    return metadata.annotations or {}, metadata.finalizers or []


@predicate
def created(event: Event[Any]) -> bool:
    """Let only creations through, those of the first list included."""
    return event.old is None


@predicate
def updated(event: Event[Any]) -> bool:
    """Let only changes of an object through that was there before and is still there."""
    return event.old is not None and event.new is not None


@predicate
def deleted(event: Event[Any]) -> bool:
    """Let only objects through that are gone."""
    return event.new is None


@_changed
def generation_changed(old: Entry[Any], new: Entry[Any]) -> bool:
    """Let changes of the spec through; of kinds that do not count them, every change."""
    if not new.generation:
        return old.resource_version != new.resource_version
    return old.generation != new.generation


@_changed
def resource_version_changed(old: Entry[Any], new: Entry[Any]) -> bool:
    """Let every real change through."""
    return old.resource_version != new.resource_version


@_changed
def labels_changed(old: Entry[Any], new: Entry[Any]) -> bool:
    """Let changes of labels through."""
    return old.labels != new.labels


@_changed
def annotations_changed(old: Entry[Any], new: Entry[Any]) -> bool:
    """Let changes of annotations through."""
    return old.marks != new.marks and _marks(old)[0] != _marks(new)[0]


@_changed
def finalizers_changed(old: Entry[Any], new: Entry[Any]) -> bool:
    """Let changes of finalizers through."""
    return old.marks != new.marks and _marks(old)[1] != _marks(new)[1]


@_changed
def deletion_changed(old: Entry[Any], new: Entry[Any]) -> bool:
    """Let an object through whose deletion was asked for, and waits for its finalizers."""
    return old.deleting != new.deleting


@_changed
def owners_changed(old: Entry[Any], new: Entry[Any]) -> bool:
    """Let changes of owner references through."""
    return old.owners != new.owners


def _primary(old: Entry[Any], new: Entry[Any]) -> bool:
    """Let all changes through but those of the status."""
    if not new.generation or old.generation != new.generation:
        return old.resource_version != new.resource_version
    return old.marks != new.marks or old.deleting != new.deleting or old.labels != new.labels


PRIMARY: Predicate[Any] = _changed(_primary)
"""The default for the kind that is reconciled: all but changes of its status.

That is: spec, labels, annotations, finalizers and deletion; every change of a kind that does not
count generations.
"""


def matches(labels: SelectorLike) -> Predicate[Any]:
    """Let objects through that have *labels*, or had them before the change.

    It does not make the cache smaller; to keep the others out of it, give ``labels`` to `For`,
    `Owns` or `Watches`.
    """
    selector = selector_from(labels)

    def fits(event: Event[Any]) -> bool:
        """Let objects through that have certain labels, or had them before the change."""
        return any(one and selector.matches(one.labels) for one in (event.new, event.old))

    return Predicate(fits, name=f"matches({str(selector)!r})")


def content_changed(
    content: Callable[[R], object], *, ttl: float = 3600.0, clock: Clock | None = None
) -> Predicate[R]:
    """Let an object through when *content* of it differs from what was last let through.

    Unlike the other predicates, it compares with what it has seen, not with the state before the
    change. It remembers a hash for each object, for *ttl* seconds; after that the next change is
    let through whatever it is, so that nothing is held back for ever. Use an instance for one
    watch only.

    Args:
        content: What matters of an object; anything that can be written as JSON.
        ttl: How long a hash counts.
        clock: Where time comes from.
    """
    return Predicate(_Seen(content, ttl, clock or Clock()).is_new, name="content_changed")


class _Seen(Generic[R]):
    """The hash of each object that was let through, the oldest first."""

    def __init__(self, content: Callable[[R], object], ttl: float, clock: Clock) -> None:
        if ttl <= 0:
            raise ValueError(f"the ttl of a hash must be more than 0 seconds, not {ttl}")
        self._content, self._ttl, self._clock = content, ttl, clock
        self._hashes: dict[str, tuple[bytes, float]] = {}

    def is_new(self, event: Event[R]) -> bool:
        """Let an object through when its content differs from what was last let through."""
        self._forget_old()
        if event.new is None:
            self._hashes.pop(event.entry.uid, None)
            return True
        uid = event.new.uid
        found = _hash(self._content(event.new.object))
        known = self._hashes.get(uid)
        if known is not None and known[0] == found:
            return False
        self._hashes.pop(uid, None)  # so that it is put at the end
        self._hashes[uid] = found, self._clock.monotonic() + self._ttl
        return True

    def _forget_old(self) -> None:
        now = self._clock.monotonic()
        while self._hashes:
            uid, (_, until) = next(iter(self._hashes.items()))
            if until > now:
                return
            del self._hashes[uid]


def _hash(content: object) -> bytes:
    from hashlib import blake2b

    in_order = _json.encode(_json.to_builtins(content))
    return blake2b(in_order, digest_size=16).digest()

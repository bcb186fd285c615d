"""`Written`: what this process wrote and the stream has not shown yet.

After a write returns, a read from the same process must see it, though the watch may bring it
later. So the answer of the server goes on top of what the stream said, until the stream has passed
it. Handlers never hear of it: for them only the stream counts.
"""

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import Generic, TypeVar

import msgspec

from kubewright.api.kind import ObjectKey
from kubewright.cache.entry import Entry

R = TypeVar("R")

_MOST_DELETED = 4096  # a bound, should the stream never show some objects, nor their end


class Pending(msgspec.Struct, Generic[R]):
    """A write that the stream has not shown yet.

    Attributes:
        key: The object that was written.
        uid: Which object of that name.
        version: The version that the write made; empty for a deletion, which tells none.
        entry: The object as it was written; ``None`` if it was deleted.
        streamed: The object as the stream has it; ``None`` if it has none.
        dead: Objects of that name that are surely no more, whatever the stream still tells.
        since: For a deletion, a version that it surely came after; empty if none is known.
    """

    key: ObjectKey
    uid: str
    version: str
    entry: Entry[R] | None
    streamed: Entry[R] | None
    dead: frozenset[str] = frozenset()
    since: str = ""

    @property
    def is_ahead(self) -> bool:
        """Whether the write is still newer than what the stream has of this object."""
        base = self.streamed
        if base is None or base.uid in self.dead:
            return True
        if not self.version:
            return base.uid == self.uid or (
                bool(self.since) and is_newer(base.resource_version, self.since) is False
            )
        return is_newer(self.version, base.resource_version) is not False

    @property
    def shown(self) -> Entry[R] | None:
        """What a reader sees."""
        return self.entry if self.is_ahead else self.streamed


class Written(Generic[R]):
    """The writes that are ahead of the stream.

    Attributes:
        pending: Those writes, by key. Others keep a reference to it, so it is never replaced.
    """

    def __init__(self) -> None:
        self.pending: dict[ObjectKey, Pending[R]] = {}
        self._reached: dict[str | None, str] = {}
        # By namespace, the lowest version first: a stream passes one version after the other.
        self._due: dict[str, list[tuple[int, str, ObjectKey]]] = {}

    def __iter__(self) -> Iterator[Pending[R]]:
        return iter(tuple(self.pending.values()))

    def note_write(self, entry: Entry[R], *, streamed: Entry[R] | None) -> Pending[R] | None:
        """Note that this process wrote *entry*; return ``None`` if that is no news by now."""
        version = entry.resource_version
        known = self.pending.get(entry.key)
        if self.has_passed(version, entry.key.namespace) or _is_older(entry, known):
            return None
        made = Pending(entry.key, entry.uid, version, entry, streamed, _dead(known))
        return self._remember(made) if made.is_ahead else None

    def note_deletion(
        self, key: ObjectKey, uid: str, *, streamed: Entry[R] | None, version: str = ""
    ) -> Pending[R] | None:
        """Note that this process deleted the object; return ``None`` if that is no news by now.

        Args:
            key: The object.
            uid: Which object of that name: another one is not hidden.
            streamed: The object as the stream has it.
            version: The version of the write, for one that left the selection and was not deleted.
        """
        known = self.pending.get(key)
        if version and (
            self.has_passed(version, key.namespace)
            or (known is not None and _is_older_than(version, uid, known))
        ):
            return None
        if known is not None and known.uid != uid and known.entry is not None:
            # The object that we made under this name is not the one that we deleted: that one
            # came before it, or after, and the stream will tell.
            known.dead |= {uid}
            return None
        # An object that we wrote before we deleted it came after all that is older than the write.
        since = known.version or known.since if known is not None and known.uid == uid else ""
        made = Pending(key, uid, version, None, streamed, _dead(known) - {uid}, since)
        if not made.is_ahead:
            return None
        self._forget_oldest_deletion()
        return self._remember(made)

    def has_passed(self, version: str, namespace: str) -> bool:
        """Say whether the stream of *namespace* has reached *version*."""
        return any(
            is_newer(version, reached) is False
            for reached in (self._reached.get(None), self._reached.get(namespace))
            if reached
        )

    def drop(self, key: ObjectKey) -> None:
        """Forget the write to *key*: the stream has shown it, or something newer."""
        self.pending.pop(key, None)

    def restart(self, namespace: str | None) -> None:
        """Forget how far the stream of *namespace* came: it begins anew with a list."""
        if namespace is None:
            self._reached.clear()
        else:
            self._reached.pop(namespace, None)

    def reach(self, version: str, namespace: str) -> None:
        """Note that the stream has reached *version*, while there is nothing that it could pass."""
        if version:
            self._reached[namespace] = version

    def settle(self, version: str, *, namespace: str | None = None) -> Sequence[Pending[R]]:
        """Note that the stream has reached *version*; return the writes that it passed by it.

        Args:
            version: The version of an event, a bookmark or a list.
            namespace: The namespace that the stream covers; all of them unless given.
        """
        if not version:
            return ()
        if namespace is None:  # it covers the others, which come and go, and would pile up
            self._reached.clear()
        self._reached[namespace] = version
        if not self.pending:
            self._due.clear()  # of writes that the stream has shown before it passed them
            return ()
        spaces = list(self._due) if namespace is None else [namespace]
        return [passed for space in spaces for passed in self._pop_passed(space, version)]

    def settle_list(self, version: str, *, namespace: str | None = None) -> list[Pending[R]]:
        """Note that a list was taken over; return the writes that it settled.

        Args:
            version: The version of the list; empty if nobody watches any more, which settles all.
            namespace: The namespace that was listed; all of them unless given.
        """
        passed = [*self.settle(version, namespace=namespace)]
        # A list also settles what versions cannot tell.
        passed += [
            self.pending.pop(one.key)
            for one in self
            if namespace in {None, one.key.namespace} and (not version or _is_settled_by_list(one))
        ]
        return passed

    def _remember(self, made: Pending[R]) -> Pending[R]:
        self.pending.pop(made.key, None)  # so that the newest is the last
        self.pending[made.key] = made
        if is_comparable(made.version):
            due = self._due.setdefault(made.key.namespace, [])
            heappush(due, (len(made.version), made.version, made.key))
        return made

    def _pop_passed(self, namespace: str, version: str) -> Iterator[Pending[R]]:
        due = self._due.get(namespace)
        while due and is_newer(due[0][1], version) is False:
            _, passed, key = heappop(due)
            found = self.pending.get(key)
            if found is not None and found.version == passed:
                yield self.pending.pop(key)
        if not due:
            self._due.pop(namespace, None)

    def _forget_oldest_deletion(self) -> None:
        if len(self.pending) >= _MOST_DELETED:
            for one in self:
                if one.entry is None and one.streamed is None:
                    return self.drop(one.key)
        return None


def _is_older(entry: Entry[R], known: Pending[R] | None) -> bool:
    """Say whether a write is older than the one that is known: answers may come in any order."""
    return known is not None and _is_older_than(entry.resource_version, entry.uid, known)


def _is_older_than(version: str, uid: str, known: Pending[R]) -> bool:
    if uid in known.dead:
        return True
    if not known.version:
        return known.uid == uid
    return is_newer(version, known.version) is False


def _dead(known: Pending[R] | None) -> frozenset[str]:
    """Return the objects that are no more, if *known* was the last that was heard of the name."""
    if known is None:
        return frozenset()
    is_deletion = known.entry is None and not known.version
    return known.dead | {known.uid} if is_deletion else known.dead


def _is_settled_by_list(one: Pending[R]) -> bool:
    if not one.version:
        return one.streamed is None
    return not is_comparable(one.version)


# --- Versions ---
#
# The versions of one kind are positive integers of any length that only grow. A version that is not
# written so can only be equal to another one or not.


def is_comparable(version: str) -> bool:
    """Say whether *version* is a number that can be ordered.

    Example:
        >>> is_comparable("118"), is_comparable("0"), is_comparable("abc")
        (True, False, False)
    """
    return version.isdecimal() and version.isascii() and version[0] != "0"


def is_newer(version: str, than: str) -> bool | None:
    """Say whether *version* came after *than*; ``None`` if that cannot be told.

    Every version is newer than an empty one, which stands for "nothing was read yet".

    Example:
        >>> is_newer("10", "9"), is_newer("9", "9"), is_newer("x", "9")
        (True, False, None)
    """
    if version == than:
        return False
    if not than:
        return True
    if not (is_comparable(version) and is_comparable(than)):
        return None
    # Without leading zeros the longer number is the larger one, and text sorts as numbers do.
    return (len(version), version) > (len(than), than)

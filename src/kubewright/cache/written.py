"""`Written`: what this process wrote and the stream has not shown yet.

After a write returns, reads in the same process must see it, though the watch may bring it later.
So the answer of the server is laid over the state of the stream until the stream has passed it.
Handlers do not see it: they follow the stream alone.
"""

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import Generic, TypeVar

import msgspec

from kubewright.api.kind import ObjectKey
from kubewright.cache.entry import Entry

R = TypeVar("R")

_MOST_DELETED = 4096  # a bound, in case the stream never shows some objects or their deletion


class Pending(msgspec.Struct, Generic[R]):
    """A write that the stream has not shown yet.

    Attributes:
        key: The object that was written.
        uid: Its uid.
        version: The version of the write; empty for a deletion, which has none.
        entry: The object as it was written; ``None`` if it was deleted.
        streamed: The object as the stream has it; ``None`` if it does not have it.
        dead: The uids of objects of that name that no longer exist, whatever the stream still says.
        since: For a deletion, a version that it is known to come after; empty if there is none.
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
        """Whether the write is still newer than the state of the stream."""
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
        """What readers see."""
        return self.entry if self.is_ahead else self.streamed


class Written(Generic[R]):
    """The writes that are ahead of the stream.

    Attributes:
        pending: The writes by key. Others keep a reference to this dict, so it is never replaced.
    """

    def __init__(self) -> None:
        self.pending: dict[ObjectKey, Pending[R]] = {}
        self._reached: dict[str | None, str] = {}
        # By namespace, with the lowest version first, since a stream passes them in that order.
        self._due: dict[str, list[tuple[int, str, ObjectKey]]] = {}

    def __iter__(self) -> Iterator[Pending[R]]:
        return iter(tuple(self.pending.values()))

    def note_write(self, entry: Entry[R], *, streamed: Entry[R] | None) -> Pending[R] | None:
        """Note that this process wrote *entry*; return ``None`` if the stream is ahead of it."""
        version = entry.resource_version
        known = self.pending.get(entry.key)
        if self.has_passed(version, entry.key.namespace) or _is_older(entry, known):
            return None
        made = Pending(entry.key, entry.uid, version, entry, streamed, _dead(known))
        return self._remember(made) if made.is_ahead else None

    def note_deletion(
        self, key: ObjectKey, uid: str, *, streamed: Entry[R] | None, version: str = ""
    ) -> Pending[R] | None:
        """Note that this process deleted an object; return ``None`` if the stream is ahead of it.

        Args:
            key: The object.
            uid: Its uid; another object of that name is not hidden.
            streamed: The object as the stream has it.
            version: The version of the write, if the object was not deleted but left the selection.
        """
        known = self.pending.get(key)
        if version and (
            self.has_passed(version, key.namespace)
            or (known is not None and _is_older_than(version, uid, known))
        ):
            return None
        if known is not None and known.uid != uid and known.entry is not None:
            # We have also created an object of this name, and not the one that we deleted. Which of
            # them came first, the stream will tell.
            known.dead |= {uid}
            return None
        # If we wrote the object before, its deletion is newer than that write.
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
        """Forget how far the stream of *namespace* has come: it starts over with a list."""
        if namespace is None:
            self._reached.clear()
        else:
            self._reached.pop(namespace, None)

    def reach(self, version: str, namespace: str) -> None:
        """Note that the stream has reached *version*, while no writes are pending."""
        if version:
            self._reached[namespace] = version

    def settle(self, version: str, *, namespace: str | None = None) -> Sequence[Pending[R]]:
        """Note that the stream has reached *version*; return the writes that it has passed.

        Args:
            version: The version of an event, a bookmark or a list.
            namespace: The namespace that the stream covers; all of them unless given.
        """
        if not version:
            return ()
        if namespace is None:  # it covers all namespaces, which come and go and would pile up
            self._reached.clear()
        self._reached[namespace] = version
        if not self.pending:
            self._due.clear()  # drop writes that the stream has already shown
            return ()
        spaces = list(self._due) if namespace is None else [namespace]
        return [passed for space in spaces for passed in self._pop_passed(space, version)]

    def settle_list(self, version: str, *, namespace: str | None = None) -> list[Pending[R]]:
        """Note that a list has replaced the state; return the writes that it settled.

        Args:
            version: The version of the list; empty if the watch has ended, which settles all.
            namespace: The namespace that was listed; all of them unless given.
        """
        passed = [*self.settle(version, namespace=namespace)]
        # A list also settles writes whose versions cannot be compared.
        passed += [
            self.pending.pop(one.key)
            for one in self
            if namespace in {None, one.key.namespace} and (not version or _is_settled_by_list(one))
        ]
        return passed

    def _remember(self, made: Pending[R]) -> Pending[R]:
        self.pending.pop(made.key, None)  # so that the newest comes last
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
    """Say whether a write is older than the known one: answers may arrive in any order."""
    return known is not None and _is_older_than(entry.resource_version, entry.uid, known)


def _is_older_than(version: str, uid: str, known: Pending[R]) -> bool:
    if uid in known.dead:
        return True
    if not known.version:
        return known.uid == uid
    return is_newer(version, known.version) is False


def _dead(known: Pending[R] | None) -> frozenset[str]:
    """Return the uids of objects that no longer exist, given the last *known* write."""
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
# Resource versions of one kind are growing positive integers of any length. Any other text can only
# be compared for equality.


def is_comparable(version: str) -> bool:
    """Say whether *version* is a number that can be ordered.

    Example:
        >>> is_comparable("118"), is_comparable("0"), is_comparable("abc")
        (True, False, False)
    """
    return version.isdecimal() and version.isascii() and version[0] != "0"


def is_newer(version: str, than: str) -> bool | None:
    """Say whether *version* is newer than *than*; ``None`` if they cannot be compared.

    Every version is newer than an empty one, which stands for "nothing read yet".

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
    # Without leading zeros, the longer number is larger; of equal length, text sorts like numbers.
    return (len(version), version) > (len(than), than)

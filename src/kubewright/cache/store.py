"""`Store`: the objects of one informer, as the stream has them and as readers see them."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

from kubewright.api.kind import ObjectKey, RESTMapping
from kubewright.api.resource import Resource
from kubewright.api.selectors import SelectorLike, selector_from
from kubewright.api.unstructured import Unstructured
from kubewright.cache.codec import Codec
from kubewright.cache.entry import Entry, Event
from kubewright.cache.index import Index, IndexFunction, OwnerIndex
from kubewright.cache.written import Pending, Written
from kubewright.errors import Attempt, DecodeError, NotFoundError, Status
from kubewright.log import get_logger

R = TypeVar("R", bound=Resource | Unstructured)

NAMESPACE: str = "namespace"
"""The built-in index by namespace."""
OWNER: str = "owner"
"""The built-in index by the uid of an owner."""

_log = get_logger(__name__)

_SLICE = 400  # objects that are packed in one go: about 5 ms


class Store(Generic[R]):
    """Keeps the entries of one informer; every read decodes a fresh object.

    The stream changes it by `replace`, `put` and `remove`, which return what handlers are to hear.
    This process's own writes go on top by `note_write` and `note_deletion`, for readers only. All
    of it is synchronous: nobody sees half a change.

    Args:
        codec: What makes and reads its entries.
        mapping: What its objects are, for messages.
        on_unfit: Called when an object is first found not to fit its class.
    """

    def __init__(
        self,
        codec: Codec[R],
        *,
        mapping: RESTMapping | None = None,
        on_unfit: Callable[[], None] | None = None,
    ) -> None:
        self.codec: Codec[R] = codec
        self.mapping: RESTMapping | None = mapping
        """What its objects are, for messages."""
        self._on_unfit = on_unfit
        self._unfit: dict[ObjectKey, str] = {}
        self._spaces: dict[str, dict[str, Entry[R]]] = {}
        self._written: Written[R] = Written()
        self._pending = self._written.pending
        self._owners: OwnerIndex[R] = OwnerIndex()
        self._indexes: dict[tuple[Codec[Any], str], Index[Any]] = {}
        self._count = 0
        self._bytes = 0
        self._to_pack: list[ObjectKey] | None = None

    # What the stream does.

    def replace(
        self, entries: Iterable[Entry[R]], *, namespace: str | None = None, version: str
    ) -> list[Event[R]]:
        """Take over a list: what it lacks is gone, what it has is as it says.

        Args:
            entries: All objects of the list.
            namespace: The namespace that was listed; all of them unless given.
            version: The version of the list; empty if nobody watches any more.

        Returns:
            What changed by it, deletions first. What this process wrote and the stream has never
            shown came and went, if the list lacks it: readers saw it, so its end must be heard of.
        """
        self._written.restart(namespace)
        listed = {entry.key: entry for entry in entries}
        gone = [entry for entry in self.streamed(namespace) if entry.key not in listed]
        events: list[Event[R]] = []
        for entry in gone:
            self._leave(entry)
            events.append(Event(entry, None, unseen=True))
        for entry in listed.values():
            event = self._arrive(entry)
            if event is not None:
                events.append(event)
        passed = self._written.settle_list(version, namespace=namespace)
        self._show_streamed(passed)
        self._to_pack = None  # entries may have been made before packing began
        if version:
            events[len(gone) : len(gone)] = _came_and_went(passed)
        return events

    def put(self, entry: Entry[R]) -> Event[R] | None:
        """Take over an object that was added or modified; ``None`` if it is known already."""
        event = self._arrive(entry)
        if self._pending:
            self.settle(entry.resource_version, namespace=entry.key.namespace)
        else:
            self._written.reach(entry.resource_version, entry.key.namespace)
        return event

    def remove(self, entry: Entry[R]) -> Event[R] | None:
        """Take out an object that was deleted; ``None`` if it is not there.

        Args:
            entry: Its last state, as the deletion told it.
        """
        known = self.find_streamed(entry.key)
        event = None
        if known is not None and known.uid == entry.uid:
            self._leave(entry)
            event = Event(entry, None)
        self.settle(entry.resource_version, namespace=entry.key.namespace)
        return event

    def settle(self, version: str, *, namespace: str | None = None) -> None:
        """Note that the stream has reached *version*, so that older own writes are in it.

        Args:
            version: The version of a bookmark or an event.
            namespace: The namespace that the stream covers; all of them unless given.
        """
        self._show_streamed(self._written.settle(version, namespace=namespace))

    def streamed(self, namespace: str | None = None) -> Iterator[Entry[R]]:
        """Yield the entries as the stream has them: what a new handler hears first."""
        if not self._pending:
            yield from self._entries(namespace)
            return
        for entry in self._entries(namespace):
            if entry.key not in self._pending:
                yield entry
        for one in self._written:
            if one.streamed is not None and namespace in {None, one.key.namespace}:
                yield one.streamed

    def find_streamed(self, key: ObjectKey) -> Entry[R] | None:
        """Return the entry of *key* as the stream has it."""
        pending = self._pending.get(key)
        return self.find_entry(key) if pending is None else pending.streamed

    # What this process writes.

    def note_write(self, entry: Entry[R]) -> None:
        """Let readers see what this process wrote, until the stream shows it or something newer."""
        pending = self._written.note_write(entry, streamed=self.find_streamed(entry.key))
        if pending is not None:
            self._show(entry.key, pending.shown)

    def note_deletion(self, key: ObjectKey, uid: str, *, version: str = "") -> None:
        """Hide from readers what this process deleted, until the stream shows its end.

        Args:
            key: The object.
            uid: Which object of that name.
            version: For an object that was not deleted but written so that the informer does not
                select it any more: the version of that write.
        """
        streamed = self.find_streamed(key)
        if self._written.note_deletion(key, uid, streamed=streamed, version=version) is not None:
            self._show(key, None)

    # What readers ask.

    def __len__(self) -> int:
        return self._count

    def __contains__(self, key: ObjectKey) -> bool:
        return self.find_entry(key) is not None

    @property
    def size_in_bytes(self) -> int:
        """The bytes of all objects as they are kept, without what Python adds to them."""
        return self._bytes

    def find_entry(self, key: ObjectKey) -> Entry[R] | None:
        """Return the entry of *key*, or ``None``."""
        space = self._spaces.get(key.namespace)
        return None if space is None else space.get(key.name)

    def find_named(self, namespace: str, name: str) -> Entry[R] | None:
        """Return the entry of *name* in *namespace*, or ``None``."""
        space = self._spaces.get(namespace)
        return None if space is None else space.get(name)

    def find(self, key: ObjectKey) -> R | None:
        """Return a fresh copy of the object of *key*, or ``None``.

        Raises:
            DecodeError: It does not fit its class.
        """
        entry = self.find_entry(key)
        return None if entry is None else self._read(entry)

    def get(self, key: ObjectKey) -> R:
        """Return a fresh copy of the object of *key*.

        Raises:
            NotFoundError: There is none.
            DecodeError: It does not fit its class.
        """
        entry = self.find_entry(key)
        if entry is None:
            raise self._not_found(key)
        return self._read(entry)

    def list_entries(
        self,
        namespace: str | None = None,
        labels: SelectorLike | None = None,
        *,
        index: str | None = None,
        value: str | None = None,
        codec: Codec[Any] | None = None,
    ) -> list[Entry[R]]:
        """Return the entries that `list` decodes; *codec* says whose index is meant."""
        found = self._candidates(namespace, index, value, codec or self.codec)
        if labels is not None:
            matches = selector_from(labels).matches
            found = (entry for entry in found if matches(entry.labels))
        return sorted(found, key=_sort_key)

    def objects(self, entries: Iterable[Entry[R]]) -> list[R]:
        """Return fresh copies of the objects of *entries*, but for those that fit no class."""
        found = []
        for entry in entries:
            try:
                found.append(entry.object)
            except DecodeError as error:
                self._leave_out(entry.key, str(error))
        return found

    def list(
        self,
        namespace: str | None = None,
        labels: SelectorLike | None = None,
        *,
        index: str | None = None,
        value: str | None = None,
    ) -> list[R]:
        """Return fresh copies of the objects that fit, ordered as a server lists them.

        One that does not fit its class is left out; the log names it, once.

        Args:
            namespace: Only those of this namespace.
            labels: Only those with these labels.
            index: With *value*: only those that this index has under it.
            value: What to look up in *index*.

        Raises:
            ValueError: There is no such index, or no value to look up.
        """
        found = self.list_entries(namespace, labels, index=index, value=value)
        return self.objects(found)

    def keys(self) -> Iterator[ObjectKey]:
        """Yield the keys of all objects."""
        return (entry.key for entry in self._entries(None))

    def _read(self, entry: Entry[R]) -> R:
        try:
            return entry.object
        except DecodeError as error:
            raise DecodeError(f"{self._name(entry.key)} does not fit its class: {error}") from error

    def _leave_out(self, key: ObjectKey, error: str) -> None:
        if self._unfit.get(key) == error:
            return
        self._unfit[key] = error
        _log.error("object does not fit its class, left out of lists", key=str(key), error=error)
        if self._on_unfit is not None:
            self._on_unfit()

    def _name(self, key: ObjectKey) -> str:
        return f"{self.mapping.kind if self.mapping else 'object'} {str(key)!r}"

    # Indexes.

    def add_index(
        self, name: str, function: IndexFunction[Any], *, codec: Codec[Any] | None = None
    ) -> None:
        """Keep an index by what *function* returns for an object, of those that are there, too.

        An object for which it fails, or that does not fit its class, is logged and left out of the
        index.

        Args:
            name: What to call it; each codec has names of its own.
            function: Returns the values that an object is found under.
            codec: What makes the objects that *function* gets; the store's own unless given.

        Raises:
            ValueError: There is an index of that name.
        """
        read_by = codec or self.codec
        if (read_by, name) in self._indexes or name in {NAMESPACE, OWNER}:
            raise ValueError(f"there is an index {name!r} already: give the new one another name")
        made: Index[Any] = Index(name, function)
        for entry in self._entries(None):
            made.change(entry.key, _object(entry, read_by))
        self._indexes[read_by, name] = made

    def remove_index(self, name: str, *, codec: Codec[Any] | None = None) -> None:
        """Keep the index *name* no longer; do nothing if there is none."""
        self._indexes.pop((codec or self.codec, name), None)

    # Packing.

    def pack_some(self, limit: int = _SLICE) -> bool:
        """Pack entries that came before packing began; say whether there are more of them.

        To be called between other work until it says no: a large cache at once would hold up the
        event loop.
        """
        if self._to_pack is None:
            if not self.codec.packing.active:
                return False
            self._to_pack = [entry.key for entry in self.streamed() if not entry.packing]
        keys = self._to_pack[-limit:]
        del self._to_pack[-limit:]
        for key in keys:
            entry = self.find_entry(key)
            if entry is not None and not entry.packing:
                self._swap(entry, self.codec.repacked(entry))
        return bool(self._to_pack)

    def _swap(self, entry: Entry[R], packed: Entry[R]) -> None:
        self._spaces[entry.key.namespace][entry.key.name] = packed
        self._bytes += len(packed.packed) - len(entry.packed)

    # How it is done.

    def _arrive(self, entry: Entry[R]) -> Event[R] | None:
        """Note what the stream says of an object; readers see it unless they saw a newer write."""
        key = entry.key
        pending = self._pending.get(key) if self._pending else None
        old = self.find_entry(key) if pending is None else pending.streamed
        if (
            old is not None
            and old.resource_version == entry.resource_version
            and old.uid == entry.uid
        ):
            return None
        if pending is not None:
            pending.streamed = entry
            self._review(pending)
        elif old is not None and not self._indexes:  # as `_show` does it, for what happens most
            self._spaces[key.namespace][key.name] = entry
            self._bytes += len(entry.packed) - len(old.packed)
            if entry.owners is not old.owners:
                self._owners.change(old, entry)
        else:
            self._show(key, entry, old)
        return Event(old, entry)

    def _leave(self, entry: Entry[R]) -> None:
        """Note that the stream has seen the end of an object."""
        pending = self._pending.get(entry.key)
        if pending is None:
            self._show(entry.key, None)
            return
        pending.streamed = None
        if pending.uid == entry.uid:  # whatever we did to it, it is gone
            self._written.drop(entry.key)
            self._show(entry.key, None)

    def _review(self, pending: Pending[R]) -> None:
        if not pending.is_ahead:
            self._written.drop(pending.key)
            self._show(pending.key, pending.streamed)

    def _show_streamed(self, passed: Iterable[Pending[R]]) -> None:
        for pending in passed:
            self._show(pending.key, pending.streamed)

    def _show(self, key: ObjectKey, new: Entry[R] | None, old: Entry[R] | None = None) -> None:
        """Make *new* what readers see under *key*; nothing if it is ``None``."""
        old = old or self.find_entry(key)
        if new is old:
            return
        if new is None:
            space = self._spaces[key.namespace]
            del space[key.name]
            if not space:
                del self._spaces[key.namespace]
        else:
            space = self._spaces.get(key.namespace) or self._spaces.setdefault(key.namespace, {})
            space[key.name] = new
        self._account(old, new)

    def _account(self, old: Entry[R] | None, new: Entry[R] | None) -> None:
        if old is not None:
            self._count -= 1
            self._bytes -= len(old.packed)
        if new is not None:
            self._count += 1
            self._bytes += len(new.packed)
        self._owners.change(old, new)
        if new is None and old is not None and self._unfit:
            self._unfit.pop(old.key, None)
        if self._indexes:
            self._change_indexes(old, new)

    def _change_indexes(self, old: Entry[R] | None, new: Entry[R] | None) -> None:
        entry = new or old
        assert entry is not None
        read: dict[Codec[Any], Any] = {}  # each index gets its type, made once for all of that type
        for (codec, _), index in self._indexes.items():
            if codec not in read:
                read[codec] = None if new is None else _object(new, codec)
            index.change(entry.key, read[codec])

    def _entries(self, namespace: str | None) -> Iterator[Entry[R]]:
        # Copied, so that the store may change meanwhile: readers may be in threads of their own.
        if namespace is not None:
            yield from tuple(self._spaces.get(namespace, {}).values())
            return
        for space in tuple(self._spaces.values()):
            yield from tuple(space.values())

    def _candidates(
        self, namespace: str | None, index: str | None, value: str | None, codec: Codec[Any]
    ) -> Iterable[Entry[R]]:
        if index is None:
            if value is not None:
                raise ValueError(f"cannot look up {value!r}: say in which index")
            return self._entries(namespace)
        if value is None:
            raise ValueError(f"cannot list by the index {index!r}: say for which value")
        if index == NAMESPACE:
            return self._entries(value) if namespace in {None, value} else ()
        keys = tuple(self._find_index(index, codec).keys(value))
        found = (self.find_entry(key) for key in keys if namespace in {None, key.namespace})
        return (entry for entry in found if entry is not None)

    def _find_index(self, name: str, codec: Codec[Any]) -> Index[Any] | OwnerIndex[R]:
        found = self._owners if name == OWNER else self._indexes.get((codec, name))
        if found is None:
            declared = {known for read_by, known in self._indexes if read_by is codec}
            known = ", ".join(sorted({NAMESPACE, OWNER, *declared}))
            raise ValueError(f"there is no index {name!r}: declare it first. There are: {known}")
        return found

    def _not_found(self, key: ObjectKey) -> NotFoundError:
        mapping = self.mapping
        plural, group = (mapping.plural, mapping.group) if mapping else ("object", "")
        what = f"{plural}.{group}" if group else plural
        return NotFoundError(
            Attempt("get", plural, group=group, namespace=key.namespace, name=key.name),
            Status("Failure", f'{what} "{key.name}" not found in the cache', "NotFound", code=404),
        )


def _came_and_went(passed: Iterable[Pending[R]]) -> Iterator[Event[R]]:
    """Yield what the stream would have told of own writes that nothing is left of."""
    for one in passed:
        if one.entry is not None and one.streamed is None:
            yield Event(None, one.entry)
            yield Event(one.entry, None, unseen=True)


def _object(entry: Entry[Any], codec: Codec[R]) -> R | None:
    """Return the object for index functions, or ``None`` if it cannot be read as its class.

    Raised, that would break the stream in the middle of a list, whose events were lost then.
    """
    try:
        return codec.decode(entry.raw)
    except Exception as error:  # noqa: BLE001  # a user's class may refuse it in any way
        _log.error("object does not fit its class, not indexed", key=str(entry.key), error=error)
        return None


def _sort_key(entry: Entry[R]) -> tuple[str, str]:
    return entry.key.namespace, entry.key.name

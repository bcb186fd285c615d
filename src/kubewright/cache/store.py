"""`Store`: the objects of one informer, as the stream has them and as readers see them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from kubewright.api.kind import ObjectKey, RESTMapping
from kubewright.api.resource import Resource
from kubewright.api.selectors import SelectorLike, selector_from
from kubewright.api.unstructured import Unstructured
from kubewright.cache.codec import Codec
from kubewright.cache.entry import Entry, Event
from kubewright.cache.index import Index, IndexFunction, OwnerIndex
from kubewright.cache.waiters import Waiters
from kubewright.cache.written import Pending, Written, is_newer
from kubewright.errors import Attempt, DecodeError, NotFoundError, Status
from kubewright.log import get_logger

R = TypeVar("R", bound=Resource | Unstructured)

NAMESPACE: str = "namespace"
"""The built-in index by namespace."""
OWNER: str = "owner"
"""The built-in index by the uid of an owner."""

_log = get_logger(__name__)

_SLICE = 400  # objects to compress in one go: about 5 ms


class Store(Generic[R]):
    """Keeps the entries of one informer; every read decodes a fresh object.

    The stream updates it with `replace`, `put` and `remove`, which return the events for handlers.
    Own writes are laid over it with `note_write` and `note_deletion`, for readers only. All of it
    is synchronous: nobody sees half a change.

    Args:
        codec: What makes and reads its entries.
        mapping: The kind of its objects, for messages.
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
        """The kind of its objects, for messages."""
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
        self._expected: dict[ObjectKey, str] = {}  # with the versions that will not stay
        self._ended = False
        self._waiters = Waiters()

    def _read_with(self, codec: Codec[R], mapping: RESTMapping | None) -> None:
        """Let *codec* read what *mapping* names from now on."""
        self.codec, self.mapping = codec, mapping

    @property
    def ahead(self) -> int:
        """How many writes of this process the stream has yet to show.

        A deletion of an object that the stream never showed is not counted: nothing will come.
        """
        return len(self._expected) + sum(
            one.entry is not None or one.streamed is not None for one in self._pending.values()
        )

    async def wait_level(self, *, unless: Callable[[], bool] = lambda: False) -> None:
        """Return once no write of this process is `ahead` of the stream, or the stream ends.

        Args:
            unless: Says that waiting is of no use; it is asked again after each `wake`.
        """
        await self._waiters.until(lambda: not self.ahead or self._ended or unless())

    def wake(self) -> None:
        """Let whoever waits look again."""
        self._waiters.wake()

    def end(self) -> None:
        """Note that the stream has ended, and wake the waiters."""
        self._ended = True
        self._waiters.wake()

    # --- Updates from the stream ---

    def replace(
        self, entries: Iterable[Entry[R]], *, namespace: str | None = None, version: str
    ) -> list[Event[R]]:
        """Replace all objects with a list: objects that are not in it are gone.

        Args:
            entries: All objects of the list.
            namespace: The namespace that was listed; all of them unless given.
            version: The version of the list; empty if the watch has ended.

        Returns:
            The changes, deletions first. An object that this process wrote, that the stream never
            showed and that is not in the list, counts as added and deleted: readers have seen it,
            so handlers must learn that it is gone.
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
        for key in [key for key in self._expected if namespace in {None, key.namespace}]:
            self._forget_expected(key)
        passed = self._written.settle_list(version, namespace=namespace)
        self._show_streamed(passed)
        self._to_pack = None  # entries may have been made before compression began
        if version:
            events[len(gone) : len(gone)] = _came_and_went(passed)
        return events

    def put(self, entry: Entry[R]) -> Event[R] | None:
        """Store an object that was added or modified; return ``None`` if it is known already."""
        event = self._arrive(entry)
        if self._pending:
            self.settle(entry.resource_version, namespace=entry.key.namespace)
        else:
            self._written.reach(entry.resource_version, entry.key.namespace)
        return event

    def remove(self, entry: Entry[R]) -> Event[R] | None:
        """Remove an object that was deleted; return ``None`` if it is not there.

        Args:
            entry: Its last state, from the deletion event.
        """
        known = self.find_streamed(entry.key)
        event = None
        if known is not None and known.uid == entry.uid:
            self._leave(entry)
            event = Event(entry, None)
        self.settle(entry.resource_version, namespace=entry.key.namespace)
        return event

    def settle(self, version: str, *, namespace: str | None = None) -> None:
        """Note that the stream has reached *version*, and so includes older own writes.

        Args:
            version: The version of a bookmark or an event.
            namespace: The namespace that the stream covers; all of them unless given.
        """
        self._show_streamed(self._written.settle(version, namespace=namespace))

    def streamed(self, namespace: str | None = None) -> Iterator[Entry[R]]:
        """Yield the entries as the stream has them, without own writes."""
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

    # --- Own writes ---

    def note_write(self, entry: Entry[R]) -> None:
        """Show readers what this process wrote, until the stream shows it or something newer."""
        pending = self._written.note_write(entry, streamed=self.find_streamed(entry.key))
        if pending is not None:
            self._show(entry.key, pending.shown)

    def note_deletion(self, key: ObjectKey, uid: str, *, version: str = "") -> None:
        """Hide what this process deleted from readers, until the stream shows the deletion.

        Args:
            key: The object.
            uid: Its uid.
            version: For an object that was not deleted, but written so that the informer no longer
                selects it: the version of that write.
        """
        streamed = self.find_streamed(key)
        if self._written.note_deletion(key, uid, streamed=streamed, version=version) is not None:
            self._show(key, None)

    def expect_change(self, key: ObjectKey, uid: str, *, version: str) -> None:
        """Note that an object will not stay as it was: this process deleted it, among others.

        Readers go on to see it; it is `ahead` until the stream shows what has become of it.

        Args:
            key: The object.
            uid: Its uid.
            version: Its version before the change.
        """
        known = self.find_streamed(key) or self.find_entry(key)
        if known is None or known.uid != uid:
            return  # it has come and gone, or nobody here has seen it
        if not is_newer(known.resource_version, version):
            self._expected[key] = version

    # --- Reads ---

    def __len__(self) -> int:
        return self._count

    def __contains__(self, key: ObjectKey) -> bool:
        return self.find_entry(key) is not None

    @property
    def size_in_bytes(self) -> int:
        """The size of all objects as they are kept, without the overhead of Python."""
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
            NotFoundError: The store does not have it.
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
        """Return the entries that `list` decodes; *codec* says whose index to use."""
        found = self._candidates(namespace, index, value, codec or self.codec)
        if labels is not None:
            matches = selector_from(labels).matches
            found = (entry for entry in found if matches(entry.labels))
        return sorted(found, key=_sort_key)

    def objects(self, entries: Iterable[Entry[R]]) -> list[R]:
        """Return fresh copies of the objects of *entries* that fit their class."""
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
        """Return fresh copies of the matching objects, in the order of a list from the server.

        An object that does not fit its class is left out, and logged once.

        Args:
            namespace: Only objects in this namespace.
            labels: Only objects with these labels.
            index: With *value*: only objects that this index finds by it.
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

    # --- Indexes ---

    def add_index(
        self, name: str, function: IndexFunction[Any], *, codec: Codec[Any] | None = None
    ) -> None:
        """Add an index of the values that *function* returns for objects.

        An object for which it fails, or that does not fit its class, is logged and left out.

        Args:
            name: Its name, which is unique for each codec.
            function: Returns the values by which an object is found.
            codec: Makes the objects for *function*; by default, the codec of the store.

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
        """Remove the index *name*; do nothing if there is none."""
        self._indexes.pop((codec or self.codec, name), None)

    # --- Compression ---

    def pack_some(self, limit: int = _SLICE) -> bool:
        """Compress some entries that came before compression began; say whether there are more.

        Call it between other work until it returns ``False``: all of a large cache at once would
        block the event loop.
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

    # --- Internals ---

    def _arrive(self, entry: Entry[R]) -> Event[R] | None:
        """Store an object from the stream; readers see it unless a newer own write hides it."""
        key = entry.key
        pending = self._pending.get(key) if self._pending else None
        old = self.find_entry(key) if pending is None else pending.streamed
        if (
            old is not None
            and old.resource_version == entry.resource_version
            and old.uid == entry.uid
        ):
            return None
        if self._expected and self._expected.get(key) not in {None, entry.resource_version}:
            self._forget_expected(key)
        if pending is not None:
            pending.streamed = entry
            self._review(pending)
        elif (
            old is not None and not self._indexes
        ):  # what `_show` does, faster for the most common case
            self._spaces[key.namespace][key.name] = entry
            self._bytes += len(entry.packed) - len(old.packed)
            if entry.owners is not old.owners:
                self._owners.change(old, entry)
        else:
            self._show(key, entry, old)
        return Event(old, entry)

    def _leave(self, entry: Entry[R]) -> None:
        """Remove an object that the stream says is gone."""
        self._forget_expected(entry.key)
        pending = self._pending.get(entry.key)
        if pending is None:
            self._show(entry.key, None)
            return
        pending.streamed = None
        if pending.uid == entry.uid:  # whatever we wrote to it, it is gone
            self._written.drop(entry.key)
            self._show(entry.key, None)
        self._waiters.wake()

    def _forget_expected(self, key: ObjectKey) -> None:
        if self._expected.pop(key, None) is not None:
            self._waiters.wake()

    def _review(self, pending: Pending[R]) -> None:
        if not pending.is_ahead:
            self._written.drop(pending.key)
            self._show(pending.key, pending.streamed)
            self._waiters.wake()

    def _show_streamed(self, passed: Sequence[Pending[R]]) -> None:
        for pending in passed:
            self._show(pending.key, pending.streamed)
        if passed:
            self._waiters.wake()

    def _show(self, key: ObjectKey, new: Entry[R] | None, old: Entry[R] | None = None) -> None:
        """Make *new* what readers see under *key*; ``None`` removes it."""
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
        read: dict[Codec[Any], Any] = {}  # each type is decoded once, for all indexes that use it
        for (codec, _), index in self._indexes.items():
            if codec not in read:
                read[codec] = None if new is None else _object(new, codec)
            index.change(entry.key, read[codec])

    def _entries(self, namespace: str | None) -> Iterator[Entry[R]]:
        # Copied, because the store may change meanwhile: readers may run in other threads.
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
    """Yield the events that the stream left out for own writes that are gone."""
    for one in passed:
        if one.entry is not None and one.streamed is None:
            yield Event(None, one.entry)
            yield Event(one.entry, None, unseen=True)


def _object(entry: Entry[Any], codec: Codec[R]) -> R | None:
    """Return the object for index functions, or ``None`` if it does not fit its class.

    An error here would break the stream in the middle of a list, and lose its events.
    """
    try:
        return codec.decode(entry.raw)
    except Exception as error:  # noqa: BLE001  # a user's class may raise anything
        _log.error("object does not fit its class, not indexed", key=str(entry.key), error=error)
        return None


def _sort_key(entry: Entry[R]) -> tuple[str, str]:
    return entry.key.namespace, entry.key.name

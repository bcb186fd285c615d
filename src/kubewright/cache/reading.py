"""`Reading`: an informer that shares the watch of another one, and decodes to its own type.

A kind may be named by a class in one place and by a `Kind` in another. It is listed and watched
once. The store keeps bytes, so each reader decides what to decode them to.
"""

import builtins
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any, TypeVar

from kubewright.api.kind import ObjectKey, RESTMapping
from kubewright.api.resource import Resource
from kubewright.api.selectors import SelectorLike
from kubewright.api.unstructured import Unstructured
from kubewright.cache.codec import Codec
from kubewright.cache.entry import Entry, Event
from kubewright.cache.handlers import Handler, Registration, is_async_handler
from kubewright.cache.index import IndexFunction
from kubewright.cache.informer import Informer
from kubewright.cache.reflector import Reflector
from kubewright.cache.selection import Selection
from kubewright.cache.store import Store
from kubewright.errors import LifecycleError

R = TypeVar("R", bound=Resource | Unstructured)

__all__ = ["Reading", "ReadingStore"]


class ReadingStore(Store[R]):
    """Reads the objects of another store with a codec of its own.

    Args:
        origin: The store that keeps the objects.
        codec: What reads them.
        on_unfit: Called when an object is first found not to fit its class.
    """

    def __init__(self, origin: Store[Any], codec: Codec[R], on_unfit: Callable[[], None]) -> None:
        super().__init__(codec, mapping=origin.mapping, on_unfit=on_unfit)
        self._origin = origin
        self._functions: dict[str, IndexFunction[R]] = {}

    def share(self, origin: Store[Any], codec: Codec[R]) -> None:
        """Read from *origin* from now on, and keep the indexes there."""
        functions = dict(self._functions)
        self.drop_indexes()
        self._origin = origin
        self._read_with(codec, origin.mapping)
        for name, function in functions.items():
            self.add_index(name, function)

    @property
    def ahead(self) -> int:
        """How many writes of this process the stream has yet to show."""
        return self._origin.ahead

    async def wait_level(self, *, unless: Callable[[], bool] = lambda: False) -> None:
        """Return once no write of this process is `ahead` of the stream, or the stream ends."""
        await self._origin.wait_level(unless=unless)

    def drop_indexes(self) -> None:
        """Remove all indexes that were added here."""
        for name in list(self._functions):
            self.remove_index(name)

    def read(self, entry: Entry[Any]) -> Entry[R]:
        """Return *entry* with the codec of this store."""
        if entry.codec is self.codec:
            return entry
        return Entry(
            entry.key, entry.uid, entry.resource_version, entry.generation, entry.labels,
            entry.owners, entry.deleting, entry.marks, entry.shape, entry.packed, entry.packing,
            self.codec,
        )  # fmt: skip

    def _read_or_none(self, entry: Entry[Any] | None) -> Entry[R] | None:
        return None if entry is None else self.read(entry)

    def __len__(self) -> int:
        return len(self._origin)

    @property
    def size_in_bytes(self) -> int:
        """The size of all objects as they are kept, without the overhead of Python."""
        return self._origin.size_in_bytes

    def streamed(self, namespace: str | None = None) -> Iterator[Entry[R]]:
        """Yield the entries as the stream has them, without own writes."""
        return map(self.read, self._origin.streamed(namespace))

    def find_streamed(self, key: ObjectKey) -> Entry[R] | None:
        """Return the entry of *key* as the stream has it."""
        return self._read_or_none(self._origin.find_streamed(key))

    def find_entry(self, key: ObjectKey) -> Entry[R] | None:
        """Return the entry of *key*, or ``None``."""
        return self._read_or_none(self._origin.find_entry(key))

    def find_named(self, namespace: str, name: str) -> Entry[R] | None:
        """Return the entry of *name* in *namespace*, or ``None``."""
        return self._read_or_none(self._origin.find_named(namespace, name))

    def list_entries(
        self,
        namespace: str | None = None,
        labels: SelectorLike | None = None,
        *,
        index: str | None = None,
        value: str | None = None,
        codec: Codec[Any] | None = None,
    ) -> builtins.list[Entry[R]]:
        """Return the entries that `list` decodes; *codec* says whose index to use."""
        read_by = codec or self.codec
        found = self._origin.list_entries(
            namespace, labels, index=index, value=value, codec=read_by
        )
        return [self.read(entry) for entry in found]

    def keys(self) -> Iterator[ObjectKey]:
        """Yield the keys of all objects."""
        return self._origin.keys()

    def add_index(
        self, name: str, function: IndexFunction[Any], *, codec: Codec[Any] | None = None
    ) -> None:
        """Add an index of the values that *function* returns for objects of this store's type.

        Raises:
            ValueError: There is an index of that name.
        """
        self._origin.add_index(name, function, codec=codec or self.codec)
        self._functions[name] = function

    def remove_index(self, name: str, *, codec: Codec[Any] | None = None) -> None:
        """Remove the index *name*; do nothing if there is none."""
        self._origin.remove_index(name, codec=codec or self.codec)
        self._functions.pop(name, None)


class Reading(Informer[R]):
    """An informer without a watch of its own: it decodes what another one keeps.

    Args:
        origin: The informer that watches.
        decode: Makes an object that remembers its JSON.
        codec: The codec of *origin*, if it makes the same objects; entries are then used as they
            are.
    """

    store: ReadingStore[R]

    def __init__(  # not that of `Informer`, which prepares a watch
        self,
        origin: Informer[Any],
        decode: Callable[[bytes], R],
        *,
        codec: Codec[R] | None = None,
    ) -> None:
        self._origin = origin
        self._decode = decode
        read_by = codec or origin.store.codec.reading(decode)
        self.store = ReadingStore(origin.store, read_by, self.count_unfit)

    def share(self, origin: Informer[Any]) -> None:
        """Read from *origin* from now on; the caller moves the handlers."""
        self._origin = origin
        self.store.share(origin.store, origin.store.codec.reading(self._decode))

    def __repr__(self) -> str:
        return repr(self._origin)

    def count_unfit(self) -> None:
        """Count an object that does not fit its class."""
        self._origin.count_unfit()

    @property
    def origin(self) -> Informer[Any]:
        """The informer that watches."""
        return self._origin

    @property
    def selection(self) -> Selection:
        """Which objects it keeps."""
        return self._origin.selection

    @property
    def synced(self) -> bool:
        """Whether the first list of every namespace is in the store."""
        return self._origin.synced

    def synced_in(self, namespace: str) -> bool:
        """Say whether the first list of *namespace* is in the store."""
        return self._origin.synced_in(namespace)

    @property
    def missing(self) -> bool:
        """Whether the server does not have the kind at the moment."""
        return self._origin.missing

    @property
    def vanished(self) -> bool:
        """Whether the server answered 404 for a kind that its discovery lists, or listed."""
        return self._origin.vanished

    @property
    def problem(self) -> str | None:
        """What is wrong and what to do about it; ``None`` if nothing is."""
        return self._origin.problem

    @property
    def namespaces(self) -> frozenset[str]:
        """The namespaces that it watches; empty for all."""
        return self._origin.namespaces

    @property
    def version(self) -> str:
        """The version up to which everything has been seen; empty for several namespaces."""
        return self._origin.version

    @property
    def reflectors(self) -> tuple[Reflector[Any], ...]:
        """The reflectors, one for each namespace."""
        return self._origin.reflectors

    @property
    def watch_age(self) -> float:
        """Seconds since its quietest watch last received anything."""
        return self._origin.watch_age

    async def wait_for_sync(self) -> None:
        """Return once the first list is in the store.

        Raises:
            LifecycleError: The informer stopped before that.
        """
        await self._wait(Informer.wait_for_sync)

    async def wait_settled(self) -> None:
        """Return once it is synced, or cannot be: the kind is missing, or access is refused.

        Raises:
            LifecycleError: The informer stopped before that.
        """
        await self._wait(Informer.wait_settled)

    @property
    def is_settled(self) -> bool:
        """Whether it is synced, or is known to be unable to."""
        return self._origin.is_settled

    def busy(self) -> Iterator[str]:
        """Yield what the informer that watches has under way."""
        return self._origin.busy()

    async def wait_idle(self) -> None:
        """Wait for what `busy` names; there may be something else by then."""
        await self._origin.wait_idle()

    async def _wait(self, ready: Callable[[Informer[Any]], Awaitable[None]]) -> None:
        while True:
            origin = self._origin
            try:
                return await ready(origin)
            except LifecycleError:
                if origin is self._origin:
                    raise  # it stopped; it was not just replaced by another one

    def add_handler(self, handler: Handler[R]) -> Registration[R]:
        """Call *handler* for everything that exists, and then for every change.

        See `Informer.add_handler`. Entries decode to the type of this informer.
        """
        registration = self._origin.registration_of(self._converted(handler), reader=self)
        self._origin.register(registration)
        return registration

    def unregister(self, registration: Registration[Any]) -> None:
        """Deliver nothing more to *registration*."""
        self._origin.unregister(registration)

    def end_handlers(self, reader: Informer[Any] | None = None) -> None:
        """Remove the handlers that were added to *reader*; by default, to this informer."""
        self._origin.end_handlers(reader or self)

    async def run(self) -> None:
        """Raise an error: the informer that watches runs instead.

        Raises:
            LifecycleError: Always.
        """
        raise LifecycleError(f"cannot run {self!r} a second time: it shares a watch")

    def move(self, mapping: RESTMapping, namespaces: Iterable[str] | None) -> None:
        """List *mapping* in *namespaces* from now on, for all who share the watch."""
        self._origin.move(mapping, namespaces)

    def set_namespaces(self, namespaces: Iterable[str] | None) -> None:
        """Watch *namespaces* from now on, for all who share the watch; all if not given."""
        self._origin.set_namespaces(namespaces)

    def _converted(self, handler: Handler[R]) -> Handler[Any]:
        """Return a handler that converts each event to this type and passes it to *handler*."""
        if not callable(handler):
            return handler  # registering it raises the error
        store = self.store

        def read(event: Event[Any]) -> Event[R]:
            old = None if event.old is None else store.read(event.old)
            new = None if event.new is None else store.read(event.new)
            if old is event.old and new is event.new:
                return event  # of the same type already
            return Event(old, new, event.initial, event.unseen)

        if is_async_handler(handler):

            async def handle_later(event: Event[Any]) -> None:
                answer = handler(read(event))
                assert answer is not None
                await answer

            return _named_like(handler, handle_later)

        def handle(event: Event[Any]) -> Awaitable[None] | None:
            return handler(read(event))

        return _named_like(handler, handle)


def _named_like(handler: Handler[Any], wrapper: Handler[Any]) -> Handler[Any]:
    """Give *wrapper* the name of *handler*, which the log shows on a failure; return it."""
    wrapper.__qualname__ = getattr(handler, "__qualname__", None) or repr(handler)
    return wrapper

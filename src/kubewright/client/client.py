"""`Client`: every verb of the Kubernetes API, typed by the class it is given."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload
from urllib.parse import urlsplit

from msgspec.structs import replace

from kubewright import _json
from kubewright._aio import Clock
from kubewright.api import requests
from kubewright.api.kind import ObjectKey
from kubewright.api.requests import FieldValidation, Place, Propagation, Request
from kubewright.api.resource import Resource
from kubewright.api.unstructured import Unstructured
from kubewright.client.config import Config
from kubewright.client.listing import PAGE_SIZE, Listing, Objects
from kubewright.client.lookup import Lookup
from kubewright.client.pods import PodVerbs
from kubewright.client.ratelimit import TokenBucket
from kubewright.client.rest import RESTClient, WarningHandler, log_warning
from kubewright.client.scale import ScaleVerbs
from kubewright.client.target import (
    Dynamic,
    Fields,
    Labels,
    Object,
    fields_text,
    key_of,
    labels_text,
)
from kubewright.client.transport import Transport
from kubewright.client.verbs import Defaults, Subresource, Verbs
from kubewright.client.watch import Watch
from kubewright.client.witness import witnessed
from kubewright.errors import ConfigError, NotFoundError

if TYPE_CHECKING:
    from kubewright.client.discovery_cache import MemoryDiscoveryCache
    from kubewright.client.mapper import RESTMapper

R = TypeVar("R", bound=Resource)


class Client(Verbs, PodVerbs):
    """A client of one API server.

    Use it as ``async with Client(Config.load()) as client:``. Every verb takes the class first and
    returns objects of it; a `Kind` or a name such as ``"deploy"`` stands for one without a class,
    whose objects are `Unstructured`. Where no namespace is given, the client's own is used.

    Args:
        config: The server, and our credentials.
        transport: How to reach the server, if not by HTTP.
        field_owner: Our name in managedFields; `apply` needs it.
        dry_run: Let every write be checked and answered, but not stored.
        field_validation: What the server does about unknown fields in writes.
        on_warning: Called with each warning that the server sends.
        discovery_cache: A folder to keep discovery in, such as kubectl's ``~/.kube/cache``.
        clock: The source of time.
    """

    def __init__(  # noqa: PLR0913  # all but the first are for a special need
        self,
        config: Config,
        *,
        transport: Transport | None = None,
        field_owner: str = "",
        dry_run: bool = False,
        field_validation: FieldValidation | None = None,
        on_warning: WarningHandler = log_warning,
        discovery_cache: Path | None = None,
        clock: Clock | None = None,
    ) -> None:
        if not isinstance(config, Config):
            raise TypeError(
                f"a Client needs a Config, not {config!r}: write"
                " kw.Client(kw.Config.load()), or Config.load(file) for a file"
            )
        if transport is not None:
            _refuse_credentials(config)
        self.config: Config = config
        self.clock: Clock = clock or Clock()
        """The client's source of time."""
        self._connects = transport is None
        self._transport = transport or _transport_for(config, self.clock)
        rest = RESTClient(
            witnessed(self._transport),
            limiter=_limiter(config, self.clock),
            on_warning=on_warning,
            timeout=config.timeout,
            host=urlsplit(config.url).netloc.rpartition("@")[2],
            clock=self.clock,
        )
        self._lookup = Lookup(rest, host=config.url, cache_dir=discovery_cache, clock=self.clock)
        defaults = Defaults(config.namespace, field_owner, dry_run, field_validation)
        super().__init__(rest, self._lookup, defaults)
        self.status: Subresource = self.subresource("status")
        """The verbs on the ``status`` subresource."""
        self.scale: ScaleVerbs = ScaleVerbs(rest, self._lookup, defaults)
        """The verbs on the ``scale`` subresource."""

    def in_namespace(self, namespace: str) -> "Client":
        """Return a view of this client that uses *namespace* where none is given.

        Lists and watches are of that namespace, too; ``namespace=""`` asks for all of them. In the
        view of an empty namespace, one object has to be named with its namespace.
        """
        view = Client.__new__(Client)
        view._share(self, namespace=namespace)  # noqa: SLF001  # a client too
        return view

    def _share(
        self, other: "Client", *, field_owner: str = "", namespace: str | None = None
    ) -> None:
        """Become another view of the server that *other* talks to, over its connections.

        Views call this instead of ``__init__``: they share rate limit, discovery and defaults,
        except for *field_owner* and *namespace* if those are given.
        """
        self.config = other.config
        self.clock = other.clock
        self._connects = other._connects  # noqa: SLF001  # a client too
        self._transport = other._transport  # noqa: SLF001  # a client too
        self._lookup = other._lookup  # noqa: SLF001  # as above
        defaults = other._defaults  # noqa: SLF001  # as above
        if field_owner:
            defaults = replace(defaults, field_owner=field_owner)
        if namespace is not None:
            defaults = replace(defaults, namespace=namespace, scope=namespace)
        Verbs.__init__(self, other.rest, self._lookup, defaults)
        self.status = self.subresource("status")
        self.scale = ScaleVerbs(other.rest, self._lookup, defaults)

    def find_twin(self) -> "Client | None":
        """Return a client of the same server with its own connections, for another event loop.

        ``None`` if the transport was passed in: there is no second one. The caller closes it.
        """
        return Client(self.config, clock=self.clock) if self._connects else None

    @property
    def discovery(self) -> "MemoryDiscoveryCache":
        """The kinds that the server serves, fetched when first needed."""
        return self._lookup.discovery

    @property
    def mapper(self) -> "RESTMapper":
        """Where each kind lives, as discovery says."""
        return self._lookup.mapper

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every connection."""
        await self._transport.close()

    @property
    def namespace(self) -> str:
        """The namespace of objects that do not name one."""
        return self._defaults.namespace

    @property
    def rest(self) -> RESTClient:
        """Sends requests, for those that no verb covers."""
        return self._rest

    def subresource(self, name: str) -> Subresource:
        """Return the verbs on the subresource *name*, such as ``"status"`` or ``"approval"``."""
        return Subresource(self._rest, self._mapper, self._defaults, subresource=name)

    @overload
    def list(
        self, kind: type[R], *, namespace: str | None = None,
        labels: Labels | None = None, fields: Fields | None = None,
        resource_version: str = "", resource_version_match: str = "", page_size: int = PAGE_SIZE,
    ) -> Listing[R]: ...  # fmt: skip
    @overload
    def list(
        self, kind: Dynamic, *, namespace: str | None = None,
        labels: Labels | None = None, fields: Fields | None = None,
        resource_version: str = "", resource_version_match: str = "", page_size: int = PAGE_SIZE,
    ) -> Listing[Unstructured]: ...  # fmt: skip
    def list(  # noqa: PLR0913  # ListOptions has that many
        self,
        kind: Any,
        *,
        namespace: str | None = None,
        labels: Labels | None = None,
        fields: Fields | None = None,
        resource_version: str = "",
        resource_version_match: str = "",
        page_size: int = PAGE_SIZE,
    ) -> Listing[Any]:
        """List objects: ``await`` it for all of them, ``async for`` it for one after the other.

        Args:
            kind: The class, a `Kind`, or a name such as ``"deploy"``.
            namespace: One namespace; by default all of them, or that of the view.
            labels: A label selector: text, a dict, or a selector.
            fields: A field selector: text or a dict.
            resource_version: Which moment to show; ``"0"`` is whatever the server has at hand.
            resource_version_match: ``"Exact"`` or ``"NotOlderThan"``.
            page_size: How many objects to ask for at once; 0 for all in one answer.
        """
        collection = _Collection(self, kind, namespace)
        query = {
            "labels": labels_text(labels),
            "fields": fields_text(fields),
            "resource_version": resource_version,
            "resource_version_match": resource_version_match,
        }
        return Listing(
            self._rest, collection.place, query, page_size=page_size, decode=collection.decode
        )

    @overload
    def watch(
        self, kind: type[R], *, namespace: str | None = None,
        labels: Labels | None = None, fields: Fields | None = None,
        resource_version: str = "", bookmarks: bool = False, initial_events: bool = False,
    ) -> Watch[R]: ...  # fmt: skip
    @overload
    def watch(
        self, kind: Dynamic, *, namespace: str | None = None,
        labels: Labels | None = None, fields: Fields | None = None,
        resource_version: str = "", bookmarks: bool = False, initial_events: bool = False,
    ) -> Watch[Unstructured]: ...  # fmt: skip
    def watch(  # noqa: PLR0913  # ListOptions has that many
        self,
        kind: Any,
        *,
        namespace: str | None = None,
        labels: Labels | None = None,
        fields: Fields | None = None,
        resource_version: str = "",
        bookmarks: bool = False,
        initial_events: bool = False,
    ) -> Watch[Any]:
        """Follow changes, resuming when the stream is cut; iterate with ``async for``.

        Args:
            kind: The class, a `Kind`, or a name such as ``"deploy"``.
            namespace: One namespace; by default all of them, or that of the view.
            labels: A label selector; an object that stops matching is seen as deleted.
            fields: A field selector.
            resource_version: Begin after this version, such as that of a list. Without it, what
                exists comes first, each as ``ADDED``.
            bookmarks: Yield ``BOOKMARK`` events too.
            initial_events: Ask the stream itself for what exists, ended by a bookmark (a streaming
                list); if it is cut before that, it begins again.

        Raises:
            GoneError: The server has forgotten that version: list again.
        """
        collection = _Collection(self, kind, namespace)
        chosen = labels_text(labels)
        where = fields_text(fields)

        async def request_from(version: str, *, initial: bool, seconds: int) -> Request:
            return requests.watch(
                await collection.place(),
                requests.selection(
                    labels=chosen,
                    fields=where,
                    resource_version=version,
                    resource_version_match="NotOlderThan" if initial else "",
                    send_initial_events=initial,
                    bookmarks=True,
                    timeout_seconds=seconds,
                ),
            )

        async def first() -> Objects[Any]:
            query = {"labels": chosen, "fields": where, "resource_version": resource_version}
            return await Listing(
                self._rest, collection.place, query, page_size=PAGE_SIZE, decode=collection.decode
            )

        # We list the existing objects instead of streaming them: a stream that is cut halfway
        # could not be resumed, and would never show what is deleted meanwhile.
        begins_with_list = resource_version in {"", "0"} and not initial_events
        return Watch(
            self._rest, request_from, resource_version=resource_version,
            decode=collection.decode, first=first if begins_with_list else None,
            initial_events=initial_events, bookmarks=bookmarks, clock=self.clock,
        )  # fmt: skip

    async def delete(  # noqa: PLR0913  # DeleteOptions has that many
        self,
        obj: Object | type[Resource] | Dynamic,
        name: str | ObjectKey | None = None,
        *,
        namespace: str | None = None,
        propagation: Propagation | None = None,
        grace_period: int | None = None,
        uid: str = "",
        resource_version: str = "",
        dry_run: bool | None = None,
        missing_ok: bool = False,
    ) -> None:
        """Delete one object, given itself or by kind and name.

        Args:
            obj: The object, or its kind.
            name: With a kind: which object.
            namespace: With a kind: the namespace, the client's own by default.
            propagation: What becomes of its dependents; the kind's own way by default.
            grace_period: Seconds to shut down; 0 is at once.
            uid: Only if the object has this uid.
            resource_version: Only if the object has this version.
            dry_run: Check and answer, but delete nothing.
            missing_ok: Whether to ignore a missing object.

        Raises:
            NotFoundError: There is no such object.
            ConflictError: It has another uid, or another version, than the caller expects.
        """
        target = await self._target(obj)
        if isinstance(obj, (Resource, Unstructured)):
            name = obj.key
        elif name is None:
            raise ValueError(f"to delete a {target.mapping.kind}, give its name; see delete_all")
        dry = self._defaults.dry_run if dry_run is None else dry_run
        body = _delete_options(propagation, grace_period, uid, resource_version, dry)
        try:
            await self._rest.send(
                requests.delete(self._place(target, key_of(name, namespace)), body)
            )
        except NotFoundError as error:
            if not missing_ok or not error.is_about_object:
                raise

    async def delete_all(  # noqa: PLR0913  # DeleteOptions and ListOptions have that many
        self,
        kind: type[Resource] | Dynamic,
        *,
        namespace: str | None = None,
        labels: Labels | None = None,
        fields: Fields | None = None,
        propagation: Propagation | None = None,
        grace_period: int | None = None,
        dry_run: bool | None = None,
    ) -> None:
        """Delete every object of *kind* in one namespace, or only selected ones."""
        target = await self._target(kind)
        dry = self._defaults.dry_run if dry_run is None else dry_run
        body = _delete_options(propagation, grace_period, "", "", dry)
        query = requests.selection(labels=labels_text(labels), fields=fields_text(fields))
        place = self._place(target, ObjectKey(namespace or "", ""))
        await self._rest.send(requests.delete_all(place, query, body))


class _Collection:
    """A kind in one namespace or in all, resolved when it is first asked for."""

    def __init__(self, client: Client, kind: Any, namespace: str | None) -> None:
        self._client = client
        self._kind = kind
        scope = client._defaults.scope  # noqa: SLF001  # its own helper
        self._namespace = scope if namespace is None else namespace
        self._target: Any = None

    async def place(self) -> Place:
        if self._target is None:
            self._target = await self._client._target(self._kind)  # noqa: SLF001  # its own helper
        place: Place = self._target.place("", self._namespace)
        return place

    def decode(self, raw: bytes) -> Any:
        return self._target.decode(raw)


def _refuse_credentials(config: Config) -> None:
    """Refuse credentials that a given transport would not use.

    In process every client would be the administrator, and a test of rights would prove nothing.

    Raises:
        ConfigError: The configuration has credentials.
    """
    ways = ("token", "token_file", "username", "impersonate", "exec")
    if found := [name for name in ways if getattr(config, name)]:
        raise ConfigError(
            f"cannot use the {' and '.join(found)} of the Config: the transport that was given logs"
            " in by itself. Leave them out, and give the transport its headers:"
            ' InProcessTransport(server, headers=(("Authorization", "Bearer …"),)).'
        )


def _transport_for(config: Config, clock: Clock) -> Transport:
    from kubewright.client.http_transport import transport_for

    return transport_for(config, clock=clock)


def _limiter(config: Config, clock: Clock) -> TokenBucket | None:
    return TokenBucket(config.qps, config.burst, clock=clock) if config.qps > 0 else None


def _delete_options(
    propagation: Propagation | None,
    grace_period: int | None,
    uid: str,
    resource_version: str,
    dry_run: bool,
) -> bytes:
    preconditions = {"uid": uid, "resourceVersion": resource_version}
    options = {
        "propagationPolicy": propagation,
        "gracePeriodSeconds": grace_period,
        "preconditions": {name: value for name, value in preconditions.items() if value},
        "dryRun": ["All"] if dry_run else None,
    }
    said = {name: value for name, value in options.items() if value not in (None, {})}
    if not said:
        return b""
    return _json.encode({"kind": "DeleteOptions", "apiVersion": "v1", **said})

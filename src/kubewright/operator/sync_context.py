"""`SyncContext`: the `Context` of a plain ``def`` reconciler, which runs in a thread."""

import builtins
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any, Literal, TypeVar, overload

from kubewright.api.kind import ObjectKey
from kubewright.api.kind_reference import KindLike
from kubewright.api.requests import Propagation
from kubewright.api.resource import Resource
from kubewright.api.unstructured import Unstructured
from kubewright.client import Client
from kubewright.client.target import Dynamic, Fields, Labels
from kubewright.client.verbs import DiffType
from kubewright.controller.request import Reason, Request
from kubewright.log import Logger
from kubewright.operator.child import Child
from kubewright.operator.context import ConditionStatus, Context
from kubewright.operator.threads import Bridge

O = TypeVar("O", bound=Resource | Unstructured)  # noqa: E741  # the type of the given object
R = TypeVar("R", bound=Resource | Unstructured)
D = TypeVar("D", bound=Resource)

__all__ = ["SyncClient", "SyncContext"]


class SyncClient:
    """The verbs of a `Client`, each waiting for its answer; for use in a thread."""

    def __init__(self, client: Client, bridge: Bridge) -> None:
        self._client = client
        self._bridge = bridge

    @overload
    def get(self, kind: type[R], name: str | ObjectKey, *, namespace: str | None = None) -> R: ...
    @overload
    def get(
        self, kind: Dynamic, name: str | ObjectKey, *, namespace: str | None = None
    ) -> Unstructured: ...
    def get(self, kind: Any, name: str | ObjectKey, *, namespace: str | None = None) -> Any:
        """Read one object; see `Client.get`.

        Raises:
            NotFoundError: There is no such object.
        """
        return self._bridge.call(partial(self._client.get, kind, name, namespace=namespace))

    @overload
    def find(
        self, kind: type[R], name: str | ObjectKey, *, namespace: str | None = None
    ) -> R | None: ...
    @overload
    def find(
        self, kind: Dynamic, name: str | ObjectKey, *, namespace: str | None = None
    ) -> Unstructured | None: ...
    def find(self, kind: Any, name: str | ObjectKey, *, namespace: str | None = None) -> Any:
        """Read one object, or return ``None`` if it does not exist."""
        return self._bridge.call(partial(self._client.find, kind, name, namespace=namespace))

    @overload
    def list(
        self, kind: type[R], *, namespace: str | None = None,
        labels: Labels | None = None, fields: Fields | None = None,
    ) -> builtins.list[R]: ...  # fmt: skip
    @overload
    def list(
        self, kind: Dynamic, *, namespace: str | None = None,
        labels: Labels | None = None, fields: Fields | None = None,
    ) -> builtins.list[Unstructured]: ...  # fmt: skip
    def list(
        self,
        kind: Any,
        *,
        namespace: str | None = None,
        labels: Labels | None = None,
        fields: Fields | None = None,
    ) -> Any:
        """Return the matching objects of *kind*; see `Client.list`."""

        async def everything() -> builtins.list[Any]:
            # Decoded in the event loop, not in the thread: the decoders are shared with the cache.
            listing = self._client.list(kind, namespace=namespace, labels=labels, fields=fields)
            return builtins.list(await listing)

        return self._bridge.call(everything)

    def create(self, obj: O) -> O:
        """Create *obj* and return it as the server stored it; see `Client.create`."""
        return self._bridge.call(partial(self._client.create, obj))

    def update(self, obj: O) -> O:
        """Replace the object on the server by *obj*; see `Client.update`."""
        return self._bridge.call(partial(self._client.update, obj))

    @overload
    def patch(self, obj: O) -> O: ...
    @overload
    def patch(
        self, obj: type[R], name: str | ObjectKey, patch: object, *,
        patch_type: DiffType = "merge", namespace: str | None = None,
    ) -> R: ...  # fmt: skip
    @overload
    def patch(
        self, obj: Dynamic, name: str | ObjectKey, patch: object, *,
        patch_type: DiffType = "merge", namespace: str | None = None,
    ) -> Unstructured: ...  # fmt: skip
    def patch(
        self,
        obj: Any,
        name: str | ObjectKey | None = None,
        patch: object = None,
        *,
        patch_type: DiffType = "merge",
        namespace: str | None = None,
    ) -> Any:
        """Send what changed in *obj*, or a patch given by hand; see `Client.patch`."""
        verb: Any = self._client.patch
        if name is None and patch is None:
            return self._bridge.call(partial(verb, obj))
        return self._bridge.call(
            partial(verb, obj, name, patch, patch_type=patch_type, namespace=namespace)
        )

    def apply(self, obj: O, *, field_owner: str | None = None, force: bool = False) -> O:
        """Apply *obj*; see `Client.apply`. For children, see `SyncContext.apply`."""
        return self._bridge.call(
            partial(self._client.apply, obj, field_owner=field_owner, force=force)
        )

    def delete(  # DeleteOptions has that many
        self,
        obj: Resource | Unstructured | type[Resource] | Dynamic,
        name: str | ObjectKey | None = None,
        *,
        namespace: str | None = None,
        propagation: Propagation | None = None,
        uid: str = "",
        missing_ok: bool = False,
    ) -> None:
        """Delete one object, given as an object or by kind and name; see `Client.delete`."""
        self._bridge.call(
            partial(
                self._client.delete, obj, name, namespace=namespace, propagation=propagation,
                uid=uid, missing_ok=missing_ok,
            )
        )  # fmt: skip


class SyncContext:
    """What a ``def`` reconciler, which runs in its own thread, works with during one run.

    Each call waits for its result. Once the deadline of the run has passed, the next call raises
    `LifecycleError`; return then.

    Attributes:
        client: The client: reads of declared kinds come from the cache, all others from the server.
        request: Which object is reconciled.
        reasons: The changes and requests that queued it.
        attempt: 1, or more after failures.
        log: A logger that adds the object to each line.
    """

    def __init__(self, context: Context, bridge: Bridge) -> None:
        self.client: SyncClient = SyncClient(context.client, bridge)
        self.request: Request = context.request
        self.reasons: tuple[Reason, ...] = context.reasons
        self.attempt: int = context.attempt
        self.log: Logger = context.log
        self._context = context
        self._bridge = bridge

    def now(self) -> datetime:
        """Return the time, in UTC."""
        return self._context.now()

    @overload
    def apply(self, obj: D, *, owner: bool = True) -> D: ...
    @overload
    def apply(self, obj: dict[str, Any], *, owner: bool = True) -> Unstructured: ...
    def apply(self, obj: Any, *, owner: bool = True) -> Any:
        """Make the server's object agree with *obj* and return the live one; see `Context.apply`.

        Raises:
            AlreadyOwnedError: It is the child of another object.
            ValueError: It has no name, or cannot be a child where it is.
        """
        return self._bridge.call(partial(self._context.apply, obj, owner=owner))

    @overload
    def create(
        self, obj: D, *, owner: bool = True, fill: Callable[[D], object] | None = None
    ) -> D: ...
    @overload
    def create(
        self, obj: dict[str, Any], *, owner: bool = True,
        fill: Callable[[Unstructured], object] | None = None,
    ) -> Unstructured: ...  # fmt: skip
    def create(
        self, obj: Any, *, owner: bool = True, fill: Callable[[Any], object] | None = None
    ) -> Any:
        """Create *obj* if it does not exist, and return the live object; see `Context.create`.

        *fill* is called in the event loop, not in the thread.
        """
        return self._bridge.call(partial(self._context.create, obj, owner=owner, fill=fill))

    def prune(self, *kinds: KindLike[Any]) -> list[Child]:
        """Delete the children that this run did not apply; see `Context.prune`."""
        return self._bridge.call(partial(self._context.prune, *kinds))

    def children(self, kind: type[R]) -> list[R]:
        """Return fresh copies of the children of *kind*, from the cache."""

        async def read() -> list[R]:
            return self._context.children(kind)

        return self._bridge.call(read)

    def event(  # noqa: PLR0913  # an Event has that many parts
        self,
        reason: str,
        message: str,
        *,
        type: Literal["Normal", "Warning"] = "Normal",  # noqa: A002  # the word of the API
        object: Resource | Unstructured | None = None,  # noqa: A002  # as above
        action: str = "",
        related: Resource | Unstructured | None = None,
        after_status: bool = False,
    ) -> None:
        """Record an event, which ``kubectl describe`` shows; see `Context.event`."""

        async def note() -> None:
            self._context.event(
                reason, message, type=type, object=object, action=action, related=related,
                after_status=after_status,
            )  # fmt: skip

        self._bridge.call(note)

    def set_condition(
        self,
        type: str,  # noqa: A002  # as above
        status: ConditionStatus,
        reason: str,
        message: str = "",
    ) -> None:
        """Set a condition in ``status.conditions`` of the object; see `Context.set_condition`."""
        self._context.set_condition(type, status, reason, message)

    def available(self, kind: KindLike[Any]) -> bool:
        """Say whether the server has *kind* at the moment."""
        return self._bridge.call(partial(self._context.available, kind))

"""`Context`: what a reconciler works with, besides the object itself."""

from collections.abc import Awaitable, Callable
from copy import deepcopy
from datetime import datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

import msgspec

from kubewright import _json
from kubewright._aio import Clock
from kubewright.api.conditions import set_condition
from kubewright.api.kind_reference import KindLike, kind_of
from kubewright.api.meta import Condition
from kubewright.api.resource import Resource
from kubewright.api.unstructured import Unstructured
from kubewright.client.event_parts import check_words
from kubewright.controller.request import Reason, Request
from kubewright.controller.run import Run
from kubewright.errors import AlreadyExistsError
from kubewright.log import Logger
from kubewright.operator.apply import Applier, Memory, Outcome
from kubewright.operator.child import (
    Child,
    as_object,
    check_child,
    check_controller,
    child_of,
    mapping_for,
    placed,
)
from kubewright.operator.children import Family
from kubewright.operator.status import counts_status
from kubewright.operator.wishes import Wishes

if TYPE_CHECKING:
    from kubewright.cache.view import CacheView
    from kubewright.client import EventRecorder
    from kubewright.cluster import CachedClient, Cluster

O = TypeVar("O", bound=Resource | Unstructured)  # noqa: E741  # the type of the given object
R = TypeVar("R", bound=Resource | Unstructured)
D = TypeVar("D", bound=Resource)

__all__ = ["Context", "Means", "conditioned", "create_once"]

ConditionStatus = bool | Literal["True", "False", "Unknown"]


class Means(msgspec.Struct, frozen=True, eq=False):
    """What all runs of one reconciler share."""

    name: str
    cluster: "Cluster"
    family: Family
    applier: Applier
    clock: Clock
    wishes: Wishes

    @property
    def recorder(self) -> "EventRecorder":
        """The event recorder; made for the first event."""
        return self.cluster.recorder(self.name, kept=False)


class Context:
    """What a reconciler works with during one run.

    Attributes:
        request: Which object is reconciled.
        reasons: The changes and requests that queued it.
        attempt: 1, or more after failures.
        log: A logger that adds the object to each line.
    """

    def __init__(
        self, obj: Resource | Unstructured, means: Means, *, run: Run, memory: Memory
    ) -> None:
        self.request: Request = run.request
        self.reasons: tuple[Reason, ...] = run.reasons
        self.attempt: int = run.attempt
        self.log: Logger = run.log
        self._obj = obj
        self._means = means
        self._run = run
        self._memory = memory
        self._applied: set[Child] = set()
        self._untold: list[Callable[[], None]] = []

    @cached_property
    def client(self) -> "CachedClient":
        """The client: reads of declared kinds come from the cache, all others from the server.

        The namespace of the object is the default, also for lists; ``namespace=""`` lists all of
        them. For an object without a namespace there is no default: lists are of all namespaces,
        and single objects must be named with their namespace.
        """
        return self._means.cluster.client.in_namespace(self._obj.metadata.namespace)

    @cached_property
    def cache(self) -> "CacheView":
        """The cached objects of declared kinds, for reads by index; namespaces as in `client`."""
        return self._means.cluster.cache.in_namespace(self._obj.metadata.namespace)

    def now(self) -> datetime:
        """Return the time in UTC; in tests with a virtual clock, the time of that clock."""
        return self._means.clock.now()

    @overload
    async def apply(self, obj: D, *, owner: bool = True) -> D: ...
    @overload
    async def apply(self, obj: dict[str, Any], *, owner: bool = True) -> Unstructured: ...
    async def apply(self, obj: Any, *, owner: bool = True) -> Any:
        """Make the server's object agree with *obj* (server-side apply) and return the live one.

        Unless it names a namespace, it is put into that of the reconciled object. It becomes a
        child of that object, and is deleted with it. If the same was applied before and nobody has
        changed its fields since, nothing is sent and the cached object is returned. This works for
        the kinds in ``owns=`` and ``watches=``; objects of other kinds are sent each time.

        Args:
            obj: What should exist, with only the fields that matter: an object, or a manifest as a
                dict.
            owner: Whether it becomes a child. A child lives in the namespace of its parent.

        Raises:
            AlreadyOwnedError: It is the child of another object.
            ValueError: It has no name, or cannot be a child where it is.
        """
        child = await self._make_child(obj, owner=owner)
        family = self._means.family
        entry = family.find(child)
        if entry is None and family.is_news(child):
            self.log.info(
                "objects of this kind are sent each time they are applied",
                object=f"{child.kind} {child.key}",
                hint=f"declare {child.kind} in owns= or watches= to send only what changed",
            )
        if owner and entry is not None:
            check_controller(self._obj, child, entry.owners)
        # Before it is sent: if that fails, `prune` must not delete it.
        self._want(child)
        outcome = await self._means.applier.apply(child, self._memory, entry=entry)
        self._run.changed |= outcome.changed
        if outcome.flapping is not None:
            self.log.warning(
                "this object is changed over and over: somebody undoes what is applied",
                kind=child.kind, key=str(child.key), field="; ".join(outcome.flapping),
            )  # fmt: skip
        return outcome.live

    @overload
    async def create(
        self, obj: D, *, owner: bool = True, fill: Callable[[D], object] | None = None
    ) -> D: ...
    @overload
    async def create(
        self, obj: dict[str, Any], *, owner: bool = True,
        fill: Callable[[Unstructured], object] | None = None,
    ) -> Unstructured: ...  # fmt: skip
    async def create(
        self, obj: Any, *, owner: bool = True, fill: Callable[[Any], object] | None = None
    ) -> Any:
        """Create *obj* if it does not exist, and return the live object; it is never changed.

        For things that are made once: a password, a Job. Like an applied child, it is put into the
        namespace of the reconciled object, controlled by it, and kept by `prune`.

        Args:
            obj: What should exist: an object, or a manifest as a dict.
            owner: Whether it becomes a child.
            fill: Called with a copy of *obj* right before it is created, and only then: for content
                that is random, or takes long to make. May be ``async``.

        Raises:
            AlreadyOwnedError: It exists, and is the child of another object.
            ValueError: It has no name, or cannot be a child where it is.
        """
        child = await self._make_child(obj, owner=owner)
        self._want(child)
        live = await self._means.family.find_live(child)
        if live is None:
            made = await create_once(self._means, child, fill)
            self._run.changed |= made.changed
            live = made.live
        if owner:
            check_child(self._obj, live)
        return live

    def _want(self, child: Resource | Unstructured) -> None:
        wanted = Child.of(child)
        self._applied.add(wanted)
        self._means.wishes.want(self._obj, wanted)

    def settle_wishes(self) -> None:
        """Note that the run has succeeded: it wants exactly what it has applied and created."""
        self._means.wishes.settle(self._obj, self._applied)

    async def _make_child(self, obj: Any, *, owner: bool) -> Any:
        wanted = as_object(obj)
        mapping = await mapping_for(self._means.cluster.client, wanted)
        return child_of(self._obj, wanted, mapping, owner=owner)

    async def prune(self, *kinds: KindLike[Any]) -> list[Child]:
        """Delete the children that this run did not apply; return their kinds and names.

        A child whose apply failed is kept. Only kinds in ``owns=`` are considered, and only objects
        whose controller is this object. Children of another reconciler of the same kind are kept;
        until that one has succeeded once with this object since the start, so is everything of the
        kinds that it owns.

        Args:
            kinds: Some of the owned kinds; by default all of them.
        """
        uid = self._obj.metadata.uid
        spare = partial(self._means.wishes.spare, self._obj)
        deleted = await self._means.family.prune(kinds, uid, self._applied, spare)
        self._run.changed |= bool(deleted)
        for child in deleted:
            self._memory.forget(child)
        return deleted

    def children(self, kind: KindLike[R]) -> list[R]:
        """Return fresh copies of the children of *kind*, from the cache.

        Raises:
            SchemeError: *kind* is not in ``owns=``.
        """
        return self._means.family.children(kind, self._obj.metadata.uid)

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
        """Record an event, which ``kubectl describe`` shows.

        Args:
            reason: One word in CamelCase, such as ``"Started"``.
            message: What happened, in plain words.
            type: ``"Warning"`` if somebody should look.
            object: What it happened to; by default the reconciled object.
            action: What was done about it, as one word in CamelCase.
            related: A second object that is involved.
            after_status: Record it only once the status has been written, and not if that fails, so
                that readers of the event can rely on the status.

        Raises:
            ValueError: The type or reason is invalid, or an object has no name.
        """
        home = self._obj.metadata.namespace
        tell = partial(
            self._means.recorder.event,
            self._obj if object is None else placed(object, home),
            reason=reason,
            message=message,
            type=type,
            action=action,
            related=None if related is None else placed(related, home),
        )
        if after_status:
            check_words(type, reason, action)  # here, so that the traceback shows the call
            self._untold.append(tell)
        else:
            tell()

    def tell_events(self) -> None:
        """Record the events that waited for the status to be written."""
        untold, self._untold = self._untold, []
        for tell in untold:
            tell()

    def set_condition(
        self,
        type: str,  # noqa: A002  # as above
        status: ConditionStatus,
        reason: str,
        message: str = "",
    ) -> None:
        """Set a condition in ``status.conditions`` of the object; it is written after the run.

        Args:
            type: The type of the condition, such as ``"Ready"``.
            status: ``True``, ``False`` or ``"Unknown"``.
            reason: Why, as one word in CamelCase.
            message: Why, in plain words.

        Raises:
            TypeError: The status of the object has no list of `Condition`.
            ValueError: The server would reject the condition.
        """
        counted = not counts_status(self._obj)
        new = Condition(
            type=type,
            status=str(status),
            reason=reason,
            message=message,
            observed_generation=(counted and self._obj.metadata.generation) or None,
        )
        conditions = conditioned(self._obj, new, self.now())
        if isinstance(self._obj, Unstructured):
            self._obj.status["conditions"] = _json.to_builtins(conditions)
        else:
            self._obj.status.conditions = conditions  # type: ignore[attr-defined]  # `conditioned` has checked it

    @property
    def applied(self) -> int:
        """How many objects this run has applied so far."""
        return len(self._applied)

    async def available(self, kind: KindLike[Any]) -> bool:
        """Say whether the server has *kind* at the moment: its CRD may not be installed."""
        return await self._means.cluster.available(kind)


def conditioned(obj: Resource | Unstructured, new: Condition, now: datetime) -> list[Condition]:
    """Return the conditions of *obj* with *new* added or replaced.

    Raises:
        TypeError: Its status has no list of `Condition`.
    """
    conditions: Any
    if isinstance(obj, Unstructured):
        conditions = _json.convert(obj.status.get("conditions") or [], list[Condition])
        return set_condition(conditions, new, now=now)
    conditions = getattr(getattr(obj, "status", None), "conditions", None)
    if not isinstance(conditions, list) or not all(isinstance(c, Condition) for c in conditions):
        raise TypeError(
            f"{obj.kind} has no status.conditions: declare `conditions: kw.Conditions = []`"
            " in the class of its status, and a default for the status"
        )
    return set_condition(conditions, new, now=now)


async def create_once(means: Means, child: O, fill: Callable[[O], object] | None) -> Outcome[O]:
    """Create *child*, or return the one that somebody else has created meanwhile.

    The cache may lag behind. If two try, the server lets only one succeed, so a password is created
    once and never replaced.
    """
    client = means.cluster.client
    if fill is not None:
        child = deepcopy(child)  # the given object may be used for the next parent, too
        answer = fill(child)
        if isinstance(answer, Awaitable):
            await answer
    try:
        return Outcome(await client.create(child, field_owner=means.name), changed=True)
    except AlreadyExistsError:
        kind: Any = kind_of(child)
        return Outcome(await client.live.get(kind, child.key))

"""The few fields of a pod that controllers need: phase, readiness, availability and node.

Only these are decoded, once for each version of a pod, since a set of hundreds of pods is
reconciled whenever one of them changes.
"""

import math
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any
from weakref import WeakKeyDictionary

import msgspec

from kubewright.api.kind import ObjectKey
from kubewright.api.meta import OwnerReference
from kubewright.cache.entry import Entry, Event
from kubewright.cluster import Cluster
from kubewright.embedded.controllers.dependents import controller_in
from kubewright.kinds.core.v1 import Pod

__all__ = ["PodState", "PodStates", "pod_states_of", "seconds_until_available", "sorted_victims"]

DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
_PHASES = {"Pending": 0, "Unknown": 1, "Running": 2}
_FINISHED = frozenset({"Succeeded", "Failed"})
_HIGHEST_COST = 2**31 - 1


class _Condition(msgspec.Struct, rename="camel", gc=False):
    type: str = ""
    status: str = ""
    last_transition_time: datetime | None = None


class _Container(msgspec.Struct, rename="camel", gc=False):
    restart_count: int = 0


class _Status(msgspec.Struct, rename="camel", gc=False):
    phase: str | None = None
    conditions: list[_Condition] | None = None
    container_statuses: list[_Container] | None = None


class _Requirement(msgspec.Struct, gc=False):
    key: str = ""
    operator: str = ""
    values: list[str] | None = None


class _Term(msgspec.Struct, rename="camel", gc=False):
    match_fields: list[_Requirement] | None = None


class _Required(msgspec.Struct, rename="camel", gc=False):
    node_selector_terms: list[_Term] | None = None


class _NodeAffinity(msgspec.Struct, rename="camel", gc=False):
    required_during_scheduling_ignored_during_execution: _Required | None = None


class _Affinity(msgspec.Struct, rename="camel", gc=False):
    node_affinity: _NodeAffinity | None = None


class _Spec(msgspec.Struct, rename="camel", gc=False):
    node_name: str | None = None
    affinity: _Affinity | None = None


class _Meta(msgspec.Struct, rename="camel", gc=False):
    creation_timestamp: datetime | None = None
    annotations: dict[str, str] | None = None


class _Document(msgspec.Struct, gc=False):
    metadata: _Meta
    spec: _Spec
    status: _Status = msgspec.field(default_factory=_Status)


_decode = msgspec.json.Decoder(_Document).decode


class PodState(msgspec.Struct, frozen=True, gc=False):
    """What controllers need to know of one pod.

    Attributes:
        key: Its namespace and name.
        uid: Which pod of that name it is.
        labels: Its labels; not to be changed.
        controller: Who controls it.
        deleting: Whether its deletion was asked for.
        phase: Where it is in its life.
        node: The node that it runs on, or that its affinity requires; empty if there is none.
        bound: Whether it has a node already.
        ready: Whether it is ready.
        ready_since: Since when.
        created: When it was made.
        deletion_cost: The value of its deletion-cost annotation.
        restarts: How often the worst of its containers was started again.
    """

    key: ObjectKey
    uid: str
    labels: dict[str, str]
    controller: OwnerReference | None
    deleting: bool
    phase: str
    node: str
    bound: bool
    ready: bool
    ready_since: datetime | None
    created: datetime | None
    deletion_cost: int
    restarts: int

    @classmethod
    def of(cls, entry: Entry[Any]) -> "PodState":
        """Return the state of the pod that *entry* is."""
        said = _decode(entry.raw)
        ready = next((one for one in said.status.conditions or () if one.type == "Ready"), None)
        containers = said.status.container_statuses or ()
        return cls(
            key=entry.key,
            uid=entry.uid,
            labels=entry.labels,
            controller=controller_in(entry),
            deleting=entry.deleting,
            phase=said.status.phase or "",
            node=said.spec.node_name or _node_of(said.spec.affinity),
            bound=bool(said.spec.node_name),
            ready=ready is not None and ready.status == "True",
            ready_since=ready.last_transition_time if ready is not None else None,
            created=said.metadata.creation_timestamp,
            deletion_cost=_cost((said.metadata.annotations or {}).get(DELETION_COST, "0")),
            restarts=max((one.restart_count for one in containers), default=0),
        )

    @property
    def name(self) -> str:
        """Its name."""
        return self.key.name

    @property
    def is_finished(self) -> bool:
        """Whether all of its containers have ended for good."""
        return self.phase in _FINISHED

    @property
    def is_active(self) -> bool:
        """Whether it counts as one of the replicas of a set."""
        return not self.deleting and not self.is_finished

    @property
    def is_terminating(self) -> bool:
        """Whether it is being deleted and still runs."""
        return self.deleting and not self.is_finished

    def is_available(self, min_ready: int, now: datetime) -> bool:
        """Return whether it has been ready for *min_ready* seconds."""
        return seconds_until_available(self, min_ready, now) == 0


class PodStates:
    """The states of pods, decoded once for each version of a pod."""

    def __init__(self, cluster: Cluster) -> None:
        self._known: dict[str, tuple[str, PodState]] = {}
        cluster.cache.informer(Pod, sharded=False).add_handler(self._note_event)

    def of(self, entries: Iterable[Entry[Any]]) -> list[PodState]:
        """Return the states of *entries*."""
        return [self._of(entry) for entry in entries]

    def _of(self, entry: Entry[Any]) -> PodState:
        version, state = self._known.get(entry.uid, ("", None))
        if state is None or version != entry.resource_version:
            state = PodState.of(entry)
            self._known[entry.uid] = (entry.resource_version, state)
        return state

    def _note_event(self, event: Event[Pod]) -> None:
        if event.new is None or (event.old is not None and event.old.uid != event.new.uid):
            self._known.pop((event.old or event.entry).uid, None)


_shared: WeakKeyDictionary[Cluster, PodStates] = WeakKeyDictionary()


def pod_states_of(cluster: Cluster) -> PodStates:
    """Return the states of the pods of *cluster*; all controllers share them."""
    found = _shared.get(cluster)
    if found is None:
        found = _shared[cluster] = PodStates(cluster)
    return found


def seconds_until_available(pod: PodState, min_ready: int, now: datetime) -> float | None:
    """Return in how many seconds *pod* will have been ready for *min_ready*; 0 if it has been.

    ``None`` if it is not ready.
    """
    if not pod.ready:
        return None
    if not min_ready:
        return 0
    if pod.ready_since is None:
        return None
    left = pod.ready_since.timestamp() + min_ready - now.timestamp()
    return max(left, 0.0)


def next_availability(pods: Iterable[PodState], min_ready: int, now: datetime) -> float | None:
    """Return in how many seconds the next of *pods* becomes available; ``None`` if none does."""
    waits = (seconds_until_available(pod, min_ready, now) for pod in pods)
    return min((wait for wait in waits if wait), default=None)


def sorted_victims(
    pods: Iterable[PodState], *, crowd: Callable[[str], int], now: datetime
) -> list[PodState]:
    """Return *pods* in the order in which a smaller set gives them up.

    First those that do the least: without a node, not running, not ready. Then those with the
    lowest deletion cost, those that share a node with most pods of the set, those that are ready or
    alive for the shortest time, by powers of two, and those that were restarted most often.

    Args:
        pods: Active pods.
        crowd: How many active pods of the same kind are on a node.
        now: The time.
    """

    def rank(pod: PodState) -> tuple[Any, ...]:
        return (
            pod.bound,
            _PHASES.get(pod.phase, 0),
            pod.ready,
            pod.deletion_cost,
            -crowd(pod.node),
            _age(pod.ready_since, now) if pod.ready else 0,
            -pod.restarts,
            _age(pod.created, now),
            pod.uid,
        )

    return sorted(pods, key=rank)


def _age(since: datetime | None, now: datetime) -> int:
    """Return the power of two of an age, so that about equal ages are equal."""
    seconds = (now - since).total_seconds() if since is not None else 0.0
    return math.floor(math.log2(seconds * 1e9)) if seconds > 0 else -1


def _cost(text: str) -> int:
    try:
        cost = int(text)
    except ValueError:
        return 0
    return cost if abs(cost) <= _HIGHEST_COST else 0


def _node_of(affinity: _Affinity | None) -> str:
    """Return the one node that *affinity* allows by its name, or nothing."""
    rules = affinity.node_affinity if affinity is not None else None
    required = rules.required_during_scheduling_ignored_during_execution if rules else None
    for term in (required.node_selector_terms if required else None) or ():
        for one in term.match_fields or ():
            if one.key == "metadata.name" and one.operator == "In" and one.values:
                return one.values[0]
    return ""

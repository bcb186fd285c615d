"""ReplicaSets and ReplicationControllers: a fixed number of pods of one template."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, TypeAlias

from kubewright.api.conditions import find_condition, remove_condition
from kubewright.api.selectors import Selector, selector_from
from kubewright.api.times import to_seconds
from kubewright.cache.entry import Entry
from kubewright.cluster import Cluster
from kubewright.controller import (
    Controller,
    For,
    Owns,
    Request,
    Result,
    Run,
    Watches,
    resource_version_changed,
)
from kubewright.embedded.controllers.batch import LARGEST, is_ending_namespace, said
from kubewright.embedded.controllers.dependents import controller_in, dependents_of
from kubewright.embedded.controllers.pod_control import PodControl
from kubewright.embedded.controllers.pod_state import (
    PodState,
    next_availability,
    pod_states_of,
    sorted_victims,
)
from kubewright.embedded.controllers.pod_template import pod_from
from kubewright.embedded.controllers.selection import Selectors
from kubewright.kinds.apps.v1 import ReplicaSet, ReplicaSetCondition
from kubewright.kinds.core.v1 import Pod, ReplicationController, ReplicationControllerCondition

__all__ = ["replicaset_controller", "replicationcontroller_controller"]

Replicated: TypeAlias = ReplicaSet | ReplicationController
"""What keeps a number of pods."""

_CONDITIONS = {
    ReplicaSet: ReplicaSetCondition,
    ReplicationController: ReplicationControllerCondition,
}


def replicaset_controller(cluster: Cluster) -> Controller:
    """Return the controller of ReplicaSets."""
    return _controller(cluster, ReplicaSet, "replicaset")


def replicationcontroller_controller(cluster: Cluster) -> Controller:
    """Return the controller of ReplicationControllers."""
    return _controller(cluster, ReplicationController, "replicationcontroller")


def _controller(cluster: Cluster, kind: type[Replicated], name: str) -> Controller:
    replicas = _Replicas(cluster, kind, f"{name.removesuffix('controller')}-controller")
    selectors = Selectors(cluster, kind, selector_of)
    return Controller(
        name,
        replicas.reconcile,
        cluster=cluster,
        for_=For(kind, predicate=resource_version_changed),
        owns=[Owns(Pod)],
        watches=[Watches(Pod, map=selectors.matching, predicate=selectors.concern_orphan)],
        workers=5,
    )


class _Replicas:
    """Reconciles sets: keeps the wanted number of pods."""

    def __init__(self, cluster: Cluster, kind: type[Replicated], component: str) -> None:
        self._cluster = cluster
        self._kind = kind
        self._pods = dependents_of(cluster, Pod)
        self._states = pod_states_of(cluster)
        self._sets = dependents_of(cluster, kind)
        self._control = PodControl(cluster.client, cluster.recorder(component))

    async def reconcile(self, request: Request, run: Run) -> Result | None:
        """Create or delete pods of one set, and write the counts into its status."""
        owner = self._cluster.cache.find(self._kind, request.key)
        if owner is None:
            return None
        claimed = await self._pods.claim(owner, selector_of(owner), fits=self._is_ours)
        pods = self._states.of(claimed)
        active = [pod for pod in pods if pod.is_active]
        failure, missing = None, (owner.spec.replicas or 0) - len(active)
        if owner.metadata.deletion_timestamp is None and missing:
            run.changed = True
            failure = await self._manage(owner, active, missing)
            pods = self._states.of(self._pods.owned_by(owner.metadata.uid))
        now = self._cluster.clock.now()
        await self._report(owner, pods, failure=failure, missing=missing, now=now)
        if failure is not None and not is_ending_namespace(failure):
            raise failure
        wait = next_availability(pods, owner.spec.min_ready_seconds or 0, now)
        return None if wait is None else Result(requeue_after=wait)

    def _is_ours(self, entry: Entry[Pod]) -> bool:
        """Return whether a pod may be adopted: not one that has ended."""
        return controller_in(entry) is not None or self._states.of([entry])[0].is_active

    async def _manage(
        self, owner: Replicated, active: Sequence[PodState], missing: int
    ) -> Exception | None:
        if missing > 0:
            pod = pod_from(owner.spec.template, owner)
            return await self._control.create(owner, [pod] * min(missing, LARGEST))
        victims = self._victims(owner, active, min(-missing, LARGEST))
        return await self._control.delete(owner, ((pod.key, pod.uid) for pod in victims))

    def _victims(
        self, owner: Replicated, active: Sequence[PodState], count: int
    ) -> Sequence[PodState]:
        if count >= len(active):
            return active
        crowd = Counter(pod.node for pod in self._related(owner, active) if pod.bound)
        now = self._cluster.clock.now()
        return sorted_victims(active, crowd=crowd.__getitem__, now=now)[:count]

    def _related(self, owner: Replicated, active: Sequence[PodState]) -> Iterable[PodState]:
        """Return the active pods of all sets that belong to the same deployment."""
        above = next((one for one in owner.metadata.owner_references if one.controller), None)
        if above is None:
            return active
        sets = self._sets.owned_by(above.uid)
        pods = (pod for one in sets for pod in self._states.of(self._pods.owned_by(one.uid)))
        return [pod for pod in pods if pod.is_active]

    async def _report(
        self,
        owner: Replicated,
        pods: Sequence[PodState],
        *,
        failure: Exception | None,
        missing: int,
        now: datetime,
    ) -> None:
        count_pods(owner, pods, now=now)
        if is_ending_namespace(failure):
            failure = None
        owner.status.conditions = _conditions(owner, failure, missing=missing, now=now)
        # Optimistic, here as for all sets: counts must not go to another set of the same name.
        await self._cluster.client.status.patch(owner, optimistic=True)


def _conditions(
    owner: Replicated, failure: Exception | None, *, missing: int, now: datetime
) -> list[Any]:
    """Return the conditions of *owner* after *failure*, or after success if there is none."""
    present: list[Any] = list(owner.status.conditions)
    if failure is None:
        return remove_condition(present, "ReplicaFailure")
    if find_condition(present, "ReplicaFailure") is not None:
        return present
    made = _CONDITIONS[type(owner)](
        type="ReplicaFailure",
        status="True",
        reason="FailedCreate" if missing > 0 else "FailedDelete",
        message=said(failure),
        last_transition_time=to_seconds(now),
    )
    return [*present, made]


def selector_of(owner: Replicated) -> Selector:
    """Return which pods *owner* selects; none if it does not say."""
    selector = selector_from(owner.spec.selector)
    return Selector.NOTHING if selector.selects_everything else selector


def count_pods(owner: Replicated, pods: Iterable[PodState], *, now: datetime) -> None:
    """Write into the status of *owner* how many of *pods* are there, ready and available."""
    template = owner.spec.template
    labels = (template.metadata.labels if template is not None else {}).items()
    min_ready = owner.spec.min_ready_seconds or 0
    seen = list(pods)
    active = [pod for pod in seen if pod.is_active]
    counts = {
        "replicas": len(active),
        "fully_labeled_replicas": sum(labels <= pod.labels.items() for pod in active),
        "ready_replicas": sum(pod.ready for pod in active),
        "available_replicas": sum(pod.is_available(min_ready, now) for pod in active),
        "observed_generation": owner.metadata.generation,
    }
    status = owner.status
    for name, count in counts.items():
        setattr(status, name, count or (0 if name == "replicas" else None))
    if isinstance(owner, ReplicaSet):
        owner.status.terminating_replicas = sum(pod.is_terminating for pod in seen)

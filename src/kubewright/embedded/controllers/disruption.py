"""PodDisruptionBudgets: how many of their pods may be evicted now."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

import msgspec

from kubewright.api.conditions import set_condition
from kubewright.api.intorstring import resolve_int_or_percent
from kubewright.api.kind import GroupVersionKind, ObjectKey
from kubewright.api.meta import Condition, OwnerReference
from kubewright.api.selectors import selector_from
from kubewright.cluster import Cluster
from kubewright.controller import Controller, Request, Result, Run, Watches
from kubewright.embedded.controllers.pod_state import PodState, pod_states_of
from kubewright.embedded.controllers.selection import Selectors
from kubewright.errors import NoMatchError, NotFoundError
from kubewright.kinds.apps.v1 import Deployment, ReplicaSet, StatefulSet
from kubewright.kinds.core.v1 import Pod, ReplicationController
from kubewright.kinds.policy.v1 import PodDisruptionBudget, PodDisruptionBudgetStatus

__all__ = ["disruption_controller"]

PATIENCE: Final = timedelta(minutes=2)
"""How long an evicted pod may take to be deleted."""
_SIZED: Final[dict[tuple[str, str], type[ReplicaSet | StatefulSet | ReplicationController]]] = {
    ("apps", "ReplicaSet"): ReplicaSet,
    ("apps", "StatefulSet"): StatefulSet,
    ("", "ReplicationController"): ReplicationController,
}


def disruption_controller(cluster: Cluster) -> Controller:
    """Return the controller of PodDisruptionBudgets."""
    budgets = _Budgets(cluster)
    selectors = Selectors(
        cluster, PodDisruptionBudget, lambda one: selector_from(one.spec.selector)
    )
    return Controller(
        "disruption",
        budgets.reconcile,
        cluster=cluster,
        for_=PodDisruptionBudget,
        watches=[Watches(Pod, map=selectors.matching, predicate=selectors.concern)],
        # Evictions write the status, too, and what they used up must be counted again.
        predicate=lambda _: True,
    )


class NotCountableError(Exception):
    """It is not known how many pods there should be."""


class Expected(NamedTuple):
    """How many pods there should be, and how many of them have to stay."""

    pods: int
    healthy: int


class _Budgets:
    """Reconciles PodDisruptionBudgets."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._states = pod_states_of(cluster)
        self._pods = cluster.cache.informer(Pod, sharded=False)
        cluster.cache.informer(Deployment, sharded=False)
        for kind in _SIZED.values():
            cluster.cache.informer(kind, sharded=False)
        self._recorder = cluster.recorder("controllermanager")

    async def reconcile(self, request: Request, run: Run) -> Result | None:
        """Count the pods of one budget, and write how many may be evicted."""
        budget = self._cluster.cache.find(PodDisruptionBudget, request.key)
        if budget is None:
            return None
        now = self._cluster.clock.now()
        entries = self._pods.store.list_entries(
            request.namespace, selector_from(budget.spec.selector)
        )
        pods = self._states.of(entries)
        if not pods:
            self._tell(budget, "NoPods", "No matching pods found", warning=False)
        try:
            expected = await self._count_expected(budget, pods)
        except NotCountableError as error:
            text = f"Failed to calculate the number of expected pods: {error}"
            self._tell(budget, "CalculateExpectedPodCountFailed", text)
            await self._write(budget, failed(budget, str(error), now=now), run)
            raise
        disrupted = still_disrupted(budget.status.disrupted_pods, pods, now=now)
        self._report_late(budget, disrupted, pods)
        status = reported(budget, pods, expected, disrupted=disrupted, now=now)
        await self._write(budget, status, run)
        if not disrupted:
            return None
        return Result(requeue_after=(min(disrupted.values()) + PATIENCE - now).total_seconds())

    def _report_late(
        self,
        budget: PodDisruptionBudget,
        disrupted: Mapping[str, datetime],
        pods: Sequence[PodState],
    ) -> None:
        late = budget.status.disrupted_pods.keys() - disrupted.keys()
        for pod in pods:
            if pod.name in late and not pod.deleting:
                text = f"Pod was expected by PDB {budget.key} to be deleted but it wasn't"
                found = self._pods.store.find(pod.key)
                if found is not None:
                    self._recorder.event(found, reason="NotDeleted", message=text, type="Warning")

    async def _write(
        self, budget: PodDisruptionBudget, status: PodDisruptionBudgetStatus, run: Run
    ) -> None:
        if status != budget.status:
            run.changed = True
            budget.status = status
            # Optimistic: an eviction between our count and this write must not be forgotten.
            await self._cluster.client.status.patch(budget, optimistic=True)

    def _tell(
        self, budget: PodDisruptionBudget, reason: str, message: str, *, warning: bool = True
    ) -> None:
        self._recorder.event(
            budget, reason=reason, message=message, type="Warning" if warning else "Normal"
        )

    # --- How many there should be ---

    async def _count_expected(
        self, budget: PodDisruptionBudget, pods: Sequence[PodState]
    ) -> Expected:
        spec = budget.spec
        if spec.max_unavailable is not None:
            total = await self._count_wanted(budget, pods)
            missing = resolve_int_or_percent(spec.max_unavailable, total, round_up=True)
            return Expected(total, max(0, total - missing))
        least = spec.min_available or 0
        if isinstance(least, int):
            return Expected(len(pods), least)
        total = await self._count_wanted(budget, pods)
        return Expected(total, resolve_int_or_percent(least, total, round_up=True))

    async def _count_wanted(self, budget: PodDisruptionBudget, pods: Sequence[PodState]) -> int:
        """Return how many pods the controllers of *pods* want in total."""
        sizes: dict[str, int] = {}
        unmanaged = []
        for pod in pods:
            owner = pod.controller
            if owner is None:
                unmanaged.append(pod)
            elif owner.uid not in sizes:
                uid, size = await self._find_size(owner, budget.metadata.namespace, pod)
                sizes[owner.uid] = 0 if uid in sizes else size
                sizes.setdefault(uid, 0)
        if unmanaged:
            selector = selector_from(budget.spec.selector)
            self._tell(budget, "UnmanagedPods", _UNMANAGED.format(selector=selector))
        return sum(sizes.values())

    async def _find_size(
        self, owner: OwnerReference, namespace: str, pod: PodState
    ) -> tuple[str, int]:
        """Return the uid of the object that sets the number of pods, and that number."""
        group = owner.api_version.rpartition("/")[0]
        key = ObjectKey(namespace, owner.name)
        kind = _SIZED.get((group, owner.kind))
        if kind is None:
            return owner.uid, await self._get_custom_size(owner, key, pod)
        found = self._cluster.cache.find(kind, key)
        if found is None or found.metadata.uid != owner.uid:
            return owner.uid, 0
        above = next((one for one in found.metadata.owner_references if one.controller), None)
        if above is not None and above.kind == "Deployment":
            deployment = self._cluster.cache.find(Deployment, ObjectKey(namespace, above.name))
            if deployment is not None and deployment.metadata.uid == above.uid:
                return above.uid, deployment.spec.replicas or 0
        return owner.uid, found.spec.replicas or 0

    async def _get_custom_size(self, owner: OwnerReference, key: ObjectKey, pod: PodState) -> int:
        kind = GroupVersionKind.of(owner.api_version, owner.kind)
        try:
            scale = await self._cluster.client.scale.get(kind, key)
        except (NotFoundError, NoMatchError):
            raise NotCountableError(f'found no controllers for pod "{pod.name}"') from None
        return scale.spec.replicas or 0


_UNMANAGED: Final = (
    "Pods selected by this PodDisruptionBudget (selector: {selector}) were found to be unmanaged."
    " As a result, the status of the PDB cannot be calculated correctly, which may result in"
    ' undefined behavior. To account for these pods please set ".spec.minAvailable" field of the'
    " PDB to an integer value."
)


def still_disrupted(
    granted: Mapping[str, datetime], pods: Iterable[PodState], *, now: datetime
) -> dict[str, datetime]:
    """Return which evictions that were *granted* are still pending, by the name of the pod."""
    waiting = {pod.name for pod in pods if not pod.deleting}
    return {
        name: since for name, since in granted.items() if name in waiting and since + PATIENCE > now
    }


def reported(
    budget: PodDisruptionBudget,
    pods: Iterable[PodState],
    expected: Expected,
    *,
    disrupted: dict[str, datetime],
    now: datetime,
) -> PodDisruptionBudgetStatus:
    """Return the status of *budget* with current counts."""
    healthy = sum(pod.ready and not pod.deleting and pod.name not in disrupted for pod in pods)
    allowed = max(0, healthy - expected.healthy) if expected.pods > 0 else 0
    condition = Condition(
        type="DisruptionAllowed",
        status="True" if allowed else "False",
        reason="SufficientPods" if allowed else "InsufficientPods",
        observed_generation=budget.metadata.generation,
    )
    return PodDisruptionBudgetStatus(
        conditions=set_condition(budget.status.conditions, condition, now=now),
        current_healthy=healthy,
        desired_healthy=expected.healthy,
        disrupted_pods=disrupted,
        disruptions_allowed=allowed,
        expected_pods=expected.pods,
        observed_generation=budget.metadata.generation,
    )


def failed(
    budget: PodDisruptionBudget, message: str, *, now: datetime
) -> PodDisruptionBudgetStatus:
    """Return the status of a budget that cannot be counted: nothing may be evicted."""
    condition = Condition(
        type="DisruptionAllowed",
        status="False",
        reason="SyncFailed",
        message=message,
        observed_generation=budget.metadata.generation,
    )
    conditions = set_condition(budget.status.conditions, condition, now=now)
    return msgspec.structs.replace(budget.status, disruptions_allowed=0, conditions=conditions)

"""The controller of StatefulSets."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple

from kubewright.api.intorstring import resolve_int_or_percent
from kubewright.api.selectors import selector_from
from kubewright.cluster import Cluster
from kubewright.controller import (
    Controller,
    For,
    Owns,
    Request,
    Result,
    Run,
    Watches,
    deleted,
    resource_version_changed,
)
from kubewright.embedded.controllers.batch import is_ending_namespace, said, slow_start
from kubewright.embedded.controllers.dependents import dependents_of
from kubewright.embedded.controllers.history import History, Snapshot, expendable, template_of
from kubewright.embedded.controllers.pod_state import (
    PodState,
    next_availability,
    pod_states_of,
)
from kubewright.embedded.controllers.selection import Selectors
from kubewright.embedded.controllers.statefulset.claims import Claims
from kubewright.embedded.controllers.statefulset.identity import (
    REVISION_LABEL,
    claim_names,
    first_ordinal,
    is_member,
    labels_for,
    ordinal_of,
    ordinals,
    pod_for,
)
from kubewright.embedded.controllers.statefulset.status import is_up, reported
from kubewright.errors import AlreadyExistsError, KubewrightError
from kubewright.kinds.apps.v1 import ControllerRevision, StatefulSet
from kubewright.kinds.core.v1 import PersistentVolumeClaim, Pod

__all__ = ["statefulset_controller"]


def statefulset_controller(cluster: Cluster) -> Controller:
    """Return the controller of StatefulSets."""
    sets = _StatefulSets(cluster)
    selectors = Selectors(cluster, StatefulSet, lambda one: selector_from(one.spec.selector))
    return Controller(
        "statefulset",
        sets.reconcile,
        cluster=cluster,
        for_=For(StatefulSet, predicate=resource_version_changed),
        owns=[Owns(Pod), Owns(ControllerRevision, predicate=deleted)],
        watches=[
            Watches(Pod, map=selectors.matching, predicate=selectors.concern_orphan),
            Watches(PersistentVolumeClaim, map=sets.who_waits_for, predicate=deleted),
        ],
        workers=5,
    )


class _Plan(NamedTuple):
    """What one reconcile works on.

    Attributes:
        owner: The set.
        pods: Its pods by ordinal.
        current: The revision that it comes from.
        update: The revision that it goes to.
        now: The time.
    """

    owner: StatefulSet
    pods: dict[int, PodState]
    current: ControllerRevision
    update: Snapshot
    now: datetime

    @property
    def in_order(self) -> bool:
        """Whether pods wait for those before them."""
        return self.owner.spec.pod_management_policy != "Parallel"

    def is_up(self, pod: PodState) -> bool:
        """Return whether *pod* runs and is available, so that others need not wait for it."""
        return not pod.deleting and is_up(pod, self.owner.spec.min_ready_seconds or 0, self.now)

    @property
    def condemned(self) -> list[PodState]:
        """Pods that the set no longer wants, the last first."""
        wanted = ordinals(self.owner)
        return [self.pods[one] for one in sorted(self.pods, reverse=True) if one not in wanted]

    @property
    def first_down(self) -> PodState | None:
        """The first pod that is not up, of those that are wanted before the others."""
        wanted = [self.pods[one] for one in ordinals(self.owner) if one in self.pods]
        down = (pod for pod in [*wanted, *reversed(self.condemned)] if not self.is_up(pod))
        return next(down, None)


class _StatefulSets:
    """Reconciles StatefulSets."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._known = dependents_of(cluster, StatefulSet)
        self._pods = dependents_of(cluster, Pod)
        self._states = pod_states_of(cluster)
        self._history = History(cluster)
        self._recorder = cluster.recorder("statefulset-controller")
        self._claims = Claims(cluster, self._recorder)

    def who_waits_for(self, claim: PersistentVolumeClaim) -> list[str]:
        """Return the sets that wait for the end of *claim*."""
        found = self._known.in_namespace(claim.metadata.namespace)
        name = claim.metadata.name
        ordinal = ordinal_of(name)
        return [str(one.key) for one in found if name in claim_names(one, ordinal).values()]

    async def reconcile(self, request: Request, run: Run) -> Result | None:
        """Create, replace or delete pods of one set, and update its status."""
        owner = self._cluster.cache.find(StatefulSet, request.key)
        if owner is None:
            return None
        selector = selector_from(owner.spec.selector)
        claimed = await self._pods.claim(
            owner, selector, fits=lambda pod: is_member(owner, pod.key.name)
        )
        known = await self._history.claim_revisions(owner, selector)
        update = await self._history.take_snapshot(owner, known)
        before = owner.status.current_revision
        current = next((one for one in known if one.metadata.name == before), update.revision)
        pods = {ordinal_of(pod.name): pod for pod in self._states.of(claimed)}
        plan = _Plan(owner, pods, current, update, self._cluster.clock.now())
        failure = await self._bring_nearer(plan)
        return await self._conclude(plan, known, failure, run)

    async def _conclude(
        self,
        plan: _Plan,
        known: Sequence[ControllerRevision],
        failure: Exception | None,
        run: Run,
    ) -> Result | None:
        owner, now = plan.owner, self._cluster.clock.now()
        name = plan.current.metadata.name
        pods = self._states.of(self._pods.owned_by(owner.metadata.uid))
        before = owner.status
        owner.status = reported(owner, pods, current=name, update=plan.update, now=now)
        if owner.status != before:
            run.changed = True
            await self._cluster.client.status.patch(owner, optimistic=True)
        if failure is not None and not is_ending_namespace(failure):
            raise failure
        await self._truncate_history(plan, known, pods)
        wait = next_availability(pods, owner.spec.min_ready_seconds or 0, now)
        return None if wait is None else Result(requeue_after=wait)

    async def _truncate_history(
        self, plan: _Plan, known: Sequence[ControllerRevision], pods: Sequence[PodState]
    ) -> None:
        status = plan.owner.status
        live = {status.current_revision or "", status.update_revision or ""}
        live |= {pod.labels.get(REVISION_LABEL, "") for pod in pods}
        unused = [one for one in known if one.metadata.name not in live]
        limit = plan.owner.spec.revision_history_limit
        await self._history.delete_all(expendable(unused, live=live, limit=limit))

    # --- Pods ---

    async def _bring_nearer(self, plan: _Plan) -> Exception | None:
        """Create and delete what can be done now; return the error, if any."""
        if plan.owner.metadata.deletion_timestamp is not None:
            return None
        try:
            if await self._for_each(plan, ordinals(plan.owner), self._keep):
                return None
            for pod in plan.condemned:
                await self._claims.hand_over(plan.owner, pod)
            last = [ordinal_of(pod.name) for pod in plan.condemned]
            if not await self._for_each(plan, last, self._condemn):
                await self._replace_old(plan)
        except KubewrightError as error:
            return error
        return None

    async def _for_each(
        self,
        plan: _Plan,
        numbers: Sequence[int],
        work: Callable[[_Plan, int], Awaitable[bool]],
    ) -> bool:
        """Do *work* for each ordinal; return whether to wait for one of them."""
        if plan.in_order:
            for number in numbers:
                if await work(plan, number):
                    return True
        elif failure := await slow_start([partial(work, plan, one) for one in numbers]):
            raise failure
        return False

    async def _keep(self, plan: _Plan, ordinal: int) -> bool:
        """Create, replace or update a wanted pod; return whether those after it must wait."""
        owner, pod = plan.owner, plan.pods.get(ordinal)
        if pod is None:
            if not self._claims.are_leaving(owner, ordinal):
                await self._create(plan, ordinal)
            return True
        if pod.is_finished:
            if not pod.deleting:
                await self._delete(owner, pod)
            return True
        if pod.phase == "Pending":
            await self._claims.create_missing(owner, ordinal)
        if plan.in_order and not plan.is_up(pod):
            return True
        await self._identify(owner, pod)
        await self._claims.hand_over(owner, pod)
        return False

    async def _condemn(self, plan: _Plan, ordinal: int) -> bool:
        """Delete an unwanted pod; return whether those before it must wait."""
        pod = plan.pods[ordinal]
        if pod.deleting:
            return True
        if plan.in_order and not plan.is_up(pod) and pod is not plan.first_down:
            return True
        await self._delete(plan.owner, pod)
        return True

    async def _replace_old(self, plan: _Plan) -> None:
        """Delete pods of old templates, the last first, as many at a time as may be unavailable."""
        strategy = plan.owner.spec.update_strategy
        rolling = strategy.rolling_update if strategy is not None else None
        if strategy is not None and strategy.type == "OnDelete":
            return
        new, numbers = plan.update.revision.metadata.name, ordinals(plan.owner)
        down, most = 0, _max_unavailable(plan.owner)
        for ordinal in reversed(numbers[(rolling.partition if rolling else None) or 0 :]):
            pod = plan.pods.get(ordinal)
            if pod is not None and pod.labels.get(REVISION_LABEL) != new and not pod.deleting:
                await self._delete(plan.owner, pod)
                down += 1
            elif pod is None or not plan.is_up(pod):
                down += 1
            if down >= most:
                return

    async def _create(self, plan: _Plan, ordinal: int) -> None:
        owner = plan.owner
        old = _is_kept_back(owner, ordinal)
        revision = plan.current if old else plan.update.revision
        template = template_of(revision) if old else owner.spec.template
        pod = pod_for(owner, ordinal, template, revision.metadata.name)
        try:
            await self._claims.create_missing(owner, ordinal)
            await self._cluster.client.create(pod)
        except AlreadyExistsError:
            raise
        except KubewrightError as error:
            self._tell(owner, "create", pod.metadata.name, error)
            raise
        self._tell(owner, "create", pod.metadata.name)

    async def _delete(self, owner: StatefulSet, pod: PodState) -> None:
        try:
            await self._cluster.client.delete(Pod, pod.key, uid=pod.uid, missing_ok=True)
        except KubewrightError as error:
            self._tell(owner, "delete", pod.name, error)
            raise
        self._tell(owner, "delete", pod.name)

    async def _identify(self, owner: StatefulSet, pod: PodState) -> None:
        """Restore the labels that identify *pod*, if somebody removed them."""
        labels = labels_for(owner, ordinal_of(pod.name))
        if labels.items() <= pod.labels.items():
            return
        try:
            patch = {"metadata": {"uid": pod.uid, "labels": labels}}
            await self._cluster.client.patch(Pod, pod.key, patch)
        except KubewrightError as error:
            self._tell(owner, "update", pod.name, error)
            raise
        self._tell(owner, "update", pod.name)

    def _tell(
        self, owner: StatefulSet, verb: str, pod: str, error: Exception | None = None
    ) -> None:
        if is_ending_namespace(error):
            return
        text = f"{verb} Pod {pod} in StatefulSet {owner.metadata.name}"
        if error is None:
            reason = f"Successful{verb.title()}"
            self._recorder.event(owner, reason=reason, message=f"{text} successful")
        else:
            text = f"{text} failed error: {said(error)}"
            reason = f"Failed{verb.title()}"
            self._recorder.event(owner, reason=reason, message=text, type="Warning")


def _is_kept_back(owner: StatefulSet, ordinal: int) -> bool:
    """Return whether the pod of *ordinal* stays at the old template."""
    strategy = owner.spec.update_strategy
    if strategy is None or strategy.type != "RollingUpdate":
        return False
    rolling = strategy.rolling_update
    kept = rolling.partition if rolling is not None else owner.status.current_replicas
    return ordinal < first_ordinal(owner) + (kept or 0)


def _max_unavailable(owner: StatefulSet) -> int:
    strategy = owner.spec.update_strategy
    rolling = strategy.rolling_update if strategy is not None else None
    asked = (rolling.max_unavailable if rolling is not None else None) or 1
    return max(1, resolve_int_or_percent(asked, owner.spec.replicas or 0, round_up=True))

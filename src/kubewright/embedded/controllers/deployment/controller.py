"""The controller of deployments."""

from typing import Any

from kubewright.api.changes import merge_patch
from kubewright.api.kind import ObjectKey
from kubewright.api.owners import controller_of
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
from kubewright.embedded.controllers.dependents import dependents_of
from kubewright.embedded.controllers.deployment.rollout import Rollout
from kubewright.embedded.controllers.deployment.scaling import is_resized, is_rolling
from kubewright.embedded.controllers.deployment.status import (
    counted,
    note_pause,
    reported,
    seconds_until_late,
)
from kubewright.embedded.controllers.pod_state import pod_states_of
from kubewright.embedded.controllers.selection import Selectors
from kubewright.errors import APIError
from kubewright.kinds.apps.v1 import Deployment, ReplicaSet
from kubewright.kinds.core.v1 import Pod

__all__ = ["deployment_controller"]


def deployment_controller(cluster: Cluster) -> Controller:
    """Return the controller of Deployments."""
    deployments = _Deployments(cluster)
    selectors = Selectors(cluster, Deployment, lambda one: selector_from(one.spec.selector))
    return Controller(
        "deployment",
        deployments.reconcile,
        cluster=cluster,
        for_=For(Deployment, predicate=resource_version_changed),
        owns=[Owns(ReplicaSet)],
        watches=[
            Watches(ReplicaSet, map=selectors.matching, predicate=selectors.concern_orphan),
            Watches(Pod, map=deployments.who_waits_for, predicate=deleted),
        ],
        workers=5,
    )


class _Deployments:
    """Reconciles Deployments."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._sets = dependents_of(cluster, ReplicaSet)
        self._pods = dependents_of(cluster, Pod)
        self._states = pod_states_of(cluster)
        self._recorder = cluster.recorder("deployment-controller")

    def who_waits_for(self, pod: Pod) -> list[ObjectKey]:
        """Return the deployment that waits for the end of *pod* before it creates new ones."""
        owner = controller_of(pod)
        if owner is None or owner.kind != "ReplicaSet":
            return []
        found = self._sets.find(ObjectKey(pod.metadata.namespace, owner.name))
        above = controller_of(found) if found is not None else None
        if above is None:
            return []
        key = ObjectKey(pod.metadata.namespace, above.name)
        deployment = self._cluster.cache.find(Deployment, key)
        return [key] if deployment is not None and not is_rolling(deployment) else []

    async def reconcile(self, request: Request, run: Run) -> Result | None:
        """Do one step of a rollout, and update the status of the deployment."""
        deployment = self._cluster.cache.find(Deployment, request.key)
        if deployment is None:
            return None
        selector = selector_from(deployment.spec.selector)
        if selector.selects_everything:
            text = "This deployment is selecting all pods. A non-empty selector is required."
            self._recorder.event(deployment, reason="SelectingAll", message=text, type="Warning")
            return None
        sets = [one.object for one in await self._sets.claim(deployment, selector)]
        rollout = Rollout(self._cluster, self._recorder, deployment, sets)
        try:
            again = await self._step(deployment, rollout)
        except APIError:
            await self._write(deployment)  # its conditions say why the rollout is stuck
            raise
        if await self._write(deployment) or rollout.changed:
            run.changed = True
        if again:
            return Result(requeue=True)
        late = seconds_until_late(deployment, now=self._cluster.clock.now())
        return None if late is None else Result(requeue_after=late)

    async def _step(self, deployment: Deployment, rollout: Rollout) -> bool:
        """Change replica sets, and the status in memory; return whether to requeue at once."""
        now = self._cluster.clock.now()
        if deployment.metadata.deletion_timestamp is not None:
            deployment.status = counted(deployment, rollout.new, rollout.old, now=now)
            return False
        note_pause(deployment, now=now)
        await rollout.assign_revision()
        if deployment.spec.paused or is_resized(deployment, rollout.sets):
            await rollout.resize()
            deployment.status = counted(deployment, rollout.new, rollout.old, now=now)
            return False
        if is_rolling(deployment):
            made = await rollout.roll()
        else:
            made = await rollout.recreate(self._runs_pods)
        if made:
            deployment.status = reported(deployment, rollout.new, rollout.old, now=now)
            await rollout.clean_up()
        return not made

    def _runs_pods(self, one: ReplicaSet) -> bool:
        pods = self._states.of(self._pods.owned_by(one.metadata.uid))
        return any(not pod.is_finished for pod in pods)

    async def _write(self, deployment: Deployment) -> bool:
        """Write status and revision if they changed; return whether they did."""
        patch: dict[str, Any] = merge_patch(deployment, optimistic=True)
        if not patch:
            return False
        # Annotations go through the status, too: a change of the object itself would count as a
        # new generation.
        await self._cluster.client.status.patch(Deployment, deployment.key, patch)
        return True

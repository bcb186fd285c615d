"""The controller of DaemonSets."""

from collections.abc import Sequence
from typing import Any

import msgspec

from kubewright.api.kind import ObjectKey
from kubewright.api.selectors import selector_from
from kubewright.cache.entry import Entry, Event
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
from kubewright.embedded.controllers.batch import is_ending_namespace
from kubewright.embedded.controllers.daemonset.placement import HASH_LABEL, Fit, fit_of, pod_for
from kubewright.embedded.controllers.daemonset.plan import (
    Situation,
    Todo,
    kept,
    reported,
    rolled,
)
from kubewright.embedded.controllers.dependents import dependents_of
from kubewright.embedded.controllers.history import History, expendable
from kubewright.embedded.controllers.pod_control import PodControl
from kubewright.embedded.controllers.pod_state import (
    PodState,
    next_availability,
    pod_states_of,
)
from kubewright.embedded.controllers.selection import Selectors
from kubewright.kinds.apps.v1 import ControllerRevision, DaemonSet
from kubewright.kinds.core.v1 import Node, Pod

__all__ = ["daemonset_controller"]

LARGEST: int = 250
"""The most pods that one reconcile creates or deletes."""
_FIRST_WAIT = 1.0  # seconds before a pod that failed is replaced, twice as many the next time
_LONGEST_WAIT = 900.0


def daemonset_controller(cluster: Cluster) -> Controller:
    """Return the controller of DaemonSets."""
    sets = _DaemonSets(cluster)
    selectors = Selectors(cluster, DaemonSet, lambda one: selector_from(one.spec.selector))
    cluster.cache.informer(Node, sharded=False)
    return Controller(
        "daemonset",
        sets.reconcile,
        cluster=cluster,
        for_=For(DaemonSet, predicate=resource_version_changed),
        owns=[Owns(Pod), Owns(ControllerRevision, predicate=deleted)],
        watches=[
            Watches(Pod, map=selectors.matching, predicate=selectors.concern_orphan),
            Watches(Node, map=lambda _: sets.all_keys(), predicate=_matters),
        ],
        workers=2,
    )


class _DaemonSets:
    """Reconciles DaemonSets."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._known = dependents_of(cluster, DaemonSet)
        self._pods = dependents_of(cluster, Pod)
        self._states = pod_states_of(cluster)
        self._history = History(cluster, label=HASH_LABEL)
        self._recorder = cluster.recorder("daemonset-controller")
        self._control = PodControl(cluster.client, self._recorder)
        self._waits: dict[ObjectKey, dict[str, tuple[float, float]]] = {}

    def all_keys(self) -> list[str]:
        """Return the keys of all sets: a changed node may concern each of them."""
        return [str(key) for key in self._known.all_keys()]

    async def reconcile(self, request: Request, run: Run) -> Result | None:
        """Create or delete pods of one set, and update its status."""
        owner = self._cluster.cache.find(DaemonSet, request.key)
        if owner is None:
            self._waits.pop(request.key, None)
            return None
        selector = selector_from(owner.spec.selector)
        if selector.selects_everything:
            text = "This daemon set is selecting all pods. A non-empty selector is required."
            self._recorder.event(owner, reason="SelectingAll", message=text, type="Warning")
            return None
        if owner.metadata.deletion_timestamp is not None:
            return None
        known = await self._history.claim_revisions(owner, selector)
        snapshot = await self._history.take_snapshot(owner, known)
        await self._pods.claim(owner, selector)
        digest = snapshot.revision.metadata.labels.get(HASH_LABEL, "")
        # Computed once: a node that changes meanwhile triggers another reconcile.
        fits = {one.metadata.name: fit_of(owner, one) for one in self._cluster.cache.list(Node)}
        wait, failure = await self._bring_nearer(owner, digest, fits)
        at = self._situation(owner, digest, fits)
        before, owner.status = owner.status, reported(at, collisions=snapshot.collisions)
        if owner.status != before:
            run.changed = True
            await self._cluster.client.status.patch(owner, optimistic=True)
        if failure is not None and not is_ending_namespace(failure):
            raise failure
        old = [one for one in known if one.metadata.name != snapshot.revision.metadata.name]
        await self._truncate_history(at, old)
        return _soonest(
            wait, next_availability(_all(at), owner.spec.min_ready_seconds or 0, at.now)
        )

    async def _bring_nearer(
        self, owner: DaemonSet, digest: str, fits: dict[str, Fit]
    ) -> tuple[float | None, Exception | None]:
        """Create and delete pods; return when to requeue, and the first error."""
        at = self._situation(owner, digest, fits)
        todo = kept(at)
        ended, wait = self._collect_ended(at)
        todo.delete.extend(ended)
        failure = await self._apply(owner, digest, todo)
        strategy = owner.spec.update_strategy
        if failure is None and (strategy is None or strategy.type != "OnDelete"):
            failure = await self._apply(owner, digest, rolled(self._situation(owner, digest, fits)))
        return wait, failure

    def _situation(self, owner: DaemonSet, digest: str, fits: dict[str, Fit]) -> Situation:
        pods: dict[str, list[PodState]] = {}
        for pod in self._states.of(self._pods.owned_by(owner.metadata.uid)):
            if pod.node:
                pods.setdefault(pod.node, []).append(pod)
        return Situation(owner, digest, fits, pods, self._cluster.clock.now())

    def _collect_ended(self, at: Situation) -> tuple[list[PodState], float | None]:
        """Return the ended pods to delete now, and in how many seconds the next one is due."""
        ended = [pod for pod in _all(at) if pod.is_finished and not pod.deleting]
        waits = self._waits.setdefault(at.owner.key, {}) if ended else {}
        now, soon, next_one = self._cluster.clock.monotonic(), [], None
        for pod in ended:
            until, length = waits.get(pod.node, (0.0, 0.0))
            if pod.phase == "Failed" and until > now:
                next_one = _least(next_one, until - now)
                continue
            if pod.phase == "Failed":
                length = min(max(_FIRST_WAIT, 2 * length), _LONGEST_WAIT)
                waits[pod.node] = (now + length, length)
            self._report_end(at.owner, pod)
            soon.append(pod)
        return soon, next_one

    def _report_end(self, owner: DaemonSet, pod: PodState) -> None:
        failed = pod.phase == "Failed"
        what = f"{pod.phase.lower()} daemon pod {pod.key} on node {pod.node}"
        self._recorder.event(
            owner,
            reason=f"{pod.phase}DaemonPod",
            message=f"Found {what}, will try to {'kill' if failed else 'delete'} it",
            type="Warning" if failed else "Normal",
        )

    async def _apply(self, owner: DaemonSet, digest: str, todo: Todo) -> Exception | None:
        new = [pod_for(owner, node, digest) for node in todo.create[:LARGEST]]
        old = [(pod.key, pod.uid) for pod in todo.delete[:LARGEST]]
        failed = await self._control.create(owner, new)
        gone = await self._control.delete(owner, old)
        return failed or gone

    async def _truncate_history(self, at: Situation, old: Sequence[ControllerRevision]) -> None:
        digests = {pod.labels.get(HASH_LABEL) for pod in _all(at)}
        live = {one.metadata.name for one in old if one.metadata.labels.get(HASH_LABEL) in digests}
        limit = at.owner.spec.revision_history_limit
        await self._history.delete_all(expendable(old, live=live, limit=limit))


def _all(at: Situation) -> list[PodState]:
    return [pod for pods in at.pods.values() for pod in pods]


def _least(left: float | None, right: float | None) -> float | None:
    return min((one for one in (left, right) if one is not None), default=None)


def _soonest(left: float | None, right: float | None) -> Result | None:
    wait = _least(left, right)
    return None if wait is None else Result(requeue_after=wait)


class _NodeSpec(msgspec.Struct, gc=False):
    taints: list[Any] | None = None


class _NodeDocument(msgspec.Struct, gc=False):
    spec: _NodeSpec = msgspec.field(default_factory=_NodeSpec)


_decode = msgspec.json.Decoder(_NodeDocument).decode


def _matters(event: Event[Node]) -> bool:
    """Return whether a change of a node can matter: labels and taints do, heartbeats do not."""
    old, new = event.old, event.new
    if old is None or new is None or old.uid != new.uid or old.labels != new.labels:
        return True
    return _taints(old) != _taints(new)


def _taints(entry: Entry[Node]) -> list[Any] | None:
    return _decode(entry.raw).spec.taints

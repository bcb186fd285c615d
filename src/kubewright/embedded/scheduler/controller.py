"""`scheduler`: takes waiting pods by priority, and binds each of them to a node."""

import msgspec

from kubewright.api.conditions import find_condition
from kubewright.api.kind import ObjectKey
from kubewright.api.meta import ObjectMeta
from kubewright.api.times import format_time, to_seconds
from kubewright.cache.entry import Entry, Event
from kubewright.cluster import Cluster
from kubewright.controller import Controller, Reason, Request, Result, Run, Sink
from kubewright.embedded.scheduler.choice import Choice, choose
from kubewright.embedded.scheduler.view import ClusterView
from kubewright.embedded.scheduler.volumes import PodVolumes, VolumeView, claim_keys
from kubewright.errors import ConflictError, NotFoundError
from kubewright.kinds.core.v1 import Binding, Node, ObjectReference, Pod

__all__ = ["scheduler"]

COMPONENT: str = "default-scheduler"
PAUSE: float = 0.1
"""Seconds to gather changes before all waiting pods are tried again."""
AFTER_CONFLICT: float = 1.0
"""Seconds until a pod is tried again after a conflict, if the watch does not show it before."""
WORKERS: int = 4


def scheduler(cluster: Cluster) -> Controller:
    """Return the controller that binds pods to nodes."""
    queue = PendingPods(cluster)
    return Controller(
        "scheduler",
        Scheduler(cluster, queue).reconcile,
        cluster=cluster,
        sources=[queue],
        workers=WORKERS,
    )


class _Spec(msgspec.Struct, rename="camel", gc=False):
    node_name: str = ""
    priority: int = 0
    scheduler_name: str = COMPONENT


class _Document(msgspec.Struct, gc=False):
    spec: _Spec = msgspec.field(default_factory=_Spec)


_decode = msgspec.json.Decoder(_Document).decode


class PendingPods:
    """A source of pods without a node, by priority; those that fit nowhere wait here."""

    name: str = "Pod"

    def __init__(self, cluster: Cluster) -> None:
        self._clock = cluster.clock
        self._pods = cluster.cache.informer(Pod, sharded=False)
        self._nodes = cluster.cache.informer(Node, sharded=False)
        self._waiting: dict[ObjectKey, int] = {}
        self._claimants: dict[ObjectKey, set[ObjectKey]] = {}
        self.volumes: VolumeView = VolumeView(
            cluster, on_claim=self._note_claim, on_change=self.wake
        )
        """The volumes of pods; a change of them wakes those that wait."""
        self._sink: Sink | None = None
        self._is_waking = False

    async def run(self, sink: Sink) -> None:
        """Request each pod that needs a node, until cancelled."""
        self._sink = sink
        registration = self._pods.add_handler(self._note_event)
        try:
            while True:
                await self._clock.sleep(3600.0)
        finally:
            self._sink = None
            registration.remove()

    async def wait_ready(self) -> None:
        """Return once all nodes and pods are known: a half-empty node may be a full one."""
        await self._nodes.wait_settled()
        await self._pods.wait_settled()
        await self.volumes.wait_ready()

    def _note_event(self, event: Event[Pod]) -> None:
        new = event.new
        if new is None or new.deleting:
            self._waiting.pop(event.key, None)
            return
        spec = _decode(new.raw).spec
        if spec.node_name:
            self._waiting.pop(event.key, None)
        elif spec.scheduler_name == COMPONENT and (
            event.key not in self._waiting or _may_fit_now(event.old, new)
        ):
            self._add(event.key, spec.priority, event.type)

    def _add(self, key: ObjectKey, priority: int, event: str = "") -> None:
        if self._sink is not None:
            request = Request(key.namespace, key.name)
            self._sink.add(request, Reason(self.name, event, key), priority=priority)

    def wait(self, pod: Pod) -> None:
        """Keep *pod*, which fits nowhere or waits for its volumes, until something changes."""
        self._waiting[pod.key] = pod.spec.priority or 0
        for claim in claim_keys(pod):
            self._claimants.setdefault(claim, set()).add(pod.key)

    def _note_claim(self, claim: ObjectKey) -> None:
        """Try the pods that wait for *claim* at once."""
        for key in self._claimants.pop(claim, ()):
            if key in self._waiting:
                self._add(key, self._waiting[key])

    def wake(self) -> None:
        """Try all waiting pods again soon."""
        if self._waiting and not self._is_waking:
            self._is_waking = True
            self._clock.call_later(PAUSE, self._wake_all)

    def _wake_all(self) -> None:
        self._is_waking = False
        for key, priority in self._waiting.items():
            self._add(key, priority)


def _may_fit_now(old: Entry[Pod] | None, new: Entry[Pod]) -> bool:
    """Return whether a waiting pod has changed, or another pod has taken its name."""
    if old is None or old.uid != new.uid:
        return True
    return old.generation != new.generation or old.labels != new.labels


class Scheduler:
    """Binds pods to nodes."""

    def __init__(self, cluster: Cluster, queue: PendingPods) -> None:
        self._cluster = cluster
        self._queue = queue
        self._pods = cluster.cache.informer(Pod, sharded=False).store
        self._binding = cluster.client.subresource("binding")
        self._recorder = cluster.recorder(COMPONENT)
        self._view = ClusterView(cluster, queue.wake)
        self._reserved: dict[str, str] = {}  # nodes of pods whose volumes are under way

    async def reconcile(self, request: Request, run: Run) -> Result | None:
        """Bind one pod, or write into its conditions why there is no node for it."""
        pod = self._pods.find(request.key)
        if pod is None or pod.spec.node_name or pod.metadata.deletion_timestamp is not None:
            return None
        uid = pod.metadata.uid
        if self._view.place_of(uid) and uid not in self._reserved:
            return None  # bound already; the watch has not shown it yet
        if pod.spec.scheduling_gates:
            text = "Scheduling is blocked due to non-empty scheduling gates"
            await self._write_condition(pod, "SchedulingGated", text, run)
            return None
        volumes = self._queue.volumes.of(pod)
        reserved = self._take_reservation(uid, volumes)
        choice = Choice(reserved) if reserved else choose(pod, self._view, volumes)
        if choice.node:
            run.changed = True
            if volumes is None or await self._has_volumes(pod, volumes, choice.node):
                return await self._bind(pod, choice.node)
            return None
        self._queue.wait(pod)
        if await self._write_condition(pod, "Unschedulable", choice.problem, run):
            self._recorder.event(
                pod,
                type="Warning",
                reason="FailedScheduling",
                message=choice.problem,
                action="Scheduling",
            )
        return None

    async def _has_volumes(self, pod: Pod, volumes: PodVolumes, node: str) -> bool:
        """Return whether *pod* has all its volumes; if not, ask for them, and keep its place."""
        if not volumes.waiting:
            return True
        uid = pod.metadata.uid
        # Before the requests: the answer of the binder may be faster than theirs.
        self._queue.wait(pod)
        self._view.assume(pod, node)
        # Without those that were deleted while they waited.
        kept = {one: place for one, place in self._reserved.items() if self._view.place_of(one)}
        self._reserved = {**kept, uid: node}
        try:
            await self._queue.volumes.secure(volumes, self._view.node(node))
        except (ConflictError, NotFoundError):
            self._take_reservation(uid, None)
            self._queue.wake()
        return False

    def _take_reservation(self, uid: str, volumes: PodVolumes | None) -> str:
        """Return the node that was kept for a pod, if that still has its *volumes*."""
        name = self._reserved.pop(uid, "")
        if name:
            self._view.forget(uid)
        if volumes is None or volumes.problem:
            return ""
        node = next((one for one in self._view.nodes if one.name == name), None)
        return "" if node is None or volumes.problem_of(node) else name

    async def _bind(self, pod: Pod, node: str) -> Result | None:
        meta = pod.metadata
        binding = Binding(
            metadata=ObjectMeta(name=meta.name, namespace=meta.namespace, uid=meta.uid),
            target=ObjectReference(kind="Node", name=node),
        )
        # Before the request: the next pod must not get the same resources meanwhile.
        self._view.assume(pod, node)
        try:
            await self._binding.post(Pod, pod.key, binding)
        except NotFoundError:
            self._view.forget(meta.uid)
            return None
        except ConflictError:  # most likely, somebody else has bound it
            self._view.forget(meta.uid)
            return Result(requeue_after=AFTER_CONFLICT)
        except BaseException:
            self._view.forget(meta.uid)
            raise
        self._recorder.event(
            pod,
            reason="Scheduled",
            message=f"Successfully assigned {meta.namespace}/{meta.name} to {node}",
            action="Binding",
        )
        return None

    async def _write_condition(self, pod: Pod, reason: str, message: str, run: Run) -> bool:
        """Write why the pod has no node; return whether that is new."""
        old = find_condition(pod.status.conditions, "PodScheduled")
        if old is not None and (old.status, old.reason, old.message) == ("False", reason, message):
            return False
        now = to_seconds(self._cluster.clock.now())
        since = old.last_transition_time if old is not None and old.status == "False" else now
        condition = {
            "type": "PodScheduled",
            "status": "False",
            "reason": reason,
            "message": message,
            "lastProbeTime": None,
            "lastTransitionTime": format_time(since or now),
        }
        patch = {"metadata": {"uid": pod.metadata.uid}, "status": {"conditions": [condition]}}
        try:
            await self._cluster.client.status.patch(Pod, pod.key, patch, patch_type="strategic")
        except NotFoundError:
            return False
        run.changed = True
        return True

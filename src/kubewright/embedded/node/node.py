"""`Node`: the kubelet of the embedded cluster."""

import asyncio
import signal
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import suppress
from typing import Any, ClassVar
from urllib.parse import urlsplit

from kubewright._aio import Clock, TaskSet
from kubewright.api.kind import ObjectKey
from kubewright.api.quantity import format_quantity
from kubewright.cache import Event
from kubewright.client.events import EventRecorder
from kubewright.cluster import Cluster
from kubewright.controller import Controller, For, Request, Result, Run
from kubewright.embedded.node.access import ContainerAccess
from kubewright.embedded.node.addresses import Addresses
from kubewright.embedded.node.containers import NodeAccess
from kubewright.embedded.node.heartbeat import Heartbeat
from kubewright.embedded.node.host import Host
from kubewright.embedded.node.pod.pod import PodRunner
from kubewright.embedded.node.pod.state import roles
from kubewright.embedded.node.pod.writer import StatusWriter
from kubewright.embedded.node.registration import NodeFacts, default_capacity
from kubewright.embedded.node.runtime import Runtime
from kubewright.embedded.node.simulated.runtime import SimulatedRuntime
from kubewright.embedded.node.volumes.references import (
    Reference,
    environment_references,
    volume_references,
)
from kubewright.kinds.core.v1 import ConfigMap, Pod, Secret, Service
from kubewright.kinds.core.v1 import Node as NodeObject
from kubewright.log import get_logger
from kubewright.runnable import Problem, Stage

__all__ = ["Node"]

PODS: int = 110
SIMULATED_PODS: int = 1000
STOP_GRACE: float = 2.0
"""Seconds that processes get to end when their node does."""
OVER: frozenset[str] = frozenset({"Succeeded", "Failed"})

_HTTPS = 443

_log = get_logger(__name__)


class Node:
    """A node: it registers, reports that it is alive, and runs the pods that are bound to it.

    It works with any API server. A manager runs it; several may share one *cluster*, each with a
    name and a range of addresses of its own.

    Args:
        name: The name of the Node object.
        cluster: The API server; the manager runs it, too.
        runtime: What runs containers; they are simulated unless given.
        capacity: How much of each resource it has; what this machine has unless given.
        labels: More labels for the Node object.
        address: Where the node is reached.
        pod_cidr: Where the addresses of its pods come from. In all of 127.0.0.0/8 a process can
            listen without any set-up, on Linux.
        kubelet_port: Where its kubelet listens, if there is one; see `kubewright.embedded.kubelet`.
        workers: How many pods are worked on at a time.
        clock: Where time comes from; the cluster's unless given.

    Example:
        manager.add(Node("node-1", cluster=manager.cluster))
    """

    stage: ClassVar[Stage] = Stage.ALWAYS
    """When a manager starts it: without leader election, since only one process runs this node."""

    def __init__(  # noqa: PLR0913  # all but two have a default that is right for most
        self,
        name: str,
        *,
        cluster: Cluster,
        runtime: Runtime | None = None,
        capacity: Mapping[str, str] | None = None,
        labels: Mapping[str, str] | None = None,
        address: str = "127.0.0.1",
        pod_cidr: str = "127.1.0.0/16",
        kubelet_port: int = 0,
        workers: int = 16,
        clock: Clock | None = None,
    ) -> None:
        self.name: str = name
        self.cluster: Cluster = cluster
        self.clock: Clock = clock or cluster.clock
        """Where its time comes from."""
        self.runtime: Runtime = runtime or SimulatedRuntime(clock=self.clock)
        """What runs its containers."""
        self._runners: dict[ObjectKey, PodRunner] = {}
        self.kubelet_port: int = kubelet_port
        """Where its kubelet listens; may be set until it runs."""
        self.access: ContainerAccess = NodeAccess(self._runners.get)
        """Its containers, as clients may use them."""
        pods = PODS if self.runtime.uses_files else SIMULATED_PODS
        amounts = {**default_capacity(pods=pods), **(capacity or {})}
        # As the server writes them, or every heartbeat would find a difference.
        self._capacity = {name: format_quantity(amount) for name, amount in amounts.items()}
        self._labels = dict(labels or {})
        self._address = address
        self._addresses = Addresses(pod_cidr)
        self._writer = StatusWriter(cluster.live)
        self._events = EventRecorder(
            cluster.live, "kubelet", instance=name, host=name, clock=self.clock
        )
        self._tasks: TaskSet | None = None
        self._heartbeat: Heartbeat | None = None
        self._ready = asyncio.Event()
        watch = For(Pod, fields={"spec.nodeName": name}, predicate=lambda event: True)
        self._pods = watch.informer(cluster)
        self._services = cluster.cache.informer(Service) if self.runtime.uses_files else None
        self._controller = Controller(
            f"kubelet-{name}",
            self._sync,
            cluster=cluster,
            for_=watch,
            workers=workers,
            deadline=None,
            stop_grace=1.0,
            clock=self.clock,
        )

    def __repr__(self) -> str:
        return f"<Node {self.name}: {len(self._runners)} pods>"

    # --- Life ---

    async def run(self) -> None:
        """Run the node until cancelled; all processes of its pods end with it."""
        facts = NodeFacts(
            self.name, self._address, self._capacity, self._labels, self.runtime.version,
            self.kubelet_port, self._addresses.cidr,
        )  # fmt: skip
        self._heartbeat = Heartbeat(
            facts, client=self.cluster.live, clock=self.clock, report=self._report_node
        )
        heard = self._follow_sources()
        try:
            async with TaskSet() as tasks:
                self._tasks = tasks
                tasks.start(self.runtime.run(), name=f"runtime of {self.name}")
                await self.runtime.wait_ready()
                tasks.start(self._events.run(), name=f"events of {self.name}")
                tasks.start(self._heartbeat.run(), name=f"heartbeat of {self.name}")
                await self._heartbeat.registered.wait()
                self._ready.set()
                try:
                    await self._controller.run()
                finally:
                    await self._end_pods()
        finally:
            self._tasks = None
            for registration in heard:
                registration.remove()
            for runner in self._runners.values():
                await runner.close()

    async def _end_pods(self) -> None:
        """Send SIGTERM to all processes, before the runtime kills them."""
        live = [one for runner in self._runners.values() for one in runner.live.values()]
        if not self.runtime.uses_files:
            return
        for one in live:
            one.target.handle.signal(signal.SIGTERM)
        with suppress(TimeoutError):
            async with self.clock.timeout(STOP_GRACE):
                for one in live:
                    await one.wait()

    async def wait_ready(self) -> None:
        """Return once the Node object exists and is Ready."""
        await self._ready.wait()

    def health(self) -> Iterator[Problem]:
        """Yield what is wrong."""
        if self._heartbeat is not None and not self._heartbeat.registered.is_set():
            yield Problem(f"node/{self.name}", "it is not registered at the API server yet")
        yield from self._controller.health()

    # --- Pods ---

    async def _sync(self, request: Request, run: Run) -> Result | None:
        key = request.key
        pod = self._pods.store.find(key)
        runner = self._runners.get(key)
        if runner is not None and (pod is None or pod.metadata.uid != runner.uid):
            if not await self._remove(key, runner):
                return None
            runner = None
        if pod is None:
            return None
        if runner is None:
            if pod.status.phase in OVER:
                await self._finish(pod)
                return None
            runner = self._runners[key] = PodRunner(pod, self._host())
        wait = await runner.sync(pod)
        if wait is not None and pod.metadata.deletion_timestamp is not None:
            return Result(requeue_after=wait)  # most end at once, and then one write is enough
        run.changed = await self._writer.write(pod, runner.status()) or run.changed
        if pod.metadata.deletion_timestamp is not None and runner.is_stopped:
            await self._finish(pod)
            return None
        return None if wait is None else Result(requeue_after=wait)

    async def _finish(self, pod: Pod) -> None:
        """Remove a deleted pod from the server, once it has stopped."""
        if pod.metadata.deletion_timestamp is None:
            return
        await self.cluster.live.delete(
            Pod, pod.key, grace_period=0, uid=pod.metadata.uid or "", missing_ok=True
        )

    async def _remove(self, key: ObjectKey, runner: PodRunner) -> bool:
        """Clean up after a pod that is gone from the server; return whether that is done."""
        runner.stop()
        if not runner.is_stopped:
            return False  # the end of its last container triggers another sync
        del self._runners[key]
        self._writer.forget(runner.uid)
        await runner.close()
        return True

    def _host(self) -> Host:
        return Host(
            runtime=self.runtime,
            client=self.cluster.live,
            addresses=self._addresses,
            address=self._address,
            allocatable=self._capacity,
            clock=self.clock,
            spawn=self._spawn,
            wake=self._controller.enqueue,
            report=self._report,
            services=self._services_of,
        )

    def _services_of(self, namespace: str) -> list[Service]:
        if self._services is None:
            return []
        store = self._services.store
        kubernetes = store.find(ObjectKey("default", "kubernetes"))
        found = {one.metadata.name: one for one in store.list(namespace)}
        if kubernetes is not None and (namespace == "default" or "kubernetes" not in found):
            found["kubernetes"] = self._here(kubernetes)
        return list(found.values())

    def _here(self, kubernetes: Service) -> Service:
        """Return the service of the API server at the address by which this machine knows it.

        Nothing may listen at its cluster address: ordinary users cannot bind port 443.
        """
        url = urlsplit(self.cluster.live.config.url)
        kubernetes.spec.cluster_ip = url.hostname or ""
        for port in kubernetes.spec.ports[:1]:
            port.port = url.port or _HTTPS
        return kubernetes

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run *work* in a task of its own; a failure is logged, and nothing else."""
        if self._tasks is None:
            work.close()
            return
        task = self._tasks.start(self._run_guarded(work))
        # If the node stops before the task has begun, nobody awaits the work: Python would warn.
        task.add_done_callback(lambda _: work.close())

    async def _run_guarded(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Exception as error:  # noqa: BLE001  # one pod must not end the node
            _log.exception("work on a pod failed", name=self.name, error=repr(error))

    def _report(
        self, pod: Pod, reason: str, message: str, *, container: str = "", warning: bool = False
    ) -> None:
        path = ""
        if container:
            init = any(role != "app" for one, role in roles(pod.spec) if one.name == container)
            path = f"spec.{'initContainers' if init else 'containers'}{{{container}}}"
        self._events.event(
            pod,
            reason=reason,
            message=message,
            type="Warning" if warning else "Normal",
            field_path=path,
        )

    def _report_node(self, node: NodeObject, reason: str, message: str) -> None:
        self._events.event(node, reason=reason, message=message)

    # --- Files that follow their sources ---

    def _follow_sources(self) -> list[Any]:
        if not self.runtime.uses_files:
            return []
        cache = self.cluster.cache
        # Only names and versions are kept: what is in a Secret is read when it is needed.
        maps = cache.informer(ConfigMap, metadata_only=True)
        secrets = cache.informer(Secret, metadata_only=True)
        return [
            maps.add_handler(lambda event: self._note_source("ConfigMap", event)),
            secrets.add_handler(lambda event: self._note_source("Secret", event)),
        ]

    def _note_source(self, kind: Any, event: Event[Any]) -> None:
        if event.initial:
            return
        wanted = Reference(kind, event.key.name)
        for key, runner in self._runners.items():
            if key.namespace != event.key.namespace:
                continue
            spec = runner.pod.spec
            if wanted in volume_references(runner.pod):
                runner.refresh()
                self._controller.enqueue(key)
            elif any(wanted in environment_references(one) for one, _ in roles(spec)):
                self._controller.enqueue(key)

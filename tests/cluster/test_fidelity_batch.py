"""Our Job and endpoint controllers beside the real ones: the same story, the same state.

Each story is told three times: with kube-controller-manager 1.20 on its own kube-apiserver, with
our controllers on that server, and with our controllers on the embedded one. What 1.20 does not
know yet is left out: FailureTarget, SuccessCriteriaMet, finalizers of pods, counts of ready pods.
(Its Job controller cannot run on the embedded server, which, as every server since 1.31, refuses a
Job that is complete without the condition that its criteria are met.)
"""

import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

import kubewright as kw
from kubewright.api.times import format_time
from kubewright.cluster import Cluster
from kubewright.embedded.controllers import make
from kubewright.errors import NotFoundError
from kubewright.kinds.batch.v1 import Job
from kubewright.kinds.core.v1 import Endpoints, Event, Pod, Service
from kubewright.testing import EmbeddedServer, RealServer
from tests.cluster.controller_manager import controller_manager
from tests.cluster.places import Scene, fresh_namespace, need_real_servers
from tests.cluster.portrait import is_of_a_race

pytestmark = pytest.mark.timeout(180)

CONTROLLERS = ("job", "endpoint")
QUIET_FOR = 1.5
_NEWER = {"FailureTarget", "SuccessCriteriaMet"}
_NEWER_LABELS = {"endpoints.kubernetes.io/managed-by"}

Portrait = dict[str, Any]
Step = Callable[["Place"], Awaitable[None]]


class Place(Scene):
    """A scene whose teller plays the node."""

    async def pods(self) -> list[Pod]:
        """Return the pods that have not ended, those that run first."""
        found = await self.client.list(Pod, namespace=self.namespace)
        active = [one for one in found if one.status.phase not in {"Succeeded", "Failed"}]
        return sorted(active, key=lambda one: one.status.phase != "Running")

    async def jobs_have_ended(self) -> bool:
        found = await self.client.list(Job, namespace=self.namespace)
        ends = {"Complete", "Failed"}
        return all(any(each.type in ends for each in one.status.conditions) for one in found)

    async def report(self, pod: Pod, phase: str, *, ready: bool = False, ip: str = "") -> None:
        """Say as a node how *pod* is."""
        now = format_time(self.client.clock.now())
        state = {
            "type": "Ready",
            "status": "True" if ready else "False",
            "lastTransitionTime": now,
        }
        status: dict[str, Any] = {"phase": phase, "conditions": [state]}
        if ip:
            status |= {"podIP": ip, "podIPs": [{"ip": ip}]}
        patch = {"status": status}
        await self.client.status.patch(
            Pod, pod.metadata.name, patch, namespace=self.namespace, patch_type="strategic"
        )

    async def quiet(self) -> Portrait:
        """Wait until nothing changes any more, and return how all is then."""
        return await self.at_rest(
            self._portrait, lambda seen: json.dumps(seen, sort_keys=True), quiet_for=QUIET_FOR
        )

    async def _portrait(self) -> Portrait:
        client, where = self.client, self.namespace
        jobs = await client.list(Job, namespace=where)
        pods = await client.list(Pod, namespace=where)
        events = await client.list(Event, namespace=where)
        endpoints = await client.list(Endpoints, namespace=where)
        return {
            "jobs": [_job(one) for one in jobs],
            "pods": sorted(map(_pod, pods)),
            "events": sorted(
                {_event(one) for one in events if not is_of_a_race(one.message or "")}
            ),
            "endpoints": [_endpoints(one) for one in endpoints],
        }


def _job(one: Job) -> Portrait:
    status = one.status
    if any(each.reason == "DeadlineExceeded" for each in status.conditions):
        status.failed = None  # since 1.23, pods that are deleted for it count as failed
    return {
        "name": one.metadata.name,
        "active": status.active or 0,
        "succeeded": status.succeeded or 0,
        "failed": status.failed or 0,
        "started": status.start_time is not None,
        "completed": status.completion_time is not None,
        "conditions": [
            # 1.20 gives no reason for success.
            (each.type, each.status, each.type == "Failed" and (each.reason, each.message))
            for each in status.conditions
            if each.type not in _NEWER
        ],
    }


def _pod(one: Pod) -> str:
    owners = [(each.kind, each.name, each.controller) for each in one.metadata.owner_references]
    labels = sorted(one.metadata.labels)
    known = [each for each in labels if not each.startswith("batch.kubernetes.io/")]
    prefix = one.metadata.generate_name or one.metadata.name
    return f"{prefix} {one.status.phase} {owners} {known}"


def _event(one: Event) -> str:
    message = re.sub(r"(pod: \S+)-[a-z0-9]{5}\b", r"\1-[pod]", one.message or "")
    about = one.involved_object
    who = one.source.component if one.source else ""
    return f"{who}: {about.kind} {about.name}: {one.type} {one.reason} {message}"


def _endpoints(one: Endpoints) -> Portrait:
    meta = one.metadata
    subsets = []
    for subset in one.subsets:
        plain: Any = msgspec.to_builtins(subset)
        for address in (*plain.get("addresses", ()), *plain.get("notReadyAddresses", ())):
            for name in ("uid", "resourceVersion", "namespace"):
                address.get("targetRef", {}).pop(name, None)
        plain["ports"] = sorted(plain.get("ports", ()), key=json.dumps)
        subsets.append(plain)
    return {
        "name": meta.name,
        "labels": {key: text for key, text in meta.labels.items() if key not in _NEWER_LABELS},
        "noted": sorted(meta.annotations),
        "subsets": sorted(subsets, key=lambda subset: json.dumps(subset, sort_keys=True)),
    }


class Servers:
    """The servers, and who controls on them."""

    def __init__(self, real: RealServer, embedded: EmbeddedServer, folder: Path) -> None:
        self._real, self._embedded, self._folder = real, embedded, folder

    async def tell(self, *steps: Step) -> None:
        """Tell a story in all places, and compare how it went, step by step."""
        theirs = await self._told(self._real, steps, ours=False)
        for server in (self._embedded, self._real):
            ours = await self._told(server, steps, ours=True)
            for step, left, right in zip(steps, theirs, ours, strict=True):
                where = f"on {type(server).__name__}, after {step.__name__}"
                assert right == left, where

    async def _told(
        self, server: RealServer | EmbeddedServer, steps: tuple[Step, ...], *, ours: bool
    ) -> list[Portrait]:
        manager: AbstractContextManager[object] = nullcontext()
        if not ours:
            manager = controller_manager(server.kubeconfig_file, self._folder, *CONTROLLERS)
        with manager:
            async with _place(server, ours=ours) as place:
                told = []
                for step in steps:
                    await step(place)
                    told.append(await place.quiet())
                return told


@asynccontextmanager
async def _place(server: RealServer | EmbeddedServer, *, ours: bool) -> AsyncIterator[Place]:
    config = server.config(server.admin)
    async with kw.Client(config) as for_controllers, kw.Client(config) as client:
        cluster = Cluster(for_controllers)
        parts = [cluster, *make(cluster, CONTROLLERS)] if ours else []
        async with fresh_namespace(client, parts) as namespace:
            yield Place(client, namespace)


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """Return a real server and an embedded one; who controls on them differs by the story."""
    need_real_servers()
    with RealServer() as real, EmbeddedServer() as embedded:
        yield Servers(real, embedded, tmp_path_factory.mktemp("controllers"))


def job(**spec: Any) -> dict[str, Any]:
    container = {"name": "main", "image": "busybox"}
    pod = {"restartPolicy": "Never", "containers": [container]}
    return {"metadata": {"name": "pi"}, "spec": {"template": {"spec": pod}, **spec}}


def creating(kind: type[kw.Resource], document: dict[str, Any]) -> Step:
    async def created(at: Place) -> None:
        await at.create(kind, document)

    return created


def ending(phase: str) -> Step:
    """Return a step in which the first pod that is active ends."""

    async def ended(at: Place) -> None:
        pod = (await at.pods())[0]
        await at.report(pod, phase)

    return ended


async def test_a_job_goes_to_its_end_the_same_way(servers: Servers) -> None:
    """Two at a time until three have succeeded."""

    async def running(at: Place) -> None:
        for pod in await at.pods():
            await at.report(pod, "Running", ready=True)

    await servers.tell(
        creating(Job, job(completions=3, parallelism=2)),
        running,
        ending("Succeeded"),
        ending("Succeeded"),
        ending("Succeeded"),
    )


async def test_a_job_fails_the_same_way(servers: Servers) -> None:
    """One failure is too many for it."""
    await servers.tell(creating(Job, job(backoffLimit=0)), ending("Failed"))


async def test_a_job_that_takes_too_long_ends_the_same_way(servers: Servers) -> None:
    """Its pods are deleted, and it says why it failed."""

    async def ended(at: Place) -> None:
        await at.create(Job, job(activeDeadlineSeconds=2, parallelism=2))
        await at.until(at.jobs_have_ended)

    await servers.tell(ended)


async def test_a_job_is_made_smaller_the_same_way(servers: Servers) -> None:
    """Surplus pods are deleted, and are not failures."""

    async def smaller(at: Place) -> None:
        await at.patch(Job, "pi", {"spec": {"parallelism": 1}})

    await servers.tell(creating(Job, job(completions=5, parallelism=3)), smaller)


def web(name: str, *, port: int = 8080, **spec: Any) -> dict[str, Any]:
    ports = [{"name": "http", "containerPort": port}]
    container = {"name": "main", "image": "web", "ports": ports}
    labels = {"app": "web"}
    return {
        "metadata": {"name": name, "labels": labels},
        # 1.20 cannot name pods without a node: it writes an empty name, which is refused.
        "spec": {"nodeName": "node-0", "containers": [container], **spec},
    }


def reporting(name: str, ip: str, *, ready: bool = True) -> Step:
    async def reported(at: Place) -> None:
        pod = await at.client.get(Pod, name, namespace=at.namespace)
        await at.report(pod, "Running", ready=ready, ip=ip)

    return reported


async def test_endpoints_follow_the_pods_the_same_way(servers: Servers) -> None:
    """Ready, not ready, other ports, other labels, deleted; and a service that goes."""
    service = {
        "metadata": {"name": "web", "labels": {"tier": "front"}},
        "spec": {
            "selector": {"app": "web"},
            "ports": [
                {"name": "http", "port": 80, "targetPort": "http"},
                {"name": "fixed", "port": 81, "targetPort": 9000},
            ],
        },
    }

    async def relabelled(at: Place) -> None:
        await at.patch(Pod, "c", {"metadata": {"labels": {"app": "other"}}})

    async def published(at: Place) -> None:
        await at.patch(Service, "web", {"spec": {"publishNotReadyAddresses": True}})

    async def deleted(at: Place) -> None:
        await at.client.delete(Pod, "a", namespace=at.namespace, grace_period=0)

    async def gone(at: Place) -> None:
        await at.client.delete(Service, "web", namespace=at.namespace)
        with suppress(NotFoundError):
            await at.client.delete(Pod, "b", namespace=at.namespace, grace_period=0)

    await servers.tell(
        creating(Service, service),
        creating(Pod, web("a")),
        reporting("a", "10.1.0.1"),
        creating(Pod, web("b", port=8081)),
        reporting("b", "10.1.0.2", ready=False),
        creating(Pod, web("c")),
        reporting("c", "10.1.0.3"),
        published,
        relabelled,
        deleted,
        gone,
    )


async def test_headless_services_have_the_same_endpoints(servers: Servers) -> None:
    """Without ports, and with names of their own for their pods."""
    service = {
        "metadata": {"name": "web"},
        "spec": {"selector": {"app": "web"}, "clusterIP": "None"},
    }
    await servers.tell(
        creating(Service, service),
        creating(Pod, web("a", hostname="first", subdomain="web")),
        reporting("a", "10.1.0.1"),
    )

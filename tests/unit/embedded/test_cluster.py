"""The whole cluster as one object."""

import asyncio
import sys
from collections.abc import Callable, Iterator
from inspect import signature
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import pytest

from kubewright._aio import Clock
from kubewright.api import LabelSelector, ObjectMeta
from kubewright.client import Client, Config, wait_for
from kubewright.cluster import Cluster
from kubewright.embedded import ClusterOptions, LocalCluster
from kubewright.errors import ConfigError, LifecycleError
from kubewright.kinds.apps.v1 import Deployment, DeploymentSpec
from kubewright.kinds.batch.v1 import (
    Job,
    JobSpec,
    PodFailurePolicy,
    PodFailurePolicyOnPodConditionsPattern,
    PodFailurePolicyRule,
)
from kubewright.kinds.core.v1 import (
    ConfigMap,
    Container,
    Endpoints,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimSpec,
    PersistentVolumeClaimVolumeSource,
    Pod,
    PodSpec,
    PodTemplateSpec,
    Service,
    ServicePort,
    ServiceSpec,
    Volume,
    VolumeMount,
    VolumeResourceRequirements,
)
from kubewright.kinds.policy.v1 import Eviction
from kubewright.kinds.storage.v1 import StorageClass
from kubewright.runnable import Runnable
from kubewright.testing import VirtualClock

LABELS = {"app": "web"}
BINDING = ["persistentvolume-binder", "nodelifecycle"]


def deployment(replicas: int = 2) -> Deployment:
    container = Container(name="web", image="nginx")
    template = PodTemplateSpec(
        metadata=ObjectMeta(labels=LABELS), spec=PodSpec(containers=[container])
    )
    spec = DeploymentSpec(
        replicas=replicas, selector=LabelSelector(match_labels=LABELS), template=template
    )
    return Deployment(metadata=ObjectMeta(name="web"), spec=spec)


def writer(name: str, node: str) -> Pod:
    """Return a pod that adds its name to a file in a claim, and shows the file."""
    container = Container(
        name="main",
        image="busybox",
        command=["sh", "-c", f"echo {name} >> /data/names; cat /data/names"],
        volume_mounts=[VolumeMount(name="data", mount_path="/data")],
    )
    claim = PersistentVolumeClaimVolumeSource(claim_name="data")
    spec = PodSpec(
        node_selector={"kubernetes.io/hostname": node},
        automount_service_account_token=False,
        restart_policy="Never",
        containers=[container],
        volumes=[Volume(name="data", persistent_volume_claim=claim)],
    )
    return Pod(metadata=ObjectMeta(name=name), spec=spec)


def is_over(pod: Pod | None) -> bool:
    return pod is not None and pod.status.phase in {"Succeeded", "Failed"}


def has(count: int) -> Callable[[Deployment | None], bool]:
    """Return what says whether so many replicas are available."""
    return lambda one: one is not None and (one.status.available_replicas or 0) == count


async def test_a_deployment_becomes_pods_that_a_service_finds() -> None:
    """Controllers, scheduler, node and endpoints work together, as on a real cluster."""
    ports = [ServicePort(port=80)]
    service = Service(
        metadata=ObjectMeta(name="web"), spec=ServiceSpec(selector=LABELS, ports=ports)
    )

    async with LocalCluster(nodes=2) as cluster, cluster.client() as client:
        await client.create(service)
        await client.create(deployment(replicas=4))
        await wait_for(client, Deployment, "web", has(4), timeout=10)
        pods = await client.list(Pod, namespace="default")
        endpoints = await wait_for(
            client, Endpoints, "web", lambda one: one is not None and len(found(one)) == 4,
            timeout=10,
        )  # fmt: skip

    assert endpoints is not None
    assert {pod.status.pod_ip for pod in pods} == found(endpoints)
    assert {pod.spec.node_name for pod in pods} == {"node-1", "node-2"}
    assert all(IPv4Address(pod.status.pod_ip or "").is_loopback for pod in pods)


def found(endpoints: Endpoints) -> set[str | None]:
    return {one.ip for part in endpoints.subsets for one in part.addresses}


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def test_nothing_is_left_after_the_block() -> None:
    """No task, no port, no file descriptor."""
    async with LocalCluster():
        pass  # the first one loads modules, and those open files
    tasks, files = asyncio.all_tasks(), open_files()

    async with LocalCluster() as cluster, cluster.client() as client:
        await client.create(deployment())
        await wait_for(client, Deployment, "web", has(2), timeout=10)
        host, port = cluster.url.removeprefix("https://").split(":")

    assert asyncio.all_tasks() == tasks
    assert open_files() <= files
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(host, int(port))


async def test_other_programs_use_it_by_its_kubeconfig(tmp_path: Path) -> None:
    """It serves kubectl, and operators in processes of their own."""
    async with LocalCluster() as cluster:
        path = cluster.write_kubeconfig(tmp_path / "config", "kubewright-shop")
        async with Client(Config.from_kubeconfig(path)) as client:
            nodes = [node.metadata.name for node in await client.list(Node)]
        names = {
            cluster.kubeconfig("a")["current-context"],
            cluster.kubeconfig()["users"][0]["name"],
        }
        (tmp_path / "other").write_text("not: ours")
        with pytest.raises(ConfigError, match="something else than a kubeconfig"):
            cluster.write_kubeconfig(tmp_path / "other")

    assert nodes == list(cluster.nodes) == ["node-1"]
    assert names == {"a", "kubewright"}


async def test_pods_run_as_a_service_account_whose_token_they_mount() -> None:
    """Programs in pods find the API server without being told where it is."""
    async with LocalCluster() as cluster, cluster.client() as client:
        await client.create(deployment(replicas=1))
        await wait_for(client, Deployment, "web", has(1), timeout=10)
        pod = (await client.list(Pod, namespace="default"))[0]
        authority = await client.get(ConfigMap, "kube-root-ca.crt")
        ca = cluster.ca_data

    assert pod.spec.service_account_name == "default"
    assert [volume.name.startswith("kube-api-access-") for volume in pod.spec.volumes] == [True]
    assert authority.data["ca.crt"].encode() == ca


async def test_in_virtual_time_an_hour_is_nothing() -> None:
    """A test of what happens after an hour takes milliseconds."""
    clock = VirtualClock()
    container = Container(name="main", image="busybox", command=["sleep", "3600"])
    spec = PodSpec(restart_policy="Never", containers=[container])

    async with LocalCluster(clock=clock) as cluster, cluster.client() as client:
        await client.create(Pod(metadata=ObjectMeta(name="long"), spec=spec))
        await clock.advance(3500)
        before = (await client.get(Pod, "long")).status.phase
        await clock.advance(200)
        after = (await client.get(Pod, "long")).status.phase

    assert (before, after) == ("Running", "Succeeded")


async def test_only_the_controllers_that_are_wanted_run() -> None:
    """Somebody may bring their own."""
    clock = VirtualClock()

    async with LocalCluster(controllers=[], clock=clock) as cluster, cluster.client() as client:
        await client.create(deployment())
        await clock.advance(60)

        assert len(await client.list(Pod, namespace="default")) == 0
        assert len(await client.list(StorageClass)) == 0  # nobody would make its volumes

    with pytest.raises(ValueError, match="there is no controller called 'barber'"):
        await LocalCluster(controllers=["barber"]).start()


async def test_objects_are_kept_in_a_folder(tmp_path: Path) -> None:
    """And pods run again after a restart."""
    async with LocalCluster(data_dir=tmp_path) as cluster, cluster.client() as client:
        await client.create(deployment())
        await wait_for(client, Deployment, "web", has(2), timeout=10)
        before = {pod.metadata.uid for pod in await client.list(Pod, namespace="default")}

    async with LocalCluster(data_dir=tmp_path) as cluster, cluster.client() as client:
        await client.patch(Deployment, "web", {"spec": {"replicas": 3}})
        await wait_for(client, Deployment, "web", has(3), timeout=10)
        after = {pod.metadata.uid for pod in await client.list(Pod, namespace="default")}

    assert len(before) == 2
    assert before < after


def data(**spec: Any) -> PersistentVolumeClaim:
    """Return a claim of the default class, unless *spec* says otherwise."""
    resources = VolumeResourceRequirements(requests={"storage": "1Gi"})
    return PersistentVolumeClaim(
        metadata=ObjectMeta(name="data"),
        spec=PersistentVolumeClaimSpec(access_modes=["ReadWriteOnce"], resources=resources, **spec),
    )


@pytest.mark.skipif(sys.platform != "linux", reason="local processes need Linux")
async def test_what_is_in_a_claim_is_there_on_every_node_and_after_a_restart(
    tmp_path: Path,
) -> None:
    """It is kept with the objects; the pods that wrote it are long gone. It goes with its claim."""
    said: list[str] = []
    for node in ("node-1", "node-2", "node-1"):
        cluster = LocalCluster(data_dir=tmp_path, simulate=False, nodes=2, controllers=BINDING)
        async with cluster, cluster.client() as client:
            if not said:
                await client.create(data())
            name = f"pod-{len(said)}"
            await client.create(writer(name, node=node))
            await wait_for(client, Pod, name, is_over, timeout=10)
            said.append(await client.logs(name))
            await client.delete(Pod, name)
    folders = names_in(tmp_path / "claims")
    cluster = LocalCluster(data_dir=tmp_path, simulate=False, controllers=BINDING)
    async with cluster, cluster.client() as client:
        [volume] = await client.list(PersistentVolume)
        name = volume.metadata.name
        await client.delete(PersistentVolumeClaim, "data")
        await wait_for(client, PersistentVolume, name, lambda one: one is None, timeout=10)

    assert said == ["pod-0\n", "pod-0\npod-1\n", "pod-0\npod-1\npod-2\n"]
    assert folders == [f"{name}_default_data"]
    assert names_in(tmp_path / "claims") == []


def names_in(folder: Path) -> list[str]:
    return [one.name for one in folder.iterdir()]


async def test_claims_are_bound_in_virtual_time() -> None:
    """Where pods are simulated, and no file is written."""
    clock = VirtualClock()
    async with LocalCluster(nodes=2, clock=clock) as cluster, cluster.client() as client:
        await client.create(data())
        await clock.advance(60)
        waiting = await client.get(PersistentVolumeClaim, "data")
        await client.create(writer("web", node="node-2"))
        await clock.advance(1)

        bound = await client.get(PersistentVolumeClaim, "data")
        pod = await client.get(Pod, "web")

    assert waiting.status.phase == "Pending"
    assert waiting.spec.storage_class_name == "standard"
    assert bound.status.phase == "Bound"
    assert pod.spec.node_name == "node-2"
    assert pod.status.phase in {"Running", "Succeeded"}


def test_its_options_can_be_passed_on_by_name() -> None:
    """`EmbeddedCluster` passes them on: an option missing here would be missing in tests."""
    arguments = signature(LocalCluster).parameters

    assert set(ClusterOptions.__annotations__) == set(arguments)


@pytest.mark.parametrize("nodes", [-1, 193])
def test_a_number_of_nodes_that_cannot_be_is_refused(nodes: int) -> None:
    """Each has addresses of its own, and there are only so many."""
    with pytest.raises(ConfigError, match=f"a cluster cannot have {nodes} nodes: choose 0 to 192"):
        LocalCluster(nodes=nodes)


def test_processes_cannot_live_in_virtual_time() -> None:
    """They would wait for an hour that never comes."""
    with pytest.raises(ConfigError, match="simulate containers in virtual time"):
        LocalCluster(simulate=False, clock=VirtualClock())


async def test_it_can_be_used_only_while_it_runs() -> None:
    """And started again after a stop."""
    cluster = LocalCluster(nodes=0)
    for use in (lambda: cluster.url, lambda: cluster.api, cluster.client):
        with pytest.raises(LifecycleError, match="the cluster does not run"):
            use()
    with pytest.raises(LifecycleError, match="the cluster does not run"):
        await cluster.wait()

    async with cluster:
        with pytest.raises(LifecycleError, match="it runs already"):
            await cluster.start()
    await cluster.stop()
    async with cluster as again, again.client() as client:
        assert len(await client.list(Node)) == 0


async def test_an_address_that_is_taken_leaves_nothing_running() -> None:
    """The next start must not find half of the last one."""
    before = asyncio.all_tasks()
    async with LocalCluster(nodes=0) as first:
        port = int(first.url.rpartition(":")[2])
        beside = asyncio.all_tasks()
        with pytest.raises(ConfigError, match="Address already in use"):
            await LocalCluster(port=port).start()
        assert asyncio.all_tasks() == beside

    assert asyncio.all_tasks() == before


class Failing:
    """Something of the cluster that breaks."""

    def __init__(self) -> None:
        self.go = asyncio.Event()

    async def run(self) -> None:
        await self.go.wait()
        raise RuntimeError("the roof is gone")


class Fragile(LocalCluster):
    """A cluster with something in it that breaks."""

    def _machines(self, cluster: Cluster) -> Iterator[Runnable]:
        self.part = Failing()
        yield self.part


async def test_a_part_that_fails_is_heard_of() -> None:
    """Otherwise pods would wait for ever, and nobody would know why."""
    cluster = Fragile(clock=Clock())
    await cluster.start()

    cluster.part.go.set()

    with pytest.raises(RuntimeError, match="the roof is gone"):
        await cluster.wait()
    with pytest.raises(RuntimeError, match="the roof is gone"):
        await cluster.stop()
    await cluster.stop()


@pytest.mark.parametrize(("action", "failed"), [("Ignore", None), ("Count", 1), ("FailJob", 1)])
async def test_an_evicted_pod_of_a_job_is_judged_by_its_policy(
    action: str, failed: int | None
) -> None:
    """The server says that it was a disruption, the node keeps that, and the Job counts by it."""
    clock = VirtualClock()
    condition = PodFailurePolicyOnPodConditionsPattern(type="DisruptionTarget", status="True")
    rule = PodFailurePolicyRule(action=action, on_pod_conditions=[condition])
    container = Container(name="main", image="busybox", command=["sleep", "1000"])
    spec = JobSpec(
        backoff_limit=0,
        pod_failure_policy=PodFailurePolicy(rules=[rule]),
        template=PodTemplateSpec(spec=PodSpec(restart_policy="Never", containers=[container])),
    )
    async with LocalCluster(clock=clock) as cluster, cluster.client() as client:
        await client.create(Job(metadata=ObjectMeta(name="pi"), spec=spec))
        await clock.advance(5)
        [pod] = await client.list(Pod)

        eviction = Eviction(metadata=ObjectMeta(name=pod.metadata.name, namespace="default"))
        await client.subresource("eviction").post(Pod, pod.key, eviction)
        await clock.advance(60)

        status = (await client.get(Job, "pi")).status
        assert status.failed == failed
        assert [one.type for one in status.conditions if one.type == "Failed"] == (
            ["Failed"] if failed else []
        )

from collections.abc import AsyncIterator
from typing import Any

import pytest

import kubewright as kw
from kubewright._aio import VirtualClock
from kubewright.embedded.node import ProcessRuntime, SimulatedRuntime
from kubewright.embedded.node.addresses import Addresses
from kubewright.embedded.node.host import Host
from kubewright.embedded.node.pod.preparation import (
    prepare_launch,
    read_references,
    read_volumes,
    request_tokens,
)
from kubewright.embedded.node.runtime import Runtime
from kubewright.embedded.node.volumes.downward import HostFacts
from kubewright.embedded.node.volumes.material import File, Files
from kubewright.embedded.node.volumes.references import Reference
from kubewright.embedded.node.volumes.volumes import MountError
from kubewright.kinds.core.v1 import (
    ConfigMap,
    ConfigMapVolumeSource,
    EmptyDirVolumeSource,
    EnvVar,
    NFSVolumeSource,
    ProjectedVolumeSource,
    Secret,
    Service,
    ServiceAccount,
    ServiceAccountTokenProjection,
    ServicePort,
    ServiceSpec,
    Volume,
    VolumeProjection,
)
from tests.unit.embedded.node.world import World, a_server, container, pod

FACTS = HostFacts("127.1.0.1", "127.0.0.1")
CONF = Volume(name="c", config_map=ConfigMapVolumeSource(name="conf"))
NETWORK = Volume(name="n", nfs=NFSVolumeSource(server="s", path="/"))


@pytest.fixture
async def world() -> AsyncIterator[World]:
    """Yield a server."""
    async with a_server() as found:
        yield found


def host(world: World, runtime: Runtime) -> Host:
    """Return what a node gives to a pod."""
    ports = [ServicePort(port=80)]
    service = Service(
        metadata=kw.ObjectMeta(name="db"), spec=ServiceSpec(cluster_ip="10.0.0.1", ports=ports)
    )
    nothing: Any = None
    return Host(
        runtime, world.client, Addresses("127.1.0.0/24"), "127.0.0.1", {}, VirtualClock(),
        nothing, nothing, nothing, lambda namespace: [service],
    )  # fmt: skip


async def test_files_are_read_where_there_is_a_disk(world: World) -> None:
    """And a volume that cannot be had keeps the pod from starting."""
    meta = kw.ObjectMeta(name="conf", namespace="default")
    await world.client.create(ConfigMap(metadata=meta, data={"a": "1"}))
    real = host(world, ProcessRuntime())
    empty = Volume(name="e", empty_dir=EmptyDirVolumeSource())

    found = await read_volumes(pod(volumes=[CONF, empty]), FACTS, real)

    assert found == {"c": Files({"a": File(b"1")}), "e": Files()}
    with pytest.raises(MountError, match="not supported"):
        await read_volumes(pod(volumes=[NETWORK]), FACTS, real)


async def test_simulated_pods_miss_only_what_a_user_can_make(world: World) -> None:
    """Disks of a network are there; a ConfigMap that nobody has made is not."""
    simulated = host(world, SimulatedRuntime())

    assert await read_volumes(pod(volumes=[NETWORK]), FACTS, simulated) == {}
    with pytest.raises(MountError, match='configmap "conf" not found'):
        await read_volumes(pod(volumes=[CONF]), FACTS, simulated)


@pytest.mark.parametrize("linked", [None, False])
async def test_a_command_knows_its_variables(world: World, linked: bool | None) -> None:
    """Its own ones, and those of services unless the pod does not want them."""
    given = container(
        command=["run", "$(A)"], args=["$(DB_SERVICE_HOST)"], env=[EnvVar(name="A", value="1")]
    )
    wanted = pod(given, enable_service_links=linked)

    launch = await prepare_launch(given, wanted, FACTS, host(world, SimulatedRuntime()), attempt=3)

    assert launch.command == ["run", "1"]
    assert launch.args == ["10.0.0.1" if linked is None else "$(DB_SERVICE_HOST)"]
    assert launch.attempt == 3


async def test_what_a_pod_names_is_read_once() -> None:
    """What is not there is known not to be."""
    async with a_server() as world:
        meta = kw.ObjectMeta(name="a", namespace="default")
        await world.client.create(ConfigMap(metadata=meta, data={"k": "v"}))
        await world.client.create(Secret(metadata=meta, data={"k": b"s"}))
        wanted = [Reference("ConfigMap", "a"), Reference("Secret", "a"), Reference("Secret", "b")]

        found = await read_references(world.client, "default", [*wanted, *wanted])

        assert found.config_map("a") == {"k": "v"}
        assert found.secret("a") == {"k": b"s"}
        assert found.secrets["b"] is None
        assert len(world.server.api.audit.events(verb="get")) == 3


def token_volume(path: str, audience: str | None = None) -> Volume:
    """Return a volume that wants a token."""
    token = ServiceAccountTokenProjection(path=path, audience=audience)
    sources = [VolumeProjection(service_account_token=token)]
    return Volume(name=path, projected=ProjectedVolumeSource(sources=sources))


async def test_a_token_of_the_account_of_the_pod_is_made() -> None:
    """Programs in the pod talk to the API server with it."""
    async with a_server() as world:
        meta = kw.ObjectMeta(name="robot", namespace="default")
        await world.client.create(ServiceAccount(metadata=meta))
        wanted = pod(
            volumes=[token_volume("token"), token_volume("vault", "vault")],
            service_account_name="robot",
            automount_service_account_token=False,
        )
        made = await world.client.create(wanted)

        found = await request_tokens(world.client, made)

        assert found.keys() == {"token", "vault"}
        assert all(text.count(".") == 2 for text in found.values())


async def test_a_server_that_makes_no_token_does_not_stop_the_pod() -> None:
    """Most pods never use it."""
    async with a_server() as world:
        lonely = pod(volumes=[token_volume("token")], service_account_name="nobody")
        lonely.metadata.uid = "1"

        assert await request_tokens(world.client, lonely) == {}

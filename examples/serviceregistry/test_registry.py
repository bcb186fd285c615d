"""The operator in virtual time, with an etcd in memory, in a new cluster and in an old one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

import kubewright as kw
from kubewright.kinds.core.v1 import (
    EndpointAddress,
    EndpointPort,
    Endpoints,
    EndpointSubset,
    Event,
    Service,
    ServicePort,
    ServiceSpec,
)
from kubewright.kinds.discovery.v1 import Endpoint, EndpointSlice
from kubewright.kinds.discovery.v1 import EndpointPort as SlicePort
from kubewright.testing import EmbeddedServer, VirtualClock
from memory_etcd import MemoryEtcd
from serviceregistry import Registry
from traefik import Routes

RECORD = "kubewright/us/default/web"
SLICE = EndpointSlice(
    metadata=kw.ObjectMeta(name="web-1", labels={"kubernetes.io/service-name": "web"}),
    address_type="IPv4",
    endpoints=[Endpoint(addresses=["10.0.0.1"])],
    ports=[SlicePort(port=8080)],
)
OLD = Endpoints(
    metadata=kw.ObjectMeta(name="web"),
    subsets=[
        EndpointSubset(addresses=[EndpointAddress(ip="10.0.0.1")], ports=[EndpointPort(port=8080)])
    ],
)


@asynccontextmanager
async def running(
    etcd: MemoryEtcd, source: type[EndpointSlice | Endpoints]
) -> AsyncIterator[tuple[kw.Client, VirtualClock]]:
    """Run a registry that finds endpoints in *source*."""
    clock = VirtualClock()
    async with EmbeddedServer(clock=clock) as server, server.client() as client:
        cluster = kw.Cluster(client)
        manager = kw.Manager(cluster)
        manager.add(Registry(cluster, Routes(etcd, owner="us"), source).controller())
        async with manager:
            yield client, clock


async def expose(client: kw.Client, **annotations: str) -> None:
    """Create a Service that asks for a route."""
    wanted = {"expose": "true", **annotations}
    named = {f"traefik.magedu.com/{key}": value for key, value in wanted.items()}
    spec = ServiceSpec(ports=[ServicePort(port=80)])
    metadata = kw.ObjectMeta(name="web", annotations=named)
    await client.create(Service(metadata=metadata, spec=spec))


@pytest.mark.parametrize("endpoints", [SLICE, OLD], ids=["new", "old"])
async def test_endpoints_become_servers_whichever_kind_has_them(
    endpoints: EndpointSlice | Endpoints,
) -> None:
    """Clusters before 1.21 have no EndpointSlice."""
    etcd = MemoryEtcd()
    async with running(etcd, type(endpoints)) as (client, clock):
        await expose(client)
        await client.create(endpoints)
        await clock.settle()

        assert RECORD in etcd.values
        assert any(value.text == "http://10.0.0.1:8080" for value in etcd.values.values())

        await client.delete(Service, "web")
        await clock.settle()

        assert RECORD not in etcd.values


async def test_a_wrong_annotation_is_told_by_an_event() -> None:
    """Trying again would not make it right."""
    async with running(MemoryEtcd(), EndpointSlice) as (client, clock):
        await expose(client, port="nonsense")
        await clock.advance(1)  # events are sent in the background

        [event] = await client.list(Event)
        assert (event.type, event.reason) == ("Warning", "InvalidAnnotation")

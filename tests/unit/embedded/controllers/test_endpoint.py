"""Endpoints, and how they follow the pods of a service."""

import pytest

import kubewright as kw
from kubewright.embedded.controllers.endpoint import endpoint_controller
from kubewright.kinds.core.v1 import (
    EndpointAddress,
    Endpoints,
    EndpointSubset,
    Pod,
    PodCondition,
    PodIP,
    ServicePort,
)
from tests.unit.embedded.controllers.services import pod, service
from tests.unit.embedded.controllers.stage import Stage, staged


async def endpoints(stage: Stage, name: str = "web") -> Endpoints:
    await stage.clock.advance(1)
    return await stage.client.get(Endpoints, name)


def ips(found: Endpoints, *, ready: bool = True) -> list[str]:
    return [
        one.ip
        for subset in found.subsets
        for one in (subset.addresses if ready else subset.not_ready_addresses)
    ]


async def started(stage: Stage, name: str, ip: str, *, ready: bool = True, **spec: object) -> None:
    made = await stage.create(pod(name, **spec))  # type: ignore[arg-type]  # of a PodSpec
    await stage.start(made, ready=ready, ip=ip)


async def test_a_pod_is_there_when_it_is_ready_and_apart_when_it_is_not() -> None:
    """With all that others want to know about it."""
    async with staged(endpoint_controller) as stage:
        await stage.create(service())
        empty = await endpoints(stage)
        await started(stage, "a", "10.0.0.1", node_name="node")
        await started(stage, "b", "10.0.0.2", ready=False)

        found = await endpoints(stage)

        [subset] = found.subsets
        [address] = subset.addresses
        assert empty.subsets == []
        assert (address.ip, address.node_name) == ("10.0.0.1", "node")
        assert address.target_ref is not None
        assert (address.target_ref.kind, address.target_ref.name) == ("Pod", "a")
        assert ips(found, ready=False) == ["10.0.0.2"]
        [port] = subset.ports
        assert (port.name, port.port, port.protocol) == ("http", 8080, "TCP")


async def test_readiness_moves_an_address() -> None:
    """From one list to the other, and back."""
    async with staged(endpoint_controller) as stage:
        await stage.create(service())
        one = await stage.create(pod("a"))
        await stage.start(one, ip="10.0.0.1")
        before = await endpoints(stage)

        await stage.start(one, ready=False)

        after = await endpoints(stage)
        assert (ips(before), ips(after)) == (["10.0.0.1"], [])
        assert ips(after, ready=False) == ["10.0.0.1"]


async def test_pods_that_go_or_have_ended_are_not_there() -> None:
    """Nor are those that have no address yet."""
    async with staged(endpoint_controller) as stage:
        await stage.create(service())
        await stage.create(pod("young"))
        await started(stage, "going", "10.0.0.1")
        await stage.bind(await stage.client.get(Pod, "going"))
        await started(stage, "done", "10.0.0.2")

        await stage.client.delete(Pod, "going")
        await stage.finish(await stage.client.get(Pod, "done"))

        assert (await endpoints(stage)).subsets == []


async def test_some_services_want_pods_that_are_not_ready() -> None:
    """publishNotReadyAddresses: the members of a database find one another before."""
    async with staged(endpoint_controller) as stage:
        await stage.create(service(cluster_ip="None", publish_not_ready_addresses=True))
        await started(stage, "a", "10.0.0.1", ready=False, hostname="a", subdomain="web")

        found = await endpoints(stage)

        assert ips(found) == ["10.0.0.1"]
        assert found.subsets[0].addresses[0].hostname == "a"
        assert found.metadata.labels["service.kubernetes.io/headless"] == ""


async def test_a_named_port_may_have_another_number_in_each_pod() -> None:
    """So there are several subsets, each with the ports that its addresses share."""
    async with staged(endpoint_controller) as stage:
        ports = [
            ServicePort(name="http", port=80, target_port="http"),
            ServicePort(name="fixed", port=81, target_port=9000),
            ServicePort(name="none", port=82, target_port="missing"),
        ]
        await stage.create(service(ports=ports))
        await started(stage, "a", "10.0.0.1", port=8080)
        await started(stage, "b", "10.0.0.2", port=8081)

        found = await endpoints(stage)

        shown = {
            (port.name, port.port): [one.ip for one in subset.addresses]
            for subset in found.subsets
            for port in subset.ports
        }
        assert shown == {
            ("fixed", 9000): ["10.0.0.1", "10.0.0.2"],
            ("http", 8080): ["10.0.0.1"],
            ("http", 8081): ["10.0.0.2"],
        }


async def test_a_headless_service_without_ports_has_addresses_all_the_same() -> None:
    """For names in DNS."""
    async with staged(endpoint_controller) as stage:
        await stage.create(service(cluster_ip="None", ports=[]))
        await started(stage, "a", "10.0.0.1")

        found = await endpoints(stage)

        assert ips(found) == ["10.0.0.1"]
        assert found.subsets[0].ports == []


async def test_endpoints_of_a_service_without_a_selector_are_somebody_elses() -> None:
    """They were written by hand."""
    async with staged(endpoint_controller) as stage:
        await stage.create(service(selector={}))
        mine = Endpoints(
            metadata=kw.ObjectMeta(name="web"),
            subsets=[EndpointSubset(addresses=[EndpointAddress(ip="10.9.9.9")])],
        )
        await stage.create(mine)

        assert ips(await endpoints(stage)) == ["10.9.9.9"]


async def test_endpoints_go_with_their_service_and_come_back_when_deleted() -> None:
    """They are nobody's to delete while the service is there."""
    async with staged(endpoint_controller) as stage:
        made = await stage.create(service())
        first = await endpoints(stage)
        await stage.client.delete(first)
        again = await endpoints(stage)

        await stage.client.delete(made)
        await stage.clock.advance(1)

        assert again.metadata.uid != first.metadata.uid
        assert await stage.client.find(Endpoints, "web") is None


async def test_the_time_of_the_change_is_noted() -> None:
    """So that others can measure how long it takes until traffic follows."""
    async with staged(endpoint_controller) as stage:
        await stage.create(service())
        first = await endpoints(stage)
        await stage.clock.advance(59)
        await started(stage, "a", "10.0.0.1")

        found = await endpoints(stage)

        note = "endpoints.kubernetes.io/last-change-trigger-time"
        assert first.metadata.annotations[note] == "2026-01-01T00:00:00Z"
        assert found.metadata.annotations[note] == "2026-01-01T00:01:00Z"


async def test_five_hundred_pods_are_a_few_writes() -> None:
    """Not one for each of them."""
    async with staged(endpoint_controller) as stage:
        await stage.create(service())
        await endpoints(stage)
        for number in range(500):
            made = await stage.client.create(pod(f"p{number}"))
            made.status.pod_ip = f"10.0.{number // 250}.{number % 250 + 1}"
            made.status.pod_ips = [PodIP(ip=made.status.pod_ip)]
            made.status.conditions = [PodCondition(type="Ready", status="True")]
            await stage.client.status.update(made)
            if number % 50 == 0:
                await stage.clock.settle()

        found = await endpoints(stage)

        writes = [one.verb for one in stage.audit("endpoints") if one.verb != "get"]
        assert len(ips(found)) == 500
        assert writes == ["create", "update", "update"]


async def test_what_changes_nothing_writes_nothing() -> None:
    """A label of a pod, for instance."""
    async with staged(endpoint_controller) as stage:
        await stage.create(service())
        await started(stage, "a", "10.0.0.1")
        before = await endpoints(stage)

        one = await stage.client.get(Pod, "a")
        await stage.change(one, lambda each: each.metadata.labels.update(more="labels"))

        after = await endpoints(stage)
        assert after.metadata.resource_version == before.metadata.resource_version


async def test_a_server_that_refuses_an_address_is_told_of_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """In the log and in an event; trying again would not help."""
    async with staged(endpoint_controller) as stage:
        await stage.create(service())
        await started(stage, "a", "127.1.0.2")
        await stage.clock.advance(600)
        await started(stage, "b", "127.1.0.3")
        await stage.clock.advance(600)

        texts = await stage.events("FailedToUpdateEndpoint")

        [text] = texts
        assert text.startswith("Failed to update endpoint default/web: ")
        assert "may not be in the loopback range" in text
        said = [one for one in caplog.messages if "refuses the addresses" in one]
        assert len(said) == 1
        assert len([one for one in stage.audit("endpoints") if one.code == 422]) <= 3

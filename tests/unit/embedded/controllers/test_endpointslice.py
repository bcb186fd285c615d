"""EndpointSlices, and how they follow the pods of a service."""

import kubewright as kw
from kubewright.embedded.controllers.endpointslice import endpointslice_controller, planned
from kubewright.kinds.core.v1 import Node, ObjectReference, PodCondition, PodIP, Service
from kubewright.kinds.discovery.v1 import Endpoint, EndpointSlice
from tests.unit.embedded.controllers.services import pod, service
from tests.unit.embedded.controllers.stage import Stage, staged

PORTS = (("http", 8080, "TCP", None),)


async def slices(stage: Stage) -> list[EndpointSlice]:
    await stage.clock.advance(1)
    labels = {"kubernetes.io/service-name": "web"}
    return list(await stage.client.list(EndpointSlice, labels=labels))


def shown(one: Endpoint) -> tuple[bool | None, bool | None, bool | None]:
    assert one.conditions is not None
    return one.conditions.ready, one.conditions.serving, one.conditions.terminating


async def test_a_slice_names_the_pods_of_its_service() -> None:
    """With labels by which it is found, and gone with the service."""
    async with staged(endpointslice_controller) as stage:
        node = Node(metadata=kw.ObjectMeta(name="n", labels={"topology.kubernetes.io/zone": "z"}))
        await stage.create(node)
        made = await stage.create(service())
        one = await stage.create(pod("a", node_name="n"))
        await stage.start(one, ip="10.0.0.1")

        [found] = await slices(stage)

        [endpoint] = found.endpoints
        assert found.metadata.name.startswith("web-")
        assert found.address_type == "IPv4"
        labels = found.metadata.labels
        manager = "endpointslice-controller.k8s.io"
        assert labels["endpointslice.kubernetes.io/managed-by"] == manager
        [owner] = found.metadata.owner_references
        assert (owner.kind, owner.uid, owner.controller) == ("Service", made.metadata.uid, True)
        [port] = found.ports
        assert (port.name, port.port, port.protocol) == ("http", 8080, "TCP")
        assert (endpoint.addresses, endpoint.node_name, endpoint.zone) == (["10.0.0.1"], "n", "z")
        assert endpoint.target_ref is not None
        assert endpoint.target_ref.name == "a"
        assert shown(endpoint) == (True, True, False)


async def test_without_pods_there_is_an_empty_slice() -> None:
    """So that readers can tell "none" from "not yet"."""
    async with staged(endpointslice_controller) as stage:
        await stage.create(service())

        [found] = await slices(stage)

        assert (found.endpoints, found.ports) == ([], [])


async def test_a_pod_that_is_not_ready_or_goes_says_so() -> None:
    """One that is going may still serve."""
    async with staged(endpointslice_controller) as stage:
        await stage.create(service())
        one = await stage.create(pod("a"))
        await stage.bind(one)
        await stage.start(one, ip="10.0.0.1", ready=False)
        [before] = await slices(stage)
        await stage.start(one, ready=True)

        await stage.client.delete(one)

        [after] = await slices(stage)
        assert shown(before.endpoints[0]) == (False, False, False)
        assert shown(after.endpoints[0]) == (False, True, True)


async def test_some_services_call_every_pod_ready() -> None:
    """PublishNotReadyAddresses."""
    async with staged(endpointslice_controller) as stage:
        await stage.create(service(cluster_ip="None", publish_not_ready_addresses=True))
        one = await stage.create(pod("a", hostname="a", subdomain="web"))
        await stage.start(one, ip="10.0.0.1", ready=False)

        [found] = await slices(stage)

        assert shown(found.endpoints[0]) == (True, False, False)
        assert found.endpoints[0].hostname == "a"
        assert found.metadata.labels["service.kubernetes.io/headless"] == ""


async def test_pods_with_other_ports_have_a_slice_of_their_own() -> None:
    """A slice has one list of ports for all of its endpoints."""
    async with staged(endpointslice_controller) as stage:
        await stage.create(service())
        for number, port in enumerate((8080, 8081, 8080), 1):
            one = await stage.create(pod(f"p{number}", port=port))
            await stage.start(one, ip=f"10.0.0.{number}")

        found = await slices(stage)

        counts = {one.ports[0].port: len(one.endpoints) for one in found}
        assert counts == {8080: 2, 8081: 1}


async def test_a_slice_has_at_most_a_hundred_endpoints() -> None:
    """And all of them come in a few writes."""
    async with staged(endpointslice_controller) as stage:
        await stage.create(service())
        await slices(stage)
        for number in range(250):
            made = await stage.client.create(pod(f"p{number}"))
            made.status.pod_ip = f"10.0.0.{number + 1}"
            made.status.pod_ips = [PodIP(ip=made.status.pod_ip)]
            made.status.conditions = [PodCondition(type="Ready", status="True")]
            await stage.client.status.update(made)

        found = await slices(stage)

        assert sorted(len(one.endpoints) for one in found) == [50, 100, 100]
        writes = [one for one in stage.audit("endpointslices") if one.verb == "update"]
        assert len(writes) <= 3


async def test_what_changes_nothing_writes_nothing() -> None:
    """A label of a pod, for instance."""
    async with staged(endpointslice_controller) as stage:
        await stage.create(service())
        one = await stage.create(pod("a"))
        await stage.start(one, ip="10.0.0.1")
        [before] = await slices(stage)

        await stage.change(one, lambda each: each.metadata.labels.update(more="labels"))

        [after] = await slices(stage)
        assert after.metadata.resource_version == before.metadata.resource_version


async def test_a_slice_that_somebody_deletes_comes_back() -> None:
    """While its service is there."""
    async with staged(endpointslice_controller) as stage:
        made = await stage.create(service())
        [first] = await slices(stage)
        await stage.client.delete(first)
        [again] = await slices(stage)

        await stage.client.delete(made)

        assert again.metadata.uid != first.metadata.uid
        assert await slices(stage) == []


async def test_a_server_that_refuses_an_address_is_told_of_once() -> None:
    """Trying again would not help."""
    async with staged(endpointslice_controller) as stage:
        await stage.create(service())
        one = await stage.create(pod("a"))
        await stage.start(one, ip="127.1.0.2")
        await stage.clock.advance(600)

        [text] = await stage.events("FailedToUpdateEndpointSlices")

        assert text.startswith("Error updating Endpoint Slices for Service default/web: ")
        assert "may not be in the loopback range" in text
        assert len([one for one in stage.audit("endpointslices") if one.code == 422]) == 1


def stored() -> Service:
    one = service()
    one.metadata.uid, one.metadata.namespace = "service-uid", "default"
    return one


def endpoint(number: int) -> Endpoint:
    return Endpoint(
        addresses=[f"10.0.0.{number}"], target_ref=ObjectReference(kind="Pod", uid=f"uid-{number}")
    )


def test_an_endpoint_stays_in_its_slice() -> None:
    """One that changes is one write, however many slices there are."""
    everything = [endpoint(number) for number in range(150)]
    first = planned(stored(), [], {("IPv4", PORTS): everything}).create
    changed = [*everything[:120], *everything[121:], endpoint(200)]

    plan = planned(stored(), first, {("IPv4", PORTS): changed})

    assert [len(one.endpoints) for one in first] == [100, 50]
    assert (plan.create, plan.delete, plan.update) == ([], [], [first[1]])
    assert not planned(stored(), first, {("IPv4", PORTS): changed})


def test_slices_that_nobody_needs_go() -> None:
    """All but one, when there are no pods."""
    first = planned(stored(), [], {("IPv4", PORTS): [endpoint(1)]}).create

    plan = planned(stored(), first, {("IPv4", ()): []})

    assert plan.delete == first
    assert [one.endpoints for one in plan.create] == [[]]

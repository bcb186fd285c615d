from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from kubewright.api.kind import ObjectKey
from kubewright.embedded.controllers.service_pods import (
    Backend,
    ServicePods,
    TriggerTimes,
    is_headless,
    service_pods_of,
)
from kubewright.kinds.core.v1 import Container, ContainerPort, Pod, Service, ServicePort
from tests.unit.embedded.controllers.services import pod, service
from tests.unit.embedded.controllers.stage import Stage, staged

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def backend(**fields: Any) -> Backend:
    known: dict[str, Any] = {
        "key": ObjectKey("default", "a"),
        "uid": "uid",
        "ips": ("10.0.0.1", "fd00::1"),
        "node": "n",
        "hostname": "a",
        "subdomain": "web",
        "ready": True,
        "ready_changed": NOON,
        "deleting": False,
        "ended": False,
        "ports": (("http", "TCP", 8080), ("dns", "UDP", 53)),
    }
    return Backend(**{**known, **fields})


@pytest.mark.parametrize(
    ("port", "number"),
    [
        (ServicePort(port=80), 80),
        (ServicePort(port=80, target_port=9000), 9000),
        (ServicePort(port=80, target_port="http"), 8080),
        (ServicePort(port=80, target_port="dns"), None),
        (ServicePort(port=80, target_port="dns", protocol="UDP"), 53),
        (ServicePort(port=80, target_port="missing"), None),
    ],
)
def test_a_target_port_is_a_number_or_a_name(port: ServicePort, number: int | None) -> None:
    """A name is looked up among the ports of the pod, of the same protocol."""
    assert backend().port(port) == number


def test_a_pod_has_an_address_of_each_family() -> None:
    """Or none."""
    assert (backend().ip("IPv4"), backend().ip("IPv6")) == ("10.0.0.1", "fd00::1")
    assert backend(ips=("10.0.0.1",)).ip("IPv6") is None


def test_a_pod_is_found_by_name_below_its_own_service_only() -> None:
    """Its subdomain says which."""
    assert backend().hostname_in(service("web")) == "a"
    assert backend().hostname_in(service("other")) is None


def test_a_headless_service_has_no_address() -> None:
    """It says ``None``, which is a text."""
    assert is_headless(service(cluster_ip="None"))
    assert not is_headless(service(cluster_ip="10.96.0.10"))


def test_a_time_is_told_once() -> None:
    """First that of the service, then those of pods as they change."""
    times = TriggerTimes()
    one = service()
    one.metadata.namespace, one.metadata.creation_timestamp = "default", NOON
    later = NOON + timedelta(minutes=1)

    told = [
        times.of(one, [backend()]),
        times.of(one, [backend()]),
        times.of(one, [backend(ready_changed=later)]),
    ]

    assert told == [NOON, None, later]
    times.forget(one.key)
    assert times.of(one, []) == NOON


@asynccontextmanager
async def staged_pods() -> AsyncIterator[tuple[Stage, ServicePods]]:
    """Yield the pods of services, without a controller that writes endpoints."""
    async with staged() as stage:
        yield stage, service_pods_of(stage.cluster)


def named(one: Pod) -> Pod:
    one.metadata.namespace = "default"
    return one


async def test_the_services_of_a_pod_are_found_and_forgotten() -> None:
    """As selectors change, and services go."""
    async with staged_pods() as (stage, pods):
        made = await stage.create(service())
        found = pods.services_of(named(pod("a")))
        await stage.change(made, lambda one: setattr(one.spec, "selector", {"app": "other"}))
        after = pods.services_of(named(pod("a")))

        await stage.client.delete(made)
        await stage.clock.settle()

        assert (found, after) == ([made.key], [])


async def test_sidecars_have_ports_too() -> None:
    """A container that starts before the others and stays."""
    async with staged_pods() as (stage, pods):
        sidecar = Container(
            name="proxy",
            image="proxy",
            restart_policy="Always",
            ports=[ContainerPort(name="admin", container_port=9901)],
        )
        await stage.create(service())
        made = await stage.create(pod("a", init_containers=[sidecar]))
        await stage.start(made, ip="10.0.0.1")

        [found] = pods.pods_of(await stage.client.get(Service, "web"))

        assert found.port(ServicePort(port=1, target_port="admin")) == 9901


async def test_only_what_changes_traffic_matters() -> None:
    """Hundreds of pods are made and bound before the first of them has an address."""
    async with staged_pods() as (stage, pods):
        heard: list[bool] = []
        informer = stage.cluster.cache.informer(Pod, sharded=False)
        informer.add_handler(lambda event: heard.append(pods.matters(event)))
        await stage.create(service())

        made = await stage.create(pod("a"))
        await stage.bind(made)
        await stage.start(made, ip="10.0.0.1")
        await stage.change(made, lambda one: one.metadata.annotations.update(note="x"))
        await stage.change(made, lambda one: one.metadata.labels.update(app="other"))
        await stage.change(made, lambda one: one.metadata.annotations.update(note="y"))
        await stage.change(made, lambda one: one.metadata.labels.update(app="web"))
        await stage.finish(made)
        await stage.remove(made)

        assert heard == [False, False, True, False, True, False, True, True, False]

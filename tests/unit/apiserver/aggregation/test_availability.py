"""The condition of API services."""

import asyncio
from typing import Any

import pytest

from kubewright._aio.virtual import VirtualClock
from kubewright.apiserver.aggregation.availability import CHECK_AGAIN
from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.aggregation.orchard import (
    NAME,
    SERVICES,
    Orchard,
    api_service,
    condition,
    register,
)
from tests.unit.apiserver.asking import Obj, ask, make, named

HERE = "/api/v1/namespaces/default/services"
SLICES = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"


def service(port: int) -> Obj:
    return {**named("orchard"), "spec": {"ports": [{"port": port, "name": "h"}]}}


def endpoints(*, ready: bool) -> Obj:
    return {
        **named("orchard-1", labels={"kubernetes.io/service-name": "orchard"}),
        "addressType": "IPv4",
        "endpoints": [{"addresses": ["10.1.1.1"], "conditions": {"ready": ready}}],
        "ports": [{"name": "h", "port": 8443}],
    }


async def test_a_server_that_answers_is_available(server: APIServer, other: Orchard) -> None:
    """`kubectl wait --for=condition=Available apiservice/...` ends."""
    await register(server, other)

    found = await condition(server, reason="Passed")

    assert (found["status"], found["message"]) == ("True", "all checks passed")


@pytest.mark.parametrize(
    ("reason", "message", "objects"),
    [
        ("ServiceNotFound", 'service/orchard in "default" is not present', ()),
        (
            "ServicePortError",
            'service/orchard in "default" is not listening on port 443',
            [(HERE, service(80))],
        ),
        (
            "EndpointsNotFound",
            'cannot find endpointslices for service/orchard in "default"',
            [(HERE, service(443))],
        ),
        (
            "MissingEndpoints",
            'endpointslices for service/orchard in "default" have no addresses with port name "h"',
            [(HERE, service(443)), (SLICES, endpoints(ready=False))],
        ),
    ],
)
async def test_what_is_missing_is_named(
    server: APIServer, reason: str, message: str, objects: Any
) -> None:
    """Whoever installs an aggregated API reads here what to do next."""
    for path, obj in objects:
        await make(server, path, obj)

    await make(server, SERVICES, api_service(Orchard()))

    found = await condition(server, reason=reason)
    assert (found["status"], found["message"]) == ("False", message)


async def test_a_service_that_comes_later_is_seen(server: APIServer, other: Orchard) -> None:
    """A manifest has its objects in any order."""
    await make(server, SERVICES, api_service(other))
    await condition(server, reason="ServiceNotFound")

    external = {"type": "ExternalName", "externalName": "localhost"}
    await make(server, HERE, {**named("orchard"), "spec": external})

    await condition(server, reason="Passed")


async def test_a_server_that_fails_is_unavailable(server: APIServer, other: Orchard) -> None:
    """And the condition says with which status."""
    other.status = 500

    await register(server, other)

    found = await condition(server, reason="FailedDiscoveryCheck")
    assert found["message"].endswith(": 500")


async def test_a_server_is_asked_again_after_a_while(other: Orchard) -> None:
    """One that has died would be called available for ever."""
    clock = VirtualClock()
    async with APIServer(clock=clock) as server:
        await register(server, other)
        await condition(server, reason="Passed")
        other.status = 503

        await clock.advance(CHECK_AGAIN)
        await condition(server, reason="FailedDiscoveryCheck")


async def test_nothing_is_written_while_nothing_changes(server: APIServer, other: Orchard) -> None:
    """A check every half minute is no reason for a write."""
    await register(server, other)
    await condition(server, reason="Passed")
    before = (await ask(server, "GET", f"{SERVICES}/{NAME}")).version

    await make(server, HERE, service(80) | named("another"))
    while len([one for one in other.asked if one.path == "/openapi/v2"]) < 2:
        await ask(server, "GET", SERVICES)
        await asyncio.sleep(0)

    assert (await ask(server, "GET", f"{SERVICES}/{NAME}")).version == before
    assert other.tagged == 1

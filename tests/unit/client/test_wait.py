"""Waiting for a state, by watching."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from kubewright._aio import VirtualClock
from kubewright.client import Client, Config, wait_for
from kubewright.errors import ForbiddenError, TransportTimeoutError
from kubewright.kinds.core.v1 import Namespace, Pod
from tests.unit.client.scripted import Chunks, ScriptedTransport, answer, failure

CONFIG = Config(server="https://example.com", namespace="home")


def pod(phase: str) -> dict[str, Any]:
    return {"metadata": {"name": "web", "namespace": "home"}, "status": {"phase": phase}}


def listed(*pods: dict[str, Any]) -> Any:
    return answer({"kind": "PodList", "metadata": {"resourceVersion": "5"}, "items": list(pods)})


def event(type_: str, obj: dict[str, Any]) -> bytes:
    return json.dumps({"type": type_, "object": {"kind": "Pod", **obj}}).encode() + b"\n"


def is_running(found: Pod | None) -> bool:
    return found is not None and found.status.phase == "Running"


class Silent(Chunks):
    """A watch on which nothing ever happens."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        await asyncio.Event().wait()
        yield b""


def client(*script: Any) -> tuple[Client, ScriptedTransport]:
    transport = ScriptedTransport(*script)
    return Client(CONFIG, transport=transport), transport


async def test_a_state_that_is_there_already_needs_no_watch() -> None:
    """One request, and only about the one object."""
    c, transport = client(listed(pod("Running")))

    found = await wait_for(c, Pod, "web", is_running)

    assert found is not None
    assert found.status.phase == "Running"
    (request,) = transport.requests
    assert request.target.startswith("/api/v1/namespaces/home/pods?")
    assert "fieldSelector=metadata.name%3Dweb" in request.target


async def test_a_state_that_comes_is_returned() -> None:
    """The watch goes on where the list ended, so that nothing is missed in between."""
    changes = Chunks([event("MODIFIED", pod("Pending")), event("MODIFIED", pod("Running"))])
    c, transport = client(listed(pod("Pending")), changes)

    found = await wait_for(c, Pod, "web", is_running)

    assert found is not None
    assert found.status.phase == "Running"
    assert "resourceVersion=5" in transport.requests[1].target


async def test_an_object_that_does_not_exist_yet_is_waited_for() -> None:
    """Whoever waits for a pod often waits for its controller to make it."""
    c, _ = client(listed(), Chunks([event("ADDED", pod("Running"))]))

    assert await wait_for(c, Pod, "home/web", is_running) is not None


async def test_its_end_can_be_waited_for() -> None:
    """As ``kubectl wait --for=delete``."""
    c, _ = client(listed(pod("Running")), Chunks([event("DELETED", pod("Running"))]))

    assert await wait_for(c, Pod, "web", lambda found: found is None) is None


async def test_a_version_that_is_gone_is_looked_up_again() -> None:
    """The state may have come and stayed while nobody watched."""
    gone = Chunks([event("ERROR", {"kind": "Status", "code": 410, "reason": "Expired"})])
    c, transport = client(listed(pod("Pending")), gone, listed(pod("Running")))

    assert await wait_for(c, Pod, "web", is_running) is not None

    assert len(transport.requests) == 3


async def test_a_kind_without_namespaces_can_be_waited_for() -> None:
    """The client's own namespace means nothing there."""
    c, transport = client(listed({"metadata": {"name": "shop"}}))

    await wait_for(c, Namespace, "shop", lambda found: found is not None)

    assert transport.requests[0].target.startswith("/api/v1/namespaces?")


async def test_a_state_that_does_not_come_is_given_up() -> None:
    """The message says what was waited for, and for how long."""
    clock = VirtualClock()
    c, _ = client(listed(pod("Pending")), Silent([]))

    with pytest.raises(TimeoutError, match="'home/web' after 30 s; last seen at version 5"):
        await clock.run(wait_for(c, Pod, "web", is_running, timeout=30, clock=clock))

    assert clock.monotonic() == 30


async def test_the_clock_is_the_clients_unless_told_otherwise() -> None:
    """A test in virtual time gives it to the client once."""
    clock = VirtualClock()
    c = Client(CONFIG, transport=ScriptedTransport(listed(pod("Pending")), Silent([])), clock=clock)

    with pytest.raises(TimeoutError):
        await clock.run(wait_for(c, Pod, "web", is_running, timeout=30))

    assert clock.monotonic() == 30


async def test_a_single_slow_request_is_not_taken_for_the_end_of_patience() -> None:
    """To say "gave up after None s" would send people looking in the wrong place."""
    c, _ = client(TransportTimeoutError("no answer from example.com in 10 s"))

    with pytest.raises(TransportTimeoutError, match=r"no answer from example\.com"):
        await wait_for(c, Pod, "web", is_running)


async def test_a_refusal_is_raised() -> None:
    """Waiting would not help."""
    c, _ = client(failure(403, "Forbidden"))

    with pytest.raises(ForbiddenError):
        await wait_for(c, Pod, "web", is_running)

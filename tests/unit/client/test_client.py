"""`Client`: its life, its defaults, its rate limit."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from kubewright.api.kind import ObjectKey
from kubewright.client import Client, Config
from kubewright.client.config import Impersonation
from kubewright.errors import ConfigError, LifecycleError, TransportError
from kubewright.kinds.core.v1 import ConfigMap
from tests.unit.client.scripted import Chunks, ScriptedTransport, answer
from tests.unit.client.test_rest import SkippingClock

CONFIG = Config(server="https://example.com", namespace="home")


async def test_leaving_the_block_closes_the_transport() -> None:
    """Who opens a client must not have to know what it holds."""
    transport = ScriptedTransport()

    async with Client(CONFIG, transport=transport):
        assert not transport.closed

    assert transport.closed


async def test_nothing_is_asked_before_the_first_verb() -> None:
    """Making a client must work without a server, and cost nothing."""
    transport = ScriptedTransport()

    client = Client(CONFIG, transport=transport)

    assert client.namespace == "home"
    assert transport.requests == []


async def test_a_rate_limit_of_the_config_is_kept() -> None:
    """Five a second, after a first burst."""
    clock = SkippingClock()
    transport = ScriptedTransport(*[answer({})] * 4)
    client = Client(CONFIG.replace(qps=5.0, burst=2), transport=transport, clock=clock)

    for _ in range(4):
        await client.get(ConfigMap, "a")

    assert [round(seconds, 3) for seconds in clock.slept] == [0.2, 0.4]


async def test_a_watch_is_not_rate_limited() -> None:
    """It is one request that lasts; waiting for a token would hold up a restart."""
    clock = SkippingClock()
    event = b'{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n'
    transport = ScriptedTransport(answer({}), Chunks([event]))
    client = Client(CONFIG.replace(qps=1.0, burst=1), transport=transport, clock=clock)
    await client.get(ConfigMap, "a")

    async with client.watch(ConfigMap, resource_version="5") as events:
        await anext(aiter(events))

    assert clock.slept == []


async def test_a_watch_without_a_version_lists_first() -> None:
    """What exists comes whole, and the stream goes on where the list ended."""
    items = [{"metadata": {"name": name, "resourceVersion": "3"}} for name in ("a", "b")]
    listed = answer({"metadata": {"resourceVersion": "9"}, "items": items})
    gone = b'{"type":"DELETED","object":{"metadata":{"name":"b","resourceVersion":"10"}}}\n'
    transport = ScriptedTransport(listed, Chunks([gone]))
    client = Client(CONFIG, transport=transport)

    seen = []
    async with client.watch(ConfigMap, labels="app=x") as events:
        async for event in events:
            seen.append((event.type, event.object.metadata.name))
            if event.type == "DELETED":
                break

    assert seen == [("ADDED", "a"), ("ADDED", "b"), ("DELETED", "b")]
    assert "resourceVersion=9" in transport.requests[1].target
    assert all("labelSelector=app%3Dx" in request.target for request in transport.requests)


async def test_a_streaming_list_asks_for_its_end_only_once() -> None:
    """After it, the watch goes on from the version it has reached."""
    bookmark = (
        b'{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9",'
        b'"annotations":{"k8s.io/initial-events-end":"true"}}}}\n'
    )
    event = b'{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"10"}}}\n'
    transport = ScriptedTransport(Chunks([bookmark]), Chunks([event]))
    client = Client(CONFIG, transport=transport, clock=SkippingClock())

    async with client.watch(ConfigMap, initial_events=True) as events:
        await anext(aiter(events))

    first, second = (request.target for request in transport.requests)
    assert "sendInitialEvents=true" in first
    assert "resourceVersionMatch=NotOlderThan" in first
    assert "sendInitialEvents" not in second
    assert "resourceVersion=9" in second


async def test_discovery_can_be_kept_on_disk(tmp_path: Path) -> None:
    """A command that runs for a moment should not ask for it each time."""
    groups = {"kind": "APIGroupList", "groups": []}
    core = {"kind": "APIVersions", "versions": ["v1"]}
    resource = {"name": "pods", "namespaced": True, "kind": "Pod", "verbs": ["get"]}
    pods = {"kind": "APIResourceList", "groupVersion": "v1", "resources": [resource]}
    answers = {"/api": answer(core), "/apis": answer(groups), "/api/v1": answer(pods)}
    pod = answer({"metadata": {"name": "a"}})
    first = ScriptedTransport(*[lambda request: answers.get(request.target, pod)] * 8)
    second = ScriptedTransport(pod)

    await Client(CONFIG, transport=first, discovery_cache=tmp_path).get("pods", "a")
    await Client(CONFIG, transport=second, discovery_cache=tmp_path).get("pods", "a")

    assert [request.target for request in second.requests] == ["/api/v1/namespaces/home/pods/a"]


async def test_delete_takes_an_object_as_well_as_a_key() -> None:
    """Whatever is at hand."""
    transport = ScriptedTransport(answer({"metadata": {"name": "a", "namespace": "x"}}), answer({}))
    client = Client(CONFIG, transport=transport)
    found = await client.get(ConfigMap, ObjectKey("x", "a"))

    await client.delete(found)

    assert transport.requests[1].target == "/api/v1/namespaces/x/configmaps/a"
    assert transport.requests[1].body == b""


def test_a_client_needs_a_config() -> None:
    """A file name is what people try first."""
    with pytest.raises(TypeError, match=r"kw\.Client\(kw\.Config\.load\(\)\)"):
        Client("kubeconfig.yaml")  # type: ignore[arg-type]  # the mistake


def test_a_client_stays_in_its_event_loop() -> None:
    """Connections of a loop that is over cannot be used, and closing must not wait for them."""
    client = Client(Config(server="http://127.0.0.1:1"))

    async def ask() -> None:
        await client.get(ConfigMap, "a")

    with pytest.raises(TransportError):
        asyncio.run(ask())
    with pytest.raises(LifecycleError, match="belongs to another event loop"):
        asyncio.run(ask())
    asyncio.run(client.close())


@pytest.mark.parametrize("login", [{"token": "t"}, {"impersonate": Impersonation(user="jane")}])
def test_a_login_that_the_given_transport_would_not_use_is_refused(login: dict[str, Any]) -> None:
    """In process the administrator would ask, and a test of rights would prove nothing."""
    config = Config(server="https://example.com", **login)

    with pytest.raises(ConfigError, match=f"cannot use the {next(iter(login))} of the Config"):
        Client(config, transport=ScriptedTransport())


async def test_a_view_of_a_namespace_means_it_wherever_none_is_named() -> None:
    """Over the same connections: lists and watches, subresources and pods, too."""
    transport = ScriptedTransport(*[answer({})] * 4, answer({"items": []}), answer({"items": []}))
    view = Client(CONFIG, transport=transport).in_namespace("tenant")

    await view.get(ConfigMap, "a")
    await view.get(ConfigMap, "a", namespace="other")
    await view.status.patch(ConfigMap, "a", {})
    await view.logs("pod")
    await view.list(ConfigMap)
    await view.list(ConfigMap, namespace="")

    paths = [request.target.partition("?")[0] for request in transport.requests]
    assert paths == [
        "/api/v1/namespaces/tenant/configmaps/a",
        "/api/v1/namespaces/other/configmaps/a",
        "/api/v1/namespaces/tenant/configmaps/a/status",
        "/api/v1/namespaces/tenant/pods/pod/log",
        "/api/v1/namespaces/tenant/configmaps",
        "/api/v1/configmaps",
    ]


def test_a_twin_has_connections_of_its_own() -> None:
    """It is for another event loop; a transport that was given exists only once."""
    config = Config(server="https://example.com", namespace="home")
    client = Client(config)

    twin = client.find_twin()

    assert twin is not None
    assert twin.namespace == "home"
    assert twin.rest.transport is not client.rest.transport
    assert Client(config, transport=ScriptedTransport()).find_twin() is None

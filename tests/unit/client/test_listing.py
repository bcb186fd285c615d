"""Lists: pages, the fallback when they expire, and objects that are decoded when looked at."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from kubewright.api.kind import ObjectKey
from kubewright.client import Client, Config
from kubewright.client.listing import Objects
from kubewright.client.transport import Response
from kubewright.errors import DecodeError, GoneError
from kubewright.kinds.core.v1 import Pod
from tests.unit.client.scripted import ScriptedTransport, answer, failure

CONFIG = Config(server="https://example.com")


def page(*names: str, continue_: str = "", version: str = "7") -> Any:
    items = [{"metadata": {"name": name}} for name in names]
    meta = {"resourceVersion": version, "continue": continue_}
    return answer({"kind": "PodList", "metadata": meta, "items": items})


def queries(transport: ScriptedTransport) -> list[dict[str, str]]:
    found = [parse_qs(urlsplit(request.target).query) for request in transport.requests]
    return [{name: values[0] for name, values in query.items()} for query in found]


async def test_await_returns_all_pages_as_one_list() -> None:
    """Nobody should have to know about pages."""
    transport = ScriptedTransport(page("a", "b", continue_="next"), page("c"))

    pods = await Client(CONFIG, transport=transport).list(Pod, labels={"app": "web"})

    assert [pod.metadata.name for pod in pods] == ["a", "b", "c"]
    assert pods.resource_version == "7"
    assert queries(transport) == [
        {"labelSelector": "app=web", "limit": "500"},
        {"labelSelector": "app=web", "limit": "500", "continue": "next"},
    ]


async def test_async_for_asks_for_a_page_only_when_it_is_needed() -> None:
    """Who stops early should not make the server send the rest."""
    transport = ScriptedTransport(page("a", "b", continue_="next"))

    async for pod in Client(CONFIG, transport=transport).list(Pod, page_size=2):
        if pod.metadata.name == "b":
            break

    assert len(transport.requests) == 1


async def test_a_continuation_does_not_repeat_the_version() -> None:
    """The token holds it; the server refuses a request that says both."""
    transport = ScriptedTransport(page("a", continue_="next"), page("b"))
    listing = Client(CONFIG, transport=transport).list(
        Pod, resource_version="5", resource_version_match="Exact"
    )

    await listing

    assert queries(transport)[0]["resourceVersion"] == "5"
    assert "resourceVersion" not in queries(transport)[1]
    assert "resourceVersionMatch" not in queries(transport)[1]


async def test_a_snapshot_that_expires_between_pages_is_asked_for_again_whole() -> None:
    """One list shows one moment; the first page of an old one is thrown away."""
    transport = ScriptedTransport(
        page("a", "b", continue_="next"), failure(410, "Expired"), page("b", "c", version="9")
    )

    pods = await Client(CONFIG, transport=transport).list(Pod)

    assert [pod.metadata.name for pod in pods] == ["b", "c"]
    assert pods.resource_version == "9"
    assert "limit" not in queries(transport)[2]


async def test_a_list_that_expires_at_the_first_page_is_an_error() -> None:
    """The version that the caller asked for is gone; a fallback would show another."""
    transport = ScriptedTransport(failure(410, "Expired"))

    with pytest.raises(GoneError):
        await Client(CONFIG, transport=transport).list(Pod, resource_version="1")


async def test_async_for_raises_when_the_snapshot_expires() -> None:
    """The first objects are handed out already; starting over would show them twice."""
    transport = ScriptedTransport(page("a", continue_="next"), failure(410, "Expired"))
    pods = aiter(Client(CONFIG, transport=transport).list(Pod))

    first = await anext(pods)

    assert first.metadata.name == "a"
    with pytest.raises(GoneError):
        await anext(pods)


async def test_a_list_whose_items_are_null_is_empty() -> None:
    """Go writes null for an empty slice."""
    transport = ScriptedTransport(answer({"metadata": {"resourceVersion": "3"}, "items": None}))

    assert list(await Client(CONFIG, transport=transport).list(Pod)) == []


async def test_one_namespace_or_all() -> None:
    """Without a namespace a list shows all of them, as kubectl's -A does."""
    transport = ScriptedTransport(page(), page())
    client = Client(CONFIG, transport=transport)

    await client.list(Pod)
    await client.list(Pod, namespace="shop")

    assert [request.target.split("?")[0] for request in transport.requests] == [
        "/api/v1/pods",
        "/api/v1/namespaces/shop/pods",
    ]


async def test_an_answer_that_is_not_json_says_what_it_was() -> None:
    """A login page of a proxy comes with status 200."""
    login = Response(200, (("content-type", "text/html"),), b"<html>please log in")

    with pytest.raises(DecodeError, match=r"text/html, not JSON.*please log in"):
        await Client(CONFIG, transport=ScriptedTransport(login)).list(Pod)


async def test_the_keys_of_a_list_need_no_decoding() -> None:
    """Thousands of objects can be told apart before any is looked at."""
    items: list[Any] = [
        {"metadata": {"name": "a", "namespace": "shop"}, "spec": "not a pod's"},
        {"metadata": {"name": "b"}, "spec": None},
    ]
    transport = ScriptedTransport(answer({"metadata": {}, "items": items}))

    pods = await Client(CONFIG, transport=transport).list(Pod)

    assert list(pods.keys()) == [ObjectKey("shop", "a"), ObjectKey("", "b")]
    with pytest.raises(DecodeError):
        pods[0]


def test_an_object_of_a_list_is_decoded_once_and_stays_the_same() -> None:
    """Who changes an object of a list must find the change there."""
    decoded: list[bytes] = []

    def decode(raw: bytes) -> list[bytes]:
        decoded.append(raw)
        return [raw]

    objects = Objects([b"a", b"b", b"c"], "7", decode)

    first = objects[0]

    assert objects[0] is first
    assert objects[-1] == [b"c"]
    assert objects[1:] == [[b"b"], [b"c"]]
    assert decoded == [b"a", b"c", b"b"]
    assert len(objects) == 3
    with pytest.raises(IndexError):
        objects[3]

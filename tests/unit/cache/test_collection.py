"""Collections: what is asked of a server, and what comes back, as bytes."""

from contextlib import aclosing
from typing import Any

import pytest

from kubewright.api.field_selectors import FieldSelector
from kubewright.api.kind import RESTMapping
from kubewright.api.selectors import selector_from
from kubewright.cache.collection import Collection
from kubewright.cache.selection import Selection
from kubewright.cache.shard import Shard
from kubewright.client.rest import RESTClient
from kubewright.client.transport import Response
from kubewright.errors import DecodeError, TransportTimeoutError
from tests.unit.cache.informing import HANGS, PODS, Server, page, pod

METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
METADATA_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"


def collection(server: Server, namespace: str = "", **selection: Any) -> Collection:
    chosen = Selection(**{"mapping": PODS, **selection})
    rest = RESTClient(server, clock=server.clock)
    return Collection(rest, chosen, namespace=namespace, clock=server.clock)


async def listed(of: Collection) -> list[tuple[int, str]]:
    return [(len(page.items), page.version) async for page in of.pages()]


async def test_a_list_is_read_page_by_page() -> None:
    """One huge answer would be in memory twice."""
    server = Server(page(pod("x", 1), version=5, more="m"), page(pod("y", 2), version=5))

    assert await listed(collection(server)) == [(1, "5"), (1, "5")]
    assert server.queries == [{"limit": "500"}, {"limit": "500", "continue": "m"}]


async def test_items_are_the_bytes_that_came() -> None:
    """Decoding them is the business of who knows what they are for."""
    server = Server(Response(200, (), b'{"items":[{"a":  1}],"metadata":{"resourceVersion":"5"}}'))
    async with aclosing(collection(server).pages()) as pages:
        first = await anext(pages)

    assert [bytes(item) for item in first.items] == [b'{"a":  1}']


async def test_a_list_without_items_is_empty() -> None:
    """Go writes null for it."""
    server = Server(Response(200, (), b'{"items":null,"metadata":{"resourceVersion":"5"}}'))

    assert await listed(collection(server)) == [(0, "5")]


async def test_everything_that_selects_is_asked_of_the_server() -> None:
    """What it does not send need not be decoded, kept or paid for."""
    shard = Shard(0, 2)
    chosen = collection(
        Server(),
        labels=selector_from("app=web"),
        fields=FieldSelector.parse("spec.nodeName=n"),
        shard=shard,
    )
    server = Server(page(version=5))
    chosen._rest = RESTClient(server)

    await listed(chosen)
    watch, _ = chosen.watch("7", seconds=300)

    expected = {
        "labelSelector": "app=web",
        "fieldSelector": "spec.nodeName=n",
        "shardSelector": shard.selector,
    }
    assert server.queries == [{**expected, "limit": "500"}]
    server.requests = [watch]
    assert server.queries == [
        {
            **expected,
            "watch": "true",
            "resourceVersion": "7",
            "timeoutSeconds": "300",
            "allowWatchBookmarks": "true",
        }
    ]


async def test_one_namespace_is_asked_for_by_its_path() -> None:
    """A right that is given in one namespace is good only there."""
    server = Server(page(version=5))

    await listed(collection(server, "shop"))

    assert server.requests[0].target.startswith("/api/v1/namespaces/shop/pods?")


async def test_a_kind_in_no_namespace_is_asked_for_as_a_whole() -> None:
    """Its path has no place for one."""
    server = Server(page(version=5))

    await listed(
        collection(server, mapping=RESTMapping("", "v1", "Node", "nodes", namespaced=False))
    )

    assert server.requests[0].target == "/api/v1/nodes?limit=500"


async def test_metadata_is_asked_for_by_what_is_accepted() -> None:
    """In a list and in a watch it has two names."""
    server = Server(page(version=5))
    chosen = collection(server, metadata_only=True)

    await listed(chosen)
    watch, _ = chosen.watch("7", seconds=300)

    assert (server.requests[0].accept, watch.accept) == (METADATA_LIST, METADATA)


async def test_an_answer_that_is_no_list_is_said_to_be_none() -> None:
    """A log-in page of a proxy must not look like an empty cluster."""
    server = Server(Response(200, (("content-type", "text/html"),), b"<html>"))

    with pytest.raises(DecodeError, match="text/html, not JSON"):
        await listed(collection(server))


async def test_a_page_must_come_in_time() -> None:
    """A server that hangs would hold up its informer for ever."""
    server = Server(HANGS)

    with pytest.raises(TransportTimeoutError, match="cannot list pods: no answer within 150"):
        await server.clock.run(listed(collection(server)))

"""What the replay server answers."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from bench import data
from bench.playback import BUFFER, CONFIG_MAP, Playback

COUNT = 25


@pytest.fixture(scope="module")
def playback() -> Playback:
    """Return a playback of a few pods that does not wait."""
    return Playback(data.pods(COUNT), rounds=2, delay=0)


def body_of(answer: object) -> Any:
    """Return the decoded body of an answer that is whole."""
    assert isinstance(answer, bytes)
    head, body = answer.split(b"\r\n\r\n", 1)
    assert f"Content-Length: {len(body)}".encode() in head
    return json.loads(body)


def unchunked(stream: bytes) -> bytes:
    """Return the bytes that the complete chunks hold."""
    result = b""
    while stream:
        size, found, rest = stream.partition(b"\r\n")
        if not found or len(rest) < int(size, 16) + 2:
            break
        result, stream = result + rest[: int(size, 16)], rest[int(size, 16) + 2 :]
    return result


async def events_of(answer: object, count: int) -> list[Any]:
    """Return the first *count* events of a watch."""
    assert isinstance(answer, AsyncIterator)
    head, stream = await anext(answer), b""
    assert b"Transfer-Encoding: chunked" in head
    lines: list[bytes] = []
    while len(lines) < count:
        piece = await anext(answer)
        assert len(piece) <= BUFFER
        stream += piece
        lines = unchunked(stream).splitlines()
    return [json.loads(line) for line in lines]


async def test_a_list_without_a_limit_has_all_pods(playback: Playback) -> None:
    """Kopf asks for everything at once."""
    answer = playback.answer("GET", "/api/v1/pods")

    assert isinstance(answer, AsyncIterator)
    pieces = [piece async for piece in answer]
    listing = json.loads(unchunked(b"".join(pieces[1:])))

    assert pieces[-1] == b"0\r\n\r\n"
    assert len(listing["items"]) == COUNT
    assert "continue" not in listing["metadata"]


def test_pages_together_are_the_whole_list(playback: Playback) -> None:
    """Each page ends where the next begins, and the last has no token."""
    names, token, pages = [], "0", 0
    while token:
        page = json.loads(playback.page(10, int(token)))
        names += [item["metadata"]["name"] for item in page["items"]]
        token = page["metadata"].get("continue", "")
        pages += 1

    assert pages == 3
    assert len(set(names)) == COUNT


async def test_a_watch_changes_every_pod_in_every_round(playback: Playback) -> None:
    """Versions only grow, so that no client takes a change for one it has seen."""
    answer = playback.answer("GET", f"/api/v1/pods?watch=true&resourceVersion={data.LIST_VERSION}")

    events = await events_of(answer, 2 * COUNT)

    versions = [int(event["object"]["metadata"]["resourceVersion"]) for event in events]
    assert {event["type"] for event in events} == {"MODIFIED"}
    assert versions == list(range(data.LIST_VERSION + 1, data.LIST_VERSION + 2 * COUNT + 1))


async def test_a_streaming_list_comes_before_the_changes(playback: Playback) -> None:
    """All pods, the bookmark, then what changes."""
    answer = playback.answer("GET", "/api/v1/pods?watch=1&sendInitialEvents=true")

    events = await events_of(answer, 3 * COUNT + 1)

    types = [event["type"] for event in events]
    assert types == ["ADDED"] * COUNT + ["BOOKMARK"] + ["MODIFIED"] * 2 * COUNT


@pytest.mark.parametrize("method", ["GET", "PATCH"])
@pytest.mark.parametrize("query", ["", "?fieldManager=bench"])
def test_the_config_map_is_there_to_read_and_to_patch(
    playback: Playback, method: str, query: str
) -> None:
    """A patch is answered with the object, as a server does."""
    answer = playback.answer(method, CONFIG_MAP + query)

    assert body_of(answer)["metadata"]["name"] == "one"


@pytest.mark.parametrize("path", ["/version", "/api", "/api/v1", "/apis", "/api/v1/namespaces"])
def test_what_an_operator_asks_first_is_answered(playback: Playback, path: str) -> None:
    """Kopf discovers the server before it lists anything."""
    answer = playback.answer("GET", path)

    assert isinstance(answer, bytes)
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert body_of(answer)


@pytest.mark.parametrize(("method", "path"), [("GET", "/api/v1/secrets"), ("DELETE", CONFIG_MAP)])
def test_what_it_does_not_have_is_a_status(playback: Playback, method: str, path: str) -> None:
    """A client's mistake must show as an error, not as a fast answer."""
    answer = playback.answer(method, path)

    assert body_of(answer)["code"] == 404


async def test_a_list_from_the_cache_of_the_server_has_no_pages(playback: Playback) -> None:
    """A real server ignores the limit there, and client-go asks so."""
    answer = playback.answer("GET", "/api/v1/pods?limit=10&resourceVersion=0")

    assert isinstance(answer, AsyncIterator)
    pieces = [piece async for piece in answer]

    assert len(json.loads(unchunked(b"".join(pieces[1:])))["items"]) == COUNT


async def test_bursts_lose_no_change() -> None:
    """Pauses let a client keep up; the changes are the same."""
    playback = Playback(data.pods(COUNT), rounds=2, delay=0, burst=10, pause=0)

    events = await events_of(playback.answer("GET", "/api/v1/pods?watch=true"), 2 * COUNT)

    versions = [int(event["object"]["metadata"]["resourceVersion"]) for event in events]
    assert versions == list(range(data.LIST_VERSION + 1, data.LIST_VERSION + 2 * COUNT + 1))


async def test_who_prefers_protobuf_gets_json_if_nobody_can_convert(playback: Playback) -> None:
    """The Go program is optional."""
    accept = b"application/vnd.kubernetes.protobuf,application/json"

    answer = playback.answer("GET", "/api/v1/pods", accept)

    assert isinstance(answer, AsyncIterator)
    assert b"Content-Type: application/json\r\n" in await anext(answer)

import tracemalloc
from typing import Any

import pytest

from kubewright._serve.limits import Limits
from kubewright._serve.reader import Incoming, RequestReader


def read(*parts: bytes, **limits: Any) -> tuple[RequestReader, list[Incoming]]:
    """Feed *parts* to a reader; return it and what it found."""
    found: list[Incoming] = []
    reader = RequestReader(Limits(**limits), found.append, peer="1.2.3.4:5", certificate=b"der")
    for part in parts:
        reader.feed(part)
    return reader, found


def code(incoming: Incoming) -> int:
    """Return the status of a refusal."""
    assert incoming.refusal is not None
    return incoming.refusal.status


PUT = b"PUT / HTTP/1.1\r\nHost: t\r\n"
GET_AGAIN = b"GET /again HTTP/1.1\r\nHost: t\r\n\r\n"
POST = (
    b"POST /api/v1/x%20y?a=b&c HTTP/1.1\r\nHost: test\r\nX-A: 1\r\nx-a: \xc3\xa4\r\n"
    b"Content-Length: 3\r\n\r\nabc"
)


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_request_is_the_same_however_it_is_cut(size: int) -> None:
    """Networks cut where they like."""
    _, found = read(*[POST[at : at + size] for at in range(0, len(POST), size)])

    (incoming,) = found
    request = incoming.request
    assert (request.method, request.path, request.query) == ("POST", "/api/v1/x%20y", "a=b&c")
    assert request.headers == {"host": "test", "x-a": "1, ä", "content-length": "3"}
    assert (request.body, request.peer, request.certificate) == (b"abc", "1.2.3.4:5", b"der")
    assert incoming.keep_alive
    assert not request.trusted


def test_chunks_are_joined_and_trailers_forgotten() -> None:
    """A client that streams its body cannot say the length first."""
    head = b"PUT / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"

    _, found = read(head + b"3\r\nabc\r\n", b"2\r\nde\r\n0\r\nX-Late: 1\r\n\r\n")

    assert found[0].request.body == b"abcde"
    assert "x-late" not in found[0].request.headers


def test_a_body_in_tiny_chunks_takes_no_more_than_its_size() -> None:
    """Kept one by one, 500,000 parts of two bytes would be 20 MB."""
    head = PUT + b"Transfer-Encoding: chunked\r\n\r\n"
    tracemalloc.start()

    reader, found = read(head, b"2\r\nab\r\n" * 500_000)
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    reader.feed(b"0\r\n\r\n")

    assert taken < 6_000_000
    assert found[0].request.body == b"ab" * 500_000
    assert reader.held == 0


def test_pipelined_requests_come_out_one_by_one() -> None:
    """Each with its own headers and body."""
    _, found = read(POST + b"GET /b HTTP/1.1\r\nHost: t\r\n\r\n" + POST)

    assert [(i.request.path, i.request.body) for i in found] == [
        ("/api/v1/x%20y", b"abc"),
        ("/b", b""),
        ("/api/v1/x%20y", b"abc"),
    ]


@pytest.mark.parametrize(
    ("head", "keep_alive", "old"),
    [
        (b"GET / HTTP/1.1\r\nHost: t\r\n", True, False),
        (b"GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n", False, False),
        (b"GET / HTTP/1.0\r\n", False, True),
        (b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n", True, True),
    ],
)
def test_who_goes_on_is_decided_by_version_and_header(
    head: bytes, *, keep_alive: bool, old: bool
) -> None:
    """HTTP/1.1 goes on unless told otherwise, HTTP/1.0 the other way round."""
    _, (incoming,) = read(head + b"\r\n")

    assert (incoming.keep_alive, incoming.old) == (keep_alive, old)


def test_an_absolute_target_loses_its_host() -> None:
    """Clients behind a proxy write the whole address."""
    _, (incoming,) = read(b"GET http://test:80/api?x=1 HTTP/1.1\r\nHost: test\r\n\r\n")

    assert (incoming.request.path, incoming.request.query) == ("/api", "x=1")


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"OPTIONS * HTTP/1.1\r\nHost: t\r\n\r\n", 400),
        (PUT + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (PUT + b"Content-Length: -1\r\n\r\n", 400),
        (PUT + b"Expect: miracles\r\nContent-Length: 1\r\n\r\n", 417),
        (PUT + b"Content-Length: 11\r\n\r\n", 413),
        (PUT + b"Transfer-Encoding: chunked\r\n\r\nb\r\n01234567890\r\n", 413),
        (b"GET / HTTP/1.1\r\nHost: t\r\nX: " + b"x" * 200, 431),
    ],
)
def test_what_cannot_be_served_is_refused_once(data: bytes, status: int) -> None:
    """And nothing that follows is read: who knows where the next request would begin."""
    reader, found = read(data, GET_AGAIN, body=10, head=150)

    assert [code(incoming) for incoming in found] == [status]
    assert not found[0].keep_alive
    assert not reader.partial


def put(path: bytes, size: int, *, chunked: bool = False) -> bytes:
    """Return a request with a body of *size* bytes."""
    head = b"PUT %b HTTP/1.1\r\nHost: t\r\n" % path
    if chunked:
        body = b"%x\r\n%b\r\n0\r\n\r\n" % (size, b"x" * size)
        return head + b"Transfer-Encoding: chunked\r\n\r\n" + body
    return head + b"Content-Length: %d\r\n\r\n" % size + b"x" * size


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize(
    ("path", "size", "fits"),
    [
        (b"/", 10, True),
        (b"/", 11, False),
        (b"/large", 20, True),
        (b"/large?a=b", 20, True),
        (b"/large", 21, False),
        (b"/small", 5, True),
        (b"/small?a=b", 6, False),
        (b"/large/part", 11, False),
    ],
)
def test_a_path_may_have_another_limit_than_the_rest(
    path: bytes, size: int, *, fits: bool, chunked: bool
) -> None:
    """A list that is converted is long, and a token is short; one limit would suit neither."""
    limits = {"body": 10, "bodies": {"/large": 20, "/small": 5}}

    _, (incoming,) = read(put(path, size, chunked=chunked), **limits)

    if fits:
        assert incoming.refusal is None
        assert len(incoming.request.body) == size
    else:
        assert code(incoming) == 413


def test_the_limit_of_one_request_is_not_that_of_the_next() -> None:
    """Connections are shared by all webhooks of an operator."""
    _, found = read(put(b"/large", 20), put(b"/", 11), body=10, bodies={"/large": 20})

    assert found[0].refusal is None
    assert code(found[1]) == 413


def test_a_refusal_ends_what_is_pipelined_behind_it() -> None:
    """In the same read, too."""
    too_large = b"POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 11\r\n\r\n" + b"x" * 11

    _, found = read(GET_AGAIN + too_large + GET_AGAIN, body=10)

    assert [incoming.refusal is None for incoming in found] == [True, False]


def test_what_follows_the_last_request_is_ignored() -> None:
    """The client has said itself that it is the last."""
    _, found = read(b"GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n" + GET_AGAIN)

    assert [incoming.refusal for incoming in found] == [None]


def test_a_client_that_waits_for_permission_is_noticed() -> None:
    """Until it has sent some of the body after all."""
    head = b"POST / HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"

    reader, _ = read(head)
    waits = reader.expects
    reader.feed(b"abc")

    assert waits
    assert not reader.expects


UPGRADE = b"GET /exec HTTP/1.1\r\nHost: t\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"


def test_what_follows_an_upgrade_is_not_http() -> None:
    """It belongs to the other protocol."""
    reader, (incoming,) = read(UPGRADE + b"\x81\x05", b"hello")

    assert incoming.upgrade
    assert bytes(reader.rest) == b"\x81\x05hello"


def test_an_upgrade_that_is_not_granted_was_an_ordinary_request() -> None:
    """What follows it is the next one."""
    reader, found = read(UPGRADE + GET_AGAIN)

    reader.resume()

    assert [incoming.request.path for incoming in found] == ["/exec", "/again"]


@pytest.mark.parametrize("cut", [0, 2, 5])
def test_a_body_is_read_although_an_upgrade_is_asked_for(cut: int) -> None:
    """Curl asks for HTTP/2 on the side while it posts."""
    head = (
        b"POST / HTTP/1.1\r\nHost: t\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
        b"HTTP2-Settings: AAA\r\nContent-Length: 5\r\n\r\n"
    )

    _, found = read(head + b"hello"[:cut], b"hello"[cut:] + GET_AGAIN)

    assert [incoming.request.body for incoming in found] == [b"hello", b""]
    assert not found[0].upgrade

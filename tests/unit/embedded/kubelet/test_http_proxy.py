import pytest

from kubewright._serve.messages import Request, Response, Stream
from kubewright.embedded.kubelet import http_proxy
from kubewright.embedded.node.access import AccessError, PodConnection
from tests.unit.embedded.kubelet.containers import Containers, MemoryConnection, Service

SECRETS = ("authorization", "impersonate-user", "impersonate-extra-a", "x-remote-user")
GET = Request("GET", "/x", headers={"accept": "*/*", **dict.fromkeys(SECRETS, "secret")})


class Pod:
    """Answers each request with *answer*, and remembers what it was asked."""

    def __init__(self, *answer: bytes) -> None:
        self._answer = answer
        self.asked = b""

    async def serve(self, far: MemoryConnection) -> None:
        while b"\r\n\r\n" not in self.asked:
            self.asked += await far.read()
        for piece in self._answer:
            await far.write(piece)


async def ask(service: Service, request: Request = GET) -> Response | Stream:
    containers = Containers()
    containers.services[80] = service

    async def connect() -> PodConnection:
        return await containers.connect("default", "web", 80)

    answer = await http_proxy.answer(request, "/x?a=b", connect, host="web:80")
    assert isinstance(answer, Response | Stream)
    return answer


async def test_a_request_and_its_answer_are_passed_on() -> None:
    """But not the credentials, nor what is between neighbours only."""
    pod = Pod(
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Ty",
        b"pe: text/html\r\nX-A: 1\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n",
        b"5\r\nhello\r\n",
        b"6\r\n world\r\n0\r\n\r\n",
    )

    answer = await ask(pod.serve)

    assert isinstance(answer, Stream)
    assert (answer.status, answer.content_type, answer.headers) == (
        201,
        "text/html",
        (("X-A", "1"),),
    )
    assert b"".join([chunk async for chunk in answer.chunks]) == b"hello world"
    assert pod.asked.startswith(b"GET /x?a=b HTTP/1.1\r\nhost: web:80\r\nconnection: close\r\n")
    assert b"secret" not in pod.asked


async def test_a_body_that_ends_with_the_connection_is_whole() -> None:
    """So do the oldest servers."""
    answer = await ask(Pod(b"HTTP/1.0 200 OK\r\n\r\nall", b" of it").serve)

    assert isinstance(answer, Stream)
    assert b"".join([chunk async for chunk in answer.chunks]) == b"all of it"


async def test_answers_without_a_body_are_passed_on_at_once() -> None:
    """To HEAD, or with a status that has none."""
    head = await ask(
        Pod(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n").serve, Request("HEAD", "/x")
    )
    empty = await ask(Pod(b"HTTP/1.1 204 No Content\r\n\r\n").serve)

    assert isinstance(head, Stream)
    assert [chunk async for chunk in head.chunks] == []
    assert isinstance(empty, Response)
    assert empty.status == 204


async def test_a_body_is_sent_with_its_length() -> None:
    """The pod must know where it ends."""
    pod = Pod(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    await ask(pod.serve, Request("POST", "/x", headers={"content-length": "2"}, body=b"{}"))

    assert b"content-length: 2\r\n\r\n{}" in pod.asked


@pytest.mark.parametrize("said", [(), (b"no HTTP at all\r\n\r\n",), (b"HTTP/1.1 200 OK\r\n",)])
async def test_a_pod_that_does_not_answer_is_unreachable(said: tuple[bytes, ...]) -> None:
    """It closes, talks another protocol, or stops in the middle of the head."""
    with pytest.raises(AccessError, match="error trying to reach service") as caught:
        await ask(Pod(*said).serve)

    assert caught.value.code == 503


async def test_a_port_where_nothing_listens_is_unreachable() -> None:
    """With the reason of the node."""

    async def connect() -> PodConnection:
        raise AccessError(500, "connection refused")

    with pytest.raises(AccessError, match="reach service: connection refused"):
        await http_proxy.answer(GET, "/", connect, host="web")

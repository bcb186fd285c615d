import json

from kubewright.apiserver.wire.http import HTTPServer
from kubewright.apiserver.wire.request import Answer, Request
from tests.unit._serve.clients import GET, connected


class Broken:
    """A handler with a fault."""

    async def handle(self, request: Request) -> Answer:
        raise ValueError("secret")


async def test_what_the_front_refuses_by_itself_is_a_status() -> None:
    """Kubectl and client-go read the reason and the message from it, whoever wrote it."""
    async with HTTPServer(Broken()) as server, connected(server) as peer:
        await peer.send(GET)

        head, body = await peer.answer()

    assert head.startswith(b"HTTP/1.1 500 ")
    assert json.loads(body)["reason"] == "InternalError"
    assert b"secret" not in body

import json

from kubewright.apiserver.wire.http import HTTPServer, StatusRefusals
from kubewright.apiserver.wire.request import Answer, Request
from tests.unit._serve.clients import GET, connected

REFUSALS = StatusRefusals()


def test_a_body_that_is_too_large_is_refused_in_the_words_of_kubernetes() -> None:
    """Clients look at the reason, people at the message."""
    refusal = REFUSALS.too_large(3145728)

    body = json.loads(refusal.body)
    assert (refusal.status, body["reason"]) == (413, "RequestEntityTooLarge")
    assert body["message"] == "Request entity too large: limit is 3145728"


def test_too_many_clients_are_asked_to_come_again() -> None:
    """Go's client does, if the answer says when."""
    refusal = REFUSALS.too_many_connections()

    assert (refusal.status, refusal.headers) == (503, (("Retry-After", "1"),))


def test_a_fault_of_ours_shows_its_kind_and_not_its_content() -> None:
    """The text of an exception may hold what the client must not see."""
    refusal = REFUSALS.failed(ValueError("secret"))

    assert refusal.status == 500
    assert b"ValueError" in refusal.body
    assert b"secret" not in refusal.body


def test_what_is_no_http_is_answered_in_plain_text() -> None:
    """As Go does."""
    refusal = REFUSALS.malformed()

    assert (refusal.status, refusal.body) == (400, b"400 Bad Request")
    assert refusal.content_type.startswith("text/plain")


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

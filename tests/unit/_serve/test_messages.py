"""What goes in and comes out."""

from collections.abc import AsyncIterator

from kubewright._serve.messages import JSON, Request, Response, Stream, Upgrade


async def test_answers_are_plain_json_unless_they_say_otherwise() -> None:
    """Whoever makes an answer says only what is unusual about it."""

    async def chunks() -> AsyncIterator[bytes]:
        yield b""

    async def talk(duplex: object) -> None:
        return None

    assert (Response(200).content_type, Response(200).headers) == (JSON, ())
    assert (Stream(chunks()).status, Stream(chunks()).content_type) == (200, JSON)
    assert Upgrade(talk).headers == ()


def test_requests_are_not_trusted_unless_this_process_made_them() -> None:
    """A front that forgets a field must not open a door, nor share one's headers with another."""
    request, other = Request("GET", "/"), Request("GET", "/")

    request.headers["a"] = "b"

    assert not request.trusted
    assert request.certificate is None
    assert other.headers == {}

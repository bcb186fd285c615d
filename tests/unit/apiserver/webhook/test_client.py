import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import yaml

from kubewright._aio import Clock, VirtualClock
from kubewright._pki.authority import Authority
from kubewright._serve.messages import Response
from kubewright.apiserver.admission.webhook_client import WebhookError
from kubewright.apiserver.webhook.client import ReviewClient
from kubewright.apiserver.webhook.config import read_config
from tests.unit.apiserver.webhook.reviewer import (
    LeapingClock,
    Obj,
    Reply,
    authority,
    reviewer,
)

REVIEW: Obj = {"kind": "TokenReview", "apiVersion": "authentication.k8s.io/v1"}


@asynccontextmanager
async def client_of(path: Path, clock: Clock | None = None) -> AsyncIterator[ReviewClient]:
    client = ReviewClient(read_config(path), clock=clock or Clock())
    yield client
    await client.close()


def yes(review: Obj) -> Obj:
    return {"authenticated": True}


async def test_a_review_is_posted_as_the_user_of_the_config(tmp_path: Path) -> None:
    """A webhook that answers everybody would tell strangers whose token they stole."""
    pair = authority().client("apiserver")
    login = {
        "token": "secret",
        "client-certificate-data": base64.b64encode(pair.certificate).decode(),
        "client-key-data": base64.b64encode(pair.key).decode(),
    }
    async with reviewer(yes) as hook, client_of(hook.write(tmp_path, **login)) as client:
        answer = await client.post(REVIEW)

    (request,) = hook.requests
    assert answer["status"] == {"authenticated": True}
    assert (request.method, request.path, request.query) == ("POST", "/review", "timeout=30s")
    assert request.headers["authorization"] == "Bearer secret"
    assert request.certificate is not None


@pytest.mark.parametrize("status", [500, 502, 504, 429])
async def test_what_may_pass_is_tried_again_after_a_delay(tmp_path: Path, status: int) -> None:
    """A webhook that restarts must not lock everybody out."""
    failures = [Response(status), Response(status)]
    clock = LeapingClock()

    def recover(review: Obj) -> Reply:
        return failures.pop() if failures else yes(review)

    async with reviewer(recover) as hook, client_of(hook.write(tmp_path), clock) as client:
        answer = await client.post(REVIEW)

    assert answer["status"] == {"authenticated": True}
    assert len(hook.requests) == 3
    first, second = clock.slept
    assert 0.5 <= first <= 0.6
    assert 0.75 <= second <= 0.9


async def test_five_tries_are_all(tmp_path: Path) -> None:
    """The request of the user waits meanwhile."""

    def broken(review: Obj) -> Reply:
        return Response(500, b"oh no", "text/plain")

    async with reviewer(broken) as hook, client_of(hook.write(tmp_path), LeapingClock()) as client:
        with pytest.raises(WebhookError, match=r'an error on the server \("oh no"\)'):
            await client.post(REVIEW)

    assert len(hook.requests) == 5


@pytest.mark.parametrize("status", [400, 401, 403, 404, 503])
async def test_a_refusal_is_final(tmp_path: Path, status: int) -> None:
    """Another try would be refused, too."""
    async with (
        reviewer(lambda _: Response(status)) as hook,
        client_of(hook.write(tmp_path), LeapingClock()) as client,
    ):
        with pytest.raises(WebhookError):
            await client.post(REVIEW)

    assert len(hook.requests) == 1


async def test_an_unavailable_webhook_can_ask_for_another_try(tmp_path: Path) -> None:
    """It says Retry-After."""
    failures = [Response(503, headers=(("Retry-After", "1"),))]

    def recover(review: Obj) -> Reply:
        return failures.pop() if failures else yes(review)

    async with reviewer(recover) as hook, client_of(hook.write(tmp_path), LeapingClock()) as client:
        assert await client.post(REVIEW)


async def test_a_webhook_that_is_not_there_is_an_error_at_once(tmp_path: Path) -> None:
    """As Go says it, since people search for these words."""
    async with reviewer(yes) as hook:
        path = hook.write(tmp_path)
    clock = LeapingClock()

    async with client_of(path, clock) as client:
        with pytest.raises(WebhookError, match=r"^Post .*/review\?timeout=30s.*connection refused"):
            await client.post(REVIEW)

    assert clock.slept == []


async def test_a_lost_connection_is_tried_again(tmp_path: Path) -> None:
    """It may be a restart."""
    lost: list[int] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lost.append(1)
        await reader.readuntil(b"\r\n\r\n")
        writer.transport.abort()

    listener = await asyncio.start_server(talk, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    async with reviewer(yes) as hook:
        document = hook.document()
    document["clusters"][0]["cluster"] = {"server": f"http://127.0.0.1:{port}"}
    path = tmp_path / "hook.yaml"
    path.write_text(yaml.safe_dump(document))

    async with client_of(path, LeapingClock()) as client:
        with pytest.raises(WebhookError, match=r"^Post "):
            await client.post(REVIEW)
    listener.close()

    assert len(lost) == 5


async def test_no_question_takes_longer_than_30_seconds(tmp_path: Path) -> None:
    """On the clock of the server, with all that is tried."""
    clock, asked = VirtualClock(), asyncio.Event()

    async def hang(review: Obj) -> Reply:
        asked.set()
        await asyncio.Event().wait()
        raise AssertionError

    async with reviewer(hang) as hook, client_of(hook.write(tmp_path), clock) as client:
        task = asyncio.create_task(client.post(REVIEW))
        await asked.wait()
        await clock.advance(30)
        with pytest.raises(WebhookError, match="context deadline exceeded"):
            await task


async def test_a_webhook_of_another_authority_is_not_trusted(tmp_path: Path) -> None:
    """It would learn every token."""
    async with reviewer(yes) as hook:
        document = hook.document()
        other = base64.b64encode(Authority("other").certificate).decode()
        document["clusters"][0]["cluster"]["certificate-authority-data"] = other
        path = tmp_path / "hook.yaml"
        path.write_text(yaml.safe_dump(document))

        async with client_of(path) as client:
            with pytest.raises(WebhookError, match="signed by unknown authority"):
                await client.post(REVIEW)

    assert hook.requests == []

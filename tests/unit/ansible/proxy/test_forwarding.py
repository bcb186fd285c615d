"""Requests and answers on their way."""

import asyncio

from kubewright import _json
from kubewright._serve.messages import Request
from kubewright.ansible.proxy import forwarding
from kubewright.client.transport import Response


def test_what_is_between_the_run_and_us_stays_there() -> None:
    """Its token above all."""
    request = Request(
        "PATCH", "/api/v1/pods", "a=b",
        {"authorization": "Bearer x", "accept": "a/b", "content-type": "c/d", "host": "h",
         "impersonate-group": "a,b\nc"}, b"{}",
    )  # fmt: skip

    sent = forwarding.request_for(request, None)

    assert (sent.method, sent.target, sent.body) == ("PATCH", "/api/v1/pods?a=b", b"{}")
    assert (sent.accept, sent.content_type) == ("a/b", "c/d")
    assert sent.headers == (("impersonate-group", "a,b"), ("impersonate-group", "c"))


def test_upgrade_is_asked_for() -> None:
    """For exec and port-forward."""
    request = Request("GET", "/x", headers={"upgrade": "websocket", "connection": "Upgrade"})

    plain, upgrade = (forwarding.request_for(request, None, upgrade=one) for one in (False, True))

    assert plain.headers == ()
    assert dict(upgrade.headers) == {"upgrade": "websocket", "connection": "Upgrade"}


def test_answers_keep_their_status_and_type() -> None:
    """And the headers that are about the object."""
    headers = (("content-type", "a/b"), ("content-length", "2"), ("warning", "w"))

    found = forwarding.whole(Response(404, headers, b"{}"))

    assert (found.status, found.content_type, found.body) == (404, "a/b", b"{}")
    assert found.headers == (("warning", "w"),)


def test_refusals_are_those_of_an_api_server() -> None:
    """Clients show the message."""
    found = _json.loads(forwarding.refusal(401, "Unauthorized", "no").body)

    assert (found["kind"], found["code"], found["message"]) == ("Status", 401, "no")


class Side:
    """One end of a connection: it says some words, and hears others."""

    def __init__(self, *words: bytes) -> None:
        self.words = list(words)
        self.heard: list[bytes] = []
        self.is_open = asyncio.Event()

    async def read(self) -> bytes:
        if self.words:
            return self.words.pop(0)
        await self.is_open.wait()
        return b""

    async def write(self, data: bytes) -> None:
        self.heard.append(data)
        self.is_open.set()


async def test_bytes_go_both_ways_until_one_side_ends() -> None:
    """The other side is closed by whoever opened it."""
    one, other = Side(b"a"), Side(b"b")

    await forwarding.connect(one, other)

    assert (one.heard, other.heard) == ([b"b"], [b"a"])

"""Webhooks that hang, lie or shout: the write fails or goes on, as configured, and that is all."""

import asyncio
import base64
import json
from typing import Any

import pytest

from tests.robustness.hostile import Behave, hostile, http, review
from tests.robustness.wire import CONFIG_MAPS, Wire

MUTATING = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"


def says(**response: Any) -> Behave:
    """Answer with a review of these fields."""

    async def behave(asked: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(review(asked, **response))

    return behave


def sends(data: bytes, *, close: bool = False) -> Behave:
    """Answer with these bytes."""

    async def behave(_: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        if close:
            writer.close()

    return behave


def patches(patch: Any) -> Behave:
    """Answer with a patch, as it is if it is bytes."""
    data = patch if isinstance(patch, bytes) else json.dumps(patch).encode()
    coded = base64.b64encode(data).decode()
    return says(allowed=True, patchType="JSONPatch", patch=coded)


async def hangs(_: bytes, __: asyncio.StreamWriter) -> None:
    """Never answer."""
    await asyncio.Event().wait()


async def shouts(_: bytes, writer: asyncio.StreamWriter) -> None:
    """Answer without end."""
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while not writer.is_closing():
        writer.write(b"100000\r\n" + b"x" * 0x100000 + b"\r\n")
        await writer.drain()


def add(path: str, value: Any) -> list[Any]:
    """Return a JSON patch of one operation."""
    return [{"op": "add", "path": path, "value": value}]


BROKEN: dict[str, Behave] = {
    "hangs": hangs,
    "shouts": shouts,
    "closes": sends(b"", close=True),
    "no HTTP": sends(b"\x00\xff\r\n\r\n" * 100, close=True),
    "endless head": sends(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 300_000, close=True),
    "half an answer": sends(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", close=True),
    "redirects": sends(http(b"", status="302 Found", headers="Location: https://a.invalid/\r\n")),
    "empty": sends(http(b"")),
    "no JSON": sends(http(b"\xff\xfe{")),
    "deep": sends(http(b"[" * 100_000)),
    "a list": sends(http([])),
    "no response": sends(http({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"})),
    "response is a list": sends(http({"response": [1]})),
    "another uid": says(allowed=True, uid="other"),
    "allowed is text": says(allowed="yes"),
    "patch is no base64": says(allowed=True, patchType="JSONPatch", patch="!"),
    "patch is a number": says(allowed=True, patchType="JSONPatch", patch=5),
    "patch is no JSON": patches(b"\xff"),
    "patch is not a list": patches({"a": 1}),
    "patch of a number": patches([1]),
    "patch of nothing": patches([{}]),
    "patch to text": patches(add("", "text")),
    "patch of the metadata": patches(add("/metadata", 5)),
    "patch of the kind": patches(add("/kind", "Secret")),
    "patch of the name": patches(add("/metadata/name", {"a": 1})),
    "patch of the data": patches(add("/data", [1])),
    "unknown patch type": says(allowed=True, patchType="Other", patch="W10="),
}
# What a strict reader would refuse as well, and a lenient one can do without.
ODD: dict[str, Behave] = {
    "warnings are a number": says(allowed=True, warnings=5),
    "warnings of all sorts": says(
        allowed=True, warnings=[1, None, {}, "a\r\nX-Evil: 1", "é" * 9000]
    ),
    "annotations are a list": says(allowed=True, auditAnnotations=[1]),
    "refusal with odd status": says(
        allowed=False, status={"code": 99999, "reason": 5, "message": [], "details": "x"}
    ),
    "refusal with code in text": says(
        allowed=False, status={"code": "403", "details": {"causes": 1}}
    ),
    "refusal of a success": says(allowed=False, status={"code": 200, "message": "a\r\nX: y"}),
    "refusal with a header": says(
        allowed=False, status={"code": 429, "details": {"retryAfterSeconds": "1\r\nX-Evil: 1"}}
    ),
    "status is text": says(allowed=False, status="no"),
}


async def configure(wire: Wire, config: dict[str, str], policy: str) -> None:
    """Have the webhook asked about config maps."""
    rule = {
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "operations": ["*"],
        "resources": ["configmaps"],
    }
    webhook = {
        "name": "hostile.example.com",
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "timeoutSeconds": 1,
        "failurePolicy": policy,
        "clientConfig": config,
        "rules": [rule],
    }
    body = {"metadata": {"name": "hostile"}, "webhooks": [webhook]}
    await wire.ask("DELETE", f"{MUTATING}/hostile")
    assert (await wire.ask("POST", MUTATING, body)).status == 201


@pytest.mark.parametrize("name", BROKEN)
async def test_a_broken_webhook_fails_the_write_or_is_ignored(wire: Wire, name: str) -> None:
    """The policy decides, within the time-out, and others are served meanwhile."""
    statuses = {}
    async with hostile(BROKEN[name]) as hook:
        for policy in ("Fail", "Ignore"):
            await configure(wire, hook.config, policy)
            body = {"metadata": {"name": policy.lower()}, "data": {"a": "b"}}
            write = asyncio.create_task(wire.ask("POST", CONFIG_MAPS, body))
            assert (await wire.ask("GET", CONFIG_MAPS)).status == 200
            statuses[policy] = (await write).status
            assert hook.asked

    assert statuses["Fail"] in (400, 422, 500)
    assert statuses["Ignore"] in (201, 400, 422, 500)  # what it made of the object is not ignored


@pytest.mark.parametrize("name", ODD)
async def test_an_odd_answer_gets_an_answer_in_order(wire: Wire, name: str) -> None:
    """Whatever a webhook says about a request, the client gets one well-formed answer."""
    async with hostile(ODD[name]) as hook:
        await configure(wire, hook.config, "Fail")

        answer = await wire.ask("POST", CONFIG_MAPS, {"metadata": {"name": "a"}})

    assert answer.status == 201 or 400 <= answer.status <= 599, answer
    assert answer.body["kind"] in ("ConfigMap", "Status")
    assert "TypeError" not in str(answer.body)
    assert "AttributeError" not in str(answer.body)

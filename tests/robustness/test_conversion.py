"""A conversion webhook that lies: reads and writes fail with a reason, and the server goes on."""

import asyncio
import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.robustness.hostile import Behave, hostile, http
from tests.robustness.wire import Obj, Wire

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
ONES = "/apis/lies.example.com/v1/namespaces/default/lies"
TWOS = "/apis/lies.example.com/v2/namespaces/default/lies"


def converts(change: Callable[[Obj], Any], **response: Any) -> Behave:
    """Convert as asked, but for *change* to each object, and these fields of the response."""

    async def behave(asked: bytes, writer: asyncio.StreamWriter) -> None:
        request = json.loads(asked)["request"]
        objects = []
        for obj in copy.deepcopy(request["objects"]):
            obj["apiVersion"] = request["desiredAPIVersion"]
            objects.append(change(obj))
        answer = {"uid": request["uid"], "convertedObjects": objects}
        answer["result"] = {"status": "Success"}
        kind = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview"}
        writer.write(http({**kind, "response": {**answer, **response}}))

    return behave


def put(obj: Obj, path: str, value: Any) -> Obj:
    """Change one field."""
    *above, last = path.split(".")
    place = obj
    for key in above:
        place = place[key]
    place[last] = value
    return obj


async def garbage(_: bytes, writer: asyncio.StreamWriter) -> None:
    """Answer with no JSON."""
    writer.write(http(b"\xff"))


async def closes(_: bytes, writer: asyncio.StreamWriter) -> None:
    """Answer not at all."""
    writer.close()


LIES: dict[str, Behave] = {
    "garbage": garbage,
    "closes": closes,
    "no objects": converts(lambda obj: obj, convertedObjects=[]),
    "objects are a number": converts(lambda obj: obj, convertedObjects=5),
    "no response": converts(lambda obj: obj, uid=None, convertedObjects=None, result=None),
    "another uid": converts(lambda obj: obj, uid="other"),
    "result is text": converts(lambda obj: obj, result="fine"),
    "failure": converts(lambda obj: obj, result={"status": "Failure", "message": 5}),
    "text": converts(lambda _: "text"),
    "null": converts(lambda _: None),
    "wrong version": converts(lambda obj: put(obj, "apiVersion", "lies.example.com/v9")),
    "wrong kind": converts(lambda obj: put(obj, "kind", "Pod")),
    "kind is a number": converts(lambda obj: put(obj, "kind", 5)),
    "no metadata": converts(lambda obj: put(obj, "metadata", None)),
    "metadata is a list": converts(lambda obj: put(obj, "metadata", [])),
    "another name": converts(lambda obj: put(obj, "metadata.name", "other")),
    "another namespace": converts(lambda obj: put(obj, "metadata.namespace", "kube-system")),
    "another object": converts(lambda obj: put(obj, "metadata.uid", "1")),
    "odd labels": converts(lambda obj: put(obj, "metadata.labels", [1])),
    "odd spec": converts(lambda obj: put(obj, "spec", "text")),
}


def definition(config: Obj | None) -> Obj:
    """Return a CRD of two versions, converted by a webhook if there is one."""
    schema = {"type": "object", "properties": {"spec": {"type": "object"}}}
    versions = [
        {
            "name": name,
            "served": True,
            "storage": name == "v1",
            "schema": {"openAPIV3Schema": schema},
        }
        for name in ("v1", "v2")
    ]
    conversion: Obj = {"strategy": "None"}
    if config:
        webhook = {"clientConfig": config, "conversionReviewVersions": ["v1"]}
        conversion = {"strategy": "Webhook", "webhook": webhook}
    names = {"plural": "lies", "singular": "lie", "kind": "Lie"}
    spec = {"group": "lies.example.com", "scope": "Namespaced", "names": names}
    return {
        "metadata": {"name": "lies.lies.example.com"},
        "spec": {**spec, "versions": versions, "conversion": conversion},
    }


@pytest.mark.parametrize("name", LIES)
async def test_what_is_no_conversion_is_refused(wire: Wire, name: str) -> None:
    """No object changes its identity, none is lost, and the other version is as good as ever."""
    async with hostile(LIES[name]) as hook:
        assert (await wire.ask("POST", DEFINITIONS, definition(hook.config))).status == 201
        body = {"apiVersion": "lies.example.com/v1", "kind": "Lie", "metadata": {"name": "a"}}
        assert (await wire.ask("POST", ONES, body)).status == 201

        answers = [
            await wire.ask("GET", f"{TWOS}/a"),
            await wire.ask("GET", TWOS),
            await wire.ask("PATCH", f"{TWOS}/a", {"metadata": {"labels": {"a": "b"}}}),
            await wire.ask(
                "POST",
                TWOS,
                {**body, "apiVersion": "lies.example.com/v2", "metadata": {"name": "b"}},
            ),
            await wire.ask("DELETE", f"{TWOS}/nothing"),
        ]
        asked = hook.asked
        ones = (await wire.ask("GET", ONES)).body["items"]

    assert asked
    for answer in answers:
        assert answer.body["kind"] in ("Status", "Lie", "LieList"), answer
        assert "Error:" not in answer.body.get("message", ""), answer
        if name not in ("odd labels", "odd spec"):
            assert answer.status in (404, 500), answer
    assert [item["metadata"]["name"] for item in ones][:1] == ["a"]
    assert {item["metadata"]["namespace"] for item in ones} == {"default"}


async def test_a_watch_ends_with_the_reason_why_it_cannot_go_on(wire: Wire) -> None:
    """Its client lists again, and is told there; others see every event."""
    async with hostile(garbage) as hook:
        await wire.ask("POST", DEFINITIONS, definition(hook.config))
        begin = (await wire.ask("GET", ONES)).version
        broken = wire.watch(f"{TWOS}?watch=1&resourceVersion={begin}")
        whole = wire.watch(f"{ONES}?watch=1&resourceVersion={begin}")
        first = asyncio.ensure_future(anext(broken))
        await asyncio.sleep(0)
        body = {"apiVersion": "lies.example.com/v1", "kind": "Lie", "metadata": {"name": "a"}}
        await wire.ask("POST", ONES, body)

        event, seen = await first, await anext(whole)
        rest = [one async for one in broken]
        await whole.aclose()  # type: ignore[attr-defined]  # it is a generator

    assert (event["type"], event["object"]["code"], rest) == ("ERROR", 500, [])
    assert seen["type"] == "ADDED"

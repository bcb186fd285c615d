"""One request that is a lot of work: nobody else waits for it, and it ends."""

import asyncio
import time
from typing import Any

import pytest

from tests.robustness.wire import APPLY, CONFIG_MAPS, NAMESPACE, Obj, Wire

STRATEGIC = "application/strategic-merge-patch+json"
LONGEST_WAIT = 1.0  # seconds, as promised in docs/differences.md
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
HARD = "/apis/example.com/v1/hards"
POLICIES = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"


async def longest_wait(wire: Wire, request: "asyncio.Task[Any]") -> float:
    """Return how long the slowest of many small requests took while *request* was answered."""
    longest = 0.0
    while not request.done():
        begun = time.monotonic()
        assert (await wire.ask("GET", f"{CONFIG_MAPS}/small")).status == 200
        longest = max(longest, time.monotonic() - begun)
        await asyncio.sleep(0.01)
    return longest


async def define(wire: Wire, field: Obj) -> None:
    """Define a kind whose ``spec.a`` is *field*."""
    spec = {"type": "object", "properties": {"a": field}}
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema}
    names = {"plural": "hards", "singular": "hard", "kind": "Hard"}
    definition = {
        "metadata": {"name": "hards.example.com"},
        "spec": {"group": "example.com", "scope": "Cluster", "names": names, "versions": [version]},
    }
    assert (await wire.ask("POST", DEFINITIONS, definition)).status == 201


def hard(value: Any) -> Obj:
    """Return an object of that kind."""
    kind = {"apiVersion": "example.com/v1", "kind": "Hard", "metadata": {"name": "a"}}
    return {**kind, "spec": {"a": value}}


def texts(prefix: str, count: int) -> list[str]:
    return [f"{prefix}/{n:x}" for n in range(count)]


PATCHES: dict[str, tuple[Obj, Obj]] = {
    "deleteFromPrimitiveList": (
        {"finalizers": texts("a", 20_000)},
        {"metadata": {"$deleteFromPrimitiveList/finalizers": texts("b", 60_000)}},
    ),
    "merge keys": (
        {"ownerReferences": [dict.fromkeys(("apiVersion", "kind", "name"), "v1") | {"uid": "0"}]},
        {
            "metadata": {
                "ownerReferences": [{"uid": uid, "name": "x"} for uid in texts("u", 40_000)]
            }
        },
    ),
    "retainKeys": (
        {"annotations": {}},
        {"metadata": {"annotations": {"$retainKeys": texts("a", 60_000)}}},
    ),
}


@pytest.mark.parametrize("name", PATCHES)
async def test_nobody_waits_for_a_long_patch(wire: Wire, name: str) -> None:
    """Lists of 60,000 elements are merged in time that grows with them only."""
    metadata, change = PATCHES[name]
    assert (await wire.ask("POST", CONFIG_MAPS, {"metadata": {"name": "small"}})).status == 201
    large = {"metadata": {"name": "large", **metadata}}
    assert (await wire.ask("POST", CONFIG_MAPS, large)).status == 201

    asked = asyncio.create_task(wire.ask("PATCH", f"{CONFIG_MAPS}/large", change, media=STRATEGIC))
    waited = await longest_wait(wire, asked)

    assert (await asked).status in (200, 422, 500), await asked
    assert waited < LONGEST_WAIT


TEXT: Obj = {"type": "string"}
OBJECTS: dict[str, tuple[Obj, Any, int]] = {
    "a pattern over a long text": ({**TEXT, "pattern": "^(a+)+$"}, "a" * 300_000 + "!", 422),
    "a pattern of many parts": (
        {**TEXT, "pattern": "^(a|b)*a(a|b){200}c$"},
        "abbaabab" * 40_000,
        422,
    ),
    "an enum of many values": (
        {"type": "array", "items": {**TEXT, "enum": texts("v", 20_000)}},
        texts("w", 20_000),
        422,
    ),
    "many alternatives": (
        {
            "type": "array",
            "items": {**TEXT, "anyOf": [{"enum": [one]} for one in texts("v", 3000)]},
        },
        texts("w", 20_000),
        422,
    ),
    "a set": (
        {"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"},
        texts("w", 40_000),
        201,
    ),
    "many errors": ({"type": "array", "items": {"type": "integer"}}, ["x"] * 200_000, 422),
}


@pytest.mark.parametrize("name", OBJECTS)
async def test_nobody_waits_for_a_long_validation(wire: Wire, name: str) -> None:
    """What a schema asks of an object is checked beside other requests, and not for ever."""
    field, value, status = OBJECTS[name]
    assert (await wire.ask("POST", CONFIG_MAPS, {"metadata": {"name": "small"}})).status == 201
    await define(wire, field)

    asked = asyncio.create_task(wire.ask("POST", HARD, hard(value)))
    waited = await longest_wait(wire, asked)

    assert (await asked).status == status
    assert waited < LONGEST_WAIT


def pod(**spec: Any) -> tuple[str, Obj]:
    """Return where to make a pod, and the pod."""
    containers = [{"name": "c", "image": "x"}]
    return f"{NAMESPACE}/pods", {
        "metadata": {"name": "a"},
        "spec": {"containers": containers} | spec,
    }


def quota(**spec: Any) -> tuple[str, Obj]:
    """Return where to make a quota, and the quota."""
    return f"{NAMESPACE}/resourcequotas", {"metadata": {"name": "a"}, "spec": spec}


def claiming(count: int) -> Obj:
    """Return a container that claims what its pod does not."""
    claims = [{"name": f"c{n}"} for n in range(count)]
    return {"name": "c", "image": "x", "resources": {"claims": claims}}


def policy(**spec: Any) -> tuple[str, Obj]:
    """Return where to make an admission policy, and the policy."""
    rule = {key: ["*"] for key in ("apiGroups", "apiVersions", "resources", "operations")}
    spec |= {"matchConstraints": {"resourceRules": [rule]}, "validations": [{"expression": "true"}]}
    return POLICIES, {"metadata": {"name": "a"}, "spec": spec}


BUILTIN: dict[str, tuple[tuple[str, Obj], int]] = {
    "variables": (
        policy(
            variables=[
                {"name": f"v{n}", "expression": f"variables.v{n - 1} + 1" if n else "1"}
                for n in range(1200)
            ]
        ),
        201,
    ),
    "spread constraints": (
        pod(
            topologySpreadConstraints=[
                {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule"}
                for key in texts("k", 9000)
            ]
        ),
        500,  # too large to be stored
    ),
    "claims": (pod(containers=[claiming(20_000)]), 422),
    "claims that are others": (
        pod(
            containers=[claiming(10_000)],
            resourceClaims=[{"name": f"d{n}", "resourceClaimName": "x"} for n in range(10_000)],
        ),
        422,
    ),
    "scopes": (
        quota(hard={f"count/{n:x}.x": "1" for n in range(20_000)}, scopes=["x"] * 9000),
        422,
    ),
    "scopes that are unknown": (quota(scopes=texts("s", 60_000)), 422),
    "few scopes that are unknown": (quota(scopes=texts("s", 8000)), 422),
}


@pytest.mark.parametrize("name", BUILTIN)
async def test_nobody_waits_for_a_large_object_of_a_built_in_kind(wire: Wire, name: str) -> None:
    """Its rules are checked beside other requests, and errors that repeat it end somewhere."""
    (where, body), status = BUILTIN[name]
    assert (await wire.ask("POST", CONFIG_MAPS, {"metadata": {"name": "small"}})).status == 201

    asked = asyncio.create_task(wire.ask("POST", where, body))
    waited = await longest_wait(wire, asked)

    assert (await asked).status == status, await asked
    assert waited < LONGEST_WAIT


async def test_nobody_waits_for_a_large_apply(wire: Wire) -> None:
    """Ten thousand elements of a list-map are merged and owned beside other requests."""
    keyed = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]}
    item = {"type": "object", "required": ["k"], "properties": {"k": TEXT, "v": TEXT}}
    await define(wire, {"type": "array", "items": item, **keyed})
    assert (await wire.ask("POST", CONFIG_MAPS, {"metadata": {"name": "small"}})).status == 201

    for manager, value in (("m", "1"), ("n", "2")):
        body = hard([{"k": key, "v": value} for key in texts("k", 8000)])
        target = f"{HARD}/a?fieldManager={manager}&force=1"
        asked = asyncio.create_task(wire.ask("PATCH", target, body, media=APPLY))
        waited = await longest_wait(wire, asked)

        assert (await asked).status in (200, 201)
        assert waited < LONGEST_WAIT

"""Scale: the number of replicas of anything."""

from typing import Any

import pytest

from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.admission.webhook_server import allow, patch, register, webhook_server
from tests.unit.apiserver.asking import (
    APPLY,
    FOOS,
    JSON_PATCH,
    MERGE,
    STRATEGIC,
    Obj,
    ask,
    define,
    definition,
    foo,
    make,
    named,
)

APPS = "/apis/apps/v1/namespaces/default/deployments"
LABELS = {"app": "a"}
TEMPLATE = {
    "metadata": {"labels": LABELS},
    "spec": {"containers": [{"name": "c", "image": "i"}]},
}
DEPLOYMENT: Obj = {
    **named("a"),
    "spec": {"replicas": 2, "selector": {"matchLabels": LABELS}, "template": TEMPLATE},
}


async def test_scale_is_read_and_written_apart_from_the_object(server: APIServer) -> None:
    """The generation counts the change, and the rest stays."""
    await make(server, APPS, DEPLOYMENT)

    scale = (await ask(server, "GET", f"{APPS}/a/scale")).obj
    answer = await ask(server, "PUT", f"{APPS}/a/scale", {**scale, "spec": {"replicas": 5}})
    after = (await ask(server, "GET", f"{APPS}/a")).obj

    assert (scale["kind"], scale["apiVersion"]) == ("Scale", "autoscaling/v1")
    assert (scale["spec"], scale["status"]["selector"]) == ({"replicas": 2}, "app=a")
    assert (answer.status, answer.obj["spec"]) == (200, {"replicas": 5})
    assert (after["spec"]["replicas"], after["metadata"]["generation"]) == (5, 2)
    stale = await ask(server, "PUT", f"{APPS}/a/scale", {**scale, "spec": {"replicas": 6}})
    assert stale.status == 409


@pytest.mark.parametrize(
    ("media", "change"),
    [
        (MERGE, {"spec": {"replicas": 3}}),
        (STRATEGIC, {"spec": {"replicas": 3}}),
        (JSON_PATCH, [{"op": "replace", "path": "/spec/replicas", "value": 3}]),
    ],
)
async def test_scale_takes_every_patch(server: APIServer, media: str, change: Any) -> None:
    """Kubectl and autoscalers each have their own."""
    await make(server, APPS, DEPLOYMENT)

    dry = await ask(server, "PATCH", f"{APPS}/a/scale?dryRun=All", change, media=media)
    before = (await ask(server, "GET", f"{APPS}/a")).obj["spec"]["replicas"]
    answer = await ask(server, "PATCH", f"{APPS}/a/scale", change, media=media)

    assert (dry.obj["spec"], before) == ({"replicas": 3}, 2)
    assert (answer.status, answer.obj["spec"]) == (200, {"replicas": 3})


@pytest.mark.parametrize("media", ["", MERGE, STRATEGIC, JSON_PATCH, APPLY])
async def test_what_is_no_scale_is_refused(server: APIServer, media: str) -> None:
    """Whatever it is, the replicas stay."""
    await make(server, APPS, DEPLOYMENT)
    bodies: list[Any] = [None, [], "x", 1, {"kind": "Pod"}, {"metadata": []}, {"spec": "x"}]

    for body in [*bodies, {"spec": {"replicas": "x"}}]:
        method = "PATCH" if media else "PUT"
        answer = await ask(server, method, f"{APPS}/a/scale?fieldManager=m", body, media=media)

        assert answer.status in (200, 400, 409, 415, 422), answer.message
        assert (await ask(server, "GET", f"{APPS}/a")).obj["spec"]["replicas"] == 2


async def test_custom_objects_scale_where_their_definition_says(server: APIServer) -> None:
    """By the paths of the definition."""
    version = definition()["spec"]["versions"][0]
    paths = {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n"}
    await define(server, versions=[{**version, "subresources": {"scale": paths}}])
    await make(server, FOOS, foo("a", {"n": 1}))

    answer = await ask(server, "PATCH", f"{FOOS}/a/scale", {"spec": {"replicas": 4}}, media=MERGE)

    assert (answer.status, answer.obj["spec"]) == (200, {"replicas": 4})
    assert (await ask(server, "GET", f"{FOOS}/a")).obj["spec"] == {"n": 4}


async def test_what_is_not_there_has_no_scale(server: APIServer) -> None:
    """And a kind without replicas has none at all."""
    assert (await ask(server, "GET", f"{APPS}/none/scale")).status == 404
    assert (await ask(server, "GET", "/api/v1/namespaces/default/configmaps/a/scale")).status == 404


@pytest.mark.parametrize("custom", [False, True])
async def test_admission_sees_the_scale_and_not_the_object(server: APIServer, custom: bool) -> None:
    """In both roles, before and after; what it changes reaches the object."""
    path = f"{APPS}/a"
    if custom:
        scale = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
        versions = definition()["spec"]["versions"]
        versions[0]["subresources"]["scale"] = scale
        await define(server, versions=versions)
        path = f"{FOOS}/a"
        await make(server, FOOS, foo("a", {"replicas": 2}))
    else:
        await make(server, APPS, DEPLOYMENT)
    async with webhook_server() as hooks:
        more = patch({"op": "replace", "path": "/spec/replicas", "value": 7})
        await register(server, hooks.serve("m", more), "UPDATE", kind="mutating")
        await register(server, hooks.serve("v", allow), "UPDATE")

        change = {"spec": {"replicas": 5}}
        answer = await ask(server, "PATCH", f"{path}/scale", change, media=MERGE)

    assert answer.obj["spec"] == {"replicas": 7}, answer.body
    asked = [review["request"] for review in hooks.requests]
    assert [one["kind"]["kind"] for one in asked] == ["Scale", "Scale"]
    assert [one["subResource"] for one in asked] == ["scale", "scale"]
    assert [one["object"]["spec"]["replicas"] for one in asked] == [5, 7]
    assert [one["oldObject"]["spec"]["replicas"] for one in asked] == [2, 2]
    assert (await ask(server, "GET", path)).obj["spec"]["replicas"] == 7

"""Delete: at once, with grace, with finalizers, in groups."""

from typing import Any

import pytest

from kubewright._aio.virtual import VirtualClock
from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.asking import (
    CORE,
    FOOS,
    MAPS,
    MERGE,
    PODS,
    Obj,
    ask,
    define,
    definition,
    make,
    named,
    pod,
    settled,
)


async def test_a_deletion_is_answered_with_what_was_deleted(server: APIServer) -> None:
    """With a Status for most kinds, with the object for a few."""
    made = await make(server, MAPS, "a")
    await make(server, PODS, pod("p"))

    status = (await ask(server, "DELETE", f"{MAPS}/a")).obj
    shown = (await ask(server, "DELETE", f"{PODS}/p")).obj

    assert status["details"] == {"name": "a", "kind": "configmaps", "uid": made["metadata"]["uid"]}
    assert shown["kind"] == "Pod"
    assert (await ask(server, "DELETE", f"{MAPS}/a")).message == 'configmaps "a" not found'


async def test_finalizers_hold_an_object(server: APIServer) -> None:
    """It is marked, answered as marked, and a second deletion changes nothing."""
    await make(server, MAPS, named("a", finalizers=["x.io/y"]))

    first = await ask(server, "DELETE", f"{MAPS}/a")
    second = await ask(server, "DELETE", f"{MAPS}/a")

    meta = first.obj["metadata"]
    assert (meta["deletionTimestamp"], meta["deletionGracePeriodSeconds"]) == (
        server.backend.now(),
        0,
    )
    assert (second.status, second.version) == (200, first.version)


async def test_a_pod_on_a_node_gets_its_grace(server: APIServer, clock: VirtualClock) -> None:
    """The time may be shortened later, never extended; zero means now."""
    await make(server, PODS, {**pod("a"), "spec": {**pod("a")["spec"], "nodeName": "n"}})

    first = (await ask(server, "DELETE", f"{PODS}/a")).obj["metadata"]
    await clock.advance(5)
    longer = (await ask(server, "DELETE", f"{PODS}/a?gracePeriodSeconds=90")).obj["metadata"]
    shorter = (await ask(server, "DELETE", f"{PODS}/a", {"gracePeriodSeconds": 3})).obj["metadata"]
    await ask(server, "DELETE", f"{PODS}/a", {"gracePeriodSeconds": 0})

    assert (first["deletionGracePeriodSeconds"], longer) == (30, first)
    assert shorter["deletionGracePeriodSeconds"] == 3
    assert shorter["deletionTimestamp"] < first["deletionTimestamp"]
    assert (await ask(server, "GET", f"{PODS}/a")).status == 404


@pytest.mark.parametrize(
    ("preconditions", "code"),
    [
        ({"uid": "other"}, 409),
        ({"resourceVersion": "1"}, 409),
        ({"uid": ""}, 409),
        ({}, 200),
        (None, 200),
    ],
)
async def test_preconditions_must_hold(server: APIServer, preconditions: Any, code: int) -> None:
    """Who deletes one object must not delete its successor."""
    await make(server, MAPS, "a")

    answer = await ask(server, "DELETE", f"{MAPS}/a", {"preconditions": preconditions})

    assert answer.status == code


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ([], 400),
        ("x", 400),
        (b"{", 400),
        ({"kind": "Pod"}, 400),
        ({"kind": []}, 400),
        ({"gracePeriodSeconds": "x"}, 400),
        ({"gracePeriodSeconds": 1.5}, 400),
        ({"preconditions": []}, 400),
        ({"preconditions": {"uid": {}}}, 400),
        ({"propagationPolicy": "x"}, 422),
        ({"propagationPolicy": []}, 400),
        ({"propagationPolicy": "Orphan", "orphanDependents": True}, 422),
        ({"dryRun": ["x"]}, 422),
        ({"dryRun": "All"}, 400),
    ],
)
async def test_options_that_make_no_sense_delete_nothing(
    server: APIServer, body: Any, code: int
) -> None:
    """A misunderstood option could be the one that said not to."""
    await make(server, PODS, pod("a"))

    answer = await ask(server, "DELETE", f"{PODS}/a", body)

    assert answer.status == code, answer.body
    assert (await ask(server, "GET", f"{PODS}/a")).status == 200


@pytest.mark.parametrize(
    ("policy", "finalizers"), [("Orphan", ["orphan"]), ("Foreground", ["foregroundDeletion"])]
)
async def test_the_policy_becomes_a_finalizer(policy: str, finalizers: list[str]) -> None:
    """It tells the garbage collector what to do; Background takes it away again."""
    async with APIServer(controllers=False) as server:
        await make(server, MAPS, "a")

        held = await ask(server, "DELETE", f"{MAPS}/a?propagationPolicy={policy}")
        await ask(server, "DELETE", f"{MAPS}/a?propagationPolicy=Background")

        assert held.obj["metadata"]["finalizers"] == finalizers
        assert (await ask(server, "GET", f"{MAPS}/a")).status == 404


async def test_a_dry_run_deletes_nothing(server: APIServer) -> None:
    """Not even a mark is left, though the answer shows one."""
    made = await make(server, MAPS, named("a"))

    by_body = await ask(server, "DELETE", f"{MAPS}/a", {"dryRun": ["All"]})
    by_url = await ask(server, "DELETE", f"{MAPS}/a?dryRun=All&propagationPolicy=Foreground")

    assert by_body.obj["status"] == "Success"
    assert by_url.obj["metadata"]["finalizers"] == ["foregroundDeletion"]
    assert (await ask(server, "GET", f"{MAPS}/a")).obj == made


async def test_a_collection_is_deleted_as_far_as_it_matches(server: APIServer) -> None:
    """The answer lists what was chosen; what finalizers hold stays, marked."""
    for number in range(5):
        await make(server, MAPS, named(f"a{number}", labels={"even": str(number % 2 == 0)}))
    await make(server, MAPS, named("held", labels={"even": "True"}, finalizers=["x.io/y"]))

    answer = await ask(server, "DELETE", f"{MAPS}?labelSelector=even=True")

    assert (answer.obj["kind"], answer.names) == ("ConfigMapList", ["a0", "a2", "a4", "held"])
    left = (await ask(server, "GET", MAPS)).obj["items"]
    assert [one["metadata"]["name"] for one in left] == ["a1", "a3", "held"]
    assert "deletionTimestamp" in left[2]["metadata"]
    assert (await ask(server, "DELETE", "/api/v1/configmaps")).status == 405


async def test_a_collection_may_be_deleted_by_field_and_by_pages(server: APIServer) -> None:
    """As it may be listed."""
    for name in "abc":
        await make(server, MAPS, name)

    await ask(server, "DELETE", f"{MAPS}?fieldSelector=metadata.name!=b&limit=1")
    await ask(server, "DELETE", f"{MAPS}?limit=-1&fieldSelector=metadata.name=c")

    assert (await ask(server, "GET", MAPS)).names == ["b"]


async def test_a_custom_kind_called_namespace_is_nothing_special(server: APIServer) -> None:
    """Only the namespaces of the core group are held by what is in them."""
    await make(
        server,
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        {
            **definition(names={"plural": "namespaces", "kind": "Namespace"}),
            "metadata": {"name": "namespaces.example.com"},
        },
    )
    path = "/apis/example.com/v1/namespaces/default/namespaces"
    kind = {"apiVersion": "example.com/v1", "kind": "Namespace", "spec": {"finalizers": ["x"]}}
    await make(server, path, {**kind, **named("a")})

    answer = await ask(server, "DELETE", f"{path}/a")

    assert answer.obj["status"] == "Success"
    assert (await ask(server, "GET", f"{path}/a")).status == 404


async def test_system_namespaces_stay(server: APIServer) -> None:
    """A cluster without its default namespace is none."""
    answer = await ask(server, "DELETE", "/api/v1/namespaces/default")

    assert (answer.status, answer.obj["reason"]) == (403, "Forbidden")


async def test_an_object_deleted_in_another_version_than_stored_goes(server: APIServer) -> None:
    """The version of the URL says only how the client sees it."""
    one = definition()["spec"]["versions"][0]
    await define(server, versions=[one, {**one, "name": "v2", "storage": False}])
    await make(server, FOOS, {"apiVersion": "example.com/v1", "kind": "Foo", **named("a")})
    await make(
        server,
        FOOS,
        {"apiVersion": "example.com/v1", "kind": "Foo", **named("b", finalizers=["x.io/y"])},
    )
    v2 = FOOS.replace("v1", "v2")

    gone = await ask(server, "DELETE", f"{v2}/a")
    held = await ask(server, "DELETE", f"{v2}/b")
    await settled()
    change: Obj = {"metadata": {"finalizers": []}}
    freed = await ask(server, "PATCH", f"{v2}/b", change, media=MERGE)

    assert (gone.status, held.obj["apiVersion"], freed.status) == (200, "example.com/v2", 200)
    assert (await ask(server, "GET", FOOS)).names == []
    assert (await ask(server, "DELETE", f"{CORE}/nosuch/a")).status == 404

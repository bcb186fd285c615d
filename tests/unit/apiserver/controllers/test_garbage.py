"""Garbage collection: what is owned goes when its owner goes."""

from typing import Any

import pytest

from kubewright._aio.virtual import VirtualClock
from kubewright.apiserver.admission.attributes import Attributes
from kubewright.apiserver.meta import status
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.asking import (
    CORE,
    CRDS,
    FOOS,
    MAPS,
    MERGE,
    Obj,
    ask,
    define,
    foo,
    make,
    named,
    settled,
)


def reference(owner: Obj, **more: Any) -> Obj:
    return {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        **more,
    }


async def owned(server: APIServer, name: str, *owners: Obj, **meta: Any) -> Obj:
    return await make(server, MAPS, named(name, ownerReferences=list(owners), **meta))


async def names(server: APIServer) -> list[str]:
    await settled(400)
    return (await ask(server, "GET", MAPS)).names


async def test_dependents_follow_their_owner_down_to_the_last(server: APIServer) -> None:
    """In the background: the owner is gone first."""
    top = await make(server, MAPS, "top")
    middle = await owned(server, "middle", reference(top))
    await owned(server, "bottom", reference(middle))
    await make(server, MAPS, "bystander")

    await ask(server, "DELETE", f"{MAPS}/top")

    assert await names(server) == ["bystander"]


async def test_an_owner_waits_for_those_that_block_it(server: APIServer) -> None:
    """In the foreground: what does not block may still be there when the owner goes."""
    top = await make(server, MAPS, "top")
    held = {"finalizers": ["x.io/y"]}
    await owned(server, "blocking", reference(top, blockOwnerDeletion=True), **held)
    await owned(server, "loose", reference(top), **held)

    await ask(server, "DELETE", f"{MAPS}/top?propagationPolicy=Foreground")
    assert await names(server) == ["blocking", "loose", "top"]
    free = {"metadata": {"finalizers": None}}
    await ask(server, "PATCH", f"{MAPS}/blocking", free, media=MERGE)

    assert await names(server) == ["loose"]


async def test_a_foreground_deletion_goes_through_all_levels(server: APIServer) -> None:
    """Those in the middle wait for their own dependents in turn."""
    top = await make(server, MAPS, "top")
    middle = await owned(server, "middle", reference(top, blockOwnerDeletion=True))
    last = reference(middle, blockOwnerDeletion=True)
    await owned(server, "last", last, finalizers=["x.io/y"])

    await ask(server, "DELETE", f"{MAPS}/top", {"propagationPolicy": "Foreground"})
    assert await names(server) == ["last", "middle", "top"]
    await ask(server, "PATCH", f"{MAPS}/last", {"metadata": {"finalizers": []}}, media=MERGE)

    assert await names(server) == []


@pytest.mark.parametrize("options", [{"propagationPolicy": "Orphan"}, {"orphanDependents": True}])
async def test_orphans_stay_and_forget_their_owner(server: APIServer, options: Obj) -> None:
    """Other owners are kept."""
    top, other = await make(server, MAPS, "top"), await make(server, MAPS, "other")
    await owned(server, "a", reference(top))
    await owned(server, "b", reference(top), reference(other))

    await ask(server, "DELETE", f"{MAPS}/top", options)

    assert await names(server) == ["a", "b", "other"]
    assert "ownerReferences" not in (await ask(server, "GET", f"{MAPS}/a")).obj["metadata"]
    left = (await ask(server, "GET", f"{MAPS}/b")).obj["metadata"]["ownerReferences"]
    assert [one["name"] for one in left] == ["other"]


async def test_an_object_with_another_owner_stays(server: APIServer) -> None:
    """Only the reference to the one that is gone is removed."""
    first, second = await make(server, MAPS, "first"), await make(server, MAPS, "second")
    await owned(server, "shared", reference(first), reference(second))

    await ask(server, "DELETE", f"{MAPS}/first")

    assert await names(server) == ["second", "shared"]
    left = (await ask(server, "GET", f"{MAPS}/shared")).obj["metadata"]["ownerReferences"]
    assert [one["name"] for one in left] == ["second"]


async def test_an_owner_that_was_never_there_is_gone(server: APIServer) -> None:
    """Also one whose name is now used by another object, or that is in another namespace."""
    there = await make(server, MAPS, "there")
    await make(server, "/api/v1/namespaces", "other")
    elsewhere = await make(server, "/api/v1/namespaces/other/configmaps", "elsewhere")
    await owned(server, "a", {**reference(there), "name": "none"})
    await owned(server, "b", {**reference(there), "uid": "old"})
    await owned(server, "c", reference(elsewhere))

    assert await names(server) == ["there"]


async def test_what_cannot_be_known_is_left_alone(server: APIServer) -> None:
    """An owner of a kind that is not served, or one in a namespace that nobody can tell."""
    there = await make(server, MAPS, "there")
    await owned(server, "a", {**reference(there), "apiVersion": "x.io/v1", "kind": "Unknown"})
    roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
    await make(server, roles, named("cluster-wide", ownerReferences=[reference(there)]))
    missing = {**reference(there), "name": "none", "uid": "u"}
    await make(server, roles, named("also", ownerReferences=[missing]))

    assert await names(server) == ["a", "there"]
    assert (await ask(server, "GET", f"{roles}/cluster-wide")).status == 200
    assert (await ask(server, "GET", f"{roles}/also")).status == 200


async def test_a_cluster_wide_owner_owns_into_namespaces(server: APIServer) -> None:
    """Such as a namespaced object of a cluster-wide custom resource."""
    node = await make(server, "/api/v1/nodes", "n")
    await owned(server, "a", reference(node))
    assert await names(server) == ["a"]

    await ask(server, "DELETE", "/api/v1/nodes/n")

    assert await names(server) == []


async def test_a_definition_takes_what_its_objects_own_along(server: APIServer) -> None:
    """The kind of the owner may be forgotten before anybody looks at what it owned."""
    await define(server)
    owner = await make(server, FOOS, foo("a"))
    await owned(server, "mine", reference(owner))

    await ask(server, "DELETE", f"{CRDS}/foos.example.com")

    assert await names(server) == []


async def test_owners_that_own_each_other_go_together(server: APIServer) -> None:
    """A circle ends with the first that is deleted."""
    first = await make(server, MAPS, "first")
    second = await owned(server, "second", reference(first))
    change = {"metadata": {"ownerReferences": [reference(second)]}}
    await ask(server, "PATCH", f"{MAPS}/first", change, media=MERGE)

    await ask(server, "DELETE", f"{MAPS}/first")

    assert await names(server) == []


async def test_a_circle_does_not_block_a_foreground_deletion(server: APIServer) -> None:
    """Each would wait for the next for ever; one of them is made to block nobody."""
    first = await make(server, MAPS, "first")
    second = await owned(server, "second", reference(first, blockOwnerDeletion=True))
    third = await owned(server, "third", reference(second, blockOwnerDeletion=True))
    closing = {"metadata": {"ownerReferences": [reference(third, blockOwnerDeletion=True)]}}
    await ask(server, "PATCH", f"{MAPS}/first", closing, media=MERGE)

    await ask(server, "DELETE", f"{MAPS}/first", {"propagationPolicy": "Foreground"})

    assert await names(server) == []


async def test_an_owner_set_later_counts_from_then(server: APIServer) -> None:
    """And one that is removed counts no more."""
    top = await make(server, MAPS, "top")
    await make(server, MAPS, "a")
    await owned(server, "b", reference(top))
    for name, owners in (("a", [reference(top)]), ("b", [])):
        change = {"metadata": {"ownerReferences": owners}}
        await ask(server, "PATCH", f"{MAPS}/{name}", change, media=MERGE)

    await ask(server, "DELETE", f"{MAPS}/top")

    assert await names(server) == ["b"]
    assert (await ask(server, "GET", f"{CORE}/pods")).names == []


@pytest.mark.parametrize(
    "meta",
    [
        {"ownerReferences": None},
        {"finalizers": None},
        {"ownerReferences": []},
        {"labels": None, "annotations": None},
    ],
)
async def test_odd_metadata_of_custom_objects_disturbs_nobody(server: APIServer, meta: Obj) -> None:
    """The collector reads every object that is stored."""
    await define(server)

    await make(server, FOOS, foo("a", **meta))
    await ask(server, "DELETE", f"{FOOS}/a?propagationPolicy=Foreground")
    await settled(200)

    assert (await ask(server, "GET", FOOS)).names == []


class Refusing:
    """Refuses what the garbage collector does to the object of one name, while it is on."""

    def __init__(self, server: APIServer, name: str) -> None:
        self.on = True
        self._name = name
        server.backend.admission.validate = self.validate  # type: ignore[method-assign]  # a webhook

    async def validate(self, attributes: Attributes) -> None:
        if self.on and attributes.name == self._name:
            raise status.forbidden(GroupResource("", "configmaps"), self._name, "not now")


async def test_what_a_webhook_refuses_is_tried_again(
    server: APIServer, clock: VirtualClock
) -> None:
    """It may only be down for a moment."""
    top = await make(server, MAPS, "top")
    await owned(server, "a", reference(top))
    webhook = Refusing(server, "a")

    await ask(server, "DELETE", f"{MAPS}/top")
    assert await names(server) == ["a"]
    webhook.on = False
    await clock.advance(5)

    assert await names(server) == []


async def test_an_owner_is_not_let_go_before_its_orphans_are(
    server: APIServer, clock: VirtualClock
) -> None:
    """Or they would be taken for garbage, and be deleted after all."""
    top = await make(server, MAPS, "top")
    await owned(server, "a", reference(top))
    webhook = Refusing(server, "a")

    await ask(server, "DELETE", f"{MAPS}/top?propagationPolicy=Orphan")
    assert await names(server) == ["a", "top"]
    webhook.on = False
    await clock.advance(5)

    assert await names(server) == ["a"]


async def test_one_refusal_does_not_stop_the_others(server: APIServer, clock: VirtualClock) -> None:
    """In a foreground deletion, each dependent goes by itself."""
    top = await make(server, MAPS, "top")
    for name in "abc":
        await owned(server, name, reference(top, blockOwnerDeletion=True))
    webhook = Refusing(server, "a")

    await ask(server, "DELETE", f"{MAPS}/top?propagationPolicy=Foreground")
    assert await names(server) == ["a", "top"]
    webhook.on = False
    await clock.advance(5)

    assert await names(server) == []

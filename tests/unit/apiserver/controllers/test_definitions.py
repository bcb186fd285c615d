"""Definitions: served at once, named once, changed in flight, and gone with their objects."""

from typing import Any

from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.asking import (
    CRDS,
    FOOS,
    MERGE,
    Obj,
    ask,
    define,
    definition,
    foo,
    make,
    named,
    settled,
)

PATH = f"{CRDS}/foos.example.com"
INTEGERS = {
    "type": "object",
    "properties": {"spec": {"type": "object", "properties": {"x": {"type": "integer"}}}},
}


def condition(crd: Obj, kind: str) -> tuple[str, str]:
    found = {one["type"]: one for one in crd["status"]["conditions"]}
    return found[kind]["status"], found[kind]["reason"]


def versions(**changes: Any) -> list[Obj]:
    one = definition()["spec"]["versions"][0]
    return [one, {**one, "name": "v2", "storage": False, **changes}]


async def test_objects_can_be_made_as_soon_as_the_definition_is_answered(
    server: APIServer,
) -> None:
    """No test has to wait for it; discovery knows it, too."""
    await define(server)
    await make(server, FOOS, foo("a"))

    crd = (await ask(server, "GET", PATH)).obj
    groups = (await ask(server, "GET", "/apis")).obj["groups"]

    assert condition(crd, "Established") == ("True", "InitialNamesAccepted")
    assert crd["status"]["acceptedNames"]["kind"] == "Foo"
    assert crd["status"]["storedVersions"] == ["v1"]
    assert "example.com" in [group["name"] for group in groups]


async def test_a_kind_belongs_to_who_came_first(server: APIServer) -> None:
    """The second is served when the first is gone."""
    await define(server)
    names = {"plural": "others", "kind": "Foo"}
    second = await make(server, CRDS, {**definition(names=names), **named("others.example.com")})
    path = "/apis/example.com/v1/namespaces/default/others"

    waiting = (await ask(server, "GET", f"{CRDS}/others.example.com")).obj
    refused = await ask(server, "GET", path)
    await ask(server, "DELETE", PATH)
    await settled()
    served = (await ask(server, "GET", f"{CRDS}/others.example.com")).obj

    assert condition(waiting, "NamesAccepted")[0] == "False"
    assert condition(served, "Established")[0] == "True"
    assert (refused.status, (await ask(server, "GET", path)).status) == (404, 200)
    assert second["metadata"]["name"] == "others.example.com"


async def test_a_new_schema_counts_for_what_was_stored_before(server: APIServer) -> None:
    """What it does not know is not shown, and defaults are."""
    await define(server)
    await make(server, FOOS, foo("a", {"x": 1, "old": True}))
    schema = {
        "type": "object",
        "properties": {
            "spec": {
                "type": "object",
                "properties": {"x": {"type": "integer"}, "y": {"type": "string", "default": "d"}},
            }
        },
    }
    changed = [{**versions()[0], "schema": {"openAPIV3Schema": schema}}]

    await ask(server, "PATCH", PATH, {"spec": {"versions": changed}}, media=MERGE)

    assert (await ask(server, "GET", f"{FOOS}/a")).obj["spec"] == {"x": 1, "y": "d"}
    assert (await ask(server, "GET", FOOS)).obj["items"][0]["spec"] == {"x": 1, "y": "d"}
    assert (await ask(server, "POST", FOOS, foo("b", {"x": "no"}))).status == 422


async def test_versions_come_and_go_while_objects_stay(server: APIServer) -> None:
    """An object stored in one version is read in the other."""
    await define(server, versions=versions())
    await make(server, FOOS, foo("a", {"x": 1}))
    v2 = FOOS.replace("v1", "v2")

    before = await ask(server, "GET", f"{v2}/a")
    unserved = {"spec": {"versions": versions(served=False)}}
    await ask(server, "PATCH", PATH, unserved, media=MERGE)
    after = await ask(server, "GET", f"{v2}/a")

    assert (before.obj["apiVersion"], before.obj["spec"]) == ("example.com/v2", {"x": 1})
    assert (after.status, (await ask(server, "GET", f"{FOOS}/a")).status) == (404, 200)


async def test_a_definition_takes_its_objects_along(server: APIServer) -> None:
    """Nothing of them is there when it is defined again."""
    await define(server)
    await make(server, "/api/v1/namespaces", "other")
    await make(server, FOOS, foo("a"))
    await make(server, FOOS.replace("default", "other"), foo("b"))

    await ask(server, "DELETE", PATH)
    await settled(200)

    assert (await ask(server, "GET", PATH)).status == 404
    gone = await ask(server, "GET", FOOS)
    assert (gone.status, gone.body) == (404, b"404 page not found\n")
    await define(server)
    assert (await ask(server, "GET", FOOS.replace("namespaces/default/", ""))).names == []


async def test_a_definition_waits_for_objects_that_are_held(server: APIServer) -> None:
    """Meanwhile none can be made, and those there can be let go."""
    await define(server)
    await make(server, FOOS, foo("a", finalizers=["x.io/y"]))

    await ask(server, "DELETE", PATH)
    await settled(200)
    waiting = (await ask(server, "GET", PATH)).obj
    refused = await ask(server, "POST", FOOS, foo("b"))
    freed = await ask(server, "PATCH", f"{FOOS}/a", {"metadata": {"finalizers": None}}, media=MERGE)
    await settled(200)

    assert condition(waiting, "Terminating") == ("True", "InstanceDeletionInProgress")
    assert (refused.status, freed.status) == (405, 200)
    assert refused.message == ("create not allowed while custom resource definition is terminating")
    assert (await ask(server, "GET", PATH)).status == 404


async def test_a_definition_of_which_no_version_is_served_goes_as_well(server: APIServer) -> None:
    """Its objects cannot be asked for, so nobody waits for them."""
    await define(server)
    await make(server, FOOS, foo("a"))
    unserved = [{**versions()[0], "served": False}]
    await ask(server, "PATCH", PATH, {"spec": {"versions": unserved}}, media=MERGE)
    assert (await ask(server, "GET", FOOS)).status == 404

    await ask(server, "DELETE", PATH)
    await settled(200)

    assert (await ask(server, "GET", PATH)).status == 404
    assert server.registry.find_any("example.com", "Foo") is None


async def test_what_is_built_in_cannot_be_taken_over(server: APIServer) -> None:
    """A definition of the same name changes nothing, neither when it comes nor when it goes."""
    names = {"plural": "ingresses", "kind": "Ingress"}
    name, note = "ingresses.networking.k8s.io", "api-approved.kubernetes.io"
    body = definition(names=names, group="networking.k8s.io")
    approved = named(name, annotations={note: "https://github.com/kubernetes/kubernetes/pull/1"})
    path = "/apis/networking.k8s.io/v1/namespaces/default/ingresses"

    await make(server, CRDS, {**body, **approved})
    during = await ask(server, "POST", path, named("a"))
    await ask(server, "DELETE", f"{CRDS}/{name}")
    await settled(200)
    after = await ask(server, "GET", path)

    assert during.status == 422, during.body  # the rules of real ingresses
    assert after.status == 200


async def test_definitions_survive_a_restart(tmp_path: Any) -> None:
    """What was defined is served again before the first request."""
    async with APIServer(data_dir=tmp_path) as server:
        await define(server, INTEGERS)
        await make(server, FOOS, foo("a", {"x": 1}))

    async with APIServer(data_dir=tmp_path) as server:
        assert (await ask(server, "GET", f"{FOOS}/a")).obj["spec"] == {"x": 1}
        assert (await ask(server, "POST", FOOS, foo("b", {"x": "no"}))).status == 422

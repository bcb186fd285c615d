"""Namespaces go when they are empty."""

from kubewright._aio.virtual import VirtualClock
from kubewright.apiserver.admission.attributes import Attributes
from kubewright.apiserver.controllers.namespaces import conditions_of
from kubewright.apiserver.meta import status
from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.asking import (
    FOOS,
    MERGE,
    ask,
    define,
    definition,
    foo,
    make,
    named,
    pod,
    settled,
)

PATH = "/api/v1/namespaces/n"


async def test_a_namespace_takes_everything_in_it_along(server: APIServer) -> None:
    """Built-in, custom, with an event, and with accounts that controllers made."""
    await make(server, "/api/v1/namespaces", "n")
    await define(server)
    foos = FOOS.replace("default", "n")
    await make(server, foos, foo("a"))
    await make(server, f"{PATH}/pods", pod("a"))
    involved = {"involvedObject": {"namespace": "n", "kind": "Pod", "name": "a"}}
    await make(server, f"{PATH}/events", {**named("a"), **involved})

    await ask(server, "DELETE", PATH)
    await settled(400)

    assert (await ask(server, "GET", PATH)).status == 404
    assert (await ask(server, "GET", foos)).names == []
    assert [key for key in server.store.resources() if server.store.collection(key).list("n")] == []


async def test_pods_go_before_the_rest(server: APIServer) -> None:
    """A pod that still runs keeps its configuration, and the policies that shield it."""
    await make(server, "/api/v1/namespaces", "n")
    await make(server, f"{PATH}/pods", pod("a", finalizers=["x.io/y"]))
    await make(server, f"{PATH}/configmaps", "a")

    await ask(server, "DELETE", PATH)
    await settled(400)
    meanwhile = (await ask(server, "GET", f"{PATH}/configmaps")).names
    free = {"metadata": {"finalizers": None}}
    await ask(server, "PATCH", f"{PATH}/pods/a", free, media=MERGE)
    await settled(400)

    assert meanwhile == ["a"]
    assert (await ask(server, "GET", PATH)).status == 404


async def test_what_holds_a_namespace_is_told_in_its_conditions(server: APIServer) -> None:
    """People look there when a deletion hangs; the last finalizer lets it go."""
    await make(server, "/api/v1/namespaces", "n")
    await make(server, f"{PATH}/configmaps", named("a", finalizers=["x.io/y"]))

    await ask(server, "DELETE", PATH)
    await settled(400)
    held = (await ask(server, "GET", PATH)).obj
    free = {"metadata": {"finalizers": None}}
    await ask(server, "PATCH", f"{PATH}/configmaps/a", free, media=MERGE)
    await settled(400)

    conditions = {one["type"]: one for one in held["status"]["conditions"]}
    assert held["status"]["phase"] == "Terminating"
    assert conditions["NamespaceContentRemaining"]["message"] == (
        "Some resources are remaining: configmaps has 1 resource instances"
    )
    assert conditions["NamespaceFinalizersRemaining"]["message"] == (
        "Some content in the namespace has finalizers remaining: x.io/y in 1 resource instances"
    )
    assert (await ask(server, "GET", PATH)).status == 404


async def test_finalizers_of_the_namespace_itself_hold_it(server: APIServer) -> None:
    """Those of others, in its metadata or its spec, are theirs to remove."""
    await make(server, "/api/v1/namespaces", named("n", finalizers=["x.io/y"]))

    await ask(server, "DELETE", PATH)
    await settled(400)
    held = (await ask(server, "GET", PATH)).obj
    await ask(server, "PATCH", PATH, {"metadata": {"finalizers": None}}, media=MERGE)

    assert held["spec"].get("finalizers", []) == []
    assert (await ask(server, "GET", PATH)).status == 404


async def test_objects_whose_stored_version_is_not_served_go_as_well(server: APIServer) -> None:
    """They are deleted through a version that is."""
    version = definition()["spec"]["versions"][0]
    stored = {**version, "name": "v2", "served": False}
    await define(server, versions=[{**version, "storage": False}, stored])
    await make(server, "/api/v1/namespaces", "n")
    await make(server, FOOS.replace("default", "n"), foo("a"))

    await ask(server, "DELETE", PATH)
    await settled(400)

    assert (await ask(server, "GET", PATH)).status == 404


def test_the_time_of_a_condition_moves_with_its_status() -> None:
    """Not with its message."""
    one, two = {"pods": [named("a")]}, {"pods": [named("a", finalizers=["f"])]}

    first = conditions_of(one, [], "then")
    again = conditions_of({**one, "secrets": [named("s")]}, first, "now")
    changed = conditions_of(two, first, "now")

    assert {condition["lastTransitionTime"] for condition in again} == {"then"}
    assert [condition["lastTransitionTime"] for condition in changed] == ["then"] * 4 + ["now"]


async def test_a_deletion_that_a_webhook_refuses_is_tried_again(
    server: APIServer, clock: VirtualClock
) -> None:
    """A webhook that is down for a moment does not hold a namespace for ever."""
    await make(server, "/api/v1/namespaces", "n")
    await make(server, f"{PATH}/configmaps", "a")
    refusing = True

    async def validate(attributes: Attributes) -> None:
        if refusing and attributes.name == "a":
            raise status.internal_error("webhook is down")

    server.backend.admission.validate = validate  # type: ignore[method-assign]  # a webhook
    await ask(server, "DELETE", PATH)
    await settled(200)
    assert (await ask(server, "GET", f"{PATH}/configmaps/a")).status == 200

    refusing = False
    await clock.advance(5)
    await settled(200)

    assert (await ask(server, "GET", PATH)).status == 404

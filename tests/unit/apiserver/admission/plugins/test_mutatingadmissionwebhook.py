import pytest

from tests.unit.apiserver.admission.webhook_server import (
    Behaviour,
    allow,
    patch,
)
from tests.unit.apiserver.admission.webhook_world import FAILED, RULE, World
from tests.unit.apiserver.admission.writes import config_map


async def test_mutating_webhooks_build_on_one_another(world: World) -> None:
    """In the order of their configurations' names; what nobody knows is cut off."""
    world.add(patch({"op": "add", "path": "/data", "value": {"a": "b"}}), "one", mutating=True)
    world.add(patch({"op": "add", "path": "/unknown", "value": 1}), "two", mutating=True)

    attributes = await world.admit()

    assert attributes.object == {**config_map(), "data": {"a": "b"}}
    assert world.server.requests[1]["request"]["object"]["data"] == {"a": "b"}


async def test_who_wants_is_asked_again_when_others_have_changed_the_object(world: World) -> None:
    """Once, and only those who came before the change."""
    world.add(allow, "a", mutating=True, reinvocationPolicy="IfNeeded")
    world.add(allow, "b", mutating=True)
    world.add(
        patch({"op": "add", "path": "/data", "value": {}}),
        "c",
        mutating=True,
        reinvocationPolicy="IfNeeded",
    )

    await world.admit()

    assert [path[1] for path in world.server.paths] == ["a", "b", "c", "a"]


async def test_a_webhook_sees_and_changes_the_version_of_its_rule(world: World) -> None:
    """The object comes back in the version in which the client wrote."""
    rule = {**RULE, "apiVersions": ["v2"]}
    world.add(patch({"op": "add", "path": "/data", "value": {}}), mutating=True, rules=[rule])

    attributes = await world.admit()

    asked = world.server.requests[0]["request"]
    assert asked["object"]["apiVersion"] == "v2"
    assert asked["kind"]["version"] == "v2"
    assert asked["requestKind"]["version"] == "v1"
    assert attributes.object == {**config_map(), "data": {}}


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        (
            patch({"op": "remove", "path": "/nix"}),
            "Internal error occurred: the patch does not fit",
        ),
        (
            lambda request: {"allowed": True, "patch": "W10="},
            (
                f"{FAILED}received invalid webhook response: webhook returned response.patch but"
                " not response.patchType"
            ),
        ),
        (
            lambda request: {"allowed": True, "patchType": "Merge", "patch": "W10="},
            f'{FAILED}unsupported patch type "Merge"',
        ),
        (
            lambda request: {"allowed": True, "patchType": "JSONPatch", "patch": "e30="},
            (
                f"{FAILED}received undecodable patch in webhook response: json: cannot unmarshal"
                " object into Go value of type jsonpatch.Patch"
            ),
        ),
    ],
)
async def test_a_patch_that_cannot_be_applied_fails_the_write(
    world: World, behaviour: Behaviour, said: str
) -> None:
    """Half of what a webhook wanted is worse than nothing."""
    world.add(behaviour, mutating=True)

    assert (await world.refusal()).message == said


async def test_a_patch_of_null_is_no_patch(world: World) -> None:
    """Everything built on Knative's library sends it when there is nothing to change."""
    no_patch = {"allowed": True, "patchType": "JSONPatch", "patch": "bnVsbA=="}
    world.add(lambda request: no_patch, mutating=True)

    attributes = await world.admit()

    assert attributes.object == config_map()


async def test_a_deletion_cannot_be_changed(world: World) -> None:
    """There is no object to change."""
    world.add(patch({"op": "add", "path": "/a", "value": 1}), mutating=True)

    error = await world.refusal(operation="DELETE", old_object=config_map())

    assert error.message == (
        'Internal error occurred: admission webhook "h" attempted to modify the object, which is'
        " not supported for this operation"
    )

"""What all writes share: owners once, managers noted, admission asked."""

from typing import Any

from kubewright.apiserver.admission.attributes import Attributes
from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.asking import MAPS, MERGE, ask, make, named


def owner(uid: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": uid}


async def test_an_owner_that_is_there_twice_is_there_once(server: APIServer) -> None:
    """The client is warned, since a future server may refuse."""
    body = named("a", ownerReferences=[owner("u"), owner("u"), owner("v")])

    answer = await ask(server, "POST", f"{MAPS}?dryRun=All", body)

    found = answer.obj["metadata"]["ownerReferences"]
    assert [one["uid"] for one in found] == ["u", "v"]
    assert "duplicate UID(s) observed: u" in answer.warnings[0]


async def test_who_wrote_what_is_noted(server: APIServer) -> None:
    """Without a name, the first word of the user agent counts."""
    await ask(server, "POST", MAPS, {**named("a"), "data": {"k": "v"}}, user_agent="kubectl/v1 x")
    change = {"data": {"n": "1"}}

    answer = await ask(server, "PATCH", f"{MAPS}/a?fieldManager=me", change, media=MERGE)

    managers = answer.obj["metadata"]["managedFields"]
    assert [(one["manager"], one["operation"]) for one in managers] == [
        ("kubectl", "Update"),
        ("me", "Update"),
    ]
    assert managers[1]["fieldsV1"] == {"f:data": {"f:n": {}}}


async def test_admission_sees_what_will_be_stored_and_may_change_it(server: APIServer) -> None:
    """What it returns is cut to the schema and checked again."""
    seen: list[tuple[str, str, bool]] = []

    async def mutate(attributes: Attributes) -> None:
        seen.append((attributes.operation, attributes.name, attributes.old_object is not None))
        assert attributes.object is not None
        attributes.object = {**attributes.object, "data": {"by": "admission"}, "unknown": 1}

    server.backend.admission.admit = mutate  # type: ignore[method-assign]  # stands for a webhook

    made = await make(server, MAPS, "a")
    await ask(server, "PUT", f"{MAPS}/a", named("a"))

    assert made["data"] == {"by": "admission"}
    assert "unknown" not in made
    assert seen == [("CREATE", "a", False), ("UPDATE", "a", True)]

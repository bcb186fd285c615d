import copy
import json
from typing import Any

import pytest

from kubewright.apiserver.fieldmanager import fieldset, lastapplied, manager
from kubewright.apiserver.fieldmanager.manager import reset_fields
from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.schema import definitions
from tests.unit.apiserver.fieldmanager import custom
from tests.unit.apiserver.fieldmanager.custom import LATER, NOON, entries, thing

Obj = dict[str, Any]
SCHEMA = custom.schema()


def update(old: Obj | None, new: Obj, name: str, now: str = NOON, **more: Any) -> Obj:
    new = copy.deepcopy(new)
    manager.record_update(
        old, new, schema=SCHEMA, api_version=custom.VERSION, manager=name, now=now, **more
    )
    new["metadata"]["uid"] = "u"
    return new


def apply(live: Obj | None, config: Obj, name: str, now: str = NOON, **more: Any) -> Obj:
    found = manager.applied(
        live, config, schema=SCHEMA, api_version=custom.VERSION, manager=name, now=now, **more
    )
    found["metadata"]["uid"] = "u"
    return found


def edited(obj: Obj, **spec: Any) -> Obj:
    return {**obj, "spec": {**obj["spec"], **spec}}


@pytest.mark.parametrize(
    ("field_manager", "user_agent", "name"),
    [
        ("mine", "kubectl/v1.32", "mine"),
        ("", "kubectl/v1.32 (linux)", "kubectl"),
        ("", "a\x00b\nc", "abc"),
        ("", "é" * 100, "é" * 64),
        ("", "", ""),
    ],
)
def test_manager_is_named_by_itself_or_its_user_agent(
    field_manager: str, user_agent: str, name: str
) -> None:
    """The name has at most 128 bytes, all printable."""
    assert manager.manager_name(field_manager, user_agent) == name


def test_creator_owns_everything_but_the_identity() -> None:
    """Names, times and versions have no owner."""
    found = update(None, thing(size=1), "")

    assert found["metadata"]["managedFields"] == [
        {
            "manager": "unknown",
            "operation": "Update",
            "apiVersion": custom.VERSION,
            "time": NOON,
            "fieldsType": "FieldsV1",
            "fieldsV1": {"f:spec": {".": {}, "f:size": {}}},
        }
    ]


def test_owner_is_who_changed_it_last() -> None:
    """An owner that has nothing left is forgotten; a time moves only with its entry."""
    created = update(None, thing(size=1, text="x"), "a")
    changed = update(created, edited(created, size=2), "b", LATER)
    taken = update(changed, thing(size=2, text="y"), "b", LATER)

    assert entries(changed) == {"a": {".": {}, "f:text": {}}, "b": {"f:size": {}}}
    assert [entry["time"] for entry in changed["metadata"]["managedFields"]] == [NOON, LATER]
    assert entries(taken)["b"] == {"f:size": {}, "f:text": {}}


def test_update_that_changes_nothing_leaves_the_entries() -> None:
    """Even those of the manager that sent it."""
    created = update(None, thing(size=1), "a")

    again = update(created, thing(size=1), "a", LATER)

    assert again == created


def test_builtin_types_are_owned_as_the_real_server_says() -> None:
    """Structs that are always there have no owner; list keys get their defaults."""
    schema = definitions.find("apps", "v1", "Deployment")
    assert schema is not None
    container = {"name": "web", "ports": [{"containerPort": 443}, {"containerPort": 80}]}
    obj: Obj = {
        "metadata": {"name": "d"},
        "spec": {"replicas": 1, "template": {"spec": {"containers": [container]}}},
        "status": {},
    }

    manager.record_update(None, obj, schema=schema, api_version="apps/v1", manager="m", now=NOON)

    port: Obj = {".": {}, "f:containerPort": {}}
    (entry,) = obj["metadata"]["managedFields"]
    assert json.dumps(entry["fieldsV1"]) == json.dumps(
        {
            "f:spec": {
                "f:replicas": {},
                "f:template": {
                    "f:spec": {
                        "f:containers": {
                            'k:{"name":"web"}': {
                                ".": {},
                                "f:name": {},
                                "f:ports": {
                                    ".": {},
                                    'k:{"containerPort":80,"protocol":"TCP"}': port,
                                    'k:{"containerPort":443,"protocol":"TCP"}': port,
                                },
                                "f:resources": {},
                            }
                        }
                    }
                },
            }
        }
    )


@pytest.mark.parametrize("reset", [[], [{}]])
def test_client_can_forget_all_owners(reset: list[Any]) -> None:
    """From then on nothing is tracked until the first apply."""
    created = update(None, thing(size=1), "a")
    cleared = copy.deepcopy(created)
    cleared["metadata"]["managedFields"] = reset

    found = update(created, cleared, "a")
    tracked = apply(found, thing(text="x"), "b", LATER)

    assert "managedFields" not in found["metadata"]
    assert entries(tracked) == {"b": {"f:text": {}}, "before-first-apply": {".": {}, "f:size": {}}}


def test_client_can_rewrite_the_owners() -> None:
    """That is how kubectl migrates from client-side apply; malformed entries are ignored."""
    created = update(None, thing(size=1), "a")
    renamed = copy.deepcopy(created)
    renamed["metadata"]["managedFields"][0]["manager"] = "b"
    broken = copy.deepcopy(created)
    broken["metadata"]["managedFields"][0]["operation"] = "x"

    assert list(entries(update(created, renamed, "a"))) == ["b"]
    assert list(entries(update(created, broken, "a"))) == ["a"]
    assert list(entries(update(created, renamed, "a", subresource="status"))) == ["a"]


def test_object_that_cannot_be_tracked_keeps_its_entries() -> None:
    """A list element without its keys is a matter for validation, not for ownership."""
    created = update(None, thing(set=["x"]), "a")

    found = update(created, thing(set=[{}]), "b")

    assert list(entries(found)) == ["a"]


def test_apply_creates_merges_and_prunes() -> None:
    """Fields that an applier leaves out the next time are removed unless they have other owners."""
    first = apply(None, thing(size=1, text="x", labels={"a": "1"}), "a")
    shared = apply(first, thing(text="x"), "b")
    second = apply(shared, thing(size=2), "a", LATER)

    assert second["spec"] == {"size": 2, "text": "x"}
    assert entries(second) == {"a": {"f:size": {}}, "b": {"f:text": {}}}
    assert first["spec"]["labels"] == {"a": "1"}


def test_apply_again_changes_nothing() -> None:
    """A result that equals the live object needs no write."""
    live = apply(None, thing(size=1, set=["a"]), "a")

    assert apply(live, thing(size=1, set=["a"]), "a", LATER) == live


def test_apply_conflicts_with_another_owner() -> None:
    """Force takes the field over."""
    live = update(None, thing(size=1), "other")

    with pytest.raises(StatusError) as caught:
        apply(live, thing(size=2), "a")
    forced = apply(live, thing(size=2), "a", force=True)

    assert caught.value.message == (
        f'Apply failed with 1 conflict: conflict with "other" using {custom.VERSION}: .spec.size'
    )
    assert entries(forced) == {"a": {"f:size": {}}, "other": {}}


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        ({"apiVersion": "v1"}, 400, "invalid object type: /v1, Kind=Thing"),
        ({"kind": None}, 400, "invalid object type: example.com/v1, Kind="),
        ({"metadata": {"managedFields": []}}, 400, "metadata.managedFields must be nil"),
        (
            {"spec": {"nope": 1}},
            500,
            (
                "failed to create typed patch object (default/t; example.com/v1, Kind=Thing):"
                " .spec.nope: field not declared in schema"
            ),
        ),
    ],
)
def test_configuration_that_makes_no_sense_is_refused(change: Obj, code: int, message: str) -> None:
    """The texts are those of the real server."""
    with pytest.raises(StatusError) as caught:
        apply(None, {**thing(), **change}, "a", kind="Thing")

    assert (caught.value.code, str(caught.value)) == (code, message)


def test_kubectl_takes_over_what_it_applied_on_the_client() -> None:
    """It takes over only fields with their annotated values, and updates the annotation."""
    client = thing(size=1, text="x")
    client["metadata"]["annotations"] = {lastapplied.ANNOTATION: json.dumps(thing(size=1))}
    live = update(None, client, "kubectl-client-side-apply")

    with pytest.raises(StatusError):
        apply(live, thing(size=2), "argo")
    with pytest.raises(StatusError, match=r"1 conflict.*\.spec\.text"):
        apply(live, thing(size=2, text="y"), "kubectl")
    found = apply(live, thing(size=2), "kubectl")

    assert found["spec"] == {"size": 2, "text": "x"}
    assert json.loads(lastapplied.find(found))["spec"] == {"size": 2}


def test_times_alone_are_no_change() -> None:
    """A write that changes nothing else must not produce a new version."""
    old = update(None, thing(size=1), "a")
    new = copy.deepcopy(old)
    new["metadata"]["managedFields"][0]["time"] = LATER
    other = edited(copy.deepcopy(new), size=2)

    manager.keep_times(old, new)
    manager.keep_times(old, other)

    assert new == old
    assert other["metadata"]["managedFields"][0]["time"] == LATER


@pytest.mark.parametrize(
    ("kind", "subresource", "paths"),
    [
        ("Job", "", {("f:status",)}),
        ("Job", "status", {("f:spec",)}),
        ("Deployment", "status", {("f:spec",), ("f:metadata", "f:labels")}),
        ("Job", "scale", set()),
    ],
)
def test_each_door_resets_what_it_cannot_change(
    kind: str, subresource: str, paths: set[tuple[str, ...]]
) -> None:
    """The status is not written through the object, nor the spec through the status."""
    found = reset_fields(kind, subresource, has_status=True)

    assert set(fieldset.paths(found or {})) == paths


def test_custom_resources_keep_their_metadata_through_the_status() -> None:
    """Kinds without a status of its own have nothing to reset."""
    found = reset_fields("Thing", "status", has_status=True, custom=True)

    assert set(fieldset.paths(found or {})) == {("f:metadata",), ("f:spec",)}
    assert reset_fields("Thing", "", has_status=False, custom=True) is None

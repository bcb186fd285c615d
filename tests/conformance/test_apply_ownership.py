"""Server-side apply: who owns which field, and what follows from it."""

from typing import Any

import pytest

from tests.conformance.bodies import deployment, service
from tests.conformance.crds import Things
from tests.conformance.wire import Wire, with_query


def managers(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the entries of managedFields by manager and operation."""
    found = document["metadata"]["managedFields"]
    return {f"{one['manager']} {one['operation']}": one for one in found}


def owned(document: dict[str, Any], manager: str) -> Any:
    """Return the fields of *manager*, such as ``test Apply``; None if it owns nothing."""
    return managers(document).get(manager, {}).get("fieldsV1")


def metadata(things: Things, **more: Any) -> dict[str, Any]:
    """Return an object that says nothing but its metadata."""
    body: dict[str, Any] = things.body("a")
    del body["data"]
    body["metadata"].update(more)
    return body


def test_apply_creates_and_owns_what_it_said(api: Wire, things: Things) -> None:
    """An entry names manager, operation, version, time and fields."""
    applied = api.apply(f"{things.path}/a", things.body("a", labels={"l": "1"}, k="1")).ok(201)

    [entry] = applied["metadata"]["managedFields"]
    time = entry.pop("time")
    assert entry == {
        "manager": "test",
        "operation": "Apply",
        "apiVersion": things.api_version,
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:data": {"f:k": {}}, "f:metadata": {"f:labels": {"f:l": {}}}},
    }
    assert time == applied["metadata"]["creationTimestamp"]


def test_applying_the_same_again_writes_nothing(api: Wire, things: Things) -> None:
    """A controller may apply on every reconcile."""
    first = api.apply(f"{things.path}/a", things.body("a", k="1")).ok(201)

    assert api.apply(f"{things.path}/a", things.body("a", k="1")).ok(200) == first


def test_a_field_of_another_manager_is_a_conflict(api: Wire, things: Things) -> None:
    """The answer names the other and the field."""
    api.apply(f"{things.path}/a", things.body("a", k="1"), owner="one").ok(201)

    status = api.apply(f"{things.path}/a", things.body("a", k="2"), owner="two").refused(
        409, "Conflict"
    )

    assert status["message"] == 'Apply failed with 1 conflict: conflict with "one": .data.k'
    assert status["details"]["causes"] == [
        {"reason": "FieldManagerConflict", "message": 'conflict with "one"', "field": ".data.k"}
    ]
    assert api.get(f"{things.path}/a").ok()["data"] == {"k": "1"}


def test_a_conflict_with_an_update_says_so(api: Wire, things: Things) -> None:
    """Such a manager did not apply, and the time tells which write it was."""
    api.post(with_query(things.path, fieldManager="one"), things.body("a", k="1", m="1")).ok(201)

    status = api.apply(f"{things.path}/a", things.body("a", k="2", m="2"), owner="two").refused(
        409, "Conflict"
    )

    assert status["message"].startswith("Apply failed with 2 conflicts: conflicts with")
    assert f'"one" using {things.api_version}' in status["message"]
    assert sorted(one["field"] for one in status["details"]["causes"]) == [".data.k", ".data.m"]


def test_force_takes_the_field_away(api: Wire, things: Things) -> None:
    """Ownership moves, and the other keeps the rest."""
    api.apply(f"{things.path}/a", things.body("a", k="1", m="1"), owner="one").ok(201)

    forced = api.apply(f"{things.path}/a", things.body("a", k="2"), owner="two", force="true").ok()

    assert forced["data"] == {"k": "2", "m": "1"}
    assert owned(forced, "one Apply") == {"f:data": {"f:m": {}}}
    assert owned(forced, "two Apply") == {"f:data": {"f:k": {}}}


def test_the_same_value_is_shared(api: Wire, things: Things) -> None:
    """Two that agree own the field together; it goes when the last one lets go."""
    path = f"{things.path}/a"
    api.post(things.path, things.body("a", other="1")).ok(201)
    api.apply(path, things.body("a", k="1"), owner="one").ok()
    shared = api.apply(path, things.body("a", k="1"), owner="two").ok()

    kept = api.apply(path, metadata(things), owner="one").ok()
    gone = api.apply(path, metadata(things), owner="two").ok()

    assert owned(shared, "one Apply") == owned(shared, "two Apply") == {"f:data": {"f:k": {}}}
    assert kept["data"] == {"k": "1", "other": "1"}
    assert gone["data"] == {"other": "1"}
    assert owned(kept, "one Apply") is None


def test_what_is_not_applied_any_more_is_removed(api: Wire, things: Things) -> None:
    """But only what this manager owned."""
    path = f"{things.path}/a"
    api.apply(path, things.body("a", k="1", m="1")).ok(201)
    api.patch(path, {"data": {"other": "1"}}).ok()

    applied = api.apply(path, things.body("a", k="1")).ok()

    assert applied["data"] == {"k": "1", "other": "1"}


def test_an_update_takes_ownership_without_asking(api: Wire, things: Things) -> None:
    """Only apply conflicts; a later apply of the old value does."""
    path = f"{things.path}/a"
    api.apply(path, things.body("a", k="1")).ok(201)

    patched = api.patch(with_query(path, fieldManager="kubectl-edit"), {"data": {"k": "2"}}).ok()

    assert owned(patched, "kubectl-edit Update") == {"f:data": {"f:k": {}}}
    assert owned(patched, "test Apply") is None
    api.apply(path, things.body("a", k="1")).refused(409, "Conflict")


def test_the_manager_of_an_update_is_the_client_by_default(api: Wire, things: Things) -> None:
    """The first word of the User-Agent, up to the slash."""
    reply = api.ask(
        "POST", things.path, things.body("a", k="1"), headers={"User-Agent": "tool/1 (x)"}
    )

    assert list(managers(reply.ok(201))) == ["tool Update"]


def test_an_update_owns_structure_too(api: Wire, things: Things) -> None:
    """The dot stands for the map itself, which apply does not claim."""
    made = api.post(with_query(things.path, fieldManager="one"), things.body("a", k="1")).ok(201)

    assert owned(made, "one Update") == {"f:data": {".": {}, "f:k": {}}}


def test_a_manager_that_updates_and_applies_has_two_entries(api: Wire, things: Things) -> None:
    """What it updated it must force to apply, or let go."""
    path = f"{things.path}/a"
    api.post(with_query(things.path, fieldManager="one"), things.body("a", k="1")).ok(201)

    applied = api.apply(path, things.body("a", m="1"), owner="one").ok()

    assert owned(applied, "one Update") == {"f:data": {".": {}, "f:k": {}}}
    assert owned(applied, "one Apply") == {"f:data": {"f:m": {}}}


def test_apply_of_an_unchanged_value_shares_with_the_update(api: Wire, things: Things) -> None:
    """This is how a tool moves from update to apply without force."""
    path = f"{things.path}/a"
    api.post(with_query(things.path, fieldManager="old"), things.body("a", k="1")).ok(201)

    applied = api.apply(path, things.body("a", k="1"), owner="new").ok()
    emptied = api.apply(path, metadata(things), owner="new").ok()

    assert owned(applied, "new Apply") == {"f:data": {"f:k": {}}}
    assert emptied["data"] == {"k": "1"}


def test_managed_fields_can_be_cleared(api: Wire, things: Things) -> None:
    """An empty list resets; an absent one keeps."""
    path = f"{things.path}/a"
    made = api.post(things.path, things.body("a", k="1")).ok(201)
    made["metadata"].pop("managedFields")
    kept = api.put(path, made).ok()

    cleared = api.patch(path, {"metadata": {"managedFields": [{}]}}).ok()

    assert kept["metadata"]["managedFields"]
    assert "managedFields" not in cleared["metadata"]


@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        ({"fieldManager": None}, 422, "PatchOptions"),
        ({"name": "b"}, 400, "the name of the object (b)"),
        ({"managed": True}, 400, "metadata.managedFields must be nil"),
        ({"kind": None}, 400, "v1, Kind="),
        ({"apiVersion": "example.com/v9"}, 400, "example.com/v9"),
    ],
    ids=["no manager", "another name", "managed fields", "no kind", "another version"],
)
def test_a_wrong_apply_is_refused(
    api: Wire, things: Things, *, change: dict[str, Any], status: int, said: str
) -> None:
    """Apply is precise about what it takes."""
    body = things.body("a", k="1")
    owner = "test" if "fieldManager" not in change else None
    if "name" in change:
        body["metadata"]["name"] = change["name"]
    if "managed" in change:
        body["metadata"]["managedFields"] = [{"manager": "x", "operation": "Apply"}]
    body.update({key: value for key, value in change.items() if key in ("kind", "apiVersion")})

    reply = api.patch(with_query(f"{things.path}/a", fieldManager=owner), body, "apply")

    assert reply.status in (status, 400, 422, 500), reply.text
    assert said in reply.json()["message"]
    api.get(f"{things.path}/a").refused(404, "NotFound")


def test_force_is_for_apply_only(api: Wire, things: Things) -> None:
    """Other patches know no conflicts."""
    api.post(things.path, things.body("a")).ok(201)

    status = api.patch(with_query(f"{things.path}/a", force="true"), {}).refused(422, "Invalid")

    assert status["message"] == (
        'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for'
        " non-apply patch"
    )


def test_yaml_is_taken(api: Wire, things: Things) -> None:
    """The media type says so."""
    body = (
        f"apiVersion: {things.api_version}\nkind: {things.kind}\nmetadata: {{name: a}}\n"
        "data:\n  k: 'yes'\n"
    )

    assert api.apply(f"{things.path}/a", body.encode()).ok(201)["data"] == {"k": "yes"}


def test_containers_are_owned_one_by_one(api: Wire, deployments: str) -> None:
    """A list with keys is a map to apply: two managers own an element each."""
    path = f"{deployments}/a"
    api.apply(path, deployment("a"), owner="one").ok(201)
    sidecar: dict[str, Any] = deployment("a")
    sidecar["spec"] = {"template": {"spec": {"containers": [{"name": "side", "image": "s"}]}}}

    both = api.apply(path, sidecar, owner="two").ok()
    containers = both["spec"]["template"]["spec"]["containers"]
    del sidecar["spec"]["template"]["spec"]["containers"]
    alone = api.apply(path, sidecar, owner="two").ok()

    assert sorted(one["name"] for one in containers) == ["main", "side"]
    assert owned(both, "two Apply") == {
        "f:spec": {
            "f:template": {
                "f:spec": {
                    "f:containers": {'k:{"name":"side"}': {".": {}, "f:image": {}, "f:name": {}}}
                }
            }
        }
    }
    remaining = alone["spec"]["template"]["spec"]["containers"]
    assert [one["name"] for one in remaining] == ["main"]


@pytest.mark.since("1.21", reason="defaults in keys of lists")
def test_ports_have_two_keys(api: Wire, namespace: str) -> None:
    """The same number over UDP is another port; the default protocol counts as given."""
    path = f"/api/v1/namespaces/{namespace}/services/a"
    tcp = service("a", ports=[{"name": "t", "port": 53}])
    udp = service("a", ports=[{"name": "u", "port": 53, "protocol": "UDP"}])

    api.apply(path, tcp, owner="one").ok(201)
    both = api.apply(path, udp, owner="two").ok()

    assert [(one["port"], one["protocol"]) for one in both["spec"]["ports"]] == [
        (53, "TCP"),
        (53, "UDP"),
    ]
    keys = list(owned(both, "two Apply")["f:spec"]["f:ports"])
    assert keys == ['k:{"port":53,"protocol":"UDP"}']


def test_finalizers_are_a_set(api: Wire, things: Things) -> None:
    """Each manager owns its values."""
    path = f"{things.path}/a"
    api.apply(path, metadata(things, finalizers=["a.com/1"]), owner="one").ok(201)

    both = api.apply(path, metadata(things, finalizers=["a.com/2"]), owner="two").ok()
    less = api.apply(path, metadata(things), owner="one").ok()
    api.patch(path, {"metadata": {"finalizers": None}}).ok()

    assert sorted(both["metadata"]["finalizers"]) == ["a.com/1", "a.com/2"]
    assert less["metadata"]["finalizers"] == ["a.com/2"]
    assert owned(both, "two Apply") == {"f:metadata": {"f:finalizers": {'v:"a.com/2"': {}}}}


def test_defaults_are_nobodys(api: Wire, deployments: str) -> None:
    """So a manager can set them later without a conflict."""
    path = f"{deployments}/a"
    api.apply(path, deployment("a"), owner="one").ok(201)

    scaled = api.apply(path, {**deployment("a"), "spec": {"replicas": 3}}, owner="two").ok()

    assert scaled["spec"]["replicas"] == 3
    assert owned(scaled, "two Apply") == {"f:spec": {"f:replicas": {}}}


@pytest.mark.since("1.22", reason="apply to subresources tracks them apart")
def test_the_status_is_owned_apart(api: Wire, deployments: str) -> None:
    """An entry names its subresource."""
    path = f"{deployments}/a"
    api.apply(path, deployment("a"), owner="one").ok(201)
    status = {**deployment("a"), "spec": {}, "status": {"replicas": 1}}
    del status["spec"]

    applied = api.apply(f"{path}/status", status, owner="one").ok()

    entries = [one for one in applied["metadata"]["managedFields"] if one["manager"] == "one"]
    assert sorted(one.get("subresource", "") for one in entries) == ["", "status"]
    assert applied["spec"]["replicas"] == 1


@pytest.mark.since("1.22", reason="scale owns replicas since then")
def test_scaling_owns_the_replicas(api: Wire, deployments: str) -> None:
    """An autoscaler and an applier find out about one another."""
    path = f"{deployments}/a"
    api.apply(path, deployment("a", replicas=1), owner="one").ok(201)
    api.patch(with_query(f"{path}/scale", fieldManager="hpa"), {"spec": {"replicas": 5}}).ok()

    status = api.apply(path, deployment("a", replicas=2), owner="one").refused(409, "Conflict")

    assert ".spec.replicas" in status["message"]
    assert '"hpa"' in status["message"]

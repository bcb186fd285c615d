"""dryRun=All: everything happens, but nothing stays."""

import pytest

from tests.conformance.bodies import deployment, names
from tests.conformance.crds import Things
from tests.conformance.wire import Wire, with_query


def dry(path: str) -> str:
    """Return *path* with the parameter."""
    return with_query(path, dryRun="All")


def test_a_create_answers_as_if_and_stores_nothing(api: Wire, deployments: str) -> None:
    """Defaults and a uid are filled in, so that one sees what would be."""
    made = api.post(dry(deployments), deployment("a")).ok(201)

    assert made["spec"]["strategy"]["type"] == "RollingUpdate"
    assert made["metadata"]["uid"]
    assert "resourceVersion" not in made["metadata"]
    api.get(f"{deployments}/a").refused(404, "NotFound")


def test_a_create_may_name_a_version(api: Wire, things: Things) -> None:
    """So may a manifest that was saved from the server; only what is stored minds."""
    body = things.body("a", k="1")
    body["metadata"]["resourceVersion"] = "1"

    api.post(dry(things.path), body).ok(201)

    api.post(things.path, body).refused(500)


def test_changes_answer_as_if_and_store_nothing(api: Wire, things: Things) -> None:
    """Replace and patch of all kinds, with the version that is stored."""
    made = api.post(things.path, things.body("a", k="1")).ok(201)
    path = f"{things.path}/a"
    changed = {**made, "data": {"k": "2"}}

    replaced = api.put(dry(path), changed).ok()
    merged = api.patch(dry(path), {"data": {"k": "3"}}).ok()
    jsoned = api.patch(dry(path), [{"op": "replace", "path": "/data/k", "value": "4"}], "json").ok()

    assert [one["data"]["k"] for one in (replaced, merged, jsoned)] == ["2", "3", "4"]
    assert replaced["metadata"]["resourceVersion"] == made["metadata"]["resourceVersion"]
    assert api.get(path).ok() == made


def test_a_delete_deletes_nothing(api: Wire, things: Things) -> None:
    """By the parameter or by the options in the body."""
    api.post(things.path, things.body("a")).ok(201)

    api.delete(dry(f"{things.path}/a")).ok(200)
    api.delete(f"{things.path}/a", {"dryRun": ["All"]}).ok(200)
    api.delete(dry(things.path)).ok(200)

    assert names(api.get(things.path).ok()) == ["a"]


def test_what_would_fail_fails(api: Wire, things: Things) -> None:
    """Conflicts, validation and existence are judged against what is stored."""
    made = api.post(things.path, things.body("a", k="1")).ok(201)
    api.patch(f"{things.path}/a", {"data": {"k": "2"}}).ok()

    api.post(dry(things.path), things.body("a")).refused(409, "AlreadyExists")
    api.post(dry(things.path), things.body("Not_A_Name")).refused(422, "Invalid")
    api.put(dry(f"{things.path}/a"), made).refused(409, "Conflict")
    api.delete(dry(f"{things.path}/b")).refused(404, "NotFound")


def test_a_generated_name_is_no_promise(api: Wire, things: Things) -> None:
    """But it is filled in."""
    body = things.body("x")
    body["metadata"] = {"generateName": "job-"}

    made = api.post(dry(things.path), body).ok(201)

    assert made["metadata"]["name"].startswith("job-")


def test_apply_can_be_tried(api: Wire, things: Things) -> None:
    """``kubectl diff --server-side`` is this."""
    applied = api.apply(f"{things.path}/a", things.body("a", k="1"), dryRun="All")

    assert applied.status in (200, 201), applied.text
    assert applied.json()["metadata"]["managedFields"][0]["operation"] == "Apply"
    api.get(f"{things.path}/a").refused(404, "NotFound")


@pytest.mark.parametrize("value", ["Some", "all", "true"])
def test_another_word_is_refused(
    api: Wire, things: Things, value: str, version: tuple[int, int]
) -> None:
    """A client that means to try must not write by a spelling mistake."""
    path = with_query(things.path, dryRun=value)

    status = api.post(path, things.body("a")).refused(422, "Invalid")

    shown = f'["{value}"]' if version >= (1, 34) else f'[]string{{"{value}"}}'
    assert status["message"] == (
        f'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: {shown}:'
        ' supported values: "All"'
    )
    api.get(f"{things.path}/a").refused(404, "NotFound")


def test_a_dry_scale_scales_nothing(api: Wire, deployments: str) -> None:
    """Subresources keep to it as well."""
    api.post(deployments, deployment("a", replicas=1)).ok(201)

    scaled = api.patch(dry(f"{deployments}/a/scale"), {"spec": {"replicas": 3}}).ok()

    assert scaled["spec"]["replicas"] == 3
    assert api.get(f"{deployments}/a").ok()["spec"]["replicas"] == 1

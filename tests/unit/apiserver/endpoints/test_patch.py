"""Patch: four languages, and what each refuses."""

import base64
from typing import Any

import pytest

from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.asking import (
    APPLY,
    CORE,
    FOOS,
    JSON_PATCH,
    MAPS,
    MERGE,
    PODS,
    STRATEGIC,
    Obj,
    ask,
    define,
    foo,
    make,
    named,
    pod,
)

CONFIG: Obj = {"apiVersion": "v1", "kind": "ConfigMap", **named("a"), "data": {"k": "v"}}


@pytest.mark.parametrize(
    ("media", "change", "want"),
    [
        (MERGE, {"data": {"a": None, "c": "3"}}, {"b": "2", "c": "3"}),
        (STRATEGIC, {"data": {"a": None, "c": "é"}}, {"b": "2", "c": "é"}),
        (JSON_PATCH, [{"op": "remove", "path": "/data/a"}], {"b": "2"}),
        (JSON_PATCH, [{"op": "move", "from": "/data/a", "path": "/data/c"}], {"b": "2", "c": "1"}),
        (MERGE, {"data": None}, None),
        (MERGE, {}, {"a": "1", "b": "2"}),
    ],
)
async def test_each_language_changes_what_it_says(
    server: APIServer, media: str, change: Any, want: Obj | None
) -> None:
    """The rest of the object stays."""
    await make(server, MAPS, {**named("a"), "data": {"a": "1", "b": "2"}})

    answer = await ask(server, "PATCH", f"{MAPS}/a", change, media=f"{media}; charset=utf-8")

    assert (answer.status, answer.obj.get("data")) == (200, want)


async def test_lists_merge_by_their_key_in_a_strategic_patch(server: APIServer) -> None:
    """A container is known by its name."""
    await make(server, PODS, pod("a"))
    change = {"spec": {"containers": [{"name": "c", "image": "new"}]}}

    answer = await ask(server, "PATCH", f"{PODS}/a", change, media=STRATEGIC)

    (container,) = answer.obj["spec"]["containers"]
    assert (container["name"], container["image"]) == ("c", "new")


@pytest.mark.parametrize(
    ("media", "change", "code"),
    [
        ("application/json", {}, 415),
        ("", {}, 415),
        (MERGE, b"{", 400),
        (MERGE, [], 400),
        (STRATEGIC, "x", 400),
        (JSON_PATCH, {}, 400),
        (JSON_PATCH, [{"op": "test", "path": "/data/k", "value": "no"}], 422),
        (JSON_PATCH, [{"op": "remove", "path": "/none/x"}], 422),
        (JSON_PATCH, [{"op": "replace", "path": "", "value": []}], 422),
        (JSON_PATCH, [{"op": "replace", "path": "/metadata", "value": 1}], 422),
        (MERGE, {"metadata": {"name": "b"}}, 400),
        (MERGE, {"metadata": {"namespace": "b"}}, 400),
        (MERGE, {"metadata": {"labels": {"a": 1}}}, 422),
        (MERGE, {"metadata": {"uid": "x"}}, 422),
        (MERGE, {"metadata": {"resourceVersion": "99999"}}, 409),
        (MERGE, {"kind": "Pod"}, 422),
        (MERGE, {"data": {"a b": ""}}, 422),
    ],
)
async def test_what_cannot_be_done_is_refused(
    server: APIServer, media: str, change: Any, code: int
) -> None:
    """The object stays as it was, whatever was wrong."""
    made = await make(server, MAPS, CONFIG)

    answer = await ask(server, "PATCH", f"{MAPS}/a", change, media=media)

    assert answer.status == code, answer.message
    assert (await ask(server, "GET", f"{MAPS}/a")).obj == made


async def test_unknown_fields_in_a_patch_are_warned_of_or_refused(server: APIServer) -> None:
    """As in a whole object."""
    await make(server, MAPS, CONFIG)
    change: Obj = {"dat": {}}

    strict = await ask(server, "PATCH", f"{MAPS}/a?fieldValidation=Strict", change, media=MERGE)
    warned = await ask(server, "PATCH", f"{MAPS}/a", change, media=MERGE)

    assert strict.status == 422
    assert 'strict decoding error: unknown field "dat"' in strict.message
    assert warned.warnings == ['299 - "unknown field \\"dat\\""']


async def test_nothing_is_patched_into_being_but_by_apply(server: APIServer) -> None:
    """Apply says what should be there; the others say what should change."""
    change = {"data": {"k": "v"}}

    merged = await ask(server, "PATCH", f"{MAPS}/a", change, media=MERGE)
    applied = await ask(server, "PATCH", f"{MAPS}/a?fieldManager=me", CONFIG, media=APPLY)

    assert (merged.status, applied.status) == (404, 201)
    assert applied.obj["metadata"]["managedFields"][0]["operation"] == "Apply"


async def test_apply_removes_what_its_manager_no_longer_says(server: APIServer) -> None:
    """What others own stays; what is said again writes nothing."""
    path = f"{MAPS}/a?fieldManager=me"
    await ask(server, "PATCH", path, {**CONFIG, "data": {"k": "v", "old": "1"}}, media=APPLY)
    await ask(server, "PATCH", f"{MAPS}/a", {"data": {"other": "2"}}, media=MERGE)

    first = await ask(server, "PATCH", path, CONFIG, media=APPLY)
    second = await ask(server, "PATCH", path, CONFIG, media=APPLY)

    assert first.obj["data"] == {"k": "v", "other": "2"}
    assert second.version == first.version


async def test_apply_conflicts_with_other_managers_unless_it_is_forced(server: APIServer) -> None:
    """Nobody takes a field from another by accident."""
    await make(server, MAPS, CONFIG)
    config = {**CONFIG, "data": {"k": "mine"}}

    refused = await ask(server, "PATCH", f"{MAPS}/a?fieldManager=me", config, media=APPLY)
    forced = await ask(server, "PATCH", f"{MAPS}/a?fieldManager=me&force=1", config, media=APPLY)

    assert (refused.status, refused.obj["details"]["causes"][0]["field"]) == (409, ".data.k")
    assert (forced.status, forced.obj["data"]) == (200, {"k": "mine"})


@pytest.mark.parametrize(
    ("query", "config", "code", "message"),
    [
        ("", CONFIG, 422, "PatchOptions.meta.k8s.io"),
        ("fieldManager=me", {**CONFIG, "kind": "Pod"}, 400, "invalid object type: v1, Kind=Pod"),
        ("fieldManager=me", [], 400, "error decoding YAML"),
        ("fieldManager=me", b"{a: [}", 400, "error decoding YAML"),
        ("fieldManager=me", {**CONFIG, **named("b")}, 400, "the name of the object (b)"),
        ("fieldManager=me", {**CONFIG, "metadata": []}, 400, "error decoding YAML"),
        ("fieldManager=me", {**CONFIG, **named("a", uid="x")}, 409, "Operation cannot"),
        ("fieldManager=me", {**CONFIG, **named("a", resourceVersion="1")}, 404, "configmaps"),
    ],
)
async def test_an_apply_that_makes_no_sense_is_refused(
    server: APIServer, query: str, config: Any, code: int, message: str
) -> None:
    """Who applies says who they are, what it is, and that it is new."""
    answer = await ask(server, "PATCH", f"{MAPS}/a?{query}", config, media=APPLY)

    assert (answer.status, answer.message[: len(message)]) == (code, message)


async def test_force_is_for_apply_alone(server: APIServer) -> None:
    """In another patch it is a misunderstanding."""
    await make(server, MAPS, CONFIG)

    answer = await ask(server, "PATCH", f"{MAPS}/a?force=true", {}, media=MERGE)

    assert answer.status == 422
    assert "may not be specified for non-apply patch" in answer.message


async def test_yaml_is_applied_like_json(server: APIServer) -> None:
    """People write YAML; a document may use references."""
    text = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: &x hi, y: *x}\n"

    answer = await ask(server, "PATCH", f"{MAPS}/a?fieldManager=me", text, media=APPLY)

    assert (answer.status, answer.obj["data"]) == (201, {"x": "hi", "y": "hi"})


@pytest.mark.parametrize("media", [MERGE, JSON_PATCH, APPLY])
@pytest.mark.parametrize("depth", [400, 100_000])
async def test_a_patch_nested_beyond_reason_is_refused(
    server: APIServer, media: str, depth: int
) -> None:
    """The server must survive it: a reader in C would take the process down."""
    await define(server)
    await make(server, FOOS, foo("a", {}))
    deep = b'{"a":' * depth + b"1" + b"}" * depth
    body = b'{"apiVersion":"example.com/v1","kind":"Foo","spec":%b}' % deep
    force = "&force=1" if media == APPLY else ""
    if media == JSON_PATCH:
        body = b'[{"op":"add","path":"/spec","value":%b}]' % deep

    answer = await ask(server, "PATCH", f"{FOOS}/a?fieldManager=me{force}", body, media=media)

    assert answer.status in ((200, 400) if depth < 1000 else (400,))
    assert (await ask(server, "GET", f"{FOOS}/a")).status == 200


async def test_custom_objects_have_no_strategic_patch(server: APIServer) -> None:
    """Nobody knows the keys of their lists in that language."""
    await define(server)
    await make(server, FOOS, foo("a"))

    answer = await ask(server, "PATCH", f"{FOOS}/a", {}, media=STRATEGIC)

    assert answer.status == 415
    assert STRATEGIC not in answer.message


@pytest.mark.parametrize(
    ("media", "patch"),
    [
        (MERGE, {"data": {"k": "not base64!"}}),
        (MERGE, {"stringData": {"k": 7}}),
        (JSON_PATCH, [{"op": "replace", "path": "/data", "value": "hunter2"}]),
        (STRATEGIC, {"data": {"k": ["hunter2"]}}),
        (APPLY, {"apiVersion": "v1", "kind": "Secret", "data": "hunter2"}),
    ],
)
async def test_a_refusal_repeats_nothing_of_a_secret(
    server: APIServer, media: str, patch: Any
) -> None:
    """Who may patch may not always read, and answers end up in logs and in the audit."""
    secrets = f"{CORE}/secrets"
    await make(server, secrets, {**named("s"), "stringData": {"k": "hunter2"}})
    stored = base64.b64encode(b"hunter2").decode()

    answer = await ask(server, "PATCH", f"{secrets}/s?fieldManager=x", patch, media=media)

    told = answer.body.decode() + str(server.audit.events(resource="secrets"))
    assert answer.status >= 400
    assert "hunter2" not in told
    assert stored not in told

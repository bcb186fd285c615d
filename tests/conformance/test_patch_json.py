"""JSON patch, RFC 6902: a list of operations, all or nothing."""

from typing import Any

import pytest

from tests.conformance.crds import Things
from tests.conformance.wire import Wire


@pytest.fixture
def path(api: Wire, things: Things) -> str:
    """The path of an object with two entries."""
    body = things.body("a", k="1", m="2")
    api.post(things.path, body).ok(201)
    return f"{things.path}/a"


@pytest.mark.parametrize(
    ("operations", "data"),
    [
        ([{"op": "add", "path": "/data/n", "value": "3"}], {"k": "1", "m": "2", "n": "3"}),
        ([{"op": "add", "path": "/data/k", "value": "3"}], {"k": "3", "m": "2"}),
        ([{"op": "replace", "path": "/data/k", "value": "3"}], {"k": "3", "m": "2"}),
        ([{"op": "replace", "path": "/data", "value": {"z": "1"}}], {"z": "1"}),
        ([{"op": "remove", "path": "/data/k"}], {"m": "2"}),
        ([{"op": "move", "from": "/data/k", "path": "/data/n"}], {"m": "2", "n": "1"}),
        ([{"op": "copy", "from": "/data/k", "path": "/data/n"}], {"k": "1", "m": "2", "n": "1"}),
        ([{"op": "test", "path": "/data/k", "value": "1"}], {"k": "1", "m": "2"}),
        (
            [
                {"op": "add", "path": "/data/n", "value": "3"},
                {"op": "remove", "path": "/data/n"},
                {"op": "replace", "path": "/data/m", "value": "4"},
            ],
            {"k": "1", "m": "4"},
        ),
        ([], {"k": "1", "m": "2"}),
    ],
)
def test_operations_do_what_they_say(
    api: Wire, path: str, operations: list[dict[str, Any]], data: dict[str, str]
) -> None:
    """In their order, each on the result of the one before."""
    assert api.patch(path, operations, "json").ok()["data"] == data


def test_pointers_escape_slash_and_tilde(api: Wire, path: str) -> None:
    """``~1`` is a slash and ``~0`` is a tilde; annotation keys need it."""
    api.patch(path, {"metadata": {"annotations": {"example.com/a": "1"}}}).ok()

    operation = {"op": "replace", "path": "/metadata/annotations/example.com~1a", "value": "2"}
    patched = api.patch(path, [operation], "json").ok()

    assert patched["metadata"]["annotations"] == {"example.com/a": "2"}


def test_lists_are_edited_by_index_and_dash(api: Wire, path: str) -> None:
    """A number inserts before that element, and a dash appends."""
    api.patch(path, {"metadata": {"finalizers": ["a.com/1", "a.com/2"]}}).ok()

    where = "/metadata/finalizers"
    operations = [
        {"op": "add", "path": f"{where}/0", "value": "a.com/0"},
        {"op": "add", "path": f"{where}/-", "value": "a.com/3"},
        {"op": "remove", "path": f"{where}/1"},
    ]
    patched = api.patch(path, operations, "json").ok()
    api.patch(path, {"metadata": {"finalizers": None}}).ok()

    assert patched["metadata"]["finalizers"] == ["a.com/0", "a.com/2", "a.com/3"]


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "remove", "path": "/data/none"},
        # Kubernetes lets `replace` add a key that is not there, and kubectl counts on it; a build
        # with a newer patch library refuses. A missing parent is refused by all.
        {"op": "replace", "path": "/none/deeper", "value": "1"},
        {"op": "add", "path": "/none/deeper", "value": "1"},
        {"op": "test", "path": "/data/k", "value": "2"},
        {"op": "move", "from": "/data/none", "path": "/data/n"},
    ],
    ids=lambda operation: operation["op"],
)
def test_an_operation_that_cannot_be_done_undoes_all(
    api: Wire, path: str, operation: dict[str, Any]
) -> None:
    """The object stays as it was."""
    first = {"op": "add", "path": "/data/first", "value": "1"}

    api.patch(path, [first, operation], "json").refused(422, "Invalid")

    assert api.get(path).ok()["data"] == {"k": "1", "m": "2"}


@pytest.mark.parametrize(
    "body",
    [b"{}", b"[1]", b"{", b'[{"op":"dance","path":"/data"}]'],
    ids=lambda body: body.decode(),
)
def test_a_body_that_is_no_patch_is_refused(api: Wire, path: str, body: bytes) -> None:
    """As a mistake of the client."""
    reply = api.patch(path, body, "json")

    assert reply.status in (400, 422), reply.text
    assert reply.json()["kind"] == "Status"


def test_the_result_is_validated(api: Wire, path: str) -> None:
    """A patch is no way around the rules."""
    operation = {"op": "add", "path": "/metadata/labels", "value": {"a b": "c"}}

    found = api.patch(path, [operation], "json").causes()

    assert {field for _, field, _ in found} == {"metadata.labels"}


@pytest.mark.parametrize("where", ["name", "namespace", "uid"])
def test_the_identity_cannot_be_patched(api: Wire, path: str, where: str) -> None:
    """It is the object that the path names, or none."""
    operation = {"op": "replace", "path": f"/metadata/{where}", "value": "other"}

    reply = api.patch(path, [operation], "json")

    assert reply.status in (400, 409, 422), reply.text
    assert api.get(path).ok()["data"] == {"k": "1", "m": "2"}


def test_what_is_not_there_cannot_be_patched(api: Wire, things: Things) -> None:
    """Only apply creates."""
    api.patch(f"{things.path}/none", [], "json").refused(404, "NotFound")


@pytest.mark.since("1.27", reason="older servers look at the fields of objects only")
def test_a_field_that_operations_do_not_have_is_told_or_refused(api: Wire, path: str) -> None:
    """A misspelt field of an operation is a mistake like one of the object."""
    operations = [{"op": "replace", "path": "/data/k", "value": "2", "form": "/data/m"}]
    strange = 'json patch unknown field "[0].form"'

    strict = api.patch(f"{path}?fieldValidation=Strict", operations, "json").refused(422, "Invalid")
    warned = api.patch(path, operations, "json")

    assert strict["message"].endswith(f"strict decoding error: {strange}")
    assert warned.ok()["data"]["k"] == "2"
    assert warned.warnings() == [strange]

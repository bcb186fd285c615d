import copy
from typing import Any

import msgspec
import pytest

from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.patch import json_patch

DOCUMENT = {"a": {"b": [1, 2, 3]}, "x/y": {"~": 1}, "n": None}


def op(name: str, path: str, **more: Any) -> dict[str, Any]:
    return {"op": name, "path": path, **more}


@pytest.mark.parametrize(
    ("operation", "path", "result"),
    [
        (op("add", "/a/c", value=1), ("a", "c"), 1),
        (op("add", "/a/b/1", value=9), ("a", "b"), [1, 9, 2, 3]),
        (op("add", "/a/b/-", value=9), ("a", "b"), [1, 2, 3, 9]),
        (op("add", "/a/b/-1", value=9), ("a", "b"), [1, 2, 3, 9]),
        (op("add", "/x~1y/~0", value=2), ("x/y", "~"), 2),
        (op("remove", "/a/b/0"), ("a", "b"), [2, 3]),
        (op("remove", "/a/b/-1"), ("a", "b"), [1, 2]),
        (op("replace", "/a/b/0", value=[5]), ("a", "b"), [[5], 2, 3]),
        (op("replace", "/a/new", value=1), ("a", "new"), 1),
        (op("move", "/c", **{"from": "/a/b"}), ("c",), [1, 2, 3]),
        (op("copy", "/c", **{"from": "/a/b"}), ("c",), [1, 2, 3]),
        (op("replace", "", value={"q": 1}), ("q",), 1),
        (op("test", "/gone", value=None), ("n",), None),
    ],
)
def test_operation_changes_what_it_names(
    operation: dict[str, Any], path: tuple[str, ...], result: Any
) -> None:
    """Each operation does what the real server does with it, and leaves the input alone."""
    document = copy.deepcopy(DOCUMENT)

    patched = json_patch.apply(document, [operation])

    for step in path:
        patched = patched[step]
    assert patched == result
    assert document == DOCUMENT


@pytest.mark.parametrize(
    "operation",
    [
        op("test", "/a/b/0", value=2),
        op("test", "/a/b/0", value=1.0),
        op("test", "/a/b/0", value=True),
        op("test", "", value={}),
        op("remove", "/nope"),
        op("remove", "/a/b/3"),
        op("add", "/a/b/4", value=1),
        op("add", "/a/b/x", value=1),
        op("add", "/nope/deeper", value=1),
        op("add", "/n/deeper", value=1),
        op("add", "", value=1),
        op("replace", "/a/b/7", value=1),
        op("replace", "", value=1),
        op("copy", "/c"),
        op("merge", "/a"),
        {"op": "remove"},
    ],
)
def test_operation_that_does_not_apply_is_refused(operation: dict[str, Any]) -> None:
    """The server says no more than this, whatever the reason."""
    with pytest.raises(StatusError) as caught:
        json_patch.apply(DOCUMENT, [operation])

    assert (caught.value.code, caught.value.reason) == (422, "Invalid")
    assert str(caught.value) == "the server rejected our request due to an error in our request"


@pytest.mark.parametrize(
    ("operation", "why"),
    [
        (
            op("add", "/x/y", value=1),
            'add operation does not apply: doc is missing path: "/x/y": missing value',
        ),
        (
            op("remove", "/a/b/9"),
            (
                "error in remove for path: '/a/b/9': Unable to access invalid index: 9:"
                " invalid index referenced"
            ),
        ),
        (op("test", "/a", value=1), "testing value /a failed: test failed"),
        (
            op("move", "/a/b/x", **{"from": "/n"}),
            (
                "error in move for path: '/a/b/x': value was not a proper array index: 'x':"
                ' strconv.Atoi: parsing "x": invalid syntax'
            ),
        ),
        (op("copy", "/q", **{"from": "/z/z"}), "copy operation does not apply: doc is missing"),
        ({"op": "add"}, "add operation failed to decode path: missing value"),
        ({"op": "move"}, "move operation failed to decode from: operation, missing from field"),
        ({}, "Unexpected kind: unknown"),
    ],
)
def test_cause_says_why(operation: dict[str, Any], why: str) -> None:
    """Those whose webhook sent the patch are told in the library's words."""
    with pytest.raises(StatusError) as caught:
        json_patch.apply(DOCUMENT, [operation])

    assert str(caught.value.__cause__).startswith(why)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{"op": "add"}', "cannot unmarshal object into Go value of type []handlers.jsonPatchOp"),
        (b"[1]", "cannot unmarshal number into Go value of type handlers.jsonPatchOp"),
        (b'[{"op": 1}]', "number into Go struct field jsonPatchOp.op of type string"),
        (b"[", "error decoding patch: "),
    ],
)
def test_malformed_patch_is_a_bad_request(body: bytes, message: str) -> None:
    """A body that is not a list of operations never reaches the object."""
    with pytest.raises(StatusError) as caught:
        json_patch.apply({}, body)

    assert caught.value.code == 400
    assert message in str(caught.value)


def test_patch_with_too_many_operations_is_too_large() -> None:
    """Ten thousand operations are allowed, one more is not."""
    body = msgspec.json.encode([op("add", "/a", value=1)] * 10_001)

    with pytest.raises(StatusError) as caught:
        json_patch.apply({}, body)

    assert caught.value.code == 413
    assert "maximum operations in a JSON patch is 10000, got 10001" in str(caught.value)


def test_copies_cannot_blow_up_an_object() -> None:
    """Copying a list into itself doubles it each time: some thirty operations fill a memory."""
    doubling = [op("copy", "/a/-", **{"from": "/a"})] * 40

    with pytest.raises(StatusError) as caught:
        json_patch.apply({"a": ["x" * 100]}, doubling)

    assert caught.value.code == 422


def test_unknown_fields_of_operations_are_named() -> None:
    """Strict validation tells where a typo is."""
    operations = [op("add", "/a", value=1), {"op": "test", "path": "/a", "vale": 1}]

    assert json_patch.unknown_fields(operations) == ["[1].vale"]

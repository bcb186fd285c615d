import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.api.patches import (
    apply_json_patch,
    apply_merge_patch,
    copied,
    json_equal,
    json_patch_between,
    merge_patch_between,
    parse_pointer,
    pointer,
)
from kubewright.errors import PatchError, PatchTestError

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 2),
    st.sampled_from([0.0, 1.0, 0.5]),
    st.text(max_size=2),
)
keys = st.sampled_from(["a", "b", "a/b", "~", "~1", "", "0", "-"])
documents = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4)
)


@pytest.mark.parametrize(
    ("document", "operation", "result"),
    [
        ({}, {"op": "add", "path": "/a", "value": 1}, {"a": 1}),
        ({"a": 1}, {"op": "add", "path": "/a", "value": 2}, {"a": 2}),
        ([1, 3], {"op": "add", "path": "/1", "value": 2}, [1, 2, 3]),
        ([1], {"op": "add", "path": "/1", "value": 2}, [1, 2]),
        ([1], {"op": "add", "path": "/-", "value": [2]}, [1, [2]]),
        ({"a": 1}, {"op": "add", "path": "", "value": [1]}, [1]),
        ({}, {"op": "add", "path": "/", "value": 1}, {"": 1}),
        ({"a": None}, {"op": "add", "path": "/b", "value": None}, {"a": None, "b": None}),
        ({"a": 1, "b": 2}, {"op": "remove", "path": "/a"}, {"b": 2}),
        ([1, 2, 3], {"op": "remove", "path": "/1"}, [1, 3]),
        ({"a": {"b": 1}}, {"op": "replace", "path": "/a/b", "value": {}}, {"a": {"b": {}}}),
        ([1], {"op": "replace", "path": "", "value": "x"}, "x"),
        ([1, 2], {"op": "replace", "path": "/0", "value": 3}, [3, 2]),
        ({"a": {"b": 1}, "c": {}}, {"op": "move", "from": "/a/b", "path": "/c/d"},
         {"a": {}, "c": {"d": 1}}),
        ([1, 2, 3], {"op": "move", "from": "/0", "path": "/2"}, [2, 3, 1]),
        ({"a": 1}, {"op": "move", "from": "/a", "path": "/a"}, {"a": 1}),
        ({"a": {"b": 1}}, {"op": "move", "from": "/a", "path": ""}, {"b": 1}),
        ({"a": [1]}, {"op": "copy", "from": "/a", "path": "/b"}, {"a": [1], "b": [1]}),
        ({"a": {}}, {"op": "copy", "from": "", "path": "/a/x"}, {"a": {"x": {"a": {}}}}),
        ({"a/b": {"m~n": 1}}, {"op": "test", "path": "/a~1b/m~0n", "value": 1},
         {"a/b": {"m~n": 1}}),
        ({"~1": 5}, {"op": "replace", "path": "/~01", "value": 6}, {"~1": 6}),
        ({"a": 1}, {"op": "test", "path": "", "value": {"a": 1.0}}, {"a": 1}),
    ],
)  # fmt: skip
def test_each_operation_does_what_the_rfc_says(
    document: Any, operation: dict[str, Any], result: Any
) -> None:
    """Mostly the examples of RFC 6902, appendix A, in other words."""
    before = copy.deepcopy(document)

    assert apply_json_patch(document, [operation]) == result
    assert document == before


@pytest.mark.parametrize(
    ("operation", "problem"),
    [
        ({"op": "remove", "path": "/x"}, "there is no 'x'"),
        ({"op": "remove", "path": ""}, "the whole document cannot be removed"),
        ({"op": "replace", "path": "/x", "value": 1}, "there is no 'x'"),
        ({"op": "add", "path": "/x/y", "value": 1}, "there is no 'x'"),
        ({"op": "add", "path": "/text/y", "value": 1}, "'abc', which has no members, above 'y'"),
        ({"op": "test", "path": "/text/0", "value": "a"}, "which has no members"),
        ({"op": "add", "path": "/list/3", "value": 1}, "index 3 is beyond the end .* has 3 items"),
        ({"op": "remove", "path": "/list/2"}, "index 2 is beyond the end .* has 2 items"),
        ({"op": "remove", "path": "/list/-"}, "'-' is not an index"),
        ({"op": "remove", "path": "/list/-1"}, "'-1' is not an index"),
        ({"op": "remove", "path": "/list/01"}, "'01' is not an index"),
        ({"op": "remove", "path": "/list/١"}, "is not an index"),  # noqa: RUF001  # an Arabic digit
        ({"op": "remove", "path": "/list/"}, "'' is not an index"),
        ({"op": "remove", "path": "/list/" + "9" * 5000}, "beyond the end"),
        ({"op": "remove", "path": "list"}, "begins with '/'"),
        ({"op": "remove", "path": "/li~st"}, "'~' is written '~0'"),
        ({"op": "remove", "path": "/a~"}, "'~' is written '~0'"),
        ({"op": "remove"}, "'remove' needs a text as its 'path'"),
        ({"op": "add", "path": "/a"}, "'add' needs a 'value'"),
        ({"op": "move", "path": "/a"}, "'move' needs a text as its 'from'"),
        ({"op": "move", "from": "/x", "path": "/x"}, "there is no 'x'"),
        ({"op": "move", "from": "/list", "path": "/list/0"}, "cannot move into itself"),
        ({"op": "copy", "from": "/x", "path": "/y"}, "there is no 'x'"),
        ({"op": "merge", "path": "/a"}, "'merge' is not an operation; write one of add, remove"),
        ({"op": ["add"], "path": "/a"}, "is not an operation"),
        ({}, "None is not an operation"),
        ("add", "an operation is an object"),
    ],
)
def test_an_operation_that_does_not_fit_says_which_and_why(operation: Any, problem: str) -> None:
    """A patch of forty operations fails at one of them."""
    document = {"text": "abc", "list": [1, 2]}
    fine = {"op": "add", "path": "/added", "value": True}

    with pytest.raises(PatchError, match=problem) as caught:
        apply_json_patch(document, [fine, operation])

    assert caught.value.index == 1
    assert str(caught.value).startswith("cannot apply operation 1 of the patch at ")
    assert document == {"text": "abc", "list": [1, 2]}


def test_a_failed_test_has_an_error_of_its_own() -> None:
    """Somebody else was faster: read again. Any other failure is a mistake in the patch."""
    with pytest.raises(PatchTestError, match=r"at '/a': expected 2, found 1") as caught:
        apply_json_patch({"a": 1}, [{"op": "test", "path": "/a", "value": 2}])

    assert caught.value.path == "/a"


def test_a_test_tells_true_from_one() -> None:
    """Python takes them for equal, JSON does not."""
    with pytest.raises(PatchTestError):
        apply_json_patch({"a": True}, [{"op": "test", "path": "/a", "value": 1}])


def test_values_of_a_patch_are_not_shared_with_the_result() -> None:
    """Changing the result must not change the patch that made it."""
    value = [1]
    add = {"op": "add", "path": "/a", "value": value}

    result = apply_json_patch({}, [add, {"op": "copy", "from": "/a", "path": "/b"}])
    result["a"].append(2)

    assert result == {"a": [1, 2], "b": [1]}
    assert value == [1]


@pytest.mark.parametrize(
    ("old", "new", "patch"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": 1}, {"a": True}, [{"op": "replace", "path": "/a", "value": True}]),
        ({"a": 1}, {}, [{"op": "remove", "path": "/a"}]),
        ({}, {"x/y": None}, [{"op": "add", "path": "/x~1y", "value": None}]),
        ([1, 2, 3], [1, 3], [{"op": "remove", "path": "/1"}]),
        ([1, 2, 3, 4], [1], [{"op": "remove", "path": "/3"}, {"op": "remove", "path": "/2"},
                             {"op": "remove", "path": "/1"}]),
        ([1, 3], [1, 2, 3], [{"op": "add", "path": "/1", "value": 2}]),
        ([1, 1], [1, 1, 1], [{"op": "add", "path": "/2", "value": 1}]),
        ([{"a": 1, "b": 2}], [{"a": 1, "b": 3}],
         [{"op": "replace", "path": "/0/b", "value": 3}]),
        ({"a": []}, {"a": {}}, [{"op": "replace", "path": "/a", "value": {}}]),
        (1, 2, [{"op": "replace", "path": "", "value": 2}]),
    ],
)  # fmt: skip
def test_a_diff_says_no_more_than_has_changed(old: Any, new: Any, patch: list[Any]) -> None:
    """Admission webhooks answer with it, and people read it in audit logs."""
    assert json_patch_between(old, new) == patch


@given(documents, documents)
def test_a_json_patch_leads_from_one_document_to_the_other(old: Any, new: Any) -> None:
    """Whatever the two documents are; and neither is touched."""
    old_copy, new_copy = copy.deepcopy(old), copy.deepcopy(new)

    patch = json_patch_between(old, new)

    assert json_equal(apply_json_patch(old, patch), new)
    assert json_equal(old, old_copy)
    assert json_equal(new, new_copy)


@given(documents)
def test_equal_documents_have_an_empty_patch(document: Any) -> None:
    """Zero writes at rest."""
    assert json_patch_between(document, copied(document)) == []
    assert merge_patch_between({"a": document}, {"a": copied(document)}) == {}


@pytest.mark.parametrize(
    ("document", "patch", "result"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"a": "foo"}, None, None),
        ({"a": "foo"}, "bar", "bar"),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_a_merge_patch_does_what_the_rfc_says(document: Any, patch: Any, result: Any) -> None:
    """The table of RFC 7386, appendix A."""
    assert apply_merge_patch(document, patch) == result


def test_a_merged_document_keeps_its_order() -> None:
    """A patched manifest stays readable."""
    patched = apply_merge_patch({"a": 1, "b": {"x": 1}, "c": 3}, {"d": 4, "b": {"y": 2}})

    assert list(patched) == ["a", "b", "c", "d"]


def _without_nulls(value: Any) -> Any:
    """Drop the nulls that a merge patch cannot say; those in lists it can."""
    if isinstance(value, dict):
        return {key: _without_nulls(one) for key, one in value.items() if one is not None}
    return value


objects = st.dictionaries(keys, documents, max_size=4)


@given(objects, objects)
def test_a_merge_patch_leads_from_one_document_to_the_other(
    old: dict[str, Any], new: dict[str, Any]
) -> None:
    """Up to nulls, which mean absent; and neither is touched."""
    old_copy, new_copy = copy.deepcopy(old), copy.deepcopy(new)

    result = apply_merge_patch(old, merge_patch_between(old, new))

    assert json_equal(_without_nulls(result), _without_nulls(new))
    assert json_equal(old, old_copy)
    assert json_equal(new, new_copy)


def test_a_merge_patch_says_nothing_of_a_null_that_was_absent() -> None:
    """An empty object in the patch would create it, and so make a write where none is needed."""
    assert merge_patch_between({"a": {"b": 1}}, {"a": {"b": 1, "c": None}}) == {}
    assert merge_patch_between({"a": None}, {"a": None}) == {}
    assert merge_patch_between({}, {"a": {}}) == {"a": {}}
    assert merge_patch_between({"a": 1}, {"a": {}}) == {"a": {}}
    assert merge_patch_between({"a": True}, {"a": 1}) == {"a": 1}


@given(st.lists(st.text()))
def test_a_pointer_reads_back_as_its_parts(parts: list[str]) -> None:
    """Label keys have slashes, and other people's keys have tildes."""
    assert parse_pointer(pointer(*parts)) == parts

import pytest

from kubewright.apiserver.patch import ordering
from kubewright.apiserver.patch.directives import BadPatchError


def test_what_only_the_server_has_stays_before_what_it_stood_before() -> None:
    """The patch orders its own elements; the others keep their neighbours."""
    live = ["a", "s1", "b", "s2"]

    assert ordering.ordered(["a", "s1", "b", "s2"], ["b", "a"], live, "", str) == [
        "s1",
        "b",
        "a",
        "s2",
    ]


def test_elements_are_matched_by_their_key() -> None:
    """An order lists keys, not whole elements."""
    items = [{"name": "x", "v": 1}, {"name": "y"}]

    found = ordering.ordered(items, [{"name": "y"}, {"name": "x"}], items, "name", dict)

    assert [item["name"] for item in found] == ["y", "x"]


def test_repetitions_go_and_types_count() -> None:
    """One and true are two values."""
    assert ordering.unique([1, True, 1, "1"]) == [1, True, "1"]


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([], "no elements in any of the given slices"),
        ([[1]], "lists of lists are not supported"),
        ([1, "a"], r"list element types are not identical: \[\[1 a\]\]"),
    ],
)
def test_lists_that_cannot_be_merged_are_refused(items: list[object], message: str) -> None:
    """All elements are of one type."""
    with pytest.raises(BadPatchError, match=message):
        ordering.element_type(items)


def test_order_that_contradicts_the_patch_is_refused() -> None:
    """The patch lists its elements in the order that it asks for."""
    with pytest.raises(BadPatchError, match="doesn't match \\$setElementOrder list"):
        ordering.check(["a", "b"], ["b", "a"], "")

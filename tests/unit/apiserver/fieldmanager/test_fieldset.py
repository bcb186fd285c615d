from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.apiserver.fieldmanager import fieldset
from kubewright.apiserver.fieldmanager.fieldset import FieldSet

PATHS = st.sets(
    st.lists(
        st.sampled_from(["f:a", "f:b", 'k:{"n":1}', 'k:{"n":10}']), min_size=1, max_size=3
    ).map(tuple),
    max_size=6,
)


def made(paths: set[tuple[str, ...]]) -> FieldSet:
    found: FieldSet = {}
    for path in paths:
        node: FieldSet = {}
        for step in reversed(path):
            node = {step: node}
        found = fieldset.union(found, node)
    return found


@given(PATHS, PATHS)
def test_operations_are_those_of_sets_of_paths(
    left: set[tuple[str, ...]], right: set[tuple[str, ...]]
) -> None:
    """The tree is only a way to write a set down."""
    mine, theirs = made(left), made(right)

    assert set(fieldset.paths(mine)) == left
    assert set(fieldset.paths(fieldset.union(mine, theirs))) == left | right
    assert set(fieldset.paths(fieldset.difference(mine, theirs))) == left - right
    assert set(fieldset.paths(fieldset.intersection(mine, theirs))) == left & right
    assert all(fieldset.has(mine, path) == (path in left) for path in left | right)


@given(PATHS, PATHS)
def test_recursive_difference_takes_what_is_below_too(
    left: set[tuple[str, ...]], right: set[tuple[str, ...]]
) -> None:
    """A strategy that resets the status resets all of it."""
    found = fieldset.recursive_difference(made(left), made(right))

    below = {path for path in left if any(path[: len(top)] == top for top in right)}
    assert set(fieldset.paths(found)) == left - below


@given(PATHS)
def test_leaves_are_the_paths_with_nothing_below(paths: set[tuple[str, ...]]) -> None:
    """A parent that is in the set together with its children is not a leaf."""
    parents = {path[:end] for path in paths for end in range(1, len(path))}

    assert set(fieldset.paths(fieldset.leaves(made(paths)))) == paths - parents


@given(PATHS)
def test_written_set_reads_back(paths: set[tuple[str, ...]]) -> None:
    """What we write, we and the real server read as the same set, in the same order."""
    found = made(paths)

    assert fieldset.read(found) == found
    assert str(fieldset.read(found)) == str(found)


def test_foreign_notation_is_normalised() -> None:
    """Unknown kinds of steps are dropped, an explicit dot alone is a plain member."""
    sent: FieldSet = {"f:a": {".": {}}, "x:y": {}, 'k:{ "b":1 }': {"f:c": {}, ".": {}}}

    assert fieldset.read(sent) == {"f:a": {}, 'k:{"b":1}': {".": {}, "f:c": {}}}
    assert fieldset.read(None) == {}


@pytest.mark.parametrize("fields", [[], "x", {"f:a": 1}, {"nonsense": {}}])
def test_what_is_no_set_is_refused(fields: Any) -> None:
    """Clients send managed fields too."""
    with pytest.raises(fieldset.FieldSetError):
        fieldset.read(fields)


def test_paths_are_shown_as_in_conflicts() -> None:
    """Fields of a level come before those below."""
    fields: FieldSet = {"f:a": {"f:x": {}}, "f:b": {}, "f:c": {".": {}, 'v:"q"': {}}}

    texts = [fieldset.text(path) for path in fieldset.paths(fields)]

    assert texts == [".b", ".c", ".a.x", '.c[="q"]']
    assert fieldset.of(("a", "x"), ("b",)) == {"f:a": {"f:x": {}}, "f:b": {}}


@pytest.mark.parametrize("count", range(8))
def test_all_of_many_sets_are_in_their_union(count: int) -> None:
    """The last of an odd number, too: an owner would lose its fields."""
    sets: list[FieldSet] = [{"f:data": {f"f:{n}": {}}} for n in range(count)]

    found = fieldset.union_all(sets)

    assert found == ({"f:data": {f"f:{n}": {} for n in range(count)}} if count else {})

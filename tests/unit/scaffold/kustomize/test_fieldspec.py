"""Fields of some kinds, changed wherever they are."""

from typing import Any

import pytest

from kubewright.scaffold.kustomize.fieldspec import (
    FieldSpec,
    change_fields,
    merged_specs,
    split_path,
)
from kubewright.scaffold.kustomize.identity import GroupVersionKind
from kubewright.scaffold.kustomize.node import Node, node_of, plain
from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.scalar import text

POD = GroupVersionKind("", "v1", "Pod")


def changed(spec: FieldSpec, value: Any, *, gvk: GroupVersionKind = POD) -> Any:
    """Return *value* with ``new`` in the field of *spec*."""

    def new(node: Node) -> Node:
        return text("new")

    node = node_of(value)
    change_fields([spec], node, gvk, change=new, make="scalar")
    return plain(node)


def test_a_field_is_changed_in_all_elements_of_lists_on_the_way() -> None:
    """A pod has several containers."""
    value = {"spec": {"containers": [{"image": "a"}, {"image": "b"}, {}]}}

    assert changed(FieldSpec("spec/containers/image"), value) == {
        "spec": {"containers": [{"image": "new"}, {"image": "new"}, {}]}
    }


def test_a_missing_field_is_made_where_it_shall_be() -> None:
    """Labels are for all objects, not only for those that have some."""
    assert changed(FieldSpec("a/b", create=True), {}) == {"a": {"b": "new"}}
    assert changed(FieldSpec("a/b", create=True), {"a": None}) == {"a": {"b": "new"}}
    assert changed(FieldSpec("a/b"), {}) == {}
    assert changed(FieldSpec("a[]/b", create=True), {}) == {}


def test_other_kinds_are_left_alone() -> None:
    """``spec/selector`` of another kind may mean something else."""
    spec = FieldSpec("a", GroupVersionKind(kind="Service"))

    assert changed(spec, {"a": "b"}) == {"a": "b"}


def test_a_path_that_ends_early_is_a_problem() -> None:
    """The configuration is wrong then, and it says which one."""
    with pytest.raises(ProblemError) as caught:
        changed(FieldSpec("a/b"), {"a": "text"})

    assert str(caught.value) == "a/b: b is looked for in a single value"


def test_paths_may_have_slashes_in_names() -> None:
    """Those of annotations do."""
    assert split_path(r"metadata/annotations/a.io\/b", "/") == ["metadata", "annotations", "a.io/b"]
    assert split_path("/a/b", "/") == ["a", "b"]


def test_fields_that_contradict_one_another_are_refused() -> None:
    """Two files say of one field that it is, and is not, created."""
    with pytest.raises(ProblemError, match="a of all kinds is given twice"):
        merged_specs([FieldSpec("a")], [FieldSpec("a", create=True)])

    assert merged_specs([FieldSpec("a")], [FieldSpec("a"), FieldSpec("b")]) == [
        FieldSpec("a"),
        FieldSpec("b"),
    ]

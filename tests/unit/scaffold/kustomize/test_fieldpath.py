"""Paths in replacements."""

from typing import Any

import pytest

from kubewright.scaffold.kustomize.fieldpath import find_node, parts_of, places
from kubewright.scaffold.kustomize.node import node_of, plain
from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.scalar import Scalar, text

POD = {
    "metadata": {"annotations": {"a.io/b": "c"}},
    "spec": {"containers": [{"name": "main", "args": ["x", "y"]}, {"name": "other"}]},
}


def at(path: str) -> Any:
    """Return what is at a path."""
    found = find_node(node_of(POD), parts_of(path))
    return None if found is None else plain(found)


def put(path: str, *, create: type[Any] | None = None) -> Any:
    """Return the pod with ``new`` at all places of a path."""
    root = node_of(POD)
    for place in list(places(root, parts_of(path), create=create)):
        place.put(text("new"))
    return plain(root)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("spec.containers.0.name", "main"),
        ("spec.containers.-.name", "other"),
        ("spec.containers.[name=other].name", "other"),
        ("spec.containers.0.args.[=y]", "y"),
        (r"metadata.annotations.a\.io/b", "c"),
        ("metadata.annotations.[a.io/b]", "c"),
        ("spec.containers.5", None),
        ("spec.none.name", None),
    ],
)
def test_sources_are_found(path: str, value: Any) -> None:
    """By name, position, or the value of a field."""
    assert at(path) == value


def test_targets_can_be_several() -> None:
    """All containers, or those that match."""
    everywhere = put("spec.containers.*.name")["spec"]["containers"]
    matching = put("spec.containers.[name=ma.*].name")["spec"]["containers"]

    assert [one["name"] for one in everywhere] == ["new", "new"]
    assert [one["name"] for one in matching] == ["new", "other"]


def test_what_is_missing_is_made_on_demand() -> None:
    """Fields, elements at the end, and elements that match."""
    assert put("spec.volumes.0.name", create=Scalar)["spec"]["volumes"] == [{"name": "new"}]
    assert put("spec.containers.[name=third].image", create=Scalar)["spec"]["containers"][2] == {
        "name": "third",
        "image": "new",
    }
    assert put("spec.more.deep", create=dict)["spec"]["more"] == {"deep": "new"}
    assert put("spec.more.deep") == POD


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("spec.containers.name", "name means a field of a mapping, and there is a list"),
        ("spec.0", "0 means an element of a list, and there is a mapping"),
        ("spec.containers.[name]", None),
        ("spec.containers.9", "element 9 is meant, and there are only 2"),
        ("spec.containers.[name=a[].x", "'a[' is no regular expression"),
    ],
)
def test_paths_that_do_not_fit_are_refused(path: str, why: str | None) -> None:
    """The message says which step, and what is there."""
    with pytest.raises(ProblemError) as caught:
        put(path)

    assert str(caught.value).startswith(why or "")


def test_a_source_is_one_place() -> None:
    """A value cannot come from everywhere."""
    with pytest.raises(ProblemError, match="every element of a target only"):
        at("spec.containers.*.name")

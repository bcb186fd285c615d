"""Resources, no two of them the same object."""

import pytest

from kubewright.scaffold.kustomize.collection import Collection
from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.resource import Resource, resources


def pod(name: str, *, namespace: str = "") -> Resource:
    """Return a Pod."""
    text = f"apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: '{namespace}'}}\n"
    return resources(text, place=f"{name}.yaml")[0]


def test_the_same_object_twice_is_refused_with_both_places() -> None:
    """One of them would silently win otherwise."""
    found = Collection([pod("a")])

    with pytest.raises(ProblemError) as caught:
        found.add([pod("a", namespace="default")])

    assert str(caught.value) == (
        "Pod.v1 a in namespace default is there twice (a.yaml, line 1 and a.yaml, line 1);"
        " remove one of them"
    )


def test_objects_are_found_by_earlier_names() -> None:
    """A patch says the name in the file, whatever prefix came since."""
    renamed = pod("a")
    wanted = renamed.identity
    renamed.remember()
    renamed.rename("x-a")

    assert Collection([renamed]).get(wanted) is renamed


def test_a_missing_object_is_refused_with_what_is_near() -> None:
    """Often one letter is wrong."""
    with pytest.raises(ProblemError) as caught:
        Collection([pod("abc")]).get(pod("abcd").identity)

    assert str(caught.value) == "there is no Pod.v1 abcd; there is Pod.v1 abc"


def test_objects_that_become_the_same_are_noticed() -> None:
    """A namespace for all can do that."""
    first, second = pod("a", namespace="x"), pod("a", namespace="y")
    found = Collection([first, second])
    second.move("x")

    with pytest.raises(ProblemError, match="is there twice"):
        found.check()


def test_what_was_deleted_is_dropped() -> None:
    """A patch can delete an object."""
    gone = pod("a")
    gone.node = None
    found = Collection([gone, pod("b")])

    found.drop_deleted()

    assert [one.name for one in found] == ["b"]

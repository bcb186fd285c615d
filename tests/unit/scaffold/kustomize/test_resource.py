"""Objects of a file, and the names that they have had."""

import pytest

from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.resource import Resource, resources

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: shop}\n"


def one(text: str = POD) -> Resource:
    """Return the only object in *text*."""
    (found,) = resources(text, place="a.yaml")
    return found


def test_an_object_remembers_what_it_was_called() -> None:
    """References in other objects still say the old name."""
    pod = one()

    pod.remember()
    pod.rename("b")
    pod.move("")

    assert str(pod.identity) == "Pod.v1 b"
    assert str(pod.original_identity) == "Pod.v1 a in namespace shop"
    assert [identity.name for identity in pod.identities] == ["a", "b"]


def test_annotations_are_texts_and_ours_are_gone_at_the_end() -> None:
    """The server takes texts only, and nobody wants notes of the build."""
    pod = one(
        "kind: Pod\nmetadata:\n  name: a\n  annotations:\n    mode: 0644\n"
        "    internal.config.kubernetes.io/index: '0'\n"
    )

    assert pod.finished()["metadata"] == {"name": "a", "annotations": {"mode": "0644"}}


def test_a_copy_has_a_history_of_its_own() -> None:
    """A patch for several objects is copied for each."""
    pod = one()
    other = pod.copy()

    other.remember()
    other.set_texts("labels", {"a": "b"})

    assert not pod.previous
    assert not pod.labels
    assert other.place == "a.yaml, line 1"


def test_lists_are_taken_apart() -> None:
    """``kubectl get -o yaml`` writes them."""
    text = (
        f"kind: List\nitems:\n- {{kind: A, metadata: {{name: a}}}}\n---\n{POD}---\nkind: NoList\n"
    )

    found = resources(text, place="a.yaml")

    assert [one.kind for one in found] == ["Pod", "NoList", "A"]
    assert resources("kind: List\nitems:\n", place="") == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("- a\n", "line 1: an object is a mapping, with apiVersion, kind and metadata"),
        ("a: b\n", "line 1: kind is missing"),
        ("kind: Pod\n", "line 1: metadata.name of the Pod is missing"),
        ("kind: List\nitems: a\n", "line 1: items of List is no list"),
    ],
)
def test_what_is_no_object_is_refused(text: str, why: str) -> None:
    """A values file among the resources is a frequent mistake."""
    with pytest.raises(ProblemError) as caught:
        resources(text, place="a.yaml")

    assert str(caught.value) == why

"""The object that stands for a set."""

from typing import Any

import pytest

from kubewright.api.kind import GroupKind
from kubewright.applyset import Contents, Parent
from kubewright.errors import ConfigError

PARENT = Parent("shop", "shop-system", tooling="kubewright/v1.2")
CONTENTS = Contents(
    frozenset({GroupKind("", "ConfigMap"), GroupKind("apps", "Deployment")}),
    frozenset({"shop-system", "other", "kube-system"}),
)


def test_labels_and_annotations_are_those_that_kubectl_reads() -> None:
    """As KEP-3659 has them: sorted, with commas, without the namespace of the parent."""
    made = PARENT.document(CONTENTS)["metadata"]

    assert made["labels"] == {"applyset.kubernetes.io/id": PARENT.id}
    assert made["annotations"] == {
        "applyset.kubernetes.io/tooling": "kubewright/v1.2",
        "applyset.kubernetes.io/contains-group-kinds": "ConfigMap,Deployment.apps",
        "applyset.kubernetes.io/additional-namespaces": "kube-system,other",
    }


def test_what_is_written_is_read_again() -> None:
    """The next apply starts from it."""
    assert PARENT.contents(PARENT.document(CONTENTS)) == CONTENTS


def test_an_empty_set_is_one() -> None:
    """A set from which everything was pruned still has its parent."""
    empty = PARENT.contents(PARENT.document(Contents()))

    assert empty == Contents(namespaces=frozenset({"shop-system"}))


def test_contents_are_joined() -> None:
    """While a set changes, it has what was there and what will be."""
    one = Contents(frozenset({GroupKind("", "Secret")}), frozenset({"a"}))

    assert (one | CONTENTS).kinds == CONTENTS.kinds | {GroupKind("", "Secret")}


def altered(**annotations: str) -> dict[str, Any]:
    document = PARENT.document(CONTENTS)
    document["metadata"]["annotations"] |= annotations
    return document


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"metadata": {"name": "shop"}}, "is there, and is not the parent of a set"),
        (
            altered(**{"applyset.kubernetes.io/tooling": "kubectl/v1.32"}),
            "belongs to kubectl, and only kubectl may change it",
        ),
        (
            {**altered(), "metadata": {**altered()["metadata"], "labels": {}}},
            "is not the parent of a set: it lacks the label applyset.kubernetes.io/id",
        ),
    ],
)
def test_what_is_not_ours_is_left_alone(document: dict[str, Any], said: str) -> None:
    """Two tools that prune one set would delete the objects of one another."""
    with pytest.raises(ConfigError, match=said):
        PARENT.contents(document)


@pytest.mark.parametrize(("name", "namespace"), [("", "a"), ("A", "a"), ("a", ""), ("a", "b.c")])
def test_a_name_that_no_server_takes_is_refused(name: str, namespace: str) -> None:
    """Here, and not by the server in other words."""
    with pytest.raises(ConfigError, match="the set of objects has no name"):
        Parent(name, namespace)


def test_the_tool_is_what_is_before_the_version() -> None:
    """Another version of us may go on with a set."""
    newer = Parent("shop", "shop-system", tooling="kubewright/v9")

    assert newer.tool == "kubewright"
    assert newer.contents(PARENT.document(CONTENTS)) == CONTENTS

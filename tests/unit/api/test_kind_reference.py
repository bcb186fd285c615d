"""`Kind`: what can be said of a kind that has no class."""

import pickle
from typing import Any

import pytest

from kubewright.api.kind import GroupVersionKind, GroupVersionResource, RESTMapping
from kubewright.api.kind_reference import Kind, gvk_in, kind_text, kind_title, likely_mapping
from kubewright.errors import SchemeError
from kubewright.kinds.core.v1 import Node

WIDGET = Kind("example.com/v1", "Widget")


def test_a_kind_is_named_as_in_a_manifest() -> None:
    """The two texts that every object begins with."""
    assert WIDGET.gvk == GroupVersionKind("example.com", "v1", "Widget")
    assert WIDGET.gvr is None
    assert Kind("v1", "Pod").gvk == GroupVersionKind("", "v1", "Pod")
    assert (str(WIDGET), repr(WIDGET)) == ("Widget.example.com", "Kind('example.com/v1', 'Widget')")


@pytest.mark.parametrize(
    ("name", "resource"),
    [
        ("pods", GroupVersionResource("", "", "pods")),
        ("deployments.apps", GroupVersionResource("apps", "", "deployments")),
        ("deployments.v1.apps", GroupVersionResource("apps", "v1", "deployments")),
        ("shops.v1beta1.example.com", GroupVersionResource("example.com", "v1beta1", "shops")),
        ("ingresses.networking.k8s.io", GroupVersionResource("networking.k8s.io", "", "ingresses")),
    ],
)
def test_a_resource_is_named_as_its_crd_is(name: str, resource: GroupVersionResource) -> None:
    """Plural and group, maybe with a version between them, as kubectl accepts it."""
    found = Kind(name)

    assert found.gvr == resource
    assert found.gvk is None
    assert str(found) == name
    assert repr(found) == f"Kind({name!r})"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("Deployment", "apps/v1"), "'apps/v1' is not a valid name"),
        (("apps/v1/x", "Deployment"), "not an apiVersion: 'apps/v1/x'"),
        (("Deployment",), "'Deployment' is not a valid name"),
        (("apps/v1",), "'apps/v1' is not a valid name"),
        (("",), "it is empty"),
        (("pods.",), "it is empty"),
    ],
)
def test_what_names_no_kind_is_refused_where_it_is_written(
    words: tuple[str, ...], problem: str
) -> None:
    """Both words in the wrong order, or one of them alone; the message shows how to write it."""
    with pytest.raises(ValueError, match=rf"{problem}.*kw\.Kind\('apps/v1', 'Deployment'\)"):
        Kind(*words)


def test_two_references_are_the_same_if_they_say_the_same() -> None:
    """What is declared with one is found with the other; a pickled one is no exception."""
    twin = Kind("example.com/v1", "Widget")

    assert twin == WIDGET
    assert len({twin, WIDGET, Kind("widgets.example.com")}) == 2
    for one in (WIDGET, Kind("shops.v1.example.com"), Kind("pods")):
        assert pickle.loads(pickle.dumps(one)) == one
    assert WIDGET != "Widget.example.com"


def test_a_reference_does_not_change() -> None:
    """It is the key under which informers are kept."""
    with pytest.raises(AttributeError, match="make another Kind"):
        WIDGET.version = "v2"


def test_calling_it_makes_an_object() -> None:
    """Nobody should have to write apiVersion and kind twice."""
    made = WIDGET(metadata={"name": "a"}, spec={"size": 1})

    assert made == {
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": {"name": "a"},
        "spec": {"size": 1},
    }
    assert made.gvk == WIDGET.gvk


def test_a_resource_cannot_make_objects() -> None:
    """Only the server knows of what kind they are, and it is not asked here."""
    with pytest.raises(ValueError, match=r"Kind\('pods'\) does not say what its objects"):
        Kind("pods")()


def test_the_likely_place_follows_the_rule_for_plurals() -> None:
    """Until the server has been asked, messages and RBAC rules need a name."""
    policy = Kind("example.com/v1", "Policy")

    assert likely_mapping(policy) == RESTMapping("example.com", "v1", "Policy", "policies")
    assert likely_mapping(Kind("mice.v1.example.com")) == RESTMapping(
        "example.com", "v1", "mice", "mice"
    )
    assert likely_mapping(Node) == RESTMapping("", "v1", "Node", "nodes", namespaced=False)


@pytest.mark.parametrize(
    ("kind", "text", "title", "gvk"),
    [
        (Node, "Node", "Node", GroupVersionKind("", "v1", "Node")),
        (WIDGET, "Kind('example.com/v1', 'Widget')", "Widget", WIDGET.gvk),
        (Kind("pods"), "Kind('pods')", "pods", None),
    ],
)
def test_messages_name_a_class_and_a_reference_as_they_are_written(
    kind: Any, text: str, title: str, gvk: GroupVersionKind | None
) -> None:
    """A message that says what to write must say it so that it can be pasted."""
    assert (kind_text(kind), kind_title(kind), gvk_in(kind)) == (text, title, gvk)


def test_what_is_no_kind_is_refused() -> None:
    """A text is none: which of its meanings is meant is for kubectl to guess."""
    with pytest.raises(SchemeError, match=r"'pods' is not a class"):
        likely_mapping("pods")  # type: ignore[arg-type]

"""Documents that are fit for a set."""

from typing import Any

import pytest

from kubewright.api.kind import GroupVersionKind
from kubewright.applyset import members_of
from kubewright.errors import ConfigError
from tests.unit.applyset.objects import SHOPS, config, crd, deployment, named


def test_an_object_is_named_as_kubectl_takes_it() -> None:
    """People copy the name from our output into their next command."""
    members = members_of([deployment(), named("v1", "Namespace", "shop"), crd()])

    assert [str(one.name) for one in members] == [
        "deployment.apps/shop in shop-system",
        "namespace/shop",
        f"customresourcedefinition.apiextensions.k8s.io/{SHOPS}",
    ]


def test_a_list_is_taken_apart_and_nothing_is_left_out() -> None:
    """``kubectl get -o yaml`` writes lists, and empty documents come from templates."""
    some = {"apiVersion": "v1", "kind": "List", "items": [config("a"), config("b")]}
    empty: Any = None

    members = members_of([empty, some, {}, config("c")])

    assert [one.name.key.name for one in members] == ["a", "b", "c"]


def test_a_crd_says_which_kinds_it_brings() -> None:
    """Objects of them are applied after it, and not checked in a dry run."""
    (member,) = members_of([crd()])

    assert member.defines == ((GroupVersionKind("example.com", "v1", "Shop"), True),)
    assert members_of([config()])[0].defines == ()


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ([1], r"document 1 is not a Kubernetes object, but \[1\]"),
        ("text", "document 1 is not a Kubernetes object, but 'text'"),
        ({"a": 1}, "document 1 is not a Kubernetes object: it has no apiVersion/kind"),
        ({"apiVersion": 1, "kind": "Pod"}, "it has no apiVersion/kind"),
        ({"apiVersion": "v1", "kind": "Pod"}, "document 1, a Pod, has no metadata.name"),
        (
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "a-"}},
            "An object without a name of its own cannot be applied a second time",
        ),
        ({"apiVersion": "v1", "kind": "Pod", "metadata": []}, "has no metadata.name"),
        (
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": 5}},
            "Pod a: metadata.namespace is 5, not a text",
        ),
        (
            {"apiVersion": "a/b/c", "kind": "Pod", "metadata": {"name": "a"}},
            "Pod a: not an apiVersion: 'a/b/c'",
        ),
        ({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": 1}}, "has no metadata.name"),
        (
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a/b"}},
            "Pod a/b: 'a/b' cannot be a name: it is a part of a URL",
        ),
        (
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": ".."}},
            "Pod a: '..' cannot be a name",
        ),
    ],
)
def test_what_is_no_object_is_refused(document: Any, said: str) -> None:
    """Before anything is sent: half of a set helps nobody."""
    with pytest.raises(ConfigError, match=said):
        members_of([document])


def test_an_object_twice_is_refused_also_in_another_version() -> None:
    """The second would overwrite the first, and which one is second is chance."""
    old = named("policy/v1beta1", "PodDisruptionBudget", "a", namespace="b")
    new = named("policy/v1", "PodDisruptionBudget", "a", namespace="b")

    with pytest.raises(ConfigError, match=r"poddisruptionbudget.policy/a in b is there twice"):
        members_of([old, new])

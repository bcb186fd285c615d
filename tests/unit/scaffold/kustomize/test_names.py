"""Prefixes, suffixes and namespaces."""

from typing import Any

import pytest

from kubewright.scaffold.kustomize import names
from kubewright.scaffold.kustomize.collection import Collection
from kubewright.scaffold.kustomize.configuration import DEFAULT
from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.resource import resources

SOME = """\
apiVersion: v1
kind: Namespace
metadata: {name: system}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: binding}
subjects: [{kind: ServiceAccount, name: default}, {kind: ServiceAccount, name: own, namespace: a}]
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shops.example.com}
"""


def some(text: str = SOME) -> Collection:
    """Return resources."""
    return Collection(resources(text, place="a.yaml"))


def metadata(found: Collection) -> list[Any]:
    """Return the metadata of all."""
    return [one.finished()["metadata"] for one in found]


def test_names_that_mean_something_stay() -> None:
    """A CustomResourceDefinition with a prefix would be refused."""
    found = some()

    names.prefix(found, "a-", DEFAULT.name_prefix)
    names.suffix(found, "-z", DEFAULT.name_suffix)

    assert [one.name for one in found] == [
        "system",
        "a-settings-z",
        "a-binding-z",
        "shops.example.com",
    ]
    assert [(one.prefixes, one.suffixes) for one in found][1] == (["a-"], ["-z"])


def test_a_namespace_is_for_what_belongs_to_one() -> None:
    """The Namespace itself is renamed, cluster-wide kinds are left alone."""
    found = some()

    names.set_namespace(found, "shop", DEFAULT.namespace)

    assert metadata(found) == [
        {"name": "shop"},
        {"name": "settings", "namespace": "shop"},
        {"name": "binding"},
        {"name": "shops.example.com"},
    ]


def test_of_subjects_only_the_default_account_is_moved() -> None:
    """Others follow the account that they name, or are somewhere else on purpose."""
    found = some()

    names.set_namespace(found, "shop", DEFAULT.namespace)

    binding = list(found)[2].finished()
    assert [one.get("namespace") for one in binding["subjects"]] == ["shop", "a"]


def test_a_namespace_that_makes_two_objects_one_is_refused() -> None:
    """One of them would be lost."""
    text = "---\n".join(
        f"kind: A\nmetadata: {{name: a, namespace: {namespace}}}\n" for namespace in "xy"
    )

    with pytest.raises(ProblemError, match="is there twice"):
        names.set_namespace(some(text), "shop", DEFAULT.namespace)


def test_a_name_that_is_no_text_is_refused() -> None:
    """The prefix would go nowhere."""
    found = some("kind: A\nmetadata: {name: a}\nspec: {name: {a: b}}\n")
    specs = [spec._replace(path="spec/name") for spec in DEFAULT.name_prefix]

    with pytest.raises(ProblemError, match="spec/name: there is a mapping, and should be a text"):
        names.prefix(found, "x-", specs)

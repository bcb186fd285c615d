"""The fields of a kustomization, as types."""

import msgspec

from kubewright.scaffold.kustomize.fields import (
    Field,
    ReplacementSource,
    Selector,
    Variable,
)
from kubewright.scaffold.kustomize.fieldspec import FieldSpec
from kubewright.scaffold.kustomize.identity import GroupVersionKind, Identity


def test_selectors_and_sources_name_objects() -> None:
    """Both say kind, name and namespace in the same words."""
    said = {"group": "apps", "kind": "Deployment", "name": "a", "namespace": "b"}
    wanted = Identity(GroupVersionKind("apps", "", "Deployment"), "a", "b")

    assert msgspec.convert(said, Selector).identity == wanted
    assert msgspec.convert(said, ReplacementSource).identity == wanted


def test_variables_name_their_object_in_two_ways() -> None:
    """With apiVersion, or with group and version."""
    one = {"name": "A", "objref": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"}}
    other = {
        "name": "A",
        "objref": {"group": "apps", "version": "v1", "kind": "Deployment", "name": "a"},
    }

    assert msgspec.convert(one, Variable).identity == msgspec.convert(other, Variable).identity


def test_fields_are_specs() -> None:
    """Configurations list them."""
    found = Field(path="a/b", kind="Pod", create=True)

    assert found.spec == FieldSpec("a/b", GroupVersionKind(kind="Pod"), create=True)

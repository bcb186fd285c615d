"""Definitions that mark fields of custom resources."""

import pytest

from kubewright.scaffold.kustomize.crds import read_definitions
from kubewright.scaffold.kustomize.fieldspec import FieldSpec
from kubewright.scaffold.kustomize.identity import GroupVersionKind
from kubewright.scaffold.kustomize.problem import ProblemError

SHOP = GroupVersionKind(kind="Shop")
TEXT = """\
example.com.Shop:
  Schema:
    properties:
      apiVersion: {}
      kind: {}
      metadata: {}
      spec: {$ref: example.com.Spec}
example.com.Spec:
  Schema:
    properties:
      labels: {x-kubernetes-label-selector: ""}
      note: {x-kubernetes-annotation: ""}
      self: {x-kubernetes-identity: "", $ref: example.com.Spec}
      uses:
        x-kubernetes-object-ref-api-version: v1
        x-kubernetes-object-ref-kind: Secret
        x-kubernetes-object-ref-name-key: called
"""


def test_marked_fields_are_found_through_references() -> None:
    """The marks are in the definition of the spec."""
    found = read_definitions(TEXT)

    assert found.common_labels == [FieldSpec("spec/labels", SHOP)]
    assert found.common_annotations == [FieldSpec("spec/note", SHOP)]
    assert found.name_prefix == [FieldSpec("spec/self", SHOP)]
    assert found.name_reference == {
        GroupVersionKind("", "v1", "Secret"): [FieldSpec("spec/uses/called", SHOP)]
    }


def test_a_crd_is_not_such_a_file() -> None:
    """The name of the field misleads many."""
    with pytest.raises(ProblemError, match="a CustomResourceDefinition belongs under `resources:`"):
        read_definitions("kind: CustomResourceDefinition\n")

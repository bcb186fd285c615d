import msgspec
import pytest

from kubewright.api.definition import Column, Definition, Scale, plural_of
from kubewright.api.kind import RESTMapping


@pytest.mark.parametrize(
    ("kind", "plural"),
    [
        ("Pod", "pods"),
        ("Ingress", "ingresses"),
        ("NetworkPolicy", "networkpolicies"),
        ("Gateway", "gateways"),
        ("StorageClass", "storageclasses"),
        ("Box", "boxes"),
        ("Switch", "switches"),
        ("Mesh", "meshes"),
        ("At", "ats"),
    ],
)
def test_plurals_are_formed_as_kubernetes_forms_them(kind: str, plural: str) -> None:
    """The plural is in the path and in RBAC rules; a wrong one is a 404."""
    assert plural_of(kind) == plural


def test_a_column_is_sent_with_its_type() -> None:
    """The CRD requires the type, and leaves out what is not set."""
    assert msgspec.to_builtins(Column("Phase", ".status.phase")) == {
        "name": "Phase",
        "jsonPath": ".status.phase",
        "type": "string",
    }
    assert msgspec.to_builtins(Column("Age", ".x", type="date", priority=1))["priority"] == 1


def test_scale_is_sent_with_its_paths() -> None:
    """Both are required by the CRD."""
    assert msgspec.to_builtins(Scale()) == {
        "specReplicasPath": ".spec.replicas",
        "statusReplicasPath": ".status.replicas",
    }
    assert msgspec.to_builtins(Scale(label_selector_path=".s"))["labelSelectorPath"] == ".s"


def test_definitions_do_not_share_their_dicts() -> None:
    """One CRD's annotations must not appear on another."""
    mapping = RESTMapping("example.com", "v1", "Shop", "shops")
    one, other = Definition(mapping=mapping), Definition(mapping=mapping)

    one.annotations["a"] = "b"

    assert other.annotations == {}

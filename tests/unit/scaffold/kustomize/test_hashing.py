"""Hashes at the end of names."""

from kubewright.scaffold.kustomize.hashing import hash_of
from kubewright.scaffold.kustomize.node import node_of


def test_the_hash_is_that_of_kustomize() -> None:
    """Another one would roll out every Deployment once more when the tool changes."""
    assert hash_of(node_of({"kind": "ConfigMap", "data": {"a": "b"}})) == "4h2mbtbbt6"


def test_the_hash_depends_on_data_alone() -> None:
    """Labels and names change without a new rollout."""
    data = {"data": {"a": "<&>\u2028"}, "binaryData": {"b": "YQ=="}}
    one = hash_of(node_of({"kind": "ConfigMap", "metadata": {"name": "x"}, **data}))
    other = hash_of(node_of({"kind": "ConfigMap", "metadata": {"labels": {"a": "b"}}, **data}))
    secret = hash_of(node_of({"kind": "Secret", "type": "Opaque", **data}))

    assert one == other != secret
    assert hash_of(node_of({"kind": "ConfigMap", "data": None})) == hash_of(
        node_of({"kind": "ConfigMap"})
    )

"""Objects for the tests of the cache, as a server sends them."""

import json
from typing import Any

from kubewright.api.kind import ObjectKey
from kubewright.api.unstructured import Unstructured
from kubewright.cache.codec import Codec
from kubewright.cache.entry import Entry

CODEC: Codec[Unstructured] = Codec(Unstructured.read)


def shop(
    name: str = "a", version: str | int = 1, *, namespace: str = "x", uid: str = "", **fields: Any
) -> bytes:
    """Return a shop as JSON; *fields* named after metadata go there, others beside it."""
    metadata = {
        "name": name,
        "namespace": namespace,
        "uid": uid or f"uid-{name}",
        "resourceVersion": str(version),
    }
    for field in (
        "labels", "annotations", "ownerReferences", "managedFields", "generation", "finalizers",
    ):  # fmt: skip
        if field in fields:
            metadata[field] = fields.pop(field)
    document = {"apiVersion": "example.com/v1", "kind": "Shop", "metadata": metadata, **fields}
    return json.dumps(document, separators=(",", ":")).encode()


def entry(name: str = "a", version: str | int = 1, **fields: Any) -> Entry[Unstructured]:
    """Return the entry of such a shop."""
    return CODEC.entry(shop(name, version, **fields))


def owner(uid: str) -> dict[str, str]:
    """Return an owner reference."""
    return {"apiVersion": "example.com/v1", "kind": "Mall", "name": f"mall-{uid}", "uid": uid}


def key(name: str = "a", namespace: str = "x") -> ObjectKey:
    """Return the key of a shop."""
    return ObjectKey(namespace, name)

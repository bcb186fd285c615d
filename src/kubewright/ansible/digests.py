"""Digests of objects: two with the same digest differ in nothing that a role is run for."""

from hashlib import blake2b
from typing import Any

import msgspec

__all__ = ["DIGEST", "digest_of", "with_digest_only"]

DIGEST: str = "kubewrightDigest"
_PASSING = frozenset({"resourceVersion", "managedFields"})
_NAMES = ("name", "namespace", "uid", "resourceVersion", "ownerReferences", "annotations")


def digest_of(document: dict[str, Any], *, with_status: bool = False) -> str:
    """Return a digest of an object without its version, and without its status unless wanted."""
    left_out = {"apiVersion", "kind"} | (set() if with_status else {"status"})
    content = {name: value for name, value in document.items() if name not in left_out}
    metadata = document.get("metadata") or {}
    content["metadata"] = {name: value for name, value in metadata.items() if name not in _PASSING}
    return blake2b(msgspec.json.encode(content, order="sorted"), digest_size=12).hexdigest()


def with_digest_only(document: dict[str, Any]) -> dict[str, Any]:
    """Return *document* with its digest in the place of its content; a transform of caches."""
    if DIGEST in document:
        return document
    metadata = document["metadata"]
    return {
        "apiVersion": document.get("apiVersion", ""),
        "kind": document.get("kind", ""),
        "metadata": {name: metadata[name] for name in _NAMES if name in metadata},
        DIGEST: digest_of(document),
    }

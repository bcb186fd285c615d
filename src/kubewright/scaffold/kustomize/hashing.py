"""The hash at the end of the name of a generated ConfigMap or Secret."""

import json
from hashlib import sha256
from typing import Any

from kubewright.scaffold.kustomize.node import Mapping, is_missing, plain, text_in

__all__ = ["hash_of"]

_LENGTH = 10
# Letters instead of those that could spell words, as kubectl does it.
_LETTERS = str.maketrans("013ae", "ghkmt")
# Go writes these so in JSON, in case that it ends up in HTML.
_ESCAPED = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def hash_of(node: Mapping) -> str:
    """Return the hash of what a ConfigMap or Secret holds."""
    kind = text_in(node, "kind")
    found: dict[str, Any] = {"kind": kind, "name": "", "data": _data(node, "data")}
    if kind == "Secret":
        found["type"] = text_in(node, "type")
    more = "stringData" if kind == "Secret" else "binaryData"
    if isinstance(node.get(more), dict):
        found[more] = _data(node, more)
    written = json.dumps(found, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    digest = sha256(written.translate(_ESCAPED).encode()).hexdigest()
    return digest[:_LENGTH].translate(_LETTERS)


def _data(node: Mapping, field: str) -> Any:
    found = node.get(field)
    return "" if found is None or is_missing(found) else plain(found)

"""What is written of an object, and how it is compared with what is there."""

import base64
import hashlib
from typing import Any

from kubewright import _json
from kubewright.api.unstructured import Unstructured
from kubewright.helm.ownership import is_kept

__all__ = [
    "beside",
    "digest",
    "of_uid",
    "projected",
    "removed",
    "three_way",
    "together",
    "with_encoded_texts",
    "without_status",
]


def beside(body: Unstructured, live: Unstructured | None) -> Unstructured:
    """Return *body*, without its owner if somebody has said that *live* is to be kept."""
    if live is None or not is_kept(live):
        return body
    metadata = {name: one for name, one in body["metadata"].items() if name != "ownerReferences"}
    return Unstructured({**body, "metadata": metadata})


def of_uid(body: Unstructured, live: Unstructured | None) -> Unstructured:
    """Return *body* as one that the server refuses if *live* was replaced meanwhile."""
    if live is None:
        return body
    return Unstructured({**body, "metadata": {**body["metadata"], "uid": live.metadata.uid}})


def with_encoded_texts(obj: dict[str, Any]) -> dict[str, Any]:
    """Return *obj*, with the ``stringData`` of a Secret as the ``data`` that the server keeps.

    The texts are never read back, so a change of them would not be seen.
    """
    texts, data = obj.get("stringData"), obj.get("data") or {}
    if (obj.get("apiVersion"), obj.get("kind")) != ("v1", "Secret"):
        return obj
    if not (isinstance(texts, dict) and isinstance(data, dict)):
        return obj
    if not all(isinstance(text, str) for text in texts.values()):
        return obj  # the server says what is wrong with it
    encoded = {name: base64.b64encode(text.encode()).decode() for name, text in texts.items()}
    rest = {name: value for name, value in obj.items() if name != "stringData"}
    return {**rest, "data": {**data, **encoded}}


def removed(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Return a merge patch that takes away what *old* has and *new* has not."""
    patch: dict[str, Any] = {}
    for name, value in old.items():
        if name not in new:
            patch[name] = None
            continue
        both = isinstance(value, dict) and isinstance(new[name], dict)
        if both and (inner := removed(value, new[name])):
            patch[name] = inner
    return patch


def three_way(before: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any]:
    """Return a merge patch that makes *wanted* of an object that was made of *before*, as Helm."""
    old = without_status(with_encoded_texts(before))
    metadata = old.get("metadata") or {}
    # The rest of the metadata is not the chart's alone.
    shared = {"labels", "annotations"}
    old["metadata"] = {name: one for name, one in metadata.items() if name in shared}
    return together(removed(old, wanted), wanted)


def together(left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
    """Return two patches as one; what *right* says counts."""
    found = dict(left)
    for name, value in right.items():
        before = found.get(name)
        both = isinstance(before, dict) and isinstance(value, dict)
        found[name] = together(before, value) if both else value  # type: ignore[arg-type]
    return found


def without_status(body: dict[str, Any]) -> dict[str, Any]:
    """Return *body* without its status, which is not a chart's business."""
    return {name: value for name, value in body.items() if name != "status"}


def projected(live: Any, wanted: Any) -> Any:
    """Return the parts of *live* that *wanted* speaks of, but for its status."""
    return _parts(live, without_status(wanted))


def _parts(live: Any, wanted: Any) -> Any:
    if isinstance(wanted, dict) and isinstance(live, dict):
        return {name: _parts(live[name], value) for name, value in wanted.items() if name in live}
    if isinstance(wanted, list) and isinstance(live, list) and len(wanted) == len(live):
        return [_parts(*pair) for pair in zip(live, wanted, strict=True)]
    return live


def digest(value: Any) -> bytes:
    """Return what identifies *value*, in a few bytes."""
    return hashlib.blake2b(_json.encode(value), digest_size=16).digest()

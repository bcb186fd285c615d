"""kubectl's last-applied annotation, and its effect on server-side apply.

Objects that kubectl applied on the client side have it. When kubectl switches to server-side apply,
fields that still have the annotated values do not conflict, and the annotation is kept up to date.
"""

from typing import Any

import msgspec

from kubewright.apiserver.fieldmanager import fieldset
from kubewright.apiserver.fieldmanager.compare import compare
from kubewright.apiserver.fieldmanager.extract import ElementError, fields_of
from kubewright.apiserver.fieldmanager.fieldset import FieldSet
from kubewright.apiserver.fieldmanager.shape import Shape
from kubewright.apiserver.fieldmanager.validate import misfits

Obj = dict[str, Any]

MANAGER: str = "kubectl"
"""The only manager whose applies use the annotation."""

ANNOTATION: str = "kubectl.kubernetes.io/last-applied-configuration"
_SIZE_LIMIT = 256 * 1024
_encode = msgspec.json.Encoder(order="sorted").encode
_ESCAPES = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


def find(obj: Obj) -> str:
    """Return the annotation, or ``""``."""
    annotations = (obj.get("metadata") or {}).get("annotations") or {}
    found = annotations.get(ANNOTATION)
    return found if isinstance(found, str) else ""


def allowed(live: Obj, shape: Shape, *, api_version: str) -> FieldSet | None:
    """Return the fields that still have their last-applied values; ``None`` if unknown."""
    try:
        last = msgspec.json.decode(find(live) or "null")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if not isinstance(last, dict) or last.get("apiVersion") != api_version:
        return None
    if misfits(last, shape):
        return None
    try:
        changed, removed = compare(last, live, shape)
        fields = fields_of(last, shape)
    except ElementError:
        return None
    return fieldset.difference(fieldset.difference(fields, changed), removed)


def refresh(obj: Obj, config: Obj) -> None:
    """Set the annotation of *obj* to *config*, or remove it if that is too large."""
    annotations = obj["metadata"]["annotations"]
    annotations[ANNOTATION] = _written(config)
    size = sum(len(name.encode()) + len(str(text).encode()) for name, text in annotations.items())
    if size > _SIZE_LIMIT:
        del annotations[ANNOTATION]


def _written(config: Obj) -> str:
    metadata = config.get("metadata") or {}
    annotations = metadata.get("annotations")
    if annotations and ANNOTATION in annotations:
        rest = {name: text for name, text in annotations.items() if name != ANNOTATION}
        config = {**config, "metadata": {**metadata, "annotations": rest}}
    return _encode(config).decode().translate(_ESCAPES) + "\n"

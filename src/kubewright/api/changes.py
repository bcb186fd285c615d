"""What was changed in an object since it was read, and what to send for it."""

from typing import Any

from kubewright import _json
from kubewright.api.merge import merged
from kubewright.api.patches import merge_patch_between
from kubewright.api.resource import Resource, document, raw_of
from kubewright.api.unstructured import Unstructured


def updated_document(obj: Resource | Unstructured) -> dict[str, Any]:
    """Return the whole document to send for *obj*, with the fields that its class does not know.

    An object that was not read from a server is sent as it is.
    """
    if isinstance(obj, Unstructured):
        return dict(obj)
    raw = raw_of(obj)
    if raw is None:
        return document(obj)
    # Not `document`, which leaves out what has become empty: that would read as "removed", and take
    # the fields with it that the class does not know.
    after = _json.to_builtins(obj)
    before = _json.to_builtins(_json.decode(raw, type(obj)))
    # The items of a list that a server sends do not say what they are; an update has to.
    whole = merged(_json.loads(raw), before, after)
    return {"apiVersion": obj.api_version, "kind": obj.kind, **whole}


def merge_patch(obj: Resource | Unstructured, *, optimistic: bool = False) -> dict[str, Any]:
    """Return the merge patch from what was read to what *obj* is now; empty if nothing changed.

    Args:
        obj: An object that was read from a server and then changed.
        optimistic: Whether the server must refuse the patch if the object has changed meanwhile.

    Raises:
        ValueError: The object was not read from a server, so there is nothing to compare it with.
    """
    raw = original(obj)
    if raw is None:
        raise ValueError(
            f"cannot tell what changed in {obj.kind} {str(obj.key)!r}: it was not read from a"
            " server. Give the patch as a dict, or use apply."
        )
    patch: dict[str, Any] = merge_patch_between(raw, updated_document(obj))
    # Sent back by every answer of the server, so no change of ours.
    patch.pop("apiVersion", None)
    patch.pop("kind", None)
    if patch and optimistic:
        version = (raw.get("metadata") or {}).get("resourceVersion")
        patch.setdefault("metadata", {})["resourceVersion"] = version
    return patch


def original(obj: Resource | Unstructured) -> dict[str, Any] | None:
    """Return the document that *obj* was read from, or ``None`` if it was not read."""
    raw = obj.raw if isinstance(obj, Unstructured) else raw_of(obj)
    return None if raw is None else _json.decode(raw, dict)

"""The fields that a strategy resets, and that therefore nobody comes to own through that door."""

from kubewright.apiserver.fieldmanager import fieldset
from kubewright.apiserver.fieldmanager.fieldset import FieldSet

_STATUS = fieldset.of(("status",))
_SPEC = fieldset.of(("spec",))
_CUSTOM = fieldset.of(("metadata",), ("spec",))
_BY_KIND = {
    "CustomResourceDefinition": _CUSTOM,
    "Deployment": fieldset.of(("metadata", "labels"), ("spec",)),
    "Pod": fieldset.of(
        ("metadata", "deletionTimestamp"), ("metadata", "ownerReferences"), ("spec",)
    ),
}


def reset_fields(
    kind: str, subresource: str, *, has_status: bool, custom: bool = False
) -> FieldSet | None:
    """Return what a write through *subresource* cannot change; ``None`` for nothing.

    Args:
        kind: The kind of the object.
        subresource: Empty for the object itself.
        has_status: Whether the status is a part of its own.
        custom: Whether it is a custom resource.
    """
    if not has_status:
        return None
    if not subresource:
        return _STATUS
    if subresource != "status":
        return None
    return _CUSTOM if custom else _BY_KIND.get(kind, _SPEC)

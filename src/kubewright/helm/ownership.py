"""Whose an object is, and which objects are too precious to be deleted on the way."""

from collections.abc import Mapping
from typing import Any

import msgspec

from kubewright.api.unstructured import Unstructured
from kubewright.helm.managed_fields import is_managed_by

__all__ = [
    "Owner",
    "is_irreplaceable",
    "is_kept",
    "is_known",
    "is_marked",
    "is_owned",
    "names_other",
    "owners",
]

MANAGED_BY: str = "app.kubernetes.io/managed-by"
RELEASE_NAME: str = "meta.helm.sh/release-name"
RELEASE_NAMESPACE: str = "meta.helm.sh/release-namespace"
POLICY: str = "helm.sh/resource-policy"
_IRREPLACEABLE = frozenset(
    {
        ("apiextensions.k8s.io", "CustomResourceDefinition"),
        ("", "Namespace"),
        ("", "PersistentVolume"),
        ("", "PersistentVolumeClaim"),
    }
)


class Owner(msgspec.Struct, frozen=True):
    """The release that objects belong to.

    Attributes:
        name: Its name.
        namespace: Its namespace.
        reference: The reference to the custom object, for objects that it may own.
        is_namespaced: Whether the custom object is in a namespace.
        generation: That of the custom object when it was read.
    """

    name: str
    namespace: str
    reference: dict[str, Any]
    is_namespaced: bool = True
    generation: int = 0


def is_kept(obj: Mapping[str, Any]) -> bool:
    """Say whether *obj* stays when its release goes."""
    annotations = obj["metadata"].get("annotations") if "metadata" in obj else None
    return str((annotations or {}).get(POLICY, "")).strip().lower() == "keep"


def is_irreplaceable(obj: Unstructured) -> bool:
    """Say whether more than *obj* itself is lost when it is deleted and made anew."""
    return (obj.gvk.group, obj.kind) in _IRREPLACEABLE


def is_marked(live: Unstructured, owner: Owner) -> bool:
    """Say whether the annotations of *live* name this release."""
    annotations = live.metadata.annotations
    named = (annotations.get(RELEASE_NAME), annotations.get(RELEASE_NAMESPACE))
    return named == (owner.name, owner.namespace)


def names_other(live: Unstructured, owner: Owner) -> bool:
    """Say whether the annotations of *live* name another release."""
    annotations = live.metadata.annotations
    named = (annotations.get(RELEASE_NAME), annotations.get(RELEASE_NAMESPACE))
    ours = (owner.name, owner.namespace)
    return any(found and found != wanted for found, wanted in zip(named, ours, strict=True))


def is_known(live: Unstructured, owner: Owner, field_owner: str) -> bool:
    """Say whether *live* is an object of this release, even if its marks were taken away by hand.

    The label of Helm is not asked: all that ``helm template`` prints has it.
    """
    if names_other(live, owner):
        return False
    return is_marked(live, owner) or is_owned(live, owner) or is_managed_by(live, field_owner)


def is_owned(live: Unstructured, owner: Owner) -> bool:
    """Say whether the custom object is an owner of *live*, which goes with it then."""
    return len(owners(live, owner)) < len(live.metadata.owner_references)


def owners(live: Unstructured, owner: Owner) -> list[dict[str, Any]]:
    """Return the owner references of *live* without that to the custom object of *owner*."""
    found = live["metadata"].get("ownerReferences") or []
    return [one for one in found if one.get("uid") != owner.reference["uid"]]

"""Owner references: which object is deleted with which, and who controls it.

The rules are controller-runtime's. An object has any number of owners but one controller. An
owner lives in the namespace of its dependents, or in none: the garbage collector would delete an
object whose owner it looks for in the wrong namespace.
"""

from collections.abc import Callable
from typing import Any

from kubewright import _json
from kubewright.api.meta import OwnerReference
from kubewright.api.resource import Resource, mapping_of
from kubewright.api.unstructured import Unstructured
from kubewright.errors import AlreadyOwnedError

__all__ = [
    "controller_of",
    "is_controlled_by",
    "is_owned_by",
    "owner_reference",
    "owner_references",
    "remove_owner_reference",
    "set_controller_reference",
    "set_owner_reference",
]

Object = Resource | Unstructured


def owner_reference(
    owner: Object, *, controller: bool = True, block_owner_deletion: bool = True
) -> OwnerReference:
    """Return the reference by which a dependent names *owner*.

    Args:
        owner: An object that exists on the server.
        controller: Whether this owner manages the dependent; only one owner can.
        block_owner_deletion: Whether a foreground deletion of the owner waits for the dependent.

    Raises:
        ValueError: *owner* does not say what it is, or has no uid yet.
    """
    metadata = owner.metadata
    if not owner.kind or not owner.api_version:
        raise ValueError(f"{_named(owner)} cannot own: it has no apiVersion and kind")
    if not metadata.uid or not metadata.name:
        raise ValueError(
            f"{_named(owner)} cannot own: it has no uid. Create it first, and use what the server"
            " returned"
        )
    return OwnerReference(
        api_version=owner.api_version,
        kind=owner.kind,
        name=metadata.name,
        uid=metadata.uid,
        # Absent and false mean the same; absent is what other programs write.
        controller=controller or None,
        block_owner_deletion=block_owner_deletion or None,
    )


def set_controller_reference(
    owner: Object, dependent: Object, *, block_owner_deletion: bool = True
) -> bool:
    """Make *owner* the controller of *dependent* in place; return whether that was new.

    Raises:
        AlreadyOwnedError: Another controller owns the dependent.
        ValueError: The owner has no uid yet, or lives where it cannot own the dependent.
    """
    reference = owner_reference(owner, block_owner_deletion=block_owner_deletion)
    _check_scope(owner, dependent)
    present = controller_of(dependent)
    if present is not None and not _same_object(present, reference):
        raise AlreadyOwnedError(
            f"{_named(owner)} cannot control {_named(dependent)}: {present.kind}"
            f" {present.name!r} controls it already. Give the dependent another name, or remove"
            " that owner reference first."
        )
    return _upsert(dependent, reference)


def set_owner_reference(
    owner: Object, dependent: Object, *, block_owner_deletion: bool = False
) -> bool:
    """Add *owner* to the owners of *dependent* in place; return whether that was new.

    It is deleted with the last of its owners. None of them becomes its controller.

    Raises:
        ValueError: The owner has no uid yet, or lives where it cannot own the dependent.
    """
    reference = owner_reference(owner, controller=False, block_owner_deletion=block_owner_deletion)
    _check_scope(owner, dependent)
    return _upsert(dependent, reference)


def remove_owner_reference(owner: Object, dependent: Object) -> bool:
    """Remove *owner* from the owners of *dependent* in place; return whether it was one."""
    wanted = OwnerReference(
        api_version=owner.api_version, kind=owner.kind, name=owner.key.name, uid=""
    )
    return _keep(dependent, lambda reference: not _same_object(reference, wanted))


def owner_references(dependent: Object) -> list[OwnerReference]:
    """Return the owners of *dependent*; changing the list does not change the object."""
    return list(dependent.metadata.owner_references)


def controller_of(dependent: Object) -> OwnerReference | None:
    """Return the reference to the owner that controls *dependent*, or ``None``."""
    return next((one for one in owner_references(dependent) if one.controller), None)


def is_controlled_by(dependent: Object, owner: Object) -> bool:
    """Tell whether *owner*, and no earlier object of the same name, controls *dependent*."""
    controller, uid = controller_of(dependent), owner.metadata.uid
    return controller is not None and bool(uid) and controller.uid == uid


def is_owned_by(dependent: Object, owner: Object) -> bool:
    """Tell whether *owner*, and no earlier object of the same name, is one of the owners."""
    uid = owner.metadata.uid
    return bool(uid) and any(one.uid == uid for one in owner_references(dependent))


def _check_scope(owner: Object, dependent: Object) -> None:
    home, place = owner.key.namespace, dependent.key.namespace
    if not home and not _is_namespaced(owner):
        return  # a cluster-scoped object may own anything
    if _is_namespaced(dependent) and not place:
        raise ValueError(
            f"{_named(dependent)} has no namespace yet: set it to {home!r}, the namespace of its"
            f" owner, before {_named(owner)} can own it"
        )
    if not place:
        raise ValueError(
            f"{_named(owner)} cannot own {_named(dependent)}: an object in a namespace cannot own"
            " a cluster-scoped one. Clean it up with a finalizer"
            f" instead{_unless_unset(dependent)}."
        )
    if home != place:
        raise ValueError(
            f"{_named(owner)} cannot own {_named(dependent)}: an owner lives in the namespace of"
            " what it owns. Clean it up with a finalizer instead."
        )


def _unless_unset(dependent: Object) -> str:
    # Nothing tells a cluster-scoped Unstructured from one whose namespace was forgotten.
    return (
        "" if isinstance(dependent, Resource) else ", or set its metadata.namespace if it has one"
    )


def _is_namespaced(obj: Object) -> bool:
    """Tell whether the kind of *obj* lives in namespaces; without a class, the object shows it."""
    return mapping_of(type(obj)).namespaced if isinstance(obj, Resource) else bool(obj.namespace)


def _upsert(dependent: Object, reference: OwnerReference) -> bool:
    present = owner_references(dependent)
    for index, one in enumerate(present):
        if _same_object(one, reference):
            if one == reference:
                return False
            present[index] = reference
            break
    else:
        present.append(reference)
    _store(dependent, present)
    return True


def _keep(dependent: Object, wanted: Callable[[OwnerReference], bool]) -> bool:
    present = owner_references(dependent)
    kept = [one for one in present if wanted(one)]
    if len(kept) == len(present):
        return False
    _store(dependent, kept)
    return True


def _store(dependent: Object, references: list[OwnerReference]) -> None:
    if isinstance(dependent, Resource):
        dependent.metadata.owner_references = references
        return
    metadata: dict[str, Any] = dependent.get("metadata") or {}
    if not references:
        metadata.pop("ownerReferences", None)
    else:
        # What was there stays as it was, with fields that we do not know.
        present = metadata.pop("ownerReferences", None) or []
        known = {_json.encode(_json.convert(one, OwnerReference)): one for one in present}
        metadata["ownerReferences"] = [
            known.get(_json.encode(one)) or _json.to_builtins(one) for one in references
        ]
    dependent["metadata"] = metadata


def _same_object(left: OwnerReference, right: OwnerReference) -> bool:
    """Tell whether two references name one object: by group, kind and name, as Go does.

    Not by uid: an owner that was deleted and created again replaces its old reference. Not by
    version: the same object can be named in several.
    """
    return (_group(left), left.kind, left.name) == (_group(right), right.kind, right.name)


def _group(reference: OwnerReference) -> str:
    return reference.api_version.rpartition("/")[0]


def _named(obj: Object) -> str:
    return f"{obj.kind or 'an object'} {str(obj.key)!r}"

"""Children: objects that a reconciler applies, with their namespace and owner filled in."""

from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec

from kubewright.api.kind import RESTMapping
from kubewright.api.meta import OwnerReference
from kubewright.api.owners import set_controller_reference
from kubewright.api.resource import Resource, mapping_of
from kubewright.api.unstructured import Unstructured
from kubewright.client.target import checked
from kubewright.errors import AlreadyOwnedError

if TYPE_CHECKING:
    from kubewright.client import Client

O = TypeVar("O", bound=Resource | Unstructured)  # noqa: E741  # the type of the given object

__all__ = [
    "Child",
    "as_object",
    "check_child",
    "check_controller",
    "child_of",
    "mapping_for",
    "placed",
]


class Child(NamedTuple):
    """The identity of a child, whatever its version.

    Example:
        >>> str(Child("", "ConfigMap", "default", "prices"))
        'ConfigMap default/prices'
    """

    group: str
    kind: str
    namespace: str
    name: str

    @classmethod
    def of(cls, obj: Resource | Unstructured) -> "Child":
        """Return the identity of *obj*."""
        key = obj.key
        return cls(obj.api_version.rpartition("/")[0], obj.kind, key.namespace, key.name)

    def __str__(self) -> str:
        return f"{self.kind} {'/'.join(filter(None, (self.namespace, self.name)))}"


def as_object(obj: Any) -> Any:
    """Return *obj*; a manifest, which is a plain dict, becomes an `Unstructured`.

    Raises:
        TypeError: It is neither an object nor a manifest.
    """
    if not isinstance(obj, dict) or isinstance(obj, Unstructured):
        return checked(obj)
    if not (obj.get("apiVersion") and obj.get("kind")):
        raise TypeError(
            f"this dict is not a manifest: {obj!r:.80}. Give it apiVersion and kind, or pass an"
            " object such as ConfigMap(...)"
        )
    return Unstructured(obj)


async def mapping_for(client: "Client", obj: Resource | Unstructured) -> RESTMapping:
    """Return where *obj* lives; only for one without a class is the server asked."""
    if isinstance(obj, Resource):
        return mapping_of(type(obj))
    return await client.mapper.mapping(obj.gvk)


def child_of(parent: Resource | Unstructured, wanted: O, mapping: RESTMapping, *, owner: bool) -> O:
    """Return a copy of *wanted* in its namespace, controlled by *parent*.

    Args:
        parent: The object that is reconciled.
        wanted: What should exist; not modified, since it may be used for many parents.
        mapping: Where its kind lives.
        owner: Whether *parent* becomes its controller.

    Raises:
        ValueError: It has no name or namespace, or *parent* cannot own it where it is.
    """
    child = _copy(wanted)
    if not child.key.name:
        raise ValueError(f"a {child.kind} without a name cannot be applied: set metadata.name")
    if mapping.namespaced and not child.key.namespace:
        _set_namespace(child, _namespace_of(parent, child))
    if owner:
        set_controller_reference(parent, child)
    return child


def check_controller(
    parent: Resource | Unstructured,
    child: Resource | Unstructured,
    owners: tuple[OwnerReference, ...],
) -> None:
    """Check that no other object controls the object that *child* would be applied to.

    Raises:
        AlreadyOwnedError: Another one does.
    """
    present = next((one for one in owners if one.controller), None)
    if present is None or present.uid == parent.metadata.uid:
        return
    if (present.kind, present.name) == (parent.kind, parent.metadata.name):
        return  # an earlier object of the same name; its reference is replaced
    raise AlreadyOwnedError(
        f"{parent.kind} {str(parent.key)!r} cannot control {child.kind} {str(child.key)!r}:"
        f" {present.kind} {present.name!r} controls it already. Give the child another name, or"
        " delete the one that is there."
    )


def check_child(parent: Resource | Unstructured, child: Resource | Unstructured) -> None:
    """Check that *child*, which exists, is not the child of another object.

    Raises:
        AlreadyOwnedError: It is; or it belongs to an earlier object with the name of *parent*, and
            will be gone soon.
    """
    owners = tuple(child.metadata.owner_references)
    check_controller(parent, child, owners)
    if any(one.controller and one.uid != parent.metadata.uid for one in owners):
        raise AlreadyOwnedError(
            f"{child.kind} {str(child.key)!r} belongs to an earlier {parent.kind}"
            f" {parent.metadata.name!r} and goes with it: it is made again after that"
        )


def placed(obj: O, namespace: str) -> O:
    """Return *obj*, put into *namespace* if its kind needs one and it does not name any."""
    if obj.metadata.namespace or not isinstance(obj, Resource):
        return obj
    if not namespace or not mapping_of(type(obj)).namespaced:
        return obj
    made = _copy(obj)
    _set_namespace(made, namespace)
    return made


def _copy(wanted: O) -> O:
    """Return a copy whose metadata can be changed."""
    made = copy(wanted)
    if isinstance(made, Resource):
        made.metadata = msgspec.structs.replace(made.metadata)
    elif isinstance(wanted, Unstructured) and isinstance(made, dict):
        made = type(wanted)(wanted)
        made["metadata"] = dict(wanted.get("metadata") or {})
    return made


def _namespace_of(parent: Resource | Unstructured, child: Resource | Unstructured) -> str:
    if namespace := parent.metadata.namespace:
        return namespace
    raise ValueError(
        f"{child.kind} {child.key.name!r} has no namespace, and {parent.kind}"
        f" {parent.metadata.name!r} is in none that it could be put into: set metadata.namespace"
    )


def _set_namespace(child: Resource | Unstructured, namespace: str) -> None:
    if isinstance(child, Resource):
        child.metadata.namespace = namespace
    else:
        child["metadata"]["namespace"] = namespace

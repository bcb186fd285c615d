"""What a reconciler wants to exist, made ready: in which namespace, and owned by whom."""

from copy import copy
from typing import TYPE_CHECKING, NamedTuple, TypeVar

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

O = TypeVar("O", bound=Resource | Unstructured)  # noqa: E741  # an object, as it came in

__all__ = ["Child", "check_controller", "child_of", "mapping_for"]


class Child(NamedTuple):
    """Which object a child is, whatever its version.

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
        """Return which object *obj* is."""
        key = obj.key
        return cls(obj.api_version.rpartition("/")[0], obj.kind, key.namespace, key.name)

    def __str__(self) -> str:
        return f"{self.kind} {'/'.join(filter(None, (self.namespace, self.name)))}"


async def mapping_for(client: "Client", obj: Resource | Unstructured) -> RESTMapping:
    """Return where *obj* lives; only one without a class needs the server to know that."""
    if isinstance(obj, Resource):
        return mapping_of(type(obj))
    return await client.mapper.mapping(obj.gvk)


def child_of(parent: Resource, wanted: O, mapping: RESTMapping, *, owner: bool) -> O:
    """Return a copy of *wanted* in its namespace, controlled by *parent*.

    Args:
        parent: The object that is reconciled.
        wanted: What should exist; not modified, since it may serve for many parents.
        mapping: Whether its kind lives in namespaces.
        owner: Whether *parent* becomes its controller.

    Raises:
        ValueError: It has no name or namespace, or *parent* cannot own it where it is.
    """
    child = _copy(checked(wanted))
    if not child.key.name:
        raise ValueError(f"a {child.kind} without a name cannot be applied: set metadata.name")
    if mapping.namespaced and not child.key.namespace:
        _place(child, _namespace_of(parent, child))
    if owner:
        set_controller_reference(parent, child)
    return child


def check_controller(
    parent: Resource, child: Resource | Unstructured, owners: tuple[OwnerReference, ...]
) -> None:
    """Check that nobody else controls the object that *child* would be applied to.

    Raises:
        AlreadyOwnedError: Somebody does.
    """
    present = next((one for one in owners if one.controller), None)
    if present is None or present.uid == parent.metadata.uid:
        return
    if (present.kind, present.name) == (parent.kind, parent.metadata.name):
        return  # an earlier object of our name; its reference is replaced
    raise AlreadyOwnedError(
        f"{parent.kind} {str(parent.key)!r} cannot control {child.kind} {str(child.key)!r}:"
        f" {present.kind} {present.name!r} controls it already. Give the child another name, or"
        " delete the one that is there."
    )


def _copy(wanted: O) -> O:
    """Return a copy whose metadata can be changed."""
    made = copy(wanted)
    if isinstance(made, Resource):
        made.metadata = msgspec.structs.replace(made.metadata)
    elif isinstance(wanted, Unstructured) and isinstance(made, dict):
        made = type(wanted)(wanted)
        made["metadata"] = dict(wanted.get("metadata") or {})
    return made


def _namespace_of(parent: Resource, child: Resource | Unstructured) -> str:
    if namespace := parent.metadata.namespace:
        return namespace
    raise ValueError(
        f"{child.kind} {child.key.name!r} has no namespace, and {parent.kind}"
        f" {parent.metadata.name!r} is in none that it could be put into: set metadata.namespace"
    )


def _place(child: Resource | Unstructured, namespace: str) -> None:
    if isinstance(child, Resource):
        child.metadata.namespace = namespace
    else:
        child["metadata"]["namespace"] = namespace

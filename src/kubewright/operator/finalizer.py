"""The finalizer that makes a deleted object wait for its clean-up."""

from typing import TYPE_CHECKING, Any, TypeVar

from kubewright.api.kind_reference import KindLike, kind_of, likely_mapping
from kubewright.api.resource import Resource, mapping_of
from kubewright.api.unstructured import Unstructured
from kubewright.client.verbs import patch_object

if TYPE_CHECKING:
    from kubewright.client import Client

R = TypeVar("R", bound=Resource | Unstructured)

__all__ = ["add_finalizer", "finalizer_for", "remove_finalizer"]


def finalizer_for(kind: KindLike[Any], owner: str) -> str:
    """Return the name of the finalizer of *owner* for objects of *kind*.

    Example:
        >>> from kubewright.kinds.apps.v1 import Deployment
        >>> finalizer_for(Deployment, "shop-operator")
        'apps/shop-operator'
    """
    # The core group has no name, and a finalizer needs something before the slash.
    return f"{likely_mapping(kind).group or 'core'}/{owner}"


async def add_finalizer(client: "Client", obj: R, name: str) -> R:
    """Add the finalizer *name* to *obj* on the server, and return the updated object.

    Raises:
        NotFoundError: It is gone.
        ConflictError: It has changed since it was read, or is another object of that name.
    """
    kind: Any = kind_of(obj)
    patch = _patch(obj, [*obj.metadata.finalizers, name])
    held: R = await patch_object(client, kind, obj, patch)
    return held


async def remove_finalizer(client: "Client", obj: R, name: str) -> None:
    """Remove the finalizer *name* from *obj* on the server.

    Raises:
        NotFoundError: It is gone.
        ConflictError: It has changed since it was read, or is another object of that name.
    """
    left = [one for one in obj.metadata.finalizers if one != name]
    # By its mapping, not by its class, so that it also works for objects that do not fit the class.
    kind: Any = mapping_of(type(obj)) if isinstance(obj, Resource) else kind_of(obj)
    await patch_object(client, kind, obj, _patch(obj, left))


def _patch(obj: Resource | Unstructured, finalizers: list[str]) -> dict[str, Any]:
    # Not patch(obj), which would also write what the user changed in the object. A merge patch
    # replaces the whole list, so the version must be the one that was read: others add finalizers.
    version = obj.metadata.resource_version
    return {"metadata": {"finalizers": finalizers, "resourceVersion": version}}

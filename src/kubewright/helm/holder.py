"""Whose a release is: custom objects of two kinds may have one name, and so one release Secret."""

from typing import TYPE_CHECKING, Any

import msgspec

from kubewright.api.kind import GroupKind, GroupVersionKind, ObjectKey
from kubewright.api.kind_reference import Kind
from kubewright.api.unstructured import Unstructured
from kubewright.errors import ForbiddenError, NoMatchError, NotFoundError

if TYPE_CHECKING:
    from kubewright.cluster import Cluster

__all__ = ["Holder", "find_rival", "holder_of", "holder_said_by"]


class Holder(msgspec.Struct, frozen=True):
    """The custom object that a revision belongs to.

    Its version is left out: an object is the same in each version of its kind.
    """

    kind: GroupKind
    name: str
    uid: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name!r}"

    def is_same(self, other: "Holder") -> bool:
        """Say whether both are one object, and not one and a later one of its name."""
        return (self.kind, self.uid) == (other.kind, other.uid)


def holder_of(secret: Unstructured) -> Holder | None:
    """Return what *secret* belongs to; ``None`` for those that helm itself has written."""
    references = secret.metadata.owner_references
    # Controllers first: others may have been added by who knows whom.
    for one in sorted(references, key=lambda one: not one.controller):
        gvk = GroupVersionKind.of(one.api_version, one.kind)
        return Holder(gvk.group_kind, one.name, one.uid)
    return None


def holder_said_by(reference: dict[str, Any]) -> Holder:
    """Return the object that *reference*, which we write, names."""
    gvk = GroupVersionKind.of(reference["apiVersion"], reference["kind"])
    return Holder(gvk.group_kind, reference["name"], reference["uid"])


async def find_rival(
    cluster: "Cluster", holder: Holder | None, us: Holder, namespace: str
) -> Holder | None:
    """Return *holder* if it is another object than *us* that is still there.

    Args:
        cluster: Where it is looked for.
        holder: What a release belongs to.
        us: Who asks.
        namespace: That of the release.
    """
    if holder is None or holder.is_same(us):
        return None
    try:
        mapping = await cluster.client.mapper.mapping(holder.kind)
        kind = Kind(mapping.gvk.api_version, mapping.kind)
        live = await cluster.live.find(kind, ObjectKey(namespace, holder.name))
    except (NoMatchError, NotFoundError):
        return None  # the kind is gone, and all its objects with it
    except ForbiddenError:
        return holder  # nobody knows, and what is not ours must not be lost
    return holder if live is not None and live.metadata.uid == holder.uid else None

"""The status: what of it has changed since it was read, and writing that, once."""

from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from kubewright import _json
from kubewright.api.changes import merge_patch
from kubewright.api.resource import Resource, definition_of, document, raw_of

if TYPE_CHECKING:
    from kubewright.client import Client

R = TypeVar("R", bound=Resource)

__all__ = ["Snapshot", "observe_generation", "write_status"]


class _Parts(msgspec.Struct, gc=False):
    """What of an object must be known to exist on the server."""

    status: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class Snapshot:
    """An object as it was when a reconciler got it.

    Two encodings are compared first, which costs a few microseconds; the fields are compared only
    if those differ.
    """

    __slots__ = ("_encoded", "_unwritten")

    def __init__(self, obj: Resource) -> None:
        self._encoded = _json.encode(obj)
        self._unwritten = _is_unwritten(obj)

    def changes(self, obj: Resource) -> dict[str, Any]:
        """Return what changed since, as a merge patch.

        A status that the server does not have at all counts as changed: the defaults of its class
        (``phase: PENDING``) are for people to see.
        """
        if self._encoded == _json.encode(obj) and not self._unwritten:
            return {}
        patch = merge_patch(obj, optimistic=False)
        if self._unwritten and (whole := document(obj).get("status")):
            patch["status"] = whole
        return patch


def _is_unwritten(obj: Resource) -> bool:
    raw = raw_of(obj)
    if raw is None or not getattr(obj, "status", None):
        return False
    return _json.decode(raw, _Parts).status is msgspec.UNSET and bool(document(obj).get("status"))


def observe_generation(obj: Resource) -> None:
    """Set ``status.observed_generation`` to the generation of *obj*, if there is such a field.

    Not for built-in kinds: that field is how their own controllers say how far they are.
    """
    if definition_of(type(obj)).builtin:
        return
    status = getattr(obj, "status", None)
    if "observed_generation" in getattr(status, "__struct_fields__", ()):
        setattr(status, "observed_generation", obj.metadata.generation)  # noqa: B010  # of any class


async def write_status(client: "Client", obj: R, status: Any) -> R:
    """Patch the status of *obj*, which *status* is the change of, and return the object.

    Raises:
        NotFoundError: The object is gone, or its kind has no status on the server.
        ConflictError: It has changed meanwhile, and the patch holds a list, which it would undo.
    """
    patch: dict[str, Any] = {"status": status}
    if _has_list(status):
        patch["metadata"] = {"resourceVersion": obj.metadata.resource_version}
    return await client.status.patch(type(obj), obj.key, patch)


def _has_list(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_list, value.values()))
    return isinstance(value, list)

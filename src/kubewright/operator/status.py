"""The status: finds out what a function changed in it, and writes that."""

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import msgspec

from kubewright import _json
from kubewright.api.changes import merge_patch, merge_patch_within
from kubewright.api.kind import RESTMapping
from kubewright.api.kind_reference import kind_of
from kubewright.api.patches import merge_patch_between
from kubewright.api.resource import (
    Resource,
    definition_of,
    has_status_subresource,
    raw_of,
)
from kubewright.api.unstructured import Unstructured
from kubewright.client.identity import replaced
from kubewright.client.verbs import patch_object
from kubewright.errors import ConflictError

if TYPE_CHECKING:
    from kubewright.cluster import CachedClient

R = TypeVar("R", bound=Resource | Unstructured)

__all__ = [
    "Changes",
    "Snapshot",
    "counts_status",
    "learn_status",
    "observe_generation",
    "write_status",
]


_OBSERVED = "observedGeneration"
_COUNTED = "_counts_status"


_Members: TypeAlias = dict[str, msgspec.Raw]


class _Parts(msgspec.Struct, gc=False):
    """The part of an object that tells whether it has a status."""

    status: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class Changes(NamedTuple):
    """What to write after a run.

    Attributes:
        status: What the function changed in the status, as a merge patch.
        first: The whole status with the defaults of its class, if the object had no status when it
            was read: users want to see ``phase: PENDING``.
        others: What the function changed outside of the status.
    """

    status: dict[str, Any] = {}
    first: dict[str, Any] = {}
    others: dict[str, Any] = {}

    def without_status(self) -> "Changes":
        """Return those that are left if nobody writes the status: what is lost, and no more.

        We change the observed generation by ourselves, so nobody will miss it.
        """
        lost = {name: value for name, value in self.status.items() if name != _OBSERVED}
        return Changes(others=self.others | ({"status": lost} if lost else {}))


class Snapshot:
    """An object as it was when a reconciler got it.

    The encodings are compared first, which costs a few microseconds, and the fields only if these
    differ.
    """

    __slots__ = ("_encoded", "_unwritten")

    def __init__(self, obj: Resource | Unstructured) -> None:
        self._encoded = _json.encode(obj)
        self._unwritten = _is_unwritten(obj)

    def changes(self, obj: Resource | Unstructured) -> Changes:
        """Return what changed since."""
        first: dict[str, Any] = {}
        if self._unwritten:
            first = _json.to_builtins(getattr(obj, "status", None)) or {}
        encoded = _json.encode(obj)
        if self._encoded == encoded:
            return Changes(first=first)
        # A patch against what was read would include defaults of parts that the server did not
        # have, which somebody else may have written meanwhile. So keep only what was touched.
        before, after = _changed_members(self._encoded, encoded)
        touched = merge_patch_between(before, after)
        patch = _within(_patch_of(obj, touched, before, after), touched)
        return Changes(patch.pop("status", {}), first, patch)


def _changed_members(before: bytes, after: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the members of two documents that differ; the others are not even decoded."""
    old, new = _json.decode(before, _Members), _json.decode(after, _Members)
    differ = [name for name in old | new if old.get(name) != new.get(name)]
    return (
        {name: _json.loads(old[name]) for name in differ if name in old},
        {name: _json.loads(new[name]) for name in differ if name in new},
    )


def _patch_of(
    obj: Resource | Unstructured,
    touched: dict[str, Any],
    before: dict[str, Any],
    after: dict[str, Any],
) -> dict[str, Any]:
    """Return the merge patch from what was read to what *obj* is now, for the *touched* parts."""
    if isinstance(obj, Unstructured):
        return merge_patch(obj, optimistic=False)
    raw = raw_of(obj)
    if raw is not None and _has_list(touched):
        # It may be a set, which is encoded in any order: another order is not a change.
        before = _json.to_builtins(_json.decode(raw, type(obj)))
        after = _json.to_builtins(obj)
    return merge_patch_within(obj, touched, before, after)


def _within(patch: Any, touched: Any) -> Any:
    """Return only those members of *patch* that *touched* has, too."""
    if not isinstance(patch, dict) or not isinstance(touched, dict):
        return patch
    return {key: _within(patch[key], one) for key, one in touched.items() if key in patch}


def _is_unwritten(obj: Resource | Unstructured) -> bool:
    if isinstance(obj, Unstructured):
        return False  # without a class there are no defaults to write
    raw = raw_of(obj)
    if raw is None or not getattr(obj, "status", None):
        return False
    return not _has_status(raw)


def _has_status(raw: bytes) -> bool:
    return _json.decode(raw, _Parts).status is not msgspec.UNSET


def observe_generation(obj: Resource | Unstructured, generation: int) -> None:
    """Set ``status.observed_generation`` of *obj* to *generation*, if there is such a field.

    Not for built-in kinds: their own controllers use that field. Nor for kinds without a status
    subresource: see `counts_status`. Without a class we do not know whether the schema has the
    field: it is updated only if the status has it already.
    """
    if isinstance(obj, Unstructured):
        custom = "." in obj.gvk.group.removesuffix(".k8s.io")
        if _OBSERVED in obj.status and custom and not counts_status(obj):
            obj.status[_OBSERVED] = generation
        return
    if not _observes_generations(type(obj)):
        return
    status = getattr(obj, "status", None)
    if "observed_generation" in getattr(status, "__struct_fields__", ()):
        setattr(status, "observed_generation", generation)  # noqa: B010  # of any class


@cache
def _observes_generations(kind: type[Resource]) -> bool:
    return has_status_subresource(kind) and not definition_of(kind).builtin


def counts_status(obj: Resource | Unstructured) -> bool:
    """Say whether a status write makes a new generation: the kind has no status subresource.

    Writing the generation into such a status would make another one, and so on forever.
    """
    if isinstance(obj, Unstructured):
        return bool(obj.__dict__.get(_COUNTED))
    kind = type(obj)
    return not has_status_subresource(kind) and not definition_of(kind).builtin


async def learn_status(client: "CachedClient", obj: Unstructured, mapping: RESTMapping) -> None:
    """Ask discovery whether the kind of *obj* has a status subresource, and note it on *obj*."""
    found = (await client.discovery.discover()).find_resource(mapping.gvr)
    obj.__dict__[_COUNTED] = found is not None and found.find_subresource("status") is None


async def write_status(client: "CachedClient", obj: R, changes: Changes) -> R:
    """Patch the status of *obj* by *changes*, and return the object.

    Defaults are written only if there is no status at all: if somebody has written one since *obj*
    was read, only the changes are sent. A new object of the same name is never written.

    Raises:
        NotFoundError: The object is gone, or its kind has no status on the server.
        ConflictError: The object has changed meanwhile, and the patch would overwrite a list; or it
            was replaced by another object of its name.
    """
    if not changes.first:
        return await _patch(client, obj, changes.status, locked=_has_list(changes.status))
    try:
        return await _patch(client, obj, changes.first, locked=True)
    except ConflictError as error:
        if error.is_about_identity or _has_list(changes.status):
            raise
        kind: Any = kind_of(obj)
        live: R = await client.live.get(kind, obj.key)
        if live.metadata.uid != obj.metadata.uid:
            raise replaced(error, obj.metadata.uid or "", live.metadata.uid or "") from error
    if _is_unwritten(live):
        return await _patch(client, live, changes.first, locked=True)
    if changes.status == {}:
        return live
    return await _patch(client, live, changes.status)


async def _patch(client: "CachedClient", obj: R, status: Any, *, locked: bool = False) -> R:
    patch: dict[str, Any] = {"status": status}
    if locked:
        patch["metadata"] = {"resourceVersion": obj.metadata.resource_version}
    writer = client if counts_status(obj) else client.status
    kind: Any = kind_of(obj)
    written: R = await patch_object(writer, kind, obj, patch)
    return written


def _has_list(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_list, value.values()))
    return isinstance(value, list)

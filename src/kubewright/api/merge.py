"""Keeps the fields that our types do not know in an update.

A typed object holds only the fields of its class. The server may have more: a newer version of
the kind, or a CRD that has grown. Sending the typed object alone would delete them. So an update
sends the document that was read, with exactly those changes that were made to the typed object.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from kubewright.api.patches import common_ends, copied, json_equal

__all__ = ["merged"]

_MISSING: Final = object()
_LISTS: Final = (list, tuple)  # msgspec encodes a field that is a tuple as one

# What tells the items of a list apart, tried in this order. These are the merge keys that
# Kubernetes declares for its own lists (x-kubernetes-list-map-keys, x-kubernetes-patch-merge-key),
# and custom kinds follow the same habits. The narrow ones come first, because a name is not always
# the identity: two mounts may name one volume, and only their paths differ. A member after the
# first may be absent; Kubernetes then reads protocol as TCP.
_IDENTITIES: Final[tuple[tuple[str, ...], ...]] = (
    ("mountPath",),
    ("devicePath",),
    ("containerPort", "protocol"),
    ("port", "protocol"),
    ("topologyKey", "whenUnsatisfiable"),
    ("uid",),
    ("ip",),
    ("name",),
)
# In many lists these say what sort of thing an item is, not which one; so they count only where
# there is nothing better, as in conditions.
_WEAK_IDENTITIES: Final[tuple[tuple[str, ...], ...]] = (("type",), ("key",))
_DEFAULTS: Final = {"protocol": "TCP"}


def merged(
    raw: Mapping[str, Any], before: Mapping[str, Any], after: Mapping[str, Any]
) -> dict[str, Any]:
    """Return *raw* with exactly the changes that lead from *before* to *after*.

    What *before* and *after* agree on stays as *raw* has it, even where the typed object writes it
    otherwise: a default that the server did not send is not added, a time keeps its digits.

    Args:
        raw: The document as the server sent it; not modified.
        before: What the typed object encodes to when it has just been decoded from *raw*.
        after: What it encodes to now. To keep unknown fields inside a part that became empty,
            encode that part as ``{}``; leaving it out removes it whole.

    Returns:
        A new document that shares nothing with the three.

    Example:
        >>> merged({"size": 1, "new": True}, {"size": 1}, {"size": 2})
        {'size': 2, 'new': True}
    """
    result: dict[str, Any] = copied(_objects(raw, before, after))
    return result


def _values(raw: Any, before: Any, after: Any) -> Any:
    if json_equal(before, after):
        return raw
    if isinstance(raw, Mapping) and isinstance(after, Mapping):
        # A part that was empty is often not encoded at all; raw may still hold unknown fields.
        return _objects(raw, before if isinstance(before, Mapping) else {}, after)
    if isinstance(raw, list) and isinstance(before, _LISTS) and isinstance(after, _LISTS):
        return _lists(raw, list(before), list(after))
    return after


def _objects(
    raw: Mapping[str, Any], before: Mapping[str, Any], after: Mapping[str, Any]
) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in raw.items():
        if key in after:
            result[key] = _values(value, before.get(key, _MISSING), after[key])
        elif key not in before:
            result[key] = value
    return result | {
        key: value
        for key, value in after.items()
        if key not in raw and not json_equal(before.get(key, _MISSING), value)
    }


def _lists(raw: list[Any], before: list[Any], after: list[Any]) -> list[Any]:
    if not _alike(raw, before):
        return after
    if identities := _identities_of(before, after):
        origin = _origins(raw, before, after, identities=identities)
        return [
            _values(raw[origin[j]], before[origin[j]], item) if j in origin else item
            for j, item in enumerate(after)
        ]
    origin = _unkeyed_origins(before, after)
    # Only objects and lists contain unknown fields. A scalar is taken as it is now: a set may
    # have been written in another order than it was read.
    return [
        _values(raw[origin[j]], before[origin[j]], item)
        if j in origin and isinstance(item, (dict, *_LISTS))
        else item
        for j, item in enumerate(after)
    ]


def _unkeyed_origins(before: list[Any], after: list[Any]) -> dict[int, int]:
    """Return where each item of *after* stood: equal items first, then those edited in place."""
    start, end = common_ends(before, after)
    origin = {j: j for j in range(start)}
    origin |= {len(after) - k: len(before) - k for k in range(1, end + 1)}
    free = list(range(start, len(before) - end))
    for j, item in enumerate(after):
        if j not in origin:
            found = next((i for i in free if json_equal(before[i], item)), None)
            if found is not None:
                origin[j] = found
                free.remove(found)
    # What is left between the same two neighbours, in the same number, was edited in place.
    stayed = set(origin.values())
    old = _gaps(len(before), {i: i for i in stayed})
    new = _gaps(len(after), origin)
    for behind, items in new.items():
        if len(old.get(behind, ())) == len(items):
            origin.update(zip(items, old[behind], strict=True))
    return origin


def _gaps(length: int, known: Mapping[int, int]) -> dict[int, list[int]]:
    """Return the items that are not *known*, by the one that they stand behind."""
    found: dict[int, list[int]] = {}
    behind = -1
    for index in range(length):
        if index in known:
            behind = known[index]
        else:
            found.setdefault(behind, []).append(index)
    return found


def _alike(raw: Sequence[Any], before: Sequence[Any]) -> bool:
    """Tell whether the items of *before* are those of *raw*, one by one."""
    return len(raw) == len(before) and all(
        isinstance(one, dict) is isinstance(other, dict)
        and isinstance(one, list) is isinstance(other, _LISTS)
        for one, other in zip(raw, before, strict=True)
    )


def _identities_of(before: list[Any], after: list[Any]) -> list[tuple[str, ...]]:
    """Return each set of members that tells all items of both lists apart, best first."""
    if not all(isinstance(item, dict) for item in (*before, *after)):
        return []
    found = [one for one in _IDENTITIES if _is_unique(before, one) and _is_unique(after, one)]
    weak = (one for one in _WEAK_IDENTITIES if _is_unique(before, one) and _is_unique(after, one))
    return found or list(weak)[:1]


def _is_unique(items: list[Any], members: tuple[str, ...]) -> bool:
    seen = {_identity(item, members) for item in items}
    return len(seen) == len(items) and None not in seen


def _identity(item: Mapping[str, Any], members: tuple[str, ...]) -> tuple[Any, ...] | None:
    if not _is_scalar(item.get(members[0])):
        return None
    found = tuple(item.get(member, _DEFAULTS.get(member)) for member in members)
    return found if all(part is None or _is_scalar(part) for part in found) else None


def _is_scalar(value: Any) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def _origins(
    raw: list[Any], before: list[Any], after: list[Any], *, identities: list[tuple[str, ...]]
) -> dict[int, int]:
    """Return for each item of *after* that *before* had too, where it stood.

    An item that one identity does not find may be found by the next: a port whose number was
    changed still has its name.
    """
    origin: dict[int, int] = {}
    for members in identities:
        taken = set(origin.values())
        known = {_identity(one, members): i for i, one in enumerate(before) if i not in taken}
        for j, item in enumerate(after):
            i = known.get(_identity(item, members))
            # The same item must stand at the same place in raw, or we would mix up two of them.
            if j not in origin and i is not None and _stands(raw[i], before[i], members):
                origin[j] = i
    return origin


def _stands(raw: Mapping[str, Any], before: Mapping[str, Any], members: tuple[str, ...]) -> bool:
    return _identity(raw, members) == _identity(before, members)

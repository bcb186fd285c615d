"""The order of list elements after a strategic merge patch."""

from typing import Any

import msgspec

from kubewright.apiserver.patch import gotext
from kubewright.apiserver.patch.directives import DELETE, DIRECTIVE, SET_ORDER, BadPatchError


def bad_type(expected: str, actual: Any) -> BadPatchError:
    """Return the error for a value of the wrong type in a patch."""
    received = "%!s(<nil>)" if actual is None else gotext.type_name(actual)
    return BadPatchError(f"expected a {expected}, but received a {received}")


def no_merge_key(item: dict[str, Any], merge_key: str) -> BadPatchError:
    """Return the error for a list element without its merge key."""
    why = f"does not contain declared merge key: {merge_key}"
    return BadPatchError(f"map: {gotext.shown(item)} {why}")


def element_type(*lists: list[Any]) -> type:
    """Return the type that all elements share."""
    items = [item for each in lists for item in each]
    if not items:
        raise BadPatchError("no elements in any of the given slices")
    found = type(items[0])
    if found is list:
        raise BadPatchError("lists of lists are not supported", 422)
    if any(type(item) is not found for item in items):
        shown = " ".join(gotext.shown(each) for each in lists)
        raise BadPatchError(f"list element types are not identical: [{shown}]")
    return found


def unique(items: list[Any]) -> list[Any]:
    """Return scalars without duplicates."""
    return [value for _, value in dict.fromkeys((type(item), item) for item in items)]


def check(patch: list[Any], order: list[Any], merge_key: str) -> None:
    """Check that ``$setElementOrder`` lists all elements of the patch, in the same order."""
    if not patch or not order:
        return
    ahead = _kept(patch) if merge_key else patch
    at = to = 0
    while at < len(ahead) and to < len(order):
        if isinstance(ahead[at], dict) and DIRECTIVE in ahead[at]:
            at += 1
            continue
        if _matches(ahead[at], order[to], merge_key):
            at += 1
        to += 1
    if at < len(ahead) and to >= len(order):
        raise BadPatchError(
            f"The order in patch list:\n{gotext.shown(patch)}\n"
            f" doesn't match {SET_ORDER} list:\n{gotext.shown(order)}\n"
        )


def _kept(patch: list[Any]) -> list[Any]:
    for item in patch:
        if not isinstance(item, dict):
            raise bad_type("map[string]interface {}", item)
    return [item for item in patch if item.get(DIRECTIVE) != DELETE]


def _matches(left: Any, right: Any, merge_key: str) -> bool:
    if not merge_key:
        return _same(left, right)
    for item in (left, right):
        if not isinstance(item, dict):
            raise bad_type("map[string]interface {}", item)
    for item in (left, right):
        if merge_key not in item:
            raise no_merge_key(item, merge_key)
    return _same(left[merge_key], right[merge_key])


def _same(left: Any, right: Any) -> bool:
    return type(left) is type(right) and bool(left == right)


def ordered(
    merged: list[Any], order: list[Any], live: list[Any], merge_key: str, sort: type
) -> list[Any]:
    """Return *merged* in the order of the patch; elements that only the server has stay in place.

    Args:
        merged: The elements.
        order: The order in the patch, as elements or their keys.
        live: The list before the patch.
        merge_key: The merge key of the elements; empty for scalars.
        sort: The type of the elements.
    """
    if merge_key or sort is dict:
        _require_keys(merge_key, merged, order, live)
    wanted, was = places(order, merge_key), places(live, merge_key)
    theirs: list[Any] = []
    ours: list[Any] = []
    for item in merged:
        (theirs if _mark_of(item, merge_key) in wanted else ours).append(item)
    theirs.sort(key=lambda item: wanted[_mark_of(item, merge_key)])
    ours.sort(key=lambda item: was.get(_mark_of(item, merge_key), -1))
    return _zipped(ours, theirs, was, merge_key)


def _zipped(ours: list[Any], theirs: list[Any], was: dict[Any, int], merge_key: str) -> list[Any]:
    out: list[Any] = []
    left = 0
    for item in theirs:
        place = was.get(_mark_of(item, merge_key))
        while left < len(ours) and place is not None:
            before = was.get(_mark_of(ours[left], merge_key))
            if before is None or before >= place:
                break
            out.append(ours[left])
            left += 1
        out.append(item)
    return out + ours[left:]


def _require_keys(merge_key: str, *lists: list[Any]) -> None:
    for item in (item for each in lists for item in each):
        if not isinstance(item, dict):
            raise bad_type("map[string]interface {}", item)
        if merge_key not in item:
            raise no_merge_key(item, merge_key)


def mark(value: Any) -> Any:
    """Return a hashable that is equal for equal JSON values only: ``1`` is not ``true``."""
    compound = isinstance(value, (dict, list))
    return type(value), msgspec.json.encode(value, order="sorted") if compound else value


def places(items: list[Any], merge_key: str) -> dict[Any, int]:
    """Return the index of each element by its mark; elements without a key are left out."""
    found: dict[Any, int] = {}
    for at, item in enumerate(items):
        if not merge_key or merge_key in item:
            found.setdefault(_mark_of(item, merge_key), at)
    return found


def _mark_of(item: Any, merge_key: str) -> Any:
    return mark(item[merge_key] if merge_key else item)

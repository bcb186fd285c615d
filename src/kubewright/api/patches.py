"""JSON patch (RFC 6902) and JSON merge patch (RFC 7386): applied, and made from two documents.

Documents are what JSON is made of: dicts, lists, text, numbers, booleans and ``None``. No
function here changes its arguments, and no result shares a dict or list with them.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from kubewright.errors import PatchError, PatchTestError

__all__ = [
    "apply_json_patch",
    "apply_merge_patch",
    "copied",
    "json_equal",
    "json_patch_between",
    "merge_patch_between",
    "parse_pointer",
    "pointer",
]

Operation = dict[str, Any]

# Most values are these, and to look whether one is a `Mapping` takes longer than all the rest.
_SCALARS: Final = frozenset({str, int, float, bool, type(None)})


def copied(value: Any) -> Any:
    """Return a copy of the JSON *value* that shares no dict or list with it."""
    if type(value) in _SCALARS:
        return value
    if isinstance(value, Mapping):
        return {key: copied(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [copied(one) for one in value]
    return value


def json_equal(left: Any, right: Any) -> bool:
    """Tell whether two values are the same JSON: unlike in Python, ``true`` is not ``1``."""
    if type(left) in _SCALARS and type(left) is type(right):
        return bool(left == right)
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(
            json_equal(one, right[key]) for key, one in left.items()
        )
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(map(json_equal, left, right))
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return bool(left == right)


# --- JSON pointers (RFC 6901) ---


def pointer(*parts: str | int) -> str:
    """Return the JSON pointer to a place.

    Example:
        >>> pointer("metadata", "labels", "example.com/a", 0)
        '/metadata/labels/example.com~1a/0'
    """
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def parse_pointer(text: str) -> list[str]:
    """Return the parts of a JSON pointer; none for the whole document.

    Raises:
        ValueError: It does not begin with ``/``, or has a ``~`` that is neither ``~0`` nor ``~1``.
    """
    if not text:
        return []
    if not text.startswith("/"):
        raise ValueError("a path is empty or begins with '/'")
    if "~" in text.replace("~0", "").replace("~1", ""):
        raise ValueError("in a path '~' is written '~0' and a '/' within a name '~1'")
    return [part.replace("~1", "/").replace("~0", "~") for part in text[1:].split("/")]


# --- JSON patch: apply ---


def apply_json_patch(document: Any, patch: Sequence[Mapping[str, Any]]) -> Any:
    """Return *document* with all operations of *patch* applied, in order; all of them or none.

    Raises:
        PatchTestError: A ``test`` operation found another value.
        PatchError: An operation is malformed or does not fit; names its index and path.

    Example:
        >>> apply_json_patch({"a": [1]}, [{"op": "add", "path": "/a/-", "value": 2}])
        {'a': [1, 2]}
    """
    # A list around the document makes its root an ordinary place, at index 0.
    root = [copied(document)]
    for index, operation in enumerate(patch):
        try:
            _apply(root, operation)
        except _TestFailed as failure:
            raise PatchTestError(index, _path_of(operation), str(failure)) from None
        except _DoesNotFit as failure:
            raise PatchError(index, _path_of(operation), str(failure)) from None
    return root[0]


def _path_of(operation: Any) -> str:
    return str(operation.get("path", "")) if isinstance(operation, Mapping) else ""


class _DoesNotFit(Exception):  # noqa: N818  # never leaves this module
    pass


class _TestFailed(_DoesNotFit):
    pass


def _apply(root: list[Any], operation: Any) -> None:
    if not isinstance(operation, Mapping):
        raise _DoesNotFit("an operation is an object with 'op' and 'path'")
    name = operation.get("op")
    apply = _OPERATIONS.get(name) if isinstance(name, str) else None
    if apply is None:
        raise _DoesNotFit(f"{name!r} is not an operation; write one of {', '.join(_OPERATIONS)}")
    apply(root, _place(operation, "path"), operation)


def _place(operation: Mapping[str, Any], member: str) -> list[str]:
    text = operation.get(member)
    if not isinstance(text, str):
        raise _DoesNotFit(f"{operation['op']!r} needs a text as its {member!r}")
    try:
        return ["0", *parse_pointer(text)]
    except ValueError as error:
        raise _DoesNotFit(f"{member!r} is {text!r}, but {error}") from None


def _value(operation: Mapping[str, Any]) -> Any:
    if "value" not in operation:
        raise _DoesNotFit(f"{operation['op']!r} needs a 'value'")
    return operation["value"]


def _op_add(root: list[Any], place: list[str], operation: Mapping[str, Any]) -> None:
    _put(root, place, copied(_value(operation)))


def _op_remove(root: list[Any], place: list[str], operation: Mapping[str, Any]) -> None:
    _take(root, place)


def _op_replace(root: list[Any], place: list[str], operation: Mapping[str, Any]) -> None:
    value = copied(_value(operation))
    parent = _parent(root, place)
    parent[_existing(parent, place[-1])] = value


def _op_move(root: list[Any], place: list[str], operation: Mapping[str, Any]) -> None:
    source = _place(operation, "from")
    if source == place:
        _get(root, source)
        return
    if place[: len(source)] == source:
        raise _DoesNotFit(f"{operation['from']!r} cannot move into itself")
    _put(root, place, _take(root, source))


def _op_copy(root: list[Any], place: list[str], operation: Mapping[str, Any]) -> None:
    _put(root, place, copied(_get(root, _place(operation, "from"))))


def _op_test(root: list[Any], place: list[str], operation: Mapping[str, Any]) -> None:
    wanted, found = _value(operation), _get(root, place)
    if not json_equal(wanted, found):
        raise _TestFailed(f"expected {_short(wanted)}, found {_short(found)}")


_OPERATIONS: dict[str, Callable[[list[Any], list[str], Mapping[str, Any]], None]] = {
    "add": _op_add,
    "remove": _op_remove,
    "replace": _op_replace,
    "move": _op_move,
    "copy": _op_copy,
    "test": _op_test,
}


def _parent(root: list[Any], place: list[str]) -> Any:
    return _get(root, place[:-1])


def _get(root: list[Any], place: list[str]) -> Any:
    found: Any = root
    for part in place:
        found = found[_existing(found, part)]
    return found


def _take(root: list[Any], place: list[str]) -> Any:
    if len(place) == 1:
        raise _DoesNotFit("the whole document cannot be removed")
    parent = _parent(root, place)
    return parent.pop(_existing(parent, place[-1]))


def _put(root: list[Any], place: list[str], value: Any) -> None:
    parent = _parent(root, place)
    last = place[-1]
    if len(place) == 1:
        root[0] = value
    elif isinstance(parent, dict):
        parent[last] = value
    elif isinstance(parent, list):
        parent.insert(len(parent) if last == "-" else _index(last, len(parent)), value)
    else:
        raise _DoesNotFit(f"there is {_short(parent)}, which has no members, above {last!r}")


def _existing(parent: Any, part: str) -> Any:
    """Return the key or index that *part* names in *parent*, which must be there."""
    if isinstance(parent, dict):
        if part not in parent:
            raise _DoesNotFit(f"there is no {part!r}")
        return part
    if isinstance(parent, list):
        return _index(part, len(parent) - 1)
    raise _DoesNotFit(f"there is {_short(parent)}, which has no members, above {part!r}")


def _index(part: str, last: int) -> int:
    # Leading zeros are refused by the RFC; isdigit alone would let in other scripts' digits.
    if not (part.isascii() and part.isdigit()) or (part[0] == "0" and part != "0"):
        raise _DoesNotFit(f"{part!r} is not an index of a list")
    if len(part) > 9 or int(part) > last:  # noqa: PLR2004  # no list is that long
        raise _DoesNotFit(f"index {part} is beyond the end of the list, which has {last + 1} items")
    return int(part)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"  # noqa: PLR2004  # fits a line


# --- JSON patch: make ---


def json_patch_between(old: Any, new: Any) -> list[Operation]:
    """Return the JSON patch that turns *old* into *new*; an empty one when they are equal.

    Within a list, what is equal at both ends stays, so that one item put in or taken out is one
    operation.

    Example:
        >>> json_patch_between({"a": 1, "b": [1, 3]}, {"a": 2, "b": [1, 2, 3]})
        [{'op': 'replace', 'path': '/a', 'value': 2}, {'op': 'add', 'path': '/b/1', 'value': 2}]
    """
    patch: list[Operation] = []
    _compare(patch, "", old, new)
    return patch


def _compare(patch: list[Operation], path: str, old: Any, new: Any) -> None:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        _compare_objects(patch, path, old, new)
    elif isinstance(old, (list, tuple)) and isinstance(new, (list, tuple)):
        _compare_lists(patch, path, old, new)
    elif not json_equal(old, new):
        patch.append({"op": "replace", "path": path, "value": copied(new)})


def _compare_objects(
    patch: list[Operation], path: str, old: Mapping[str, Any], new: Mapping[str, Any]
) -> None:
    for key in old:
        if key not in new:
            patch.append({"op": "remove", "path": path + pointer(key)})
        else:
            _compare(patch, path + pointer(key), old[key], new[key])
    for key, value in new.items():
        if key not in old:
            patch.append({"op": "add", "path": path + pointer(key), "value": copied(value)})


def _compare_lists(
    patch: list[Operation], path: str, old: Sequence[Any], new: Sequence[Any]
) -> None:
    start, end = common_ends(old, new)
    old_end, new_end = len(old) - end, len(new) - end
    both = min(old_end, new_end)
    for index in range(start, both):
        _compare(patch, f"{path}/{index}", old[index], new[index])
    # From the back, so that the indexes of what is still to be removed stay true.
    patch.extend(
        {"op": "remove", "path": f"{path}/{index}"}
        for index in reversed(range(max(start, both), old_end))
    )
    patch.extend(
        {"op": "add", "path": f"{path}/{index}", "value": copied(new[index])}
        for index in range(max(start, both), new_end)
    )


def common_ends(old: Sequence[Any], new: Sequence[Any]) -> tuple[int, int]:
    """Return how many items are equal at the start and, of the others, at the end."""
    shorter = min(len(old), len(new))
    start = 0
    while start < shorter and json_equal(old[start], new[start]):
        start += 1
    end = 0
    while end < shorter - start and json_equal(old[-1 - end], new[-1 - end]):
        end += 1
    return start, end


# --- JSON merge patch ---


def apply_merge_patch(document: Any, patch: Any) -> Any:
    """Return *document* with the merge *patch* applied: ``None`` removes, lists are replaced.

    Example:
        >>> apply_merge_patch({"a": {"b": 1, "c": 2}}, {"a": {"b": None, "d": 3}})
        {'a': {'c': 2, 'd': 3}}
    """
    if not isinstance(patch, Mapping):
        return copied(patch)
    old: Mapping[str, Any] = document if isinstance(document, Mapping) else {}
    result: dict[str, Any] = {}
    for key, value in old.items():
        if key not in patch:
            result[key] = copied(value)
        elif patch[key] is not None:
            result[key] = apply_merge_patch(value, patch[key])
    for key, value in patch.items():
        if key not in old and value is not None:
            result[key] = apply_merge_patch(None, value)
    return result


def merge_patch_between(old: Any, new: Any) -> Any:
    """Return the merge patch that turns *old* into *new*; ``{}`` when nothing differs.

    A merge patch cannot say ``null``, which means "remove" in it. So a ``None`` in *new* is taken
    as absent, as the API server takes it too; within lists it stays.

    Example:
        >>> merge_patch_between({"a": 1, "b": {"c": 2, "d": 3}}, {"b": {"c": 2, "d": 4}})
        {'a': None, 'b': {'d': 4}}
    """
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return copied(new)
    patch: dict[str, Any] = {}
    for key, value in old.items():
        if new.get(key) is None and (value is not None or key not in new):
            patch[key] = None
    for key, value in new.items():
        if value is not None and not (key in old and json_equal(old[key], value)):
            inner = merge_patch_between(old.get(key), value)
            # Empty for two objects that differ only in a null: then there is nothing to say.
            if inner != {} or not isinstance(old.get(key), Mapping):
                patch[key] = inner
    return patch

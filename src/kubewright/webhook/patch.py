"""The JSON patch for what a defaulter has changed in an object.

A defaulter changes a few fields of many. So objects are compared as bytes: the members of an
object are told apart without being decoded, and only those whose bytes differ are looked into.
"""

from typing import Any, Final

import msgspec

from kubewright._json import loads
from kubewright.api.merge import merged
from kubewright.api.patches import json_patch_between, pointer

__all__ = ["patch_of"]

Operation = dict[str, Any]
_Json = bytes | msgspec.Raw
_Members = dict[str, msgspec.Raw]

_OBJECT: Final = ord("{")
_members: Final = msgspec.json.Decoder(_Members).decode  # of bytes that were read before


def patch_of(sent: _Json, before: bytes, after: bytes) -> list[Operation]:
    """Return the patch that makes those changes in *sent* that lead from *before* to *after*.

    Fields that only *sent* has are not touched: the class of the object may not know them.

    Args:
        sent: The object as the API server sent it.
        before: What the object that was read from *sent* encodes to.
        after: What it encodes to now; encoded in the same way.

    Example:
        >>> patch_of(b'{"size":1,"new":{}}', b'{"size":1}', b'{"size":2}')
        [{'op': 'replace', 'path': '/size', 'value': 2}]
    """
    patch: list[Operation] = []
    if before != after:
        _compare(patch, "", _members(sent), _members(before), _members(after))
    return patch


def _compare(
    patch: list[Operation], path: str, sent: _Members, before: _Members, after: _Members
) -> None:
    """Add to *patch* what `merged` does to an object."""
    for name, value in sent.items():
        old, new = before.get(name), after.get(name)
        if old == new:
            continue  # unchanged, or not a field of the class
        if new is None:
            patch.append({"op": "remove", "path": path + pointer(name)})
        elif _is_object(value) and _is_object(new):
            inner = _members(old) if old is not None and _is_object(old) else {}
            _compare(patch, path + pointer(name), _members(value), inner, _members(new))
        else:
            _compare_values(patch, path, name, (value, old, new))
    for name, new in after.items():
        if name in sent or (old := before.get(name)) == new:
            continue
        if old is None:
            patch.append({"op": "add", "path": path + pointer(name), "value": loads(new)})
        else:
            _compare_values(patch, path, name, (None, old, new))


def _compare_values(
    patch: list[Operation],
    path: str,
    name: str,
    values: tuple[msgspec.Raw | None, msgspec.Raw | None, msgspec.Raw | None],
) -> None:
    """Compare what is not an object; in lists, items that belong together are found."""
    sent, before, after = ({} if one is None else {name: loads(one)} for one in values)
    found = json_patch_between(sent, merged(sent, before, after))
    patch.extend(operation | {"path": path + operation["path"]} for operation in found)


def _is_object(value: msgspec.Raw) -> bool:
    return memoryview(value)[0] == _OBJECT

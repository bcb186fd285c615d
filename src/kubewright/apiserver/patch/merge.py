"""Merge patches (RFC 7386)."""

from typing import Any

import msgspec

from kubewright.apiserver.meta.status import bad_request


def apply(document: Any, patch: bytes | dict[str, Any]) -> Any:
    """Return *document* with *patch* merged into it; neither is modified.

    The result may share parts with both.

    Raises:
        StatusError: The patch is not an object.
    """
    found = decode(patch) if isinstance(patch, bytes) else patch
    return _merged(document, found)


def decode(data: bytes) -> dict[str, Any]:
    """Return the decoded patch.

    Raises:
        StatusError: It is not an object.
    """
    try:
        found = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise bad_request(f"error decoding patch: {error}") from error
    if found is None:
        raise bad_request("Invalid JSON Patch")
    if not isinstance(found, dict):
        names = {list: "array", str: "string", bool: "bool"}
        sort = names.get(type(found), "number")
        raise bad_request(
            f"error decoding patch: json: cannot unmarshal {sort}"
            " into Go value of type map[string]interface {}"
        )
    return found


def _merged(current: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return patch if isinstance(current, dict) else _without_nulls(patch)
    if not isinstance(current, dict):
        return _without_nulls(patch)
    out = dict(current)
    for name, value in patch.items():
        if value is None:
            out.pop(name, None)
        else:
            out[name] = _merged(out.get(name), value)
    return out


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nulls(child) for name, child in value.items() if child is not None}
    if isinstance(value, list):
        return [_without_nulls(child) for child in value]
    return value

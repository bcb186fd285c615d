"""Duplicate keys in JSON documents, which strict decoding rejects and other modes warn about."""

import json
from typing import Any

import msgspec

LIMIT: int = 100
"""How many problems strict decoding lists before it stops."""

_SPACED_COLONS = (b" :", b"\t:", b"\n:", b"\r:")


def may_repeat(body: bytes, keys: int) -> bool:
    """Return whether a document with *keys* keys could have duplicates; cheap, and errs on True.

    *keys* is the number that `conform` counted. A colon after a quote is a key or part of a string,
    so the document never has fewer of them than keys.
    """
    if any(pattern in body for pattern in _SPACED_COLONS):
        return True
    return body.count(b'":') > keys


def repeats(body: bytes, document: Any) -> bool:
    """Return whether *body*, decoded as *document*, could have duplicate keys; as cheap."""
    return may_repeat(body, msgspec.json.encode(document).count(b'":'))


def duplicate_fields(body: bytes) -> list[str]:
    """Return the paths of duplicate keys, each path once."""
    try:
        document = json.loads(body, object_pairs_hook=_Pairs)
    except ValueError:
        return []
    found: dict[str, None] = {}
    _search(document, "", found)
    return list(found)[:LIMIT]


def strict_problems(body: bytes, unknown: list[str], *, custom: bool) -> list[str]:
    """Return all messages of strict decoding for a document that may have duplicate keys.

    For built-in kinds they are in the order of the document, and an unknown field is never reported
    as a duplicate. Custom objects are decoded without a schema first: duplicates come before
    unknown fields.
    """
    if custom:
        texts = [f'duplicate field "{path}"' for path in duplicate_fields(body)]
        return (texts + [f'unknown field "{path}"' for path in unknown])[:LIMIT]
    try:
        document = json.loads(body, object_pairs_hook=_Pairs)
    except ValueError:
        document = _Pairs()
    found: dict[str, None] = {}
    _collect(document, "", frozenset(unknown), found)
    # Paths that cannot be found in the text, as in YAML, come last.
    found.update((f'unknown field "{path}"', None) for path in unknown)
    return list(found)[:LIMIT]


class _Pairs(list[tuple[str, Any]]):
    """The keys and values of an object in their written order, duplicates included."""


def _search(value: Any, path: str, found: dict[str, None]) -> None:
    if isinstance(value, _Pairs):
        seen: set[str] = set()
        for key, item in value:
            inner = f"{path}.{key}" if path else key
            if key in seen:
                found[inner] = None
            seen.add(key)
            _search(item, inner, found)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _search(item, f"{path}[{index}]", found)


def _collect(value: Any, path: str, unknown: frozenset[str], found: dict[str, None]) -> None:
    if isinstance(value, _Pairs):
        seen: set[str] = set()
        for key, item in value:
            inner = f"{path}.{key}" if path else key
            if inner in unknown:
                found[f'unknown field "{inner}"'] = None
                continue
            if key in seen:
                found[f'duplicate field "{inner}"'] = None
            seen.add(key)
            _collect(item, inner, unknown, found)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _collect(item, f"{path}[{index}]", unknown, found)

"""Tells whether an object on the server still has the values that were applied.

The server fills in defaults, writes ``1000m`` as ``1``, and lets webhooks add containers. So we do
not compare what was sent with what is there. We compare the *values of the applied fields* in the
answer to the apply with their values now: they differ only if somebody has changed them since.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

__all__ = ["differences", "digest", "projected"]

_GONE = "<none>"
_sorted = msgspec.json.Encoder(order="sorted")


def projected(live: Any, wanted: Any) -> Any:
    """Return those fields of the document *live* that *wanted* has.

    Lists of the same length are taken item by item; otherwise the list of *live* is taken whole, so
    that an item that others added or removed is noticed.

    Example:
        >>> projected({"size": 2, "uid": "x"}, {"size": 1, "color": "red"})
        {'size': 2}
    """
    if isinstance(wanted, dict) and isinstance(live, dict):
        return {
            # Most are strings: calls for those would take as long as all the rest.
            name: live[name] if isinstance(one, str) else projected(live[name], one)
            for name, one in wanted.items()
            if name in live
        }
    if isinstance(wanted, list) and isinstance(live, list) and len(wanted) == len(live):
        return [projected(there, one) for there, one in zip(live, wanted, strict=True)]
    return live


def digest(value: Any) -> bytes:
    """Return a short fingerprint of a JSON value; the order of its members does not matter."""
    from hashlib import blake2b

    return blake2b(_sorted.encode(value), digest_size=16).digest()


def differences(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """Yield each field that differs between two documents, as ``path: before -> after``.

    Values that must not be shown, such as those of a Secret, are hidden.
    """
    from kubewright.runs.change import changes_between

    is_secret = after.get("kind") == "Secret" and after.get("apiVersion") == "v1"
    for one in changes_between(before, after, secret=is_secret):
        old, new = (_GONE if value is None else value for value in (one.old, one.new))
        yield f"{one.path}: {old!r:.60} -> {new!r:.60}"

"""Whether an object on the server still is what was applied to it.

The server fills in defaults, writes ``1000m`` as ``1``, and lets webhooks add containers. So what
was sent is not compared with what is there. What is compared are the *values of the applied
fields*: as they were in the answer to the apply, and as they are now. They differ only if
somebody changed them since.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from kubewright.api.patches import json_equal

__all__ = ["differences", "digest", "projected"]

_GONE = "<none>"
_sorted = msgspec.json.Encoder(order="sorted")


def projected(live: Any, wanted: Any) -> Any:
    """Return of the document *live* the values of those fields that *wanted* has.

    Lists are taken item by item while both have as many; otherwise the list is taken whole, so
    that an item that others added or removed shows.

    Example:
        >>> projected({"size": 2, "uid": "x"}, {"size": 1, "color": "red"})
        {'size': 2}
    """
    if isinstance(wanted, dict) and isinstance(live, dict):
        return {
            # Most are texts: a call for each would take as long as all the rest.
            name: live[name] if isinstance(one, str) else projected(live[name], one)
            for name, one in wanted.items()
            if name in live
        }
    if isinstance(wanted, list) and isinstance(live, list) and len(wanted) == len(live):
        return [projected(there, one) for there, one in zip(live, wanted, strict=True)]
    return live


def digest(value: Any) -> bytes:
    """Return a short fingerprint of a JSON value, whatever the order of its members."""
    from hashlib import blake2b  # noqa: PLC0415  # not before the first apply

    return blake2b(_sorted.encode(value), digest_size=16).digest()


def differences(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """Yield each field that is not the same in two JSON values, as ``path: before -> after``."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for name in dict.fromkeys([*before, *after]):
            inner = f"{path}.{name}".lstrip(".")
            yield from differences(before.get(name, _GONE), after.get(name, _GONE), inner)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for place, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from differences(one, other, f"{path}[{place}]")
    elif not json_equal(before, after):
        yield f"{path}: {before!r:.60} -> {after!r:.60}"

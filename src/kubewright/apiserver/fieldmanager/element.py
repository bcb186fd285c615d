"""The steps of a field path, as ``managedFields`` writes them.

``f:name`` is a field, ``k:{"name":"web"}`` the list element with those keys, ``v:"a"`` an element
of a set, ``i:0`` a position. Steps have this form everywhere. Equal steps have equal texts, because
`key`, `value` and `canonical` write all of them.
"""

from functools import lru_cache
from typing import Any

import msgspec

from kubewright.apiserver.meta.field import quoted

_encode = msgspec.json.Encoder(order="sorted").encode
# Go escapes these characters in JSON, and steps are compared by their texts.
_ESCAPES = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


_REMEMBERED = 256  # characters: longer steps are rarely seen again, and would stay in memory


class StepError(ValueError):
    """A step cannot be read."""


@lru_cache(maxsize=4096, typed=True)
def _key(names: tuple[str, ...], *values: Any) -> str:
    pairs = dict(zip(names, map(_plain, values), strict=True))
    return "k:" + _encode(pairs).decode().translate(_ESCAPES)


def key(names: tuple[str, ...], values: tuple[Any, ...]) -> str:
    """Return the step to the list element that has these keys."""
    for text in (*names, *values):
        if isinstance(text, str) and len(text) > _REMEMBERED:
            return _key.__wrapped__(names, *values)
    try:
        return _key(names, *values)
    except TypeError:  # a key that is an object is not hashable
        return _key.__wrapped__(names, *values)


def value(item: Any) -> str:
    """Return the step to an element of a set."""
    if isinstance(item, str) and len(item) > _REMEMBERED:
        return _value.__wrapped__(item)
    return _value(item)


@lru_cache(maxsize=4096, typed=True)
def _value(item: Any) -> str:
    return "v:" + _encode(_plain(item)).decode().translate(_ESCAPES)


def _plain(item: Any) -> Any:
    """Return *item* with numbers normalized: ``1.0`` becomes ``1``."""
    return int(item) if isinstance(item, float) and item.is_integer() else item


def canonical(step: str) -> str | None:
    """Return *step* in canonical form; ``None`` if its kind is unknown.

    Raises:
        StepError: It is malformed.
    """
    kind, rest = step[:2], step[2:]
    if len(step) < len("f:") or step[1] != ":":
        raise StepError(f"missing colon: {step}")
    if kind == "f:":
        return step
    if kind == "i:":
        return f"i:{_number(rest)}"
    if kind not in ("k:", "v:"):
        return None
    found = _json(rest)
    if kind == "v:":
        return "v:" + _encode(_plain(found)).decode().translate(_ESCAPES)
    if not isinstance(found, dict):
        raise StepError(f"not an object: {rest}")
    return key(tuple(found), tuple(found.values()))


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise StepError(f"not an index: {text}") from error


def _json(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise StepError(str(error)) from error


def order(step: str) -> tuple[Any, ...]:
    """Return the sort key of a step: fields first, then keys, values, positions."""
    return _order(step) if len(step) <= _REMEMBERED else _order.__wrapped__(step)


@lru_cache(maxsize=4096)
def _order(step: str) -> tuple[Any, ...]:
    if step == ".":
        return (-1,)
    kind, rest = step[0], step[2:]
    if kind == "f":
        return (0, rest)
    if kind == "k":
        found = msgspec.json.decode(rest)
        return (1, [(name, _rank(found[name])) for name in sorted(found)])
    return (2, _rank(msgspec.json.decode(rest))) if kind == "v" else (3, int(rest))


def _rank(item: Any) -> tuple[int, Any]:
    if isinstance(item, bool):
        return (2, item)
    if isinstance(item, (int, float)):
        return (0, item)
    return (1, item) if isinstance(item, str) else (3, _encode(item))


def text(step: str) -> str:
    """Return *step* as messages show it: ``.spec``, ``[name="web"]``, ``[="a"]``, ``[0]``."""
    kind, rest = step[0], step[2:]
    if kind == "f":
        return f".{rest}"
    if kind == "i":
        return f"[{rest}]"
    found = msgspec.json.decode(rest)
    if kind == "v":
        return f"[={_shown(found)}]"
    return "[" + ",".join(f"{name}={_shown(found[name])}" for name in sorted(found)) + "]"


def _shown(item: Any) -> str:
    if isinstance(item, str):
        return quoted(item)
    return _encode(item).decode()

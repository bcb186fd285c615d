"""`Change`: one field that a write changed; and how two states of an object differ."""

from collections.abc import Iterator
from typing import Any

import msgspec

from kubewright.runs.hiding import LAST_APPLIED, is_hidden_variable, shown

__all__ = ["Change", "changes_between"]

_BOOKKEEPING = frozenset(
    {
        "creationTimestamp",
        "generation",
        "managedFields",
        "name",
        "namespace",
        "resourceVersion",
        "selfLink",
        "uid",
    }
)
"""What the metadata say of every object, and the server notes with every write."""
_IDENTITY = frozenset({"apiVersion", "kind"})  # items of a list lack them
_DATA = frozenset({"data", "stringData"})
_KEYS = ("name", "type", "uid")
"""By which field the items of a list are told apart, if each has one of its own."""


class Change(msgspec.Struct, frozen=True):
    """One field that a write changed.

    Attributes:
        path: Where: ``spec.replicas``, or ``status.conditions[Ready].status``.
        old: The value before; ``None`` if there was none.
        new: The value after; ``None`` if there is none.
    """

    path: str
    old: Any
    new: Any

    def __str__(self) -> str:
        return f"{self.path} {self.old!r} -> {self.new!r}"


def changes_between(before: Any, after: Any, *, secret: bool = False) -> Iterator[Change]:
    """Yield the fields that differ between two states of an object, as parsed JSON.

    Kind and name, and what the server notes with every write, are left out. What must not be shown
    is replaced.

    Args:
        before: The state before; ``{}`` for an object that was not there.
        after: The state after.
        secret: Whether it is a Secret, whose data is hidden.

    Example:
        >>> [str(one) for one in changes_between({"spec": {"size": 1}}, {"spec": {"size": 2}})]
        ['spec.size 1 -> 2']
    """
    for name in _names(before, after):
        if name in _IDENTITY:
            continue
        old, new = before.get(name), after.get(name)
        if name == "metadata":
            old, new = _without_bookkeeping(old), _without_bookkeeping(new)
        yield from _differences(name, name, old, new, secret and name in _DATA)


def _without_bookkeeping(metadata: Any) -> dict[str, Any]:
    return {name: one for name, one in (metadata or {}).items() if name not in _BOOKKEEPING}


def _differences(path: str, name: str, old: Any, new: Any, secret: bool) -> Iterator[Change]:
    if old == new and type(old) is type(new):
        return
    inner = _inner(old, new)
    if inner is None:
        hide = secret or name == LAST_APPLIED
        yield Change(path, shown(name, old, secret=hide), shown(name, new, secret=hide))
        return
    is_list = isinstance(old, list) or isinstance(new, list)
    is_variable = is_list is False and _is_variable(old, new)
    for part, before, after in inner:
        hide = secret or (is_variable and part == "value")
        yield from _differences(_joined(path, part, is_list), part, before, after, hide)


def _inner(old: Any, new: Any) -> list[tuple[str, Any, Any]] | None:
    """Return the parts of two values to compare one by one; ``None`` to compare them whole."""
    if _is_map(old) and _is_map(new) and (old or new):
        old, new = old or {}, new or {}
        return [(name, old.get(name), new.get(name)) for name in _names(old, new)]
    if isinstance(old, list) and isinstance(new, list):
        before, after = _keyed(old), _keyed(new)
        if before is not None and after is not None:
            return [(name, before.get(name), after.get(name)) for name in _names(before, after)]
        if len(old) == len(new):
            return [(str(at), *pair) for at, pair in enumerate(zip(old, new, strict=True))]
    return None


def _is_map(value: Any) -> bool:
    return value is None or isinstance(value, dict)


def _keyed(items: list[Any]) -> dict[str, Any] | None:
    """Return *items* by their keys, if each has one of its own."""
    for key in _KEYS:
        found = {
            one[key]: one
            for one in items
            if isinstance(one, dict) and isinstance(one.get(key), str)
        }
        if len(found) == len(items):
            return found
    return None


def _is_variable(old: Any, new: Any) -> bool:
    """Say whether this is an environment variable, or the like, that must not be shown."""
    return any(
        isinstance(one, dict) and is_hidden_variable(str(one.get("name", ""))) for one in (old, new)
    )


def _names(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    return [*before, *(name for name in after if name not in before)]


def _joined(path: str, part: str, is_list: bool) -> str:
    plain = not is_list and part.isidentifier()
    return f"{path}.{part}" if plain else f"{path}[{part}]"

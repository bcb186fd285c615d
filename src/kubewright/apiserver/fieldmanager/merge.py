"""Merges an applied configuration into the live object, and removes fields from an object."""

from collections.abc import Iterator
from typing import Any

from kubewright.apiserver.fieldmanager.extract import item_step
from kubewright.apiserver.fieldmanager.fieldset import LEAF, FieldSet, is_member
from kubewright.apiserver.fieldmanager.shape import Shape


def merged(live: Any, config: Any, shape: Shape) -> Any:
    """Return *live* with all fields of *config* set; nothing is removed, neither is modified."""
    form = shape.form_of(config)
    if form == "scalar" or live == config:
        return config
    if form == "map" and not shape.atomic_map:
        return _merged_maps(live, config, shape)
    if form == "list" and not shape.atomic_list:
        return _merged_lists(live, config, shape)
    return config


def _merged_maps(live: Any, config: Any, shape: Shape) -> Any:
    mine = live if isinstance(live, dict) else {}
    theirs = config if isinstance(config, dict) else {}
    if not mine and not theirs:
        return config
    out = dict(mine)
    for name, value in theirs.items():
        if name in mine:
            known = shape.fields.get(name)
            below = known[1] if known else shape.element or shape
            out[name] = merged(mine[name], value, below)
        else:
            out[name] = value
    return out


def _merged_lists(live: Any, config: Any, shape: Shape) -> Any:
    mine = live if isinstance(live, list) else []
    theirs = config if isinstance(config, list) else []
    if not mine or not theirs:
        return mine or config
    return _Zipper(mine, theirs, shape).out


class _Zipper:
    """Merges two lists by element.

    Elements that only the live list has stay before the element that followed them; elements of
    the configuration keep its order.
    """

    def __init__(self, live: list[Any], config: list[Any], shape: Shape) -> None:
        self.out: list[Any] = []
        self._item = shape.item or shape
        self._live, self._config = live, config
        left = [item_step(item, shape) for item in live]
        right = [item_step(item, shape) for item in config]
        self._mine: dict[str, Any] = {}
        for step, item in zip(left, live, strict=True):
            # Duplicates are not merged: the right one is unknown.
            self._mine[step] = None if step in self._mine else item
        self._theirs = dict(zip(right, config, strict=True))
        self._zip(left, right)

    def _zip(self, left: list[str], right: list[str]) -> None:
        shared = iter([step for step in right if step in self._mine])
        awaited = next(shared, None)
        done: set[str] = set()
        at = to = 0
        while at < len(left) or to < len(right):
            if at < len(left) and to < len(right):
                if left[at] == right[to]:
                    done.add(right[to])
                    self._take(right[to])
                    at, to, awaited = at + 1, to + 1, next(shared, None)
                    continue
                if left[at] in self._theirs and awaited is not None and awaited != left[at]:
                    at += 1
                    continue
            if at < len(left):
                if left[at] not in self._theirs:
                    self.out.append(self._live[at])
                    at += 1
                    continue
                if left[at] in done:
                    at += 1
            if to < len(right):
                done.add(right[to])
                self._take(right[to])
                if awaited == right[to]:
                    awaited = next(shared, None)
                to += 1

    def _take(self, step: str) -> None:
        theirs = self._theirs[step]
        known = step in self._mine
        self.out.append(merged(self._mine[step], theirs, self._item) if known else theirs)


def atomics(value: Any, shape: Shape, path: str = "") -> Iterator[str]:
    """Yield the paths in *value* that would be replaced as a whole rather than merged."""
    form = shape.form_of(value)
    if form == "map" and isinstance(value, dict):
        if shape.atomic_map:
            yield path
        for name, item in value.items():
            if (known := shape.fields.get(name)) is not None:
                yield from atomics(item, known[1], f"{path}.{name}")
    elif form == "list" and isinstance(value, list):
        if shape.atomic_list:
            yield path
        for index, item in enumerate(value if shape.item else ()):
            yield from atomics(item, shape.item or shape, f"{path}[{index}]")


def without(value: Any, fields: FieldSet, shape: Shape) -> Any:
    """Return *value* without *fields*; ``None`` if nothing is left."""
    form = shape.form_of(value)
    if form == "map":
        granular = isinstance(value, dict) and not shape.atomic_map
        return _map_without(value, fields, shape) or None if granular else None
    if form == "list":
        granular = isinstance(value, list) and not shape.atomic_list
        return _list_without(value, fields, shape) or None if granular else None
    return value


def _map_without(value: dict[str, Any], fields: FieldSet, shape: Shape) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, child in value.items():
        step, below = shape.fields.get(name) or (f"f:{name}", shape.element or shape)
        node = fields.get(step)
        if node is None:
            out[name] = child
        elif not is_member(node):
            out[name] = without(child, node, below)
    return out


def _list_without(value: list[Any], fields: FieldSet, shape: Shape) -> list[Any]:
    out: list[Any] = []
    for item in value:
        node = fields.get(item_step(item, shape))
        if node is None:
            out.append(item)
        elif not is_member(node):
            out.append(without(item, node, shape.item or shape))
    return out


def with_named(fields: FieldSet, shape: Shape | None) -> FieldSet:
    """Return *fields* plus every declared field that contains some of them."""
    out: FieldSet = {}
    for step, node in fields.items():
        if not node:
            out[step] = node
            continue
        known, below = _step_shape(step, shape)
        grown = with_named(node, below)
        out[step] = {".": LEAF, **grown} if known and "." not in grown else grown
    return out


def _step_shape(step: str, shape: Shape | None) -> tuple[bool, Shape | None]:
    """Return whether *step* leads to a declared field, and its shape."""
    if shape is None:
        return False, None
    if step.startswith("f:") and shape.is_map:
        known = shape.fields.get(step[2:])
        return (True, known[1]) if known else (False, shape.element)
    return False, shape.item if step.startswith("k:") and shape.is_list else None

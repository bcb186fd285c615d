"""Compares two objects, and returns the changed and removed fields."""

from typing import Any, NamedTuple

from kubewright.apiserver.fieldmanager import fieldset
from kubewright.apiserver.fieldmanager.extract import item_step
from kubewright.apiserver.fieldmanager.fieldset import LEAF, FieldSet
from kubewright.apiserver.fieldmanager.shape import Form, Shape

_CONTAINERS = frozenset({dict, list})
_MISSING: Any = object()


class Comparison(NamedTuple):
    """The difference between two objects.

    Attributes:
        changed: Fields that were added or have another value.
        removed: Fields that were removed.
    """

    changed: FieldSet
    removed: FieldSet


def compare(old: Any, new: Any, shape: Shape) -> Comparison:
    """Return the difference between two whole objects.

    Raises:
        ElementError: A list has elements that cannot be told apart.
    """
    changed: FieldSet = {}
    removed: FieldSet = {}
    _compare_maps(old, new, shape, Comparison(changed, removed))
    return Comparison(changed, removed)


def whole(value: Any, shape: Shape) -> FieldSet:
    """Return the field of *value* and all fields below it."""
    if isinstance(value, dict):
        return _whole_map(value, shape) if shape.granular_map else LEAF
    if value and shape.granular_list and isinstance(value, list):
        return _whole_list(value, shape)
    return LEAF


def _whole_map(value: dict[str, Any], shape: Shape) -> FieldSet:
    zeros = shape.zeros
    if zeros and not zeros.keys() <= value.keys():
        value = {**zeros, **value}
    if not value:
        return LEAF
    found: FieldSet = {".": LEAF}
    fields = shape.fields
    for name in sorted(value):
        child = value[name]
        known = fields.get(name)
        step = known[0] if known else f"f:{name}"
        if type(child) in _CONTAINERS:
            found[step] = whole(child, known[1] if known else shape.element or shape)
        else:
            found[step] = LEAF
    return found


def _whole_list(value: list[Any], shape: Shape) -> FieldSet:
    item_shape = shape.item or shape
    found: FieldSet = {".": LEAF}
    for item in value:
        step = item_step(item, shape)
        found[step] = LEAF if step in found else whole(item, item_shape)
    return found if len(value) == 1 else fieldset.sorted_items(found)


def _compare_maps(
    old: dict[str, Any] | None, new: dict[str, Any] | None, shape: Shape, into: Comparison
) -> None:
    zeros, fields, element = shape.zeros, shape.fields, shape.element or shape
    if zeros:
        old = old if old is None or zeros.keys() <= old.keys() else {**zeros, **old}
        new = new if new is None or zeros.keys() <= new.keys() else {**zeros, **new}
    old, new = old or {}, new or {}
    for name in sorted(new):
        before, value = old.get(name, _MISSING), new[name]
        if before == value and (not shape.loose or same(before, value)):
            continue
        step, below = fields.get(name) or (f"f:{name}", element)
        _compare_values(step, (before, value), below, into)
    for name, before in old.items():
        if name not in new:
            step, below = fields.get(name) or (f"f:{name}", element)
            into.removed[step] = whole(before, below)


def _compare_values(step: str, pair: tuple[Any, Any], shape: Shape, into: Comparison) -> None:
    """Compare the two unequal values at *step*."""
    before, value = pair
    if before is _MISSING:
        into.changed[step] = whole(value, shape)
        return
    below = Comparison({}, {})
    form, old_form = shape.form_of(value), shape.form_of(before)
    leaf = _compare_as(form, pair, shape, below)
    if old_form != form:
        leaf = _compare_as(old_form, pair, shape, below) or leaf
    changed = fieldset.sorted_items(below.changed)
    if leaf and not same(before, value):
        into.changed[step] = {".": LEAF, **changed} if changed else LEAF
    elif changed:
        into.changed[step] = changed
    if below.removed:
        into.removed[step] = below.removed


def _compare_as(form: Form, pair: tuple[Any, Any], shape: Shape, below: Comparison) -> bool:
    """Compare two values as *form*; return True if they have to be compared as a whole."""
    old, new = pair
    if form == "map":
        before = old if isinstance(old, dict) else None
        after = new if isinstance(new, dict) else None
        if shape.atomic_map or not (before or after):
            return True
        _compare_maps(before, after, shape, below)
        return False
    if form == "list":
        before_items = old if isinstance(old, list) else []
        after_items = new if isinstance(new, list) else []
        if shape.atomic_list or not (before_items or after_items):
            return True
        _compare_lists(before_items, after_items, shape, below)
        return False
    return True


def _compare_lists(old: list[Any], new: list[Any], shape: Shape, into: Comparison) -> None:
    before, after = _indexed(old, shape), _indexed(new, shape)
    item_shape = shape.item or shape
    for step, items in after.items():
        mine = before.get(step)
        if mine is None:
            into.changed[step] = whole(items[0], item_shape) if len(items) == 1 else LEAF
        elif mine != items or (shape.loose and not same(mine, items)):
            _compare_items(step, (mine, items), item_shape, into)
    for step, items in before.items():
        if step not in after:
            into.removed[step] = whole(items[0], item_shape) if len(items) == 1 else LEAF


def _indexed(items: list[Any], shape: Shape) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for item in items:
        found.setdefault(item_step(item, shape), []).append(item)
    return found


def _compare_items(
    step: str, pair: tuple[list[Any], list[Any]], shape: Shape, into: Comparison
) -> None:
    """Compare the elements at *step*: several if the list has duplicates."""
    before, after = pair
    if len(before) == len(after) == 1:
        _compare_values(step, (before[0], after[0]), shape, into)
    elif len(before) > 1 and len(after) > 1:
        into.changed[step] = LEAF
    elif len(before) > 1:
        into.changed[step] = whole(after[0], shape)
        into.removed[step] = LEAF
    else:
        into.removed[step] = whole(before[0], shape)
        into.changed[step] = LEAF


def same(left: Any, right: Any) -> bool:
    """Return whether two values are equal; unlike in Python, ``1`` and ``true`` are not."""
    if left != right:
        return False
    if isinstance(left, dict):
        return all(same(value, right[name]) for name, value in left.items())
    if isinstance(left, list):
        return all(same(*pair) for pair in zip(left, right, strict=True))
    return isinstance(left, bool) == isinstance(right, bool)

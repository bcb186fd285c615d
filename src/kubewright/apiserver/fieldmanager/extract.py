"""Extracts the fields of a value: those that its applier owns."""

from typing import Any

from kubewright.apiserver.fieldmanager import element, fieldset
from kubewright.apiserver.fieldmanager.fieldset import LEAF, FieldSet
from kubewright.apiserver.fieldmanager.shape import Shape

_STEPS = 1000


class ElementError(ValueError):
    """A list element cannot be identified."""


def item_step(item: Any, shape: Shape) -> str:
    """Return the step to an element of a set or list-map.

    Raises:
        ElementError: The element has no key, or its type cannot have one.
    """
    keys = shape.keys
    if len(keys) == 1 and type(item) is dict and type(key := item.get(keys[0])) is str:
        # Nearly all elements have the key "name".
        return shape.steps.get(key) or _remembered(key, shape)
    if keys:
        return _key_step(item, shape)
    if isinstance(item, dict):
        raise ElementError("associative list without keys has an element that's a map type")
    if isinstance(item, list):
        raise ElementError("not supported: associative list with lists as elements")
    if item is None:
        raise ElementError("associative list without keys has an element that's an explicit null")
    return element.value(item)


def _remembered(key: str, shape: Shape) -> str:
    step = element.key(shape.keys, (key,))
    if len(shape.steps) < _STEPS:
        shape.steps[key] = step
    return step


def _key_step(item: Any, shape: Shape) -> str:
    if item is None:
        raise ElementError("associative list with keys may not have a null element")
    if not isinstance(item, dict):
        raise ElementError("associative list with keys may not have non-map elements")
    names = shape.keys
    try:
        return element.key(names, tuple([item[name] for name in names]))
    except KeyError:
        pass  # some keys are missing: use defaults, or the keys that are there
    found = {name: item.get(name, shape.key_defaults.get(name)) for name in names}
    there = tuple(name for name in names if found[name] is not None or name in item)
    if not there:
        listed = " ".join(f'"{name}"' for name in shape.declared_keys)
        raise ElementError(
            f"associative list with keys has an element that omits all key fields [{listed}]"
            " (and doesn't have default values for any key fields)"
        )
    return element.key(there, tuple(found[name] for name in there))


def fields_of(value: Any, shape: Shape) -> FieldSet:
    """Return the fields that *value*, a whole object, sets."""
    found = _below(value, shape)
    return found or {}


def _below(value: Any, shape: Shape) -> FieldSet | None:
    """Return the fields at and below *value*; ``None`` if there are none."""
    form = shape.form_of(value)
    if form == "map":
        if shape.atomic_map:
            return LEAF
        return _map(value, shape) if isinstance(value, dict) else None
    if form == "list":
        if shape.atomic_list:
            return LEAF
        return _list(value, shape) if isinstance(value, list) else None
    return LEAF


def _map(value: dict[str, Any], shape: Shape) -> FieldSet | None:
    found: FieldSet = {}
    fields = shape.fields
    for name in sorted(value):
        child = value[name]
        known = fields.get(name)
        if known is not None:
            step, below = known
        else:
            step, below = f"f:{name}", shape.element or shape
        node = _below(child, below)
        # A struct field is implied by fields below it; a map key is not.
        if known is None or child is None or child == {}:
            node = _as_member(node)
        if node is not None:
            found[step] = node
    return found or None


def _list(value: list[Any], shape: Shape) -> FieldSet | None:
    found: FieldSet = {}
    item_shape = shape.item or shape
    for item in value:
        step = item_step(item, shape)
        # A duplicate element is owned as a whole: the two cannot be told apart.
        found[step] = LEAF if step in found else _as_member(_below(item, item_shape))
    if not found:
        return None
    return fieldset.sorted_items(found) if len(found) > 1 else found


def _as_member(node: FieldSet | None) -> FieldSet:
    if not node or "." in node:
        return node or LEAF
    return {".": LEAF, **node}

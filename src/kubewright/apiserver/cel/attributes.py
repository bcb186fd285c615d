"""Closures that read fields and items, or check their presence."""

from typing import Any

from kubewright.apiserver.cel.adaptation import Converter
from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.loops import COST, Frame, Run
from kubewright.apiserver.cel.operators import index, list_index, shown_key
from kubewright.apiserver.cel.values import NONE, Optional, is_list, map_key


def costing(run: Run, cost: int) -> Run:
    """Return *run* with a fixed cost added."""

    def costing(frame: Frame) -> Any:
        frame[COST] += cost
        return run(frame)

    return costing


def converting(run: Run, convert: Converter) -> Run:
    """Return *run* with its result converted from JSON to its type."""

    def converted(frame: Frame) -> Any:
        found = run(frame)
        return None if found is None else convert(found)

    return converted


def field_of(operand: Run, name: str, field: str, *, is_object: bool) -> Run:
    """``operand.field``; a null field of an object counts as missing."""

    def run(frame: Frame) -> Any:
        owner = operand(frame)
        frame[COST] += 1
        try:
            found = owner[name]
        except (KeyError, TypeError, IndexError):
            if isinstance(owner, Optional):
                return _find_field(owner, name)
            # In an object that was converted as a whole, fields have their CEL names.
            found = owner.get(field) if is_object and type(owner) is dict else None
            if found is None:
                raise EvaluationError(f"no such key: {field}") from None
        if found is None and is_object:
            raise EvaluationError(f"no such key: {field}")
        return found

    return run


def _find_field(owner: Any, name: str, *, is_object: bool = False) -> Optional:
    """Return a field if it is present; a null field of an object is not."""
    if isinstance(owner, Optional):
        return _find_field(owner.value, name, is_object=is_object) if owner.present else NONE
    if type(owner) is not dict or name not in owner:
        return NONE
    found = owner[name]
    return NONE if found is None and is_object else Optional(found)


def optional_field_of(operand: Run, name: str, *, is_object: bool) -> Run:
    """``operand.?field``."""

    def run(frame: Frame) -> Optional:
        found = _find_field(operand(frame), name, is_object=is_object)
        frame[COST] += found.present
        return found

    return run


def presence_of(operand: Run, name: str, *, is_object: bool) -> Run:
    """``has(operand.field)``."""

    def run(frame: Frame) -> bool:
        owner = operand(frame)
        if isinstance(owner, Optional):
            return _find_field(owner, name).present
        if type(owner) is not dict:
            return False
        return owner.get(name) is not None if is_object else name in owner

    return run


def item_of(container: Run, key: Run) -> Run:
    """``container[key]``."""

    def run(frame: Frame) -> Any:
        owner = container(frame)
        place = key(frame)
        frame[COST] += 1
        if type(owner) is not dict and not is_list(owner):
            if isinstance(owner, Optional):
                return _find_item(owner, place)
            raise EvaluationError(f"no such key: {shown_key(place)}")
        return index(owner, place)

    return run


def _find_item(owner: Any, key: Any) -> Optional:
    if isinstance(owner, Optional):
        return _find_item(owner.value, key) if owner.present else NONE
    if type(owner) is dict:
        try:
            found = map_key(key)
            return Optional(owner[found]) if found in owner else NONE
        except TypeError:
            return NONE
    if not is_list(owner):
        return NONE
    place = list_index(key)
    return Optional(owner[place]) if 0 <= place < len(owner) else NONE


def optional_item_of(container: Run, key: Run) -> Run:
    """``container[?key]``."""

    def run(frame: Frame) -> Optional:
        found = _find_item(container(frame), key(frame))
        frame[COST] += found.present
        return found

    return run

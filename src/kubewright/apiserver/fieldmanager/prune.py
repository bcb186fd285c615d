"""Removes fields that an applier no longer applies and that have no other owner."""

from collections.abc import Callable
from typing import Any

from kubewright.apiserver.fieldmanager import fieldset
from kubewright.apiserver.fieldmanager.entries import Entry, Managed, Owner
from kubewright.apiserver.fieldmanager.extract import fields_of
from kubewright.apiserver.fieldmanager.fieldset import FieldSet
from kubewright.apiserver.fieldmanager.merge import with_named, without
from kubewright.apiserver.fieldmanager.shape import Shape

Obj = dict[str, Any]
At = Callable[[Obj, str], tuple[Obj, Shape] | None]


def pruned(merged: Obj, managed: Managed, who: Owner, last: Entry, at: At) -> Obj:
    """Return *merged* without fields of *last* that have no owner any more.

    Args:
        merged: The live object with the new configuration merged into it.
        managed: The owners, with the new fields of *who*.
        who: The applier.
        last: The fields that it owned before.
        at: Returns an object in another version, and its shape.
    """
    found = at(merged, last.api_version)
    if found is None:
        return merged
    before, shape = found
    rest = without(before, with_named(last.fields, shape), shape) or {}
    rest = _with_owned(before, rest, managed, last.api_version, at)
    rest = _with_dangling(before, rest, last, at)
    back = at(rest, managed[who].api_version)
    return rest if back is None else back[0]


def _with_owned(merged: Obj, rest: Obj, managed: Managed, version: str, at: At) -> Obj:
    """Return *rest* with fields restored that still have an owner."""
    owned: dict[str, FieldSet] = {}
    for entry in managed.values():
        owned[entry.api_version] = fieldset.union(owned.get(entry.api_version, {}), entry.fields)
    # The pruned version first: conversion to others may need the fields restored here.
    for each in sorted(owned, key=lambda each: each != version):
        found, left = at(merged, each), at(rest, each)
        if found is None or left is None:
            continue
        merged, shape = found
        rest = left[0]
        mine = with_named(fields_of(merged, shape), shape)
        kept = with_named(fields_of(rest, shape), shape)
        gone = fieldset.difference(mine, fieldset.union(kept, with_named(owned[each], shape)))
        rest = without(merged, gone, shape) or {}
    return rest


def _with_dangling(merged: Obj, rest: Obj, last: Entry, at: At) -> Obj:
    """Return *merged* without the applier's former fields that *rest* lacks."""
    found, left = at(merged, last.api_version), at(rest, last.api_version)
    if found is None or left is None:
        return merged
    shape = found[1]
    mine = with_named(fields_of(merged, shape), shape)
    kept = with_named(fields_of(left[0], shape), shape)
    gone = fieldset.intersection(fieldset.difference(mine, kept), with_named(last.fields, shape))
    return without(merged, gone, shape) or {}

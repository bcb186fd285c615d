"""Replacements: the value of one field, copied to others."""

from kubewright.scaffold.kustomize.collection import Collection
from kubewright.scaffold.kustomize.fieldpath import Place, find_node, parts_of, places
from kubewright.scaffold.kustomize.fields import (
    FieldOptions,
    Replacement,
    ReplacementSource,
    ReplacementTarget,
)
from kubewright.scaffold.kustomize.node import Node, copied, is_empty, is_missing, written
from kubewright.scaffold.kustomize.problem import ProblemError, within
from kubewright.scaffold.kustomize.resource import Resource
from kubewright.scaffold.kustomize.scalar import Scalar
from kubewright.scaffold.kustomize.selection import has_labels

__all__ = ["replace"]

_NAME = "metadata.name"


def replace(resources: Collection, replacement: Replacement) -> None:
    """Copy the source of *replacement* to its targets.

    Raises:
        ProblemError: The source is not there or not one, or a target has no such field.
    """
    if replacement.source is None:
        raise ProblemError("source is missing")
    if replacement.targets is None:
        raise ProblemError("targets are missing")
    value = _value(resources, replacement.source)
    for at, target in enumerate(replacement.targets):
        with within(f"targets[{at}]"):
            _copy(resources, value, target)


def _value(resources: Collection, source: ReplacementSource) -> Node:
    resource = _source(resources, source)
    path = source.field_path or _NAME
    with within(f"source: {resource.identity}: {path}"):
        found = find_node(resource.root, parts_of(path))
    if found is None or is_empty(found):
        raise ProblemError(f"source: {resource.identity} has no {path}")
    return _part(found, source.options)


def _source(resources: Collection, source: ReplacementSource) -> Resource:
    found = resources.find(lambda one: one.is_selected_by(source.identity))
    if len(found) == 1:
        return found[0]
    if found:
        several = ", ".join(str(one.identity) for one in found)
        raise ProblemError(f"source: it means each of these: {several}; say more about it")
    raise ProblemError(f"source: there is no {source.identity}")


def _part(found: Node, options: FieldOptions) -> Node:
    if not options.delimiter:
        return found
    if not isinstance(found, Scalar):
        raise ProblemError("source: a delimiter divides texts only")
    parts = written(None if is_missing(found) else found).split(options.delimiter)
    if not 0 <= options.index < len(parts):
        raise ProblemError(f"source: {found.text!r} has no part {options.index}")
    return Scalar(parts[options.index], found.tag, found.quoted)


def _copy(resources: Collection, value: Node, target: ReplacementTarget) -> None:
    if target.select is None:
        raise ProblemError("select is missing")
    for resource in resources:
        if _is_target(resource, target):
            for path in target.field_paths or [_NAME]:
                _copy_to(resource, path, value=value, options=target.options)


def _is_target(resource: Resource, target: ReplacementTarget) -> bool:
    assert target.select is not None
    if not has_labels(resource, target.select):
        return False
    for reject in target.reject:
        by_labels = reject.label_selector or reject.annotation_selector
        if by_labels and has_labels(resource, reject):
            return False
    wanted = target.select.identity
    unwanted = [
        one.identity for one in target.reject if any((*one.identity.gvk, one.name, one.namespace))
    ]
    return any(one.is_selected_by(wanted) for one in resource.identities) and not any(
        one.is_selected_by(reject) for one in resource.identities for reject in unwanted
    )


def _copy_to(resource: Resource, path: str, *, value: Node, options: FieldOptions) -> None:
    create = type(value) if options.create else None
    with within(f"{resource.identity}: {path}"):
        found = list(places(resource.root, parts_of(path), create=create))
        if not found:
            raise ProblemError("there is no such field; create it with `options: {create: true}`")
        for place in found:
            _put(place, value, options)


def _put(place: Place, value: Node, options: FieldOptions) -> None:
    """Put *value* there; a single value keeps its type, so that ``8080`` may become a text."""
    before = place.node
    if options.delimiter:
        if not isinstance(before, Scalar):
            raise ProblemError("a delimiter divides texts only")
        value = Scalar(_joined(before.text, written(value), options))
    if isinstance(before, Scalar):
        place.put(before.holding(written(value), before.tag))
    else:
        place.put(copied(value))


def _joined(before: str, part: str, options: FieldOptions) -> str:
    parts = before.split(options.delimiter)
    if options.index < 0:
        parts = [part, *parts]
    elif options.index >= len(parts):
        parts = [*parts, part]
    else:
        parts[options.index] = part
    return options.delimiter.join(parts)

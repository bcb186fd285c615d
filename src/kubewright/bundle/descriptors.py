"""What a console shows of a kind: read from its CRD, which is made from the class.

Names and descriptions come from docstrings and `kubewright.Title`, the way in which a field is
shown from its type. What people have written into the base themselves stays.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from kubewright.bundle.collection import Object, name_of
from kubewright.bundle.document import at, items, mapping, text

__all__ = ["owned_definitions", "title_of"]

_UI = "urn:alm:descriptor:com.tectonic.ui"
_CONDITIONS = "urn:alm:descriptor:io.kubernetes.conditions"
_PARTS = (("spec", "specDescriptors"), ("status", "statusDescriptors"))
_BY_TYPE = {"boolean": "booleanSwitch", "integer": "number", "number": "number", "string": "text"}
_BY_NAME = {"imagePullPolicy": "imagePullPolicy", "nodeAffinity": "nodeAffinity"}
_LONGEST = 63


def owned_definitions(
    crds: Iterable[Object],
    before: Iterable[Any] = (),
    resources: Mapping[tuple[str, str], list[Object]] | None = None,
) -> list[Object]:
    """Return ``spec.customresourcedefinitions.owned`` for all versions of *crds*.

    Args:
        crds: The CRDs.
        before: The list as it is, with what people have written into it.
        resources: What the objects of a kind consist of, by group and kind.
    """
    known = {
        (text(at(one, "name")), text(at(one, "version")), text(at(one, "kind"))): mapping(one)
        for one in before
    }
    made = [
        _owned(crd, version, known, resources or {})
        for crd in crds
        for version in items(at(crd, "spec", "versions"))
        if at(version, "served") is not False
    ]
    order = list(known)
    return sorted(made, key=lambda one: _rank(one, order))


def title_of(word: str) -> str:
    """Return the name of a kind or a field as people write it.

    Example:
        >>> title_of("CronJob"), title_of("containerPort"), title_of("HTTPRoute")
        ('Cron Job', 'Container Port', 'HTTP Route')
    """
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[A-Z]", word)
    return " ".join(part[0].upper() + part[1:] for part in parts) or word


def _rank(owned: Object, order: list[tuple[Any, ...]]) -> tuple[int, str, str]:
    key = (owned["name"], owned["version"], owned["kind"])
    return order.index(key) if key in order else len(order), owned["kind"], owned["version"]


def _owned(
    crd: Object,
    version: Any,
    known: Mapping[tuple[Any, ...], Object],
    resources: Mapping[tuple[str, str], list[Object]],
) -> Object:
    kind, name = text(at(crd, "spec", "names", "kind")), name_of(crd)
    old = known.get((name, text(at(version, "name")), kind), {})
    schema = mapping(at(version, "schema", "openAPIV3Schema"))
    found = {
        **old,
        "name": name,
        "version": text(at(version, "name")),
        "kind": kind,
        "displayName": text(schema.get("title")) or old.get("displayName") or title_of(kind),
        "description": text(schema.get("description")) or old.get("description") or "",
    }
    group = text(at(crd, "spec", "group"))
    if listed := _resources(items(old.get("resources")), resources.get((group, kind), [])):
        found["resources"] = listed
    replicas = text(at(version, "subresources", "scale", "specReplicasPath"))
    for part, key in _PARTS:
        fields = at(schema, "properties", part, "properties")
        found[key] = _descriptors(fields, items(old.get(key)), f"{part}{replicas}")
    needed = ("name", "version", "kind")
    return {key: value for key, value in found.items() if key in needed or value not in ("", [])}


def _resources(before: list[Any], made: list[Object]) -> list[Any]:
    there = {(at(one, "kind"), at(one, "version")) for one in before}
    return [*before, *(one for one in made if (one["kind"], one["version"]) not in there)]


def _descriptors(fields: Any, before: list[Any], replicas: str) -> list[Object]:
    """Return a descriptor of each field; those of deeper fields are people's, and stay."""
    known = {text(at(one, "path")): mapping(one) for one in before}
    schemas = mapping(fields)
    made = {name: _descriptor(name, mapping(schemas[name]), known, replicas) for name in schemas}
    kept = {
        path: made.get(path, one)
        for path, one in known.items()
        if re.split(r"[.\[]", path)[0] in schemas
    }
    return [*kept.values(), *(one for name, one in made.items() if name not in kept)]


def _descriptor(name: str, schema: Object, known: Mapping[str, Object], replicas: str) -> Object:
    old = known.get(name, {})
    found = {
        **old,
        "path": name,
        "displayName": text(schema.get("title")) or old.get("displayName") or title_of(name),
        "description": text(schema.get("description")) or old.get("description") or "",
    }
    if "x-descriptors" not in found and (shown := _shown(name, schema, replicas)):
        found["x-descriptors"] = [shown]
    return {key: value for key, value in found.items() if value != ""}


def _shown(name: str, schema: Object, replicas: str) -> str:
    """Return how a console shows a field; empty for its own way."""
    if replicas in {f"spec.spec.{name}", f"status.status.{name}"}:
        return f"{_UI}:podCount"
    parts = mapping(schema.get("properties"))
    if name == "conditions" and schema.get("type") == "array":
        return _CONDITIONS
    if {"limits", "requests"} <= set(parts):
        return f"{_UI}:resourceRequirements"
    if name in _BY_NAME:
        return f"{_UI}:{_BY_NAME[name]}"
    if schema.get("enum"):
        return ""  # a console offers its values by itself
    word = _BY_TYPE.get(text(schema.get("type")), "")
    return f"{_UI}:{word}" if word else ""

"""The schemas of the parts of built-in kinds, over several versions of Kubernetes.

They are made of OpenAPI documents of version 3, which say what the server fills in; those of
version 2 do not. A part reads as controller-gen renders it, so that the CRD of a port equals the
original's. Most definitions stay as they are for years: each is kept once, with the version from
which it holds.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tools.kindgen.facts import (
    CONSTANT_DEFAULTS,
    INLINED,
    META,
    PACKAGES,
    ZERO_DEFAULTS,
    Schema,
)
from tools.kindgen.names import InputError, module_of, short

Definitions = dict[str, Schema]

_KEPT = (
    "type", "format", "items", "additionalProperties", "properties", "required", "default",
    "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type",
)  # fmt: skip
# Scalars and the like, whose schemas `kubewright.crd` knows better than the document.
_NAMED = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity",
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
    "io.k8s.apimachinery.pkg.runtime.RawExtension",
    *(META + name for name in ("Time", "MicroTime", "FieldsV1", "ObjectMeta", "Condition")),
}


def definitions_in(documents: Iterable[Any]) -> Definitions:
    """Return Kubernetes' own definitions in the *documents* of one version, by label."""
    found: Definitions = {}
    for document in documents:
        for name, schema in document.get("components", {}).get("schemas", {}).items():
            if name.startswith(PACKAGES) and name not in _NAMED:
                found[label_of(name)] = _reduced(schema, label_of(name))
    if not found:
        raise InputError("these are no OpenAPI v3 documents: there are no schemas in them")
    for label in INLINED & found.keys():
        found[label]["x-kubernetes-map-type"] = "atomic"
    for schema in found.values():
        _check_lists(schema, found)
    return found


def label_of(name: str) -> str:
    """Return what the definition *name* is called, such as ``core.v1.Pod``."""
    return short(name) if name in _NAMED else f"{module_of(name)}.{short(name)}"


def _reduced(schema: Schema, where: str) -> Schema:
    """Return what a CRD can say of *schema*: no prose, no enumerations, no defaults that are zero.

    A CRD must not refuse the value that the next version adds, so enumerations stay open. Zeros
    stand at every field that is no pointer in Go; few of them are meant.
    """
    if isinstance(all_of := schema.get("allOf"), list):
        schema = {**schema, **all_of[0]}
    if isinstance(ref := schema.get("$ref"), str):
        return _kept(schema, where) | {"$ref": label_of(ref.rpartition("/")[2])}
    return _kept(schema, where)


def _kept(schema: Schema, where: str) -> Schema:
    found = {key: schema[key] for key in _KEPT if key in schema}
    meant = bool(found.get("default")) or where in ZERO_DEFAULTS
    if "default" in found and (not meant or where in CONSTANT_DEFAULTS):
        del found["default"]
    for key in ("items", "additionalProperties"):
        if isinstance(found.get(key), dict):
            found[key] = _reduced(found[key], f"{where}.{key}")
    if "properties" in found:
        found["properties"] = {
            wire: _reduced(inner, f"{where}.{wire}")
            for wire, inner in sorted(found["properties"].items())
        }
    if "required" in found:
        found["required"] = sorted(found["required"])
    return found


def _check_lists(schema: Schema, found: Definitions) -> None:
    """Make the lists atomic that no CRD may have as maps, since an item may lack a key."""
    for inner in schema.get("properties", {}).values():
        items = inner.get("items", {})
        part = found.get(items.get("$ref", ""), items)
        filled = {wire for wire, one in part.get("properties", {}).items() if "default" in one}
        keys = set(inner.get("x-kubernetes-list-map-keys", ()))
        if not keys <= filled.union(part.get("required", ())):
            inner["x-kubernetes-list-type"] = "atomic"
            del inner["x-kubernetes-list-map-keys"]


def reachable(definitions: Definitions, roots: Iterable[str]) -> Definitions:
    """Return the *definitions* of the *roots*, and of all that they are made of."""
    kept: Definitions = {}
    waiting = [root for root in roots if root in definitions]
    while waiting:
        label = waiting.pop()
        if label not in kept:
            kept[label] = definitions[label]
            waiting += [ref for ref in _refs(definitions[label]) if ref in definitions]
    return kept


def _refs(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(ref := schema.get("$ref"), str):
            yield ref
        for inner in schema.values():
            yield from _refs(inner)


def merged(versions: Mapping[str, Definitions]) -> dict[str, list[tuple[str, Schema | None]]]:
    """Return the states of each definition, with the version that brought it; None ends it."""
    states: dict[str, list[tuple[str, Schema | None]]] = {}
    for label in sorted({label for found in versions.values() for label in found}):
        states[label] = []
        for version, found in versions.items():
            before = states[label][-1][1] if states[label] else None
            if found.get(label) != before:
                states[label].append((version, found.get(label)))
    return states


def render(versions: Mapping[str, Definitions]) -> str:
    """Return the text of the file: one line for each definition."""
    rows = [
        f"{json.dumps(label)}: {json.dumps(states, separators=(',', ':'))}"
        for label, states in merged(versions).items()
    ]
    known = json.dumps(list(versions))
    return "\n".join([f'{{"versions": {known}, "definitions": {{', ",\n".join(rows), "}}", ""])

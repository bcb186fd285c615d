"""The OpenAPI document, and the questions that the generator asks of it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tools.kindgen.facts import LIST_META, OBJECT_META, PACKAGES, Schema
from tools.kindgen.names import InputError


@dataclass(frozen=True)
class Kind:
    """A kind as the document declares it."""

    group: str
    version: str
    name: str


@dataclass(frozen=True)
class Place:
    """Where objects of a kind live; *plural* is empty if only as a subresource of others."""

    plural: str
    namespaced: bool


@dataclass
class Document:
    """An OpenAPI v2 document, and the questions that the generator asks of it."""

    definitions: dict[str, Schema]
    paths: Mapping[str, Any]
    version: str
    discovery: list[Any] = field(default_factory=list)

    @classmethod
    def of(cls, document: Any, discovery: Iterable[Any] = ()) -> "Document":
        """Check that *document* is one, and keep what is Kubernetes' own."""
        if not isinstance(document, dict) or not isinstance(document.get("definitions"), dict):
            raise InputError("this is no OpenAPI v2 document: it has no `definitions`")
        kept = {n: s for n, s in document["definitions"].items() if n.startswith(PACKAGES)}
        if OBJECT_META not in kept:
            raise InputError(
                f"this is no document of a Kubernetes server: {OBJECT_META} is missing"
            )
        version = str(document.get("info", {}).get("version", "")).removeprefix("v")
        return cls(kept, document.get("paths", {}), version, list(discovery))

    def properties(self, name: str) -> dict[str, Schema]:
        """Return the properties of the definition *name*."""
        found: dict[str, Schema] = self.schema(name).get("properties", {})
        return found

    def schema(self, name: str) -> Schema:
        """Return the definition *name*."""
        try:
            return self.definitions[name]
        except KeyError:
            raise InputError(f"the document refers to {name!r}, but does not define it") from None

    def required(self, name: str, wire: str) -> bool:
        """Say whether the document requires a property."""
        return wire in self.schema(name).get("required", ())

    def kind(self, name: str) -> Kind | None:
        """Return the kind that a definition is; None for parts, and for what all groups have."""
        found = self.schema(name).get("x-kubernetes-group-version-kind", [])
        if len(found) != 1:
            return None
        return Kind(found[0]["group"], found[0]["version"], found[0]["kind"])

    def refers(self, name: str, wire: str, target: str) -> bool:
        """Say whether a property is a reference to *target*."""
        return ref_of(self.properties(name).get(wire, {})) == target

    def is_resource(self, name: str) -> bool:
        """Say whether a definition is a kind with the metadata of an object."""
        return self.kind(name) is not None and self.refers(name, "metadata", OBJECT_META)

    def is_list(self, name: str) -> bool:
        """Say whether a definition is a list of objects."""
        return self.refers(name, "metadata", LIST_META) and "items" in self.properties(name)

    def status_parts(self) -> set[str]:
        """Return the definitions that are the ``status`` of a kind."""
        found = (ref_of(self.properties(n).get("status", {})) for n in self.definitions
                 if self.is_resource(n))  # fmt: skip
        return {name for name in found if name}

    @cached_property
    def places(self) -> dict[Kind, Place]:
        """Where each kind lives, by the paths of the document and then by discovery."""
        found: dict[Kind, Place] = {}
        seen = [*_places_of_paths(self.paths), *_places_of_discovery(self.discovery)]
        for kind, place in seen:
            known = found.get(kind)
            if known is None or (place.plural and not known.plural):
                found[kind] = place
            elif known.plural == place.plural and place.namespaced and not known.namespaced:
                found[kind] = place  # the list over all namespaces has no namespace in its path
        return found


def ref_of(schema: Schema) -> str | None:
    """Return the definition that a schema refers to, if it is a reference."""
    ref = schema.get("$ref")
    return ref.removeprefix("#/definitions/") if isinstance(ref, str) else None


_COLLECTION = re.compile(
    r"^/(?:api/(?P<core>[^/]+)|apis/(?P<group>[^/]+)/(?P<version>[^/]+))"
    r"(?P<namespace>/namespaces/\{namespace\})?/(?P<plural>[a-z0-9-]+)(?:/\{name\})?(?P<sub>/.*)?$"
)


def _places_of_paths(paths: Mapping[str, Any]) -> Iterator[tuple[Kind, Place]]:
    for path, operations in paths.items():
        match = _COLLECTION.match(path)
        if not match or "/watch/" in path:
            continue
        group, version = match["group"] or "", match["version"] or match["core"]
        for operation in operations.values():
            gvk = operation.get("x-kubernetes-group-version-kind") if _is(operation) else None
            if gvk:
                kind = Kind(gvk["group"], gvk["version"], gvk["kind"])
                own = not match["sub"] and (kind.group, kind.version) == (group, version)
                yield kind, Place(match["plural"] if own else "", bool(match["namespace"]))


def _is(value: object) -> bool:
    return isinstance(value, dict)


def _places_of_discovery(lists: Iterable[Any]) -> Iterator[tuple[Kind, Place]]:
    """Read aggregated discovery, as ``/api`` and ``/apis`` answer it."""
    for group in (group for found in lists for group in found.get("items", ())):
        name = group.get("metadata", {}).get("name", "")
        for version in group.get("versions", ()):
            for resource in version.get("resources", ()):
                namespaced = resource.get("scope") == "Namespaced"
                kind = _response_kind(resource, name, version["version"])
                own = (kind.group, kind.version) == (name, version["version"])
                yield kind, Place(resource["resource"] if own else "", namespaced)
                for part in resource.get("subresources", ()):
                    sub = _response_kind(part, name, version["version"])
                    yield sub, Place("", namespaced)


def _response_kind(entry: dict[str, Any], group: str, version: str) -> Kind:
    told = entry.get("responseKind") or {}
    return Kind(told.get("group") or group, told.get("version") or version, told.get("kind", ""))

"""CustomResourceDefinitions: from decorated classes to what ``kubectl apply`` takes."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from kubewright.api.definition import Definition
from kubewright.api.kind import GroupKind
from kubewright.api.resource import Resource, definition_of, gvk_of, has_status_subresource
from kubewright.crd.checks import check_definition
from kubewright.crd.finishing import DEFAULTS, Options, in_order
from kubewright.crd.schema import resource_schema
from kubewright.errors import SchemaError

Document = dict[str, Any]
Kind = type[Resource]


def custom_resource_definition(
    *kinds: Kind,
    conversion: Mapping[str, Any] | None = None,
    options: Options = DEFAULTS,
) -> Document:
    """Return the CRD of one kind; *kinds* are the classes of its versions.

    Args:
        kinds: One class for each version, of one group and kind. Exactly one of several is the
            storage version; a single one always is.
        conversion: The CRD's ``conversion``, such as `conversion_webhook` makes it. Without it the
            server changes nothing but ``apiVersion``.
        options: How the schemas are made.

    Raises:
        SchemaError: A type has no structural schema, or the versions contradict each other.
    """
    if not kinds:
        raise SchemaError("a CRD needs at least one class")
    versions = sorted(kinds, key=lambda kind: gvk_of(kind).version)
    _check_versions(versions)
    definitions = [definition_of(kind) for kind in versions]
    first = definitions[0].mapping
    spec: Document = {
        "group": first.group,
        "names": _agreed(versions, "names", _names),
        "scope": _agreed(versions, "scope", _scope),
        "versions": [_version(kind, options, alone=len(versions) == 1) for kind in versions],
    }
    if conversion is not None:
        spec["conversion"] = dict(conversion)
    document = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{first.plural}.{first.group}", **_marks(definitions)},
        "spec": spec,
    }
    ordered: Document = in_order(document)
    return ordered


def custom_resource_definitions(
    *kinds: Kind,
    conversions: Mapping[GroupKind, Mapping[str, Any]] | None = None,
    options: Options = DEFAULTS,
) -> list[Document]:
    """Return the CRDs of all *kinds*, with the versions of a kind together, sorted by name.

    Raises:
        SchemaError: A type has no structural schema, or the versions contradict each other.
    """
    grouped: dict[GroupKind, list[Kind]] = {}
    for kind in dict.fromkeys(kinds):
        grouped.setdefault(gvk_of(kind).group_kind, []).append(kind)
    made = [
        custom_resource_definition(
            *versions, conversion=(conversions or {}).get(name), options=options
        )
        for name, versions in grouped.items()
    ]
    return sorted(made, key=lambda document: str(document["metadata"]["name"]))


def _check_versions(versions: list[Kind]) -> None:
    first = gvk_of(versions[0])
    for kind in versions[1:]:
        if gvk_of(kind).group_kind != first.group_kind:
            raise SchemaError(
                f"{gvk_of(kind).group_kind} and {first.group_kind} are two kinds: one CRD has one"
            )
    names = [gvk_of(kind).version for kind in versions]
    if twice := {name for name in names if names.count(name) > 1}:
        raise SchemaError(f"{first.group_kind} has two classes for {', '.join(sorted(twice))}")
    _check_storage(versions)


def _check_storage(versions: list[Kind]) -> None:
    name = gvk_of(versions[0]).group_kind
    stored = [gvk_of(kind).version for kind in versions if definition_of(kind).storage]
    if len(versions) > 1 and len(stored) != 1:
        found = " and ".join(stored) if stored else "none"
        raise SchemaError(
            f"{name} must have one storage version and has {found}: "
            f"write storage=False in @kw.resource for every other version"
        )
    if not any(definition_of(kind).served for kind in versions):
        raise SchemaError(f"no version of {name} is served: write served=True for one of them")


def _agreed(versions: list[Kind], what: str, read: Callable[[Definition], Any]) -> Any:
    """Return *what* if all versions agree on it; a CRD has it once for all of them."""
    first, *others = versions
    said = read(definition_of(first))
    for other in others:
        if (different := read(definition_of(other))) != said:
            raise SchemaError(
                f"the versions of {gvk_of(first).group_kind} differ in their {what}:"
                f" {gvk_of(first).version} says {said}, {gvk_of(other).version} says {different}"
            )
    return said


def _names(definition: Definition) -> Document:
    mapping = definition.mapping
    names: Document = {
        "kind": mapping.kind,
        "listKind": definition.list_kind or f"{mapping.kind}List",
        "plural": mapping.plural,
        "singular": definition.singular or mapping.kind.lower(),
    }
    if definition.short_names:
        names["shortNames"] = list(definition.short_names)
    if definition.categories:
        names["categories"] = list(definition.categories)
    return names


def _scope(definition: Definition) -> str:
    return "Namespaced" if definition.mapping.namespaced else "Cluster"


def _marks(definitions: list[Definition]) -> Document:
    """Return the annotations and labels of all versions together."""
    marks: Document = {}
    for what in ("annotations", "labels"):
        together: dict[str, str] = {}
        for definition in definitions:
            for key, value in getattr(definition, what).items():
                if together.setdefault(key, value) != value:
                    kind = definition.mapping.gvk.group_kind
                    raise SchemaError(f"the versions of {kind} differ in their {what}: {key}")
        if together:
            marks[what] = together
    return marks


def _version(kind: Kind, options: Options, *, alone: bool) -> Document:
    definition = definition_of(kind)
    schema = resource_schema(kind, options=options)
    check_definition(definition, schema)
    version: Document = {
        "name": definition.mapping.version,
        "schema": {"openAPIV3Schema": schema},
        "served": definition.served,
        "storage": definition.storage or alone,
    }
    if definition.deprecated:
        version["deprecated"] = True
        if definition.deprecation_warning is not None:
            version["deprecationWarning"] = definition.deprecation_warning
    if definition.columns:
        version["additionalPrinterColumns"] = msgspec.to_builtins(list(definition.columns))
    if definition.selectable_fields:
        paths = definition.selectable_fields
        version["selectableFields"] = [{"jsonPath": path} for path in paths]
    if subresources := _subresources(kind):
        version["subresources"] = subresources
    return version


def _subresources(kind: Kind) -> Document:
    found: Document = {}
    if has_status_subresource(kind):
        found["status"] = {}
    if (scale := definition_of(kind).scale) is not None:
        found["scale"] = msgspec.to_builtins(scale)
    return found

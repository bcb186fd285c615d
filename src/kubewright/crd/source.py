"""Classes from CRDs: Python source whose classes give the schema that it was made from."""

import re
from pathlib import PurePath
from types import ModuleType
from typing import Any

from kubewright.api.definition import plural_of
from kubewright.api.resource import Resource
from kubewright.crd.descriptions import classes_in
from kubewright.crd.expressions import Workshop
from kubewright.crd.identifiers import class_name
from kubewright.crd.layout import LINE_LENGTH, formatted, names_in
from kubewright.crd.manifest import from_yaml
from kubewright.crd.markers import JSONSchema
from kubewright.crd.model_source import ModelWriter, call_of
from kubewright.crd.reading import json_problems, name_of
from kubewright.crd.schema import API_VERSION, KIND
from kubewright.crd.spelling import call
from kubewright.errors import SchemaError

_PATH = re.compile(r"([A-Za-z]:)?[^\n{}:]*(\.ya?ml|\.json|/[^\n{}:]*)\s*")


def classes_from(crd: dict[str, Any] | str) -> str:
    """Return the source of a module with the classes of *crd*.

    The classes give the same schemas again. Of what all kinds have, ``apiVersion``, ``kind`` and
    ``metadata``, and of conditions and label selectors, the descriptions become ours.

    Args:
        crd: A CustomResourceDefinition, or YAML with one or more of them; the text of a file, not
            its path.

    Raises:
        SchemaError: It is none.
    """
    workshop = Workshop()
    _write(crd, workshop)
    return module_of(workshop, '"""Made from CustomResourceDefinitions."""')


def load_classes(crd: dict[str, Any] | str, *, name: str = "kubewright_classes") -> ModuleType:
    """Return a module with the classes of *crd*, made on the spot.

    Raises:
        SchemaError: It is not a CRD.
    """
    workshop = Workshop()
    _write(crd, workshop)
    module = ModuleType(name, "Made from CustomResourceDefinitions.")
    for block in workshop.blocks:
        for written, _ in classes_in(block):
            made = workshop.namespace[written]
            made.__module__ = name
            setattr(module, written, made)
    return module


def _write(crd: dict[str, Any] | str, workshop: Workshop) -> None:
    documents = _documents(crd)
    found = [one for one in documents if one.get("kind") == "CustomResourceDefinition"]
    if not found:
        kinds = ", ".join(str(one.get("kind")) for one in documents) or "nothing"
        raise SchemaError(f"there is no CustomResourceDefinition here, but {kinds}")
    for document in found:
        write_definition(document, workshop)


def _documents(crd: Any) -> list[dict[str, Any]]:
    if isinstance(crd, PurePath) or (isinstance(crd, str) and _PATH.fullmatch(crd)):
        path = str(crd)
        raise SchemaError(f"{path!r} looks like a path: give its text, Path({path!r}).read_text()")
    if isinstance(crd, str):
        return from_yaml(crd)
    if not isinstance(crd, dict):
        raise SchemaError(f"a CRD is a dict or YAML, not {type(crd).__name__}")
    return [crd]


def write_definition(
    document: dict[str, Any], workshop: Workshop, *, only_version: str | None = None
) -> None:
    """Write the classes of a CRD in *workshop*: of all its versions, or of one.

    Raises:
        SchemaError: It is not a CRD.
    """
    for path, problem in json_problems(document):
        raise SchemaError(f"{name_of(document)}: {path} {problem}")
    try:
        for writer in prepared(document, workshop, only_version=only_version):
            writer.write()
    except (KeyError, TypeError, AttributeError) as error:
        name = (document.get("metadata") or {}).get("name", "this")
        why = f"it has no {error}" if isinstance(error, KeyError) else f"it is malformed: {error}"
        raise SchemaError(f"{name} is not an apiextensions.k8s.io/v1 CRD: {why}") from error


def prepared(
    document: dict[str, Any], workshop: Workshop, *, only_version: str | None = None
) -> list[ModelWriter]:
    """Return what writes the classes of a CRD, once everything of the module is prepared."""
    kind, versions = document["spec"]["names"]["kind"], document["spec"]["versions"]
    several = len(versions) > 1 and only_version is None
    writers: list[ModelWriter] = []
    for version in versions:
        if only_version in {None, version["name"]}:
            name = workshop.names.take(class_name(kind, version["name"] if several else ""))
            writers.append(_ResourceWriter(workshop, name, document, version))
            workshop.survey.add({"properties": writers[-1].properties()}, name)
    return writers


def module_of(
    workshop: Workshop, head: str, *, line_length: int = LINE_LENGTH, comment: str = ""
) -> str:
    """Return the module with all classes that were written.

    Args:
        workshop: Where they were written.
        head: The docstring of the module.
        line_length: How long its lines should be.
        comment: Comments to stand below the docstring.
    """
    body = formatted("\n".join(workshop.blocks), line_length=line_length)
    used = names_in(body)
    imports = ["from datetime import datetime"] * ("datetime" in used)
    if names := [name for name in ("Annotated", "Any", "Literal") if name in used]:
        imports.append(f"from typing import {', '.join(names)}")
    ours = ["import kubewright as kw", *workshop.imports(used)]
    parts = [head, comment, "\n".join(imports), "\n".join(ours)]
    return "\n\n".join(filter(None, parts)) + f"\n\n\n{body}\n"


class _ResourceWriter(ModelWriter):
    """Writes the class of a whole kind in one version."""

    base = "kw.Resource"
    base_class = Resource
    is_resource = True

    def __init__(
        self, workshop: Workshop, name: str, document: JSONSchema, version: JSONSchema
    ) -> None:
        preserve = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
        schema = (version.get("schema") or {}).get("openAPIV3Schema") or preserve
        super().__init__(workshop, name, workshop.recognition.read(schema))
        self.document = document
        self.version = version

    def write(self) -> bool:
        if not super().write():
            raise SchemaError(f"the schema of {self.name} cannot be written as a class")
        return True

    def wanted(self) -> JSONSchema:
        """Return the schema with our words for what all kinds have."""
        properties = dict(self.node.get("properties", {}))
        ours = {"apiVersion": API_VERSION, "kind": KIND, "metadata": {"type": "object"}}
        for name, schema in ours.items():
            said = dict(properties.get(name) or {})
            said.pop("description", None)
            if said in ({}, {"type": schema["type"]}):
                properties[name] = schema
        return {**self.node, "properties": properties}

    def schema(self, made: type[Resource]) -> JSONSchema:
        return self.workshop.builder().resource(made)

    def properties(self) -> dict[str, JSONSchema]:
        common = ("apiVersion", "kind", "metadata")
        return {key: one for key, one in super().properties().items() if key not in common}

    def decorators(self, markers: list[str]) -> list[str]:
        declared = call_of("@kw.resource", self.arguments())
        return [*super().decorators(markers), declared]

    def arguments(self) -> list[str]:
        spec, version = self.document["spec"], self.version
        names = spec["names"]
        kind = names["kind"]
        metadata = self.document.get("metadata") or {}
        warning = version.get("deprecationWarning", True) if version.get("deprecated") else None
        regular = {
            "kind": self.name,
            "plural": plural_of(kind),
            "singular": kind.lower(),
            "listKind": f"{kind}List",
        }
        irregular = {key: names.get(key) for key in regular if names.get(key) != regular[key]}
        options: dict[str, Any] = {
            "group": spec["group"],
            "version": version["name"],
            "kind": irregular.get("kind"),
            "plural": irregular.get("plural"),
            "singular": irregular.get("singular"),
            "list_kind": irregular.get("listKind"),
            "scope": "Cluster" if spec.get("scope") == "Cluster" else None,
            "short_names": names.get("shortNames") or None,
            "categories": names.get("categories") or None,
            "status_subresource": self.status_subresource(),
            "storage": None if version.get("storage") else False,
            "served": None if version.get("served") else False,
            "deprecated": warning,
            "selectable_fields": [one["jsonPath"] for one in version.get("selectableFields") or []]
            or None,
            "annotations": metadata.get("annotations") or None,
            "labels": metadata.get("labels") or None,
        }
        given = [f"{key}={value!r}" for key, value in options.items() if value is not None]
        return [*given, *self.columns(), *self.scale()]

    def status_subresource(self) -> bool | None:
        """Return whether there is one, unless the field says it."""
        found = "status" in (self.version.get("subresources") or {})
        return None if found is ("status" in self.properties()) else found

    def columns(self) -> list[str]:
        columns = [
            call(
                "kw.Column",
                repr(one["name"]),
                repr(one["jsonPath"]),
                type=None if one.get("type") == "string" else one.get("type"),
                description=one.get("description"),
                format=one.get("format"),
                priority=one.get("priority") or None,
            )
            for one in self.version.get("additionalPrinterColumns") or []
        ]
        return [f"columns=[{', '.join(columns)}]"] if columns else []

    def scale(self) -> list[str]:
        if not (scale := (self.version.get("subresources") or {}).get("scale")):
            return []
        text = call(
            "kw.Scale",
            repr(scale["specReplicasPath"]),
            repr(scale["statusReplicasPath"]),
            label_selector_path=scale.get("labelSelectorPath"),
        )
        return [f"scale={text}"]

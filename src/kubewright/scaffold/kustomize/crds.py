"""Files under ``crds:``, which say where custom resources hold names, labels and annotations.

They are not CustomResourceDefinitions but OpenAPI definitions with the extensions of kustomize.
"""

from collections.abc import Iterator
from typing import Any

from kubewright.scaffold.kustomize.configuration import Configuration
from kubewright.scaffold.kustomize.fieldspec import FieldSpec
from kubewright.scaffold.kustomize.identity import GroupVersionKind
from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.syntax import values

__all__ = ["read_definitions"]

Definitions = dict[str, dict[str, Any]]
_OBJECT = frozenset(("apiVersion", "kind", "metadata"))
_EXTENSION = "x-kubernetes-"
_LISTS = {
    "annotation": "common_annotations",
    "label-selector": "common_labels",
    "identity": "name_prefix",
}


def read_definitions(text: str) -> Configuration:
    """Return the fields that the definitions in *text* mark.

    Raises:
        ProblemError: It is no file of such definitions.
    """
    found, _ = values(text)
    if not isinstance(found, dict) or not all(isinstance(one, dict) for one in found.values()):
        raise ProblemError(
            "this has no OpenAPI definitions; a CustomResourceDefinition belongs under `resources:`"
        )
    definitions = {name: _properties(one) for name, one in found.items()}
    configuration = Configuration()
    for name, properties in definitions.items():
        if properties.keys() >= _OBJECT:
            kind = GroupVersionKind(kind=name.rpartition(".")[2])
            for one in _Fields(definitions, kind).of(name, ()):
                configuration = configuration.merged(one)
    return configuration


def _properties(definition: dict[str, Any]) -> dict[str, Any]:
    by_name = {name.lower(): value for name, value in definition.items()}
    schema = by_name.get("schema")
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return properties if isinstance(properties, dict) else {}


class _Fields:
    """Finds the marked fields of a kind."""

    def __init__(self, definitions: Definitions, kind: GroupVersionKind) -> None:
        self._definitions = definitions
        self._kind = kind

    def of(self, name: str, path: tuple[str, ...], *names: str) -> Iterator[Configuration]:
        """Yield what is said about the fields of the definition *name*, which is at *path*."""
        for field, schema in self._definitions.get(name, {}).items():
            if not isinstance(schema, dict):
                continue
            here = (*path, field)
            yield from self._marked(schema, here)
            reference = schema.get("$ref")
            if isinstance(reference, str) and reference not in (name, *names):
                yield from self.of(reference, here, name, *names)

    def _marked(self, schema: dict[str, Any], path: tuple[str, ...]) -> Iterator[Configuration]:
        spec = FieldSpec("/".join(path), self._kind)
        for mark, name in _LISTS.items():
            if _EXTENSION + mark in schema:
                lists: dict[str, Any] = {name: [spec]}
                yield Configuration(**lists)
        version = schema.get(f"{_EXTENSION}object-ref-api-version")
        kind = schema.get(f"{_EXTENSION}object-ref-kind")
        if isinstance(version, str) and isinstance(kind, str):
            name = schema.get(f"{_EXTENSION}object-ref-name-key", "name")
            target = GroupVersionKind("", version, kind)
            named = spec._replace(path=f"{spec.path}/{name}")
            yield Configuration(name_reference={target: [named]})

"""Finds built-in types in a CRD: which part is a pod template, and of which Kubernetes version."""

import re
from functools import cache
from importlib import import_module
from typing import Any

import msgspec

from kubewright.crd.embedding import NAMED
from kubewright.crd.known import OBJECT_META, find_name, without_descriptions
from kubewright.crd.markers import JSONSchema
from kubewright.kinds import _schemas

# The types that operators embed. Other groups have types that resemble many others, such as a name
# and a namespace, and an unrelated name for those would only confuse.
_GROUPS = ("apps.v1.", "batch.v1.", "core.v1.", "meta.v1.", "networking.v1.")
_LEAST_FIELDS = 3


class Builtin(msgspec.Struct, frozen=True):
    """A built-in type as the source of a module calls it."""

    label: str
    version: str

    @property
    def module(self) -> str:
        """The module that it is imported from, within ``kubewright.kinds``."""
        return self.label.rpartition(".")[0]

    @property
    def text(self) -> str:
        """The annotation, such as ``core_v1.PodTemplateSpec``."""
        module, _, name = self.label.rpartition(".")
        return f"kw.{name}" if name == "LabelSelector" else f"{alias_of(module)}.{name}"

    @property
    def is_newest(self) -> bool:
        """Whether the version is the one that a schema describes unless told."""
        return self.version == _schemas.versions()[-1]


def alias_of(module: str) -> str:
    """Return the name of *module* in the source.

    Example:
        >>> alias_of("core.v1")
        'core_v1'
    """
    return module.replace(".", "_")


def find_builtin(node: JSONSchema, hint: str = "") -> Builtin | None:
    """Return the built-in type whose schema is *node*, whatever the descriptions, if there is one.

    The metadata in it may be named field by field or not. Of types that are alike, such as the keys
    of Secrets and ConfigMaps, the one counts that is named in *hint*, the name of the field.
    """
    fields = node.get("properties")
    if not isinstance(fields, dict) or frozenset(fields) not in _all_fields():
        return None
    if _weight(node) < _LEAST_FIELDS:
        return None
    bare = without_descriptions(node)
    for key in ("default", "nullable", "example"):
        bare.pop(key, None)
    for version in reversed(_schemas.versions()):
        candidates = _by_fields(version).get(frozenset(fields), ())
        found = [label for label in candidates if _is({"$ref": label}, bare, version)]
        if found:
            label = _chosen(found, hint)
            return Builtin(label, version) if label else None
    return None


def _weight(node: Any) -> int:
    """Return how many fields there are in *node*, at any depth."""
    if not isinstance(node, dict):
        return 0
    fields = node.get("properties", {}).values()
    inside = (*fields, node.get("items"), node.get("additionalProperties"))
    return len(fields) + sum(map(_weight, inside))


def _chosen(labels: list[str], hint: str) -> str:
    if len(labels) == 1:
        return labels[0]
    first_words = {label: re.findall(r"[A-Z][a-z]+", label)[0].lower() for label in labels}
    named = [label for label, word in first_words.items() if word in hint.lower()]
    return named[0] if len(named) == 1 else ""


@cache
def _by_fields(version: str) -> dict[frozenset[str], list[str]]:
    found: dict[frozenset[str], list[str]] = {}
    for label, schema in _schemas.definitions(version).items():
        if label.startswith(_GROUPS) and schema.get("properties") and _has_class(label):
            found.setdefault(frozenset(schema["properties"]), []).append(label)
    return found


@cache
def _all_fields() -> frozenset[frozenset[str]]:
    """Return the fields of every type in any version: most objects are ruled out by theirs."""
    return frozenset().union(*map(_by_fields, _schemas.versions()))


@cache
def _has_class(label: str) -> bool:
    module, _, name = label.rpartition(".")
    try:
        return name in import_module(f"kubewright.kinds.{module}").__all__
    except ModuleNotFoundError:
        return False


def _is(schema: JSONSchema, node: Any, version: str) -> bool:
    """Tell whether *node* says what *schema* says, following its references."""
    if not isinstance(node, dict):
        return False
    if label := schema.get("$ref"):
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        if label == "ObjectMeta":
            return node in ({"type": "object"}, OBJECT_META)
        target = NAMED.get(label) or _schemas.definitions(version)[label]
        return _is({**target, **beside}, node, version)
    return schema.keys() == node.keys() and all(
        _is_keyword(key, schema[key], node[key], version) for key in schema
    )


def _is_keyword(key: str, wanted: Any, found: Any, version: str) -> bool:
    if key in ("items", "additionalProperties") and isinstance(wanted, dict):
        return _is(wanted, found, version)
    if key == "properties":
        return wanted.keys() == found.keys() and all(
            _is(inner, found[wire], version) for wire, inner in wanted.items()
        )
    return bool(sorted(wanted) == sorted(found) if key == "required" else wanted == found)


class Recognition:
    """Finds the parts of schemas that have our names, once, and knows them again."""

    def __init__(self) -> None:
        # By the identity of the fields, which are kept here, so that no other has it.
        self._found: dict[int, tuple[Any, Builtin]] = {}

    def find(self, node: JSONSchema) -> Builtin | None:
        """Return the built-in type that *node*, of a schema that was read, was found to be."""
        return self._found.get(id(node.get("properties")), (None, None))[1]

    def read(self, node: Any, *, hint: str = "", described: bool = True) -> Any:
        """Return *node* with the descriptions left out inside the types that have our names.

        The one of a field stays; that of the items of a list says what the class says.
        """
        if not isinstance(node, dict):
            return node
        builtin = find_builtin(node, hint)
        if builtin or find_name(without_descriptions(node)):
            bare: JSONSchema = without_descriptions(node)
            if described and "description" in node:
                bare["description"] = node["description"]
            if builtin:
                self._found[id(bare["properties"])] = bare["properties"], builtin
            return bare
        return {**node, **self._inside(node, hint)}

    def _inside(self, node: JSONSchema, hint: str) -> JSONSchema:
        inside: JSONSchema = {
            key: self.read(node[key], hint=hint, described=False)
            for key in ("items", "additionalProperties")
            if key in node
        }
        if isinstance(fields := node.get("properties"), dict):
            inside["properties"] = {name: self.read(one, hint=name) for name, one in fields.items()}
        return inside

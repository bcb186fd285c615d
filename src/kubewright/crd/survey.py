"""Surveys a whole schema before its classes are written: which objects in it are alike.

Objects that differ in nothing but their own descriptions become one class. It is called after the
shortest way to it, and its docstring is what most of its places say.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from kubewright.crd.identifiers import class_name, item_name
from kubewright.crd.known import ON_THE_FIELD, find_name
from kubewright.crd.markers import JSONSchema
from kubewright.crd.recognition import Recognition

sorted_bytes: Callable[[Any], bytes] = msgspec.json.Encoder(order="sorted").encode
"""Return a schema as JSON in which the order of its keywords does not matter."""


class Sort(msgspec.Struct):
    """What the objects of one schema have in common."""

    name: str
    descriptions: list[str | None] = []

    @property
    def docstring(self) -> str | None:
        """The description of the class; none if one of its places has none."""
        if None in self.descriptions:
            return None
        return Counter(self.descriptions).most_common(1)[0][0]

    def described(self, node: JSONSchema) -> JSONSchema:
        """Return the schema of the class, of which *node* is a place."""
        left = (*ON_THE_FIELD, "description")
        bare = {key: value for key, value in node.items() if key not in left}
        return bare if self.docstring is None else {**bare, "description": self.docstring}


class Survey:
    """Knows the objects of all schemas that were added."""

    def __init__(self, recognition: Recognition) -> None:
        self._recognition = recognition
        self._sorts: dict[bytes, Sort] = {}

    def add(self, node: JSONSchema, name: str) -> None:
        """Add the fields of the class *name*, whose schema is *node*."""
        for hint, inner in self._objects(node.get("properties", {}), name):
            sort = self._sorts.setdefault(self.key(inner), Sort(hint))
            sort.name = min(sort.name, hint, key=len)
            sort.descriptions.append(inner.get("description"))

    def key(self, node: JSONSchema) -> bytes:
        """Return what is the same for all objects that become one class."""
        return sorted_bytes(Sort("", [None]).described(node))

    def sort_of(self, node: JSONSchema) -> Sort:
        """Return the facts about the objects like *node*."""
        return self._sorts[self.key(node)]

    def is_object(self, node: JSONSchema) -> bool:
        """Tell whether *node* becomes a model: it names its fields, or allows none."""
        if node.get("type") != "object" or "additionalProperties" in node:
            return False
        if find_name(node) or self._recognition.find(node):
            return False
        return bool(node.get("properties")) or not node.get("x-kubernetes-preserve-unknown-fields")

    def _objects(self, fields: dict[str, Any], owner: str) -> Iterator[tuple[str, JSONSchema]]:
        for wire, node in fields.items():
            yield from self._in(node, class_name(owner, wire))

    def _in(self, node: Any, hint: str) -> Iterator[tuple[str, JSONSchema]]:
        if not isinstance(node, dict):
            return
        if self.is_object(node):
            yield hint, node
            yield from self._objects(node.get("properties", {}), hint)
        elif node.get("type") == "array":
            yield from self._in(node.get("items"), item_name(hint))
        elif node.get("type") == "object" and "properties" not in node:
            yield from self._in(node.get("additionalProperties"), f"{hint}Value")

"""Makes a schema from the values of a chart: their types, and the comments above them.

What is there says which keys there are, and so a typo is found. What is empty says nothing, and is
open; so are the items of lists, and the parts of pods, whose values are only one of many.
"""

import re
from typing import Any

from kubewright.crd.manifest import loader_for
from kubewright.crd.values.comments import Comments

__all__ = ["INT_OR_STRING", "OPEN", "inferred_schema"]

OPEN: dict[str, Any] = {"x-kubernetes-preserve-unknown-fields": True}
"""The schema of everything."""
INT_OR_STRING: dict[str, Any] = {"x-kubernetes-int-or-string": True}

_TAG = "tag:yaml.org,2002:"
_SCALARS = {"bool": "boolean", "int": "integer", "float": "number", "str": "string"}
_HINTS = {
    "bool": "bool", "boolean": "bool", "int": "int", "integer": "int", "float": "float",
    "number": "float", "string": "str", "str": "str", "list": "seq", "object": "map",
    "dict": "map", "map": "map",
}  # fmt: skip
_QUANTITY = re.compile(r"[0-9]+(\.[0-9]+)?(m|[kMGTPE]i?)")
_WORDS = re.compile(r"(.*[a-z])?(annotations|labels)|nodeselector", re.IGNORECASE)
_PARTS = re.compile(
    r"(.*[a-z])?(affinity|resources|securitycontext|probe|strategy|limits|requests)", re.IGNORECASE
)
_PORT = re.compile(r"(.*[a-z])?port", re.IGNORECASE)


def inferred_schema(text: str) -> dict[str, Any]:
    r"""Return the schema of the values in *text*.

    Args:
        text: A file ``values.yaml``, which `read_values` can read.

    Example:
        >>> inferred_schema("# -- How many pods.\nsize: 1\n")["properties"]
        {'size': {'type': 'integer', 'description': 'How many pods.'}}
    """
    node = loader_for(text).get_single_node()
    if node is None:
        return {"type": "object", **OPEN}
    return _Inference(text).mapping(node, "")


class _Inference:
    def __init__(self, text: str) -> None:
        self._comments = Comments(text)
        self._loader = loader_for("")

    def mapping(self, node: Any, path: str) -> dict[str, Any]:
        """Return the schema of a mapping, which has these keys and no others."""
        self._loader.flatten_mapping(node)  # `<<: *other`
        if not node.value:
            return {"type": "object", **OPEN}
        return {
            "type": "object",
            "properties": {
                str(key.value): self._property(key, value, f"{path}{key.value}")
                for key, value in node.value
            },
        }

    def _property(self, key: Any, node: Any, path: str) -> dict[str, Any]:
        mark = key.start_mark
        kind = _HINTS.get(self._comments.hint(mark.line, mark.column), _kind(node))
        schema = self._schema(kind, str(key.value), node, path)
        description = self._comments.description(path, mark.line, mark.column)
        return {**schema, "description": description} if description else schema

    def _schema(self, kind: str, name: str, node: Any, path: str) -> dict[str, Any]:
        if kind == "map":
            return self._map(name, node, path)
        if kind == "seq":
            return {"type": "array", "items": self._items(node)}
        if kind in {"int", "str"} and (_PORT.fullmatch(name) or _is_quantity(node)):
            return dict(INT_OR_STRING)
        return {"type": _SCALARS[kind]} if kind in _SCALARS else dict(OPEN)

    def _map(self, name: str, node: Any, path: str) -> dict[str, Any]:
        if _WORDS.fullmatch(name):
            return {"type": "object", "additionalProperties": {"type": "string"}}
        if _kind(node) != "map" or _PARTS.fullmatch(name):
            return {"type": "object", **OPEN}
        return self.mapping(node, f"{path}.")

    def _items(self, node: Any) -> dict[str, Any]:
        """Return the schema of items like those of a list: of scalars the type, else anything."""
        kinds = {_kind(one) for one in node.value} if _kind(node) == "seq" else set()
        if len(kinds) == 1 and kinds <= _SCALARS.keys():
            return {"type": _SCALARS[min(kinds)]}
        # The keys of one item do not say which ones others may have.
        return {"type": "object", **OPEN} if kinds == {"map"} else dict(OPEN)


def _kind(node: Any) -> str:
    return str(node.tag).removeprefix(_TAG)


def _is_quantity(node: Any) -> bool:
    return isinstance(node.value, str) and _QUANTITY.fullmatch(node.value) is not None

"""YAML as Kubernetes reads and writes it: JSON in another notation."""

import math
import re
from collections.abc import Iterator
from datetime import date
from typing import Any

import yaml

DEPTH: int = 250  # how deep a document may be: its reader is recursive C, and would crash
NODES: int = 1_000_000  # how many values it may have when its references are written out
_TAG: str = "tag:yaml.org,2002:"
_REPLACED = frozenset(f"{_TAG}{name}" for name in ("int", "float", "timestamp", "value"))
# As Go reads them: a time of day is not a number, and an exponent needs no point.
_NUMBERS = (
    ("int", r"[-+]?(0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+|0|[1-9][0-9_]*)", "-+0123456789"),
    ("float", r"[-+]?(\.[0-9]+|[0-9][0-9_]*(\.[0-9_]*)?)([eE][-+]?[0-9]+)?", "-+.0123456789"),
    ("float", r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)", "-+."),
)

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_Dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class _JSONLoader(_Loader):  # type: ignore[misc]  # the C loader is there or it is not
    """Reads only what JSON knows: a date stays the text that was written."""


_JSONLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in _REPLACED]
    for first, resolvers in _Loader.yaml_implicit_resolvers.items()
}


class _JSONDumper(_Dumper):  # type: ignore[misc]  # the C dumper is there or it is not
    """Quotes with double quotes where a text would be taken for something else."""


for _name, _pattern, _first in _NUMBERS:
    _compiled = re.compile(f"(?:{_pattern})$")
    _JSONLoader.add_implicit_resolver(_TAG + _name, _compiled, list(_first))
    _JSONDumper.add_implicit_resolver(_TAG + _name, _compiled, list(_first))
_JSONDumper.add_implicit_resolver(f"{_TAG}bool", re.compile("[yYnN]$"), list("yYnN"))


def _text(dumper: Any, text: str) -> Any:
    tag = f"{_TAG}str"
    plain = dumper.resolve(yaml.ScalarNode, text, (True, False)) == tag
    style = None if plain else '"'
    return dumper.represent_scalar(tag, text, style="|" if "\n" in text else style)


_JSONDumper.add_representer(str, _text)


def dump(document: Any) -> bytes:
    """Return *document* as YAML."""
    written: bytes = yaml.dump(document, Dumper=_JSONDumper, encoding="utf-8", allow_unicode=True)
    return written


def load(body: bytes, repeated: list[str] | None = None) -> Any:
    """Return the document in *body*, with nothing in it that JSON does not have.

    Args:
        body: The document.
        repeated: Gets a text for each key that is there twice.

    Raises:
        yaml.YAMLError: It is broken.
        ValueError: It is too deep, too large, or has a value that JSON does not have.
    """
    _check_size(body)
    loader = _JSONLoader(body)
    try:
        root = loader.get_single_node()
        if repeated is not None:
            repeated += dict.fromkeys(_repeated(root))
        return None if root is None else _plain(loader.construct_document(root))
    finally:
        loader.dispose()


def _repeated(node: Any) -> Iterator[str]:
    """Yield what Go's library says of keys that are there twice, with the line of the value."""
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            yield from _repeated(value)
            if isinstance(key, yaml.ScalarNode):
                if (key.tag, key.value) in seen:
                    line = value.start_mark.line + 1
                    yield f'line {line}: key "{key.value}" already set in map'
                seen.add((key.tag, key.value))
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _repeated(item)


def _check_size(body: bytes) -> None:
    """Refuse what is too deep, or would be too large with its references written out."""
    open_nodes: list[tuple[str | None, int]] = []
    sizes: dict[str, int] = {}
    total = 0
    for event in yaml.parse(body, Loader=_JSONLoader):
        if isinstance(event, yaml.AliasEvent):
            if any(anchor == event.anchor for anchor, _ in open_nodes):
                raise ValueError(f"yaml: anchor '{event.anchor}' value contains itself")
            total += sizes.get(event.anchor or "", 0)
        elif isinstance(event, yaml.CollectionStartEvent):
            open_nodes.append((event.anchor, total))
            total += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, before = open_nodes.pop()
            if anchor:
                sizes[anchor] = total - before
        elif isinstance(event, yaml.ScalarEvent):
            total += 1
        if len(open_nodes) > DEPTH:
            raise ValueError("yaml: exceeded max depth")
        if total > NODES:
            raise ValueError("yaml: document contains excessive aliasing")


def _plain(node: Any) -> Any:
    """Return *node* as JSON; a value that is referenced twice becomes two copies."""
    if isinstance(node, dict):
        return {_key(key): _plain(value) for key, value in node.items()}
    if isinstance(node, list):
        return [_plain(item) for item in node]
    if isinstance(node, bytes):
        return node.decode(errors="replace")
    if isinstance(node, date):  # only if its tag says so
        return str(node)
    if isinstance(node, float) and not math.isfinite(node):
        raise ValueError(f"json: unsupported value: {node}")
    if node is None or isinstance(node, str | int | float):
        return node
    raise ValueError(f"json: unsupported type: {type(node).__name__}")


def _key(key: Any) -> str:
    if isinstance(key, str):
        return key
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, int | float):
        return str(key)
    raise ValueError(f"unsupported map key of type: {type(key).__name__}")

"""YAML as Helm reads it: texts stay texts, dates included, and errors say where they are."""

import re
from collections.abc import Iterator
from typing import Any

import yaml

__all__ = ["document", "documents", "is_too_large", "line_of", "text_of", "without_nulls"]

_FAST: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_TEXT = "tag:yaml.org,2002:str"
_MOST, _DEEPEST = 1_000_000, 200
"""So many values may be in one document, and inside of each other."""


class _Loader(_FAST):  # type: ignore[misc]  # which of two classes it is depends on the machine
    """A safe loader that takes plain words for what Go takes them for.

    To Go, ``2026-01-01``, ``12:30`` and ``=`` are texts, and ``1e3`` is a number. Names are texts
    whatever they look like, since they become JSON: ``on: x`` has the name ``true``.
    """

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[str, Any]:
        # The nodes and not the names: to Python, 1 and True would be the same name.
        if any(name.tag != _TEXT for name, _ in node.value):
            self.flatten_mapping(node)  # which needs the tag of `<<`
            node.value = [(self._as_text(name), value) for name, value in node.value]
        found: dict[str, Any] = super().construct_mapping(node, deep=deep)
        return found

    def _as_text(self, node: Any) -> Any:
        if node.tag == _TEXT:
            return node
        text = _name(self.construct_object(node, deep=True), node)
        return yaml.ScalarNode(_TEXT, text, node.start_mark, node.end_mark)


def _name(name: Any, node: Any) -> str:
    if isinstance(name, bool):
        return "true" if name else "false"
    if isinstance(name, str | int):
        return str(name)
    if isinstance(name, float):
        return f"{name:.8g}"  # no more digits than Go writes
    raise yaml.constructor.ConstructorError(
        problem=f"{name!r} cannot be a name", problem_mark=node.start_mark
    )


_OTHERWISE = frozenset(
    f"tag:yaml.org,2002:{name}" for name in ("timestamp", "value", "int", "float")
)
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in _OTHERWISE]
    for first, resolvers in _FAST.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:int",
    re.compile(r"^[-+]?(?:0|0b[01_]+|0[0-7_]+|0x[0-9a-fA-F_]+|[1-9][0-9_]*)$"),
    list("-+0123456789"),
)
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(
        r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$"
        r"|^[-+]?\.(?:inf|Inf|INF)$|^\.(?:nan|NaN|NAN)$"
    ),
    list("-+0123456789."),
)


class _Dumper(_DUMPER):  # type: ignore[misc]  # as above
    """A dumper that puts in quotes what `_Loader`, Go or Python would take for no text."""


# The first that fits is the type: numbers first, so that they stay without quotes. The last one
# is for texts that begin like a number, which somebody might take for one.
_Dumper.yaml_implicit_resolvers = {
    first: [
        *_Loader.yaml_implicit_resolvers.get(first, ()),
        *_FAST.yaml_implicit_resolvers.get(first, ()),
    ]
    for first in {*_Loader.yaml_implicit_resolvers, *_FAST.yaml_implicit_resolvers}
}
_Dumper.add_implicit_resolver(
    "!quoted", re.compile(r"^[-+.0-9]|^[yYnN]$"), list("-+.0123456789yYnN")
)


def text_of(value: Any) -> str:
    """Return *value* as YAML that `document` and Go read as the same."""
    return str(yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True))


def document(text: str | bytes) -> Any:
    """Return what the one YAML document *text* says.

    Raises:
        yaml.YAMLError: It is not YAML.
    """
    return yaml.load(text, Loader=_Loader)  # noqa: S506  # a safe loader


def documents(text: str | bytes) -> Iterator[Any]:
    """Yield what each YAML document in *text* says, empty ones left out.

    Raises:
        yaml.YAMLError: One is not YAML.
    """
    found = yaml.load_all(text, Loader=_Loader)
    return (one for one in found if one is not None)


def line_of(error: yaml.YAMLError) -> int:
    """Return the line that *error* is about, from 1; 0 if it does not say."""
    mark = getattr(error, "problem_mark", None)
    return 0 if mark is None else mark.line + 1


def without_nulls(value: Any) -> Any:
    """Return *value* without the members that are null, as the API server would store it."""
    if isinstance(value, dict):
        return {name: without_nulls(one) for name, one in value.items() if one is not None}
    if isinstance(value, list):
        return [without_nulls(one) for one in value]
    return value


def is_too_large(value: Any) -> bool:
    """Say whether *value* is nested too deeply, or grows beyond all bounds by its aliases.

    A few lines of YAML may stand for more than the memory holds.
    """
    left = _MOST
    waiting = [(value, 0)]
    while waiting:
        one, depth = waiting.pop()
        left -= 1
        if left < 0 or depth > _DEEPEST:
            return True
        if isinstance(one, dict | list):
            inside = one.values() if isinstance(one, dict) else one
            waiting += [(member, depth + 1) for member in inside]
    return False

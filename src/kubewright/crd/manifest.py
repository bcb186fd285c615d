"""Manifests: documents as YAML that every parser reads alike."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from kubewright.errors import SchemaError

# Read as a number, a time or a boolean by one YAML parser or another, though not by PyYAML's.
_AMBIGUOUS = re.compile(r"[-+]?\.?[0-9][0-9a-fA-F_xobXOB.eE+:-]*|[yYnN]|=|<<")
_WIDTH = 100
_DEEPEST = 250


def to_yaml(*documents: dict[str, Any]) -> str:
    """Return *documents* as YAML: block style, keys sorted, texts of several lines as blocks.

    Example:
        >>> print(to_yaml({"kind": "Shop", "on": "yes"}), end="")
        ---
        kind: Shop
        'on': 'yes'
    """
    import yaml

    return yaml.dump_all(
        documents,
        Dumper=_dumper(),
        default_flow_style=False,
        explicit_start=True,
        allow_unicode=True,
        sort_keys=True,
        width=_WIDTH,
    )


@cache
def _dumper() -> Any:
    import yaml

    class Dumper(yaml.SafeDumper):
        """Writes no anchors: kubectl reads them, but people do not."""

        def ignore_aliases(self, data: Any) -> bool:
            return True

    def represent(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=_style(text))

    Dumper.add_representer(str, represent)
    return Dumper


def _style(text: str) -> str | None:
    if not text.replace("\n", "").isprintable():
        return '"'  # line breaks of Unicode and such, which other styles change
    if "\n" in text:
        return "|"
    return "'" if _AMBIGUOUS.fullmatch(text) else None


def from_yaml(text: str) -> list[dict[str, Any]]:
    """Return the documents in *text*; a time and the sign ``=`` stay text, as for Kubernetes.

    Raises:
        SchemaError: It is not YAML, or a document is not a mapping.
    """
    documents = [document for _, document in located(text)]
    if wrong := [one for one in documents if not isinstance(one, dict)]:
        raise SchemaError(f"a manifest is a mapping, not {wrong[0]!r:.60}")
    return documents


def loader_for(text: str) -> Any:
    """Return what reads *text*, node by node.

    Raises:
        SchemaError: It is nested too deeply.
        yaml.YAMLError: It is not YAML.
    """
    _check_depth(text)
    return _loader()(text)


def located(text: str) -> Iterator[tuple[int, Any]]:
    """Yield the documents in *text* that say something, each with the line that it begins on.

    Raises:
        SchemaError: It is not YAML.
    """
    import yaml

    try:
        _check_depth(text)
        loader = _loader()(text)
        while loader.check_node():
            node = loader.get_node()
            document = loader.construct_document(node)
            if document is not None:
                yield node.start_mark.line + 1, document
    except (yaml.YAMLError, ValueError) as error:  # a ValueError: a number with 5,000 digits
        raise SchemaError(f"this is not YAML: {_why(error)}") from error


def with_lines(text: str) -> Iterator[tuple[Any, dict[tuple[str | int, ...], int]]]:
    r"""Yield the documents in *text* that say something, each with the lines of its fields.

    A field is named by the keys and positions that lead to it; the document itself by ``()``.

    Raises:
        SchemaError: It is not YAML.

    Example:
        >>> [(document, lines)] = with_lines("a:\n  b: [1]\n")
        >>> lines["a", "b", 0]
        2
    """
    import yaml

    try:
        _check_depth(text)
        loader = _loader()(text)
        while loader.check_node():
            node = loader.get_node()
            document = loader.construct_document(node)
            if document is not None:
                yield document, dict(_lines(node, (), set()))
    except (yaml.YAMLError, ValueError) as error:
        raise SchemaError(f"this is not YAML: {_why(error)}") from error


def _why(error: Exception) -> str:
    """Return what is wrong, in one line: PyYAML takes four."""
    problem, mark = getattr(error, "problem", None), getattr(error, "problem_mark", None)
    return f"{problem} (line {mark.line + 1})" if problem and mark else str(error)


def _lines(
    node: Any, path: tuple[str | int, ...], seen: set[int]
) -> Iterator[tuple[tuple[str | int, ...], int]]:
    import yaml

    if id(node) in seen:  # behind an anchor: a few of those can stand for more than fits anywhere
        return
    seen.add(id(node))
    if not path:
        yield path, node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield (*path, key.value), key.start_mark.line + 1
            yield from _lines(value, (*path, key.value), seen)
    elif isinstance(node, yaml.SequenceNode):
        for at, value in enumerate(node.value):
            yield (*path, at), value.start_mark.line + 1
            yield from _lines(value, (*path, at), seen)


def _check_depth(text: str) -> None:
    """Check that *text* is not nested so deeply that libyaml, which is recursive, would crash."""
    import yaml

    depth = 0
    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > _DEEPEST:
                raise SchemaError("this YAML is nested too deeply to be read")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


@cache
def _loader() -> Any:
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, where it is

    class Loader(base):  # type: ignore[misc]  # see above
        """Knows neither times nor the value ``=``, which JSON does not know either."""

    unknown = ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:value")
    Loader.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag not in unknown]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    return Loader

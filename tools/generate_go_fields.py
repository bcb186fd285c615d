"""Generate the table of how Go holds and writes the fields of the built-in kinds.

    python tools/generate_go_fields.py \
        --openapi src/kubewright/apiserver/data/kubernetes-openapi-v2.json \
        --source DIR/api --source DIR/apimachinery --source DIR/apiextensions-apiserver \
        --source DIR/kube-aggregator > src/kubewright/apiserver/data/go-fields.json

The OpenAPI document does not say whether a field is a pointer, whether it is left out when it is
empty, nor what its Go type is called; error texts and stored objects depend on all three. Each
DIR is a checkout of one of Kubernetes' repositories. A field is written as its Go type, ``*`` in
front for a pointer, ``!`` behind for one that is written even when it is empty, ``?`` behind for
``omitzero``.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

_PACKAGE = re.compile(r"^package (\w+)", re.MULTILINE)
_IMPORT = re.compile(r'^\s*(?:import\s+)?(\w+)\s+"([^"]+)"$', re.MULTILINE)
_STRUCT = re.compile(r"^type (\w+) struct \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^\t(?:(\w+)\s+)?(\S[^`/]*?)\s+`[^`]*json:\"([^\"]*)\"[^`]*`", re.MULTILINE)
_WORD = re.compile(r"(?:(\w+)\.)?(\w+)")
_PLAIN = frozenset(["string", "bool", "int", "int32", "int64", "float64", "byte", "map"])
# The start of a definition's name, by the repository that holds it.
_ROOTS = {
    "api": "io.k8s.api",
    "apimachinery": "io.k8s.apimachinery",
    "apiextensions-apiserver": "io.k8s.apiextensions-apiserver",
    "kube-aggregator": "io.k8s.kube-aggregator",
}

Fields = dict[str, str]


def definition_prefix(root: Path, folder: Path) -> str:
    """Return how the definitions of a Go package begin."""
    inner = ".".join(folder.relative_to(root).parts)
    return f"{_ROOTS[root.name]}.{inner}"


def type_name(text: str, package: str, imports: dict[str, str]) -> str:
    """Return a Go type as Go itself prints it: every name with its package."""

    def full(match: re.Match[str]) -> str:
        alias, name = match.groups()
        if alias:
            return f"{imports.get(alias, alias)}.{name}"
        return name if name in _PLAIN else f"{package}.{name}"

    return _WORD.sub(full, text)


def structs(root: Path) -> Iterator[tuple[str, Fields, list[str]]]:
    """Yield each struct with its fields and the structs embedded in it."""
    for path in sorted(root.rglob("types*.go")):
        yield from _structs_of(path, definition_prefix(root, path.parent))


def _structs_of(path: Path, prefix: str) -> Iterator[tuple[str, Fields, list[str]]]:
    text = path.read_text()
    found = _PACKAGE.search(text)
    package = found.group(1) if found else ""
    imports = {alias: target.rpartition("/")[2] for alias, target in _IMPORT.findall(text)}
    for name, body in _STRUCT.findall(text):
        fields: Fields = {}
        embedded: list[str] = []
        for field, kind, tag in _FIELD.findall(body):
            json_name, *options = tag.split(",")
            if not field and not json_name:
                embedded.append(f"{prefix}.{kind.strip('*')}")
            elif json_name and json_name != "-":
                fields[json_name] = _described(type_name(kind, package, imports), options)
        yield f"{prefix}.{name}", fields, embedded


def _described(kind: str, options: list[str]) -> str:
    if "omitzero" in options:
        return f"{kind}?"
    return kind if "omitempty" in options else f"{kind}!"


def table(sources: list[Path], wanted: set[str]) -> dict[str, Fields]:
    """Return the fields of the *wanted* definitions, embedded ones included."""
    known = {name: (fields, inner) for root in sources for name, fields, inner in structs(root)}

    def all_fields(name: str) -> Fields:
        fields, embedded = known.get(name, ({}, []))
        inherited: Fields = {}
        for inner in embedded:
            inherited |= all_fields(inner)
        return inherited | fields

    return {name: all_fields(name) for name in sorted(wanted & known.keys())}


def main() -> int:
    """Write the table to standard output."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--openapi", type=Path, required=True)
    parser.add_argument("--source", type=Path, action="append", required=True)
    arguments = parser.parse_args()
    definitions = json.loads(arguments.openapi.read_text())["definitions"]
    found = table(arguments.source, set(definitions))
    json.dump(found, sys.stdout, separators=(",", ":"))
    sys.stdout.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

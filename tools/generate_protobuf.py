"""Generate the table of the messages in which clients send the built-in kinds as protobuf.

    python tools/generate_protobuf.py \
        --openapi src/kubewright/apiserver/data/kubernetes-openapi-v2.json \
        DIR/api DIR/apimachinery DIR/apiextensions-apiserver DIR/kube-aggregator \
        > src/kubewright/apiserver/data/protobuf.json

Each DIR is a checkout of one of Kubernetes' repositories. The numbers and types of the fields come
from its ``generated.proto`` files; their names in JSON come from the tags in the ``types.go`` files
beside these, since the two differ now and then. Only fields that the OpenAPI document knows are
written, so that the server of one version may be made from the sources of a later one.

Messages are named as definitions of the OpenAPI document are. A field is its name, its type, and
``repeated`` or ``map`` if it is one. The name is empty for a message whose fields belong to the one
around it, and ``[]`` for the only field of a message that is a list in JSON.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_PACKAGE = re.compile(r"^package (\S+);", re.MULTILINE)
_COMMENT = re.compile(r"^\s*//.*$", re.MULTILINE)
_MESSAGE = re.compile(r"^message (\w+) \{(.*?)^\}", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^\s*(optional|repeated|map<string,) ?([\w.]+)>? (\w+) = (\d+);", re.MULTILINE)
_STRUCT = re.compile(r"^type (\w+) struct \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_SLICE = re.compile(r"^type (\w+) \[\]", re.MULTILINE)
_KIND = "x-kubernetes-group-version-kind"
_TAGS = re.compile(r'`[^`]*json:"([^",]*)[^`]*protobuf:"\w+,(\d+),[^`]*`')
_SCALARS = frozenset(["string", "bytes", "bool", "int32", "int64", "double"])
# Definitions that the server reads by itself, whatever their fields are.
_OPAQUE = re.compile(
    r"\.(Quantity|IntOrString|Time|MicroTime|Duration|RawExtension|FieldsV1|JSON)$"
)
LIST: str = "[]"

Field = list[str]
Message = dict[str, Field]


def definition_name(package: str) -> str:
    """Return how OpenAPI calls a package of protobuf.

    >>> definition_name("k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1")
    'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1'
    """
    return package.replace("k8s.io.", "io.k8s.", 1).replace("_", "-")


def messages(root: Path) -> Iterator[tuple[str, Message]]:
    """Yield each message of a repository."""
    for path in sorted(root.rglob("generated.proto")):
        text = _COMMENT.sub("", path.read_text())
        package = _PACKAGE.search(text)
        if package is None:
            continue
        prefix = definition_name(package.group(1))
        names, slices = _names_in_go(path.parent)
        for name, body in _MESSAGE.findall(text):
            renamed = {"1": LIST} if name in slices else names.get(name, {})
            yield f"{prefix}.{name}", _fields(body, prefix, renamed)


def _fields(body: str, prefix: str, renamed: dict[str, str]) -> Message:
    found: Message = {}
    for label, kind, name, number in _FIELD.findall(body):
        shape = {"optional": [], "repeated": ["repeated"]}.get(label, ["map"])
        found[number] = [renamed.get(number, name), _type_name(kind, prefix), *shape]
    return found


def _type_name(kind: str, prefix: str) -> str:
    if kind in _SCALARS:
        return kind
    return definition_name(kind[1:]) if kind.startswith(".") else f"{prefix}.{kind}"


def _names_in_go(folder: Path) -> tuple[dict[str, dict[str, str]], set[str]]:
    """Return the names of numbered fields in JSON, by struct, and the structs that are slices."""
    names: dict[str, dict[str, str]] = {}
    slices: set[str] = set()
    for path in sorted(folder.glob("types*.go")):
        text = path.read_text()
        slices.update(_SLICE.findall(text))
        for struct, body in _STRUCT.findall(text):
            names[struct] = {number: name for name, number in _TAGS.findall(body)}
    return names, slices


def table(roots: list[Path], definitions: dict[str, Any]) -> dict[str, Message]:
    """Return the messages that the kinds among *definitions* are made of."""
    known = {name: message for root in roots for name, message in messages(root)}
    waiting = [name for name in definitions if definitions[name].get(_KIND) and name in known]
    found: dict[str, Message] = {}
    while waiting:
        name = waiting.pop()
        if name in found or _OPAQUE.search(name):
            continue
        found[name] = _served(known[name], definitions.get(name, {}))
        waiting += [kind for _, kind, *_ in found[name].values() if kind not in _SCALARS]
    return dict(sorted(found.items()))


def _served(message: Message, definition: dict[str, Any]) -> Message:
    """Return *message* without the fields that are newer, or older, than the definition."""
    properties = definition.get("properties")
    if properties is None:
        return message
    return {
        number: field for number, field in message.items() if not field[0] or field[0] in properties
    }


def main() -> int:
    """Write the table to standard output."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--openapi", type=Path, required=True)
    parser.add_argument("sources", type=Path, nargs="+")
    arguments = parser.parse_args()
    definitions = json.loads(arguments.openapi.read_text())["definitions"]
    json.dump(table(arguments.sources, definitions), sys.stdout, separators=(",", ":"))
    sys.stdout.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

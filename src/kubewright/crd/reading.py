"""CustomResourceDefinitions as files have them: among other objects, in YAML or JSON, or broken."""

import math
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

import msgspec

from kubewright.api.names import MAX_NAME_LENGTH, check_dns_subdomain
from kubewright.crd.manifest import located
from kubewright.crd.markers import JSONSchema
from kubewright.errors import SchemaError

_KIND = "CustomResourceDefinition"
_V1 = "apiextensions.k8s.io/v1"
_LISTS = ("List", f"{_KIND}List")
_MOST_VALUES = 5_000_000
# A kind in lower case is a label, too; `str.lower` would let in letters that become ASCII by it.
_LABEL = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_KIND_LABEL = re.compile(r"[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?")
_RULE = "digits and '-' are allowed, and it must begin with a letter and not end with '-'"


class Reading(msgspec.Struct, frozen=True):
    """What is in a file.

    Attributes:
        crds: The CRDs, each checked by `check_document`.
        others: The kinds of the other objects, once for each object.
    """

    crds: list[dict[str, Any]]
    others: list[str]


def read_definitions(text: str, place: str) -> Reading:
    """Return the CRDs in *text*, YAML or JSON; lists of objects are looked into.

    Args:
        text: The text of a file.
        place: What to call it in errors.

    Raises:
        SchemaError: It is neither, or a CRD in it is malformed. The message names the place and,
            as far as it can, the line.
    """
    found = Reading([], [])
    try:
        _read(text, place, found)
    except RecursionError as error:
        raise SchemaError(f"{place}: this YAML is nested too deeply to be read") from error
    return found


def _read(text: str, place: str, found: Reading) -> None:
    for line, document in _documents(text, place):
        where = f"{place}, line {line}" if line else place
        if _size(document, {}) > _MOST_VALUES:
            raise SchemaError(
                f"{where}: its YAML aliases unfold to more than {_MOST_VALUES:,} values"
            )
        for one in _objects(document, where):
            if one.get("kind") == _KIND:
                check_document(one, where)
                found.crds.append(one)
            else:
                found.others.append(str(one.get("kind") or "object without a kind"))


def check_document(document: Any, place: str) -> None:
    """Check that *document* is a CRD, as far as reading it needs; the server checks the rest.

    Raises:
        SchemaError: It is not; the message says what is missing or malformed, and where.
    """
    name = name_of(document)
    version = document.get("apiVersion")
    if version == "apiextensions.k8s.io/v1beta1":
        raise SchemaError(
            f"{place}: {name} is of {version}, which Kubernetes 1.22 and later do not serve. Take"
            " the CRD of a newer release of that project, or read it from a cluster, which"
            " stores it in v1"
        )
    if version != _V1:
        raise SchemaError(f"{place}: {name} is of {version or 'no apiVersion'}, and not of {_V1}")
    for path, problem in chain(_problems(document), json_problems(document)):
        raise SchemaError(f"{place}: {name}: {path} {problem}")


def json_problems(document: Any) -> Iterator[tuple[str, str]]:
    """Yield where *document* has what YAML can say, and JSON, in which servers keep it, cannot."""
    yield from _not_json(document, "", set())


def name_of(document: Any) -> str:
    """Return the name of a CRD, even if it is malformed."""
    metadata = document.get("metadata")
    found = metadata.get("name") if isinstance(metadata, dict) else None
    return str(found) if found else "a CRD without a name"


def versions_of(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the versions of a CRD that was checked."""
    found: list[dict[str, Any]] = document["spec"]["versions"]
    return found


def schema_in(version: dict[str, Any]) -> JSONSchema:
    """Return the schema of a version; one that lets everything pass if it has none."""
    found: JSONSchema | None = (version.get("schema") or {}).get("openAPIV3Schema")
    return found or {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def _documents(text: str, place: str) -> Iterator[tuple[int, Any]]:
    if text.lstrip()[:1] in {"{", "["}:
        try:
            yield 0, msgspec.json.decode(text)
        except msgspec.DecodeError:
            pass  # several documents, or YAML in its flow style
        else:
            return
    try:
        yield from located(text)
    except SchemaError as error:
        hint = ". Is it a Helm template? Render it first, with `helm template`" * ("{{" in text)
        raise SchemaError(f"{place}: {error}{hint}") from error


def _size(value: Any, known: dict[int, int]) -> int:
    """Return how many values there are in *value*; one that is in itself has no end."""
    if not isinstance(value, (dict, list)):
        return 1
    if id(value) not in known:
        known[id(value)] = _MOST_VALUES + 1
        inner = value.values() if isinstance(value, dict) else value
        known[id(value)] = 1 + sum(_size(one, known) for one in inner)
    return known[id(value)]


def _objects(document: Any, where: str) -> Iterator[dict[str, Any]]:
    if not isinstance(document, dict):
        raise SchemaError(f"{where}: an object is a mapping, not {document!r:.60}")
    if document.get("kind") not in _LISTS:
        yield document
        return
    items = document.get("items")
    for index, one in enumerate(items if isinstance(items, list) else []):
        # Servers leave both out inside a list of one kind.
        ours = {"apiVersion": _V1, "kind": _KIND} if document["kind"] != "List" else {}
        yield from _objects({**ours, **one} if isinstance(one, dict) else one, f"{where}[{index}]")


def _not_json(value: Any, path: str, seen: set[int]) -> Iterator[tuple[str, str]]:
    if isinstance(value, (dict, list)):
        if id(value) in seen:
            return  # an alias: what is wrong was said where it stands
        seen.add(id(value))
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, one in items:
            inner = f"[{key}]" if isinstance(value, list) else f".{key}" if path else str(key)
            yield from _not_json(one, f"{path}{inner}", seen)
    elif isinstance(value, float) and not math.isfinite(value):
        yield path, f"is {value}, which is no number in JSON"
    elif not isinstance(value, str | int | float | bool | None):
        yield path, f"is of the type {type(value).__name__}, which JSON does not have"


def _problems(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    spec = document.get("spec")
    if not isinstance(spec, dict):
        yield "spec", "is missing" if spec is None else "is not a mapping"
        return
    names = spec.get("names")
    if not isinstance(names, dict):
        hint = "; if this is a patch of kustomize, build it first, with `kustomize build`"
        yield "spec.names", f"is missing{hint}" if names is None else "is not a mapping"
        return
    yield from _wrong_texts(spec, "spec", "group")
    yield from _wrong_group(spec["group"])
    yield from _wrong_texts(names, "spec.names", "kind", "plural")
    yield from _wrong_label(names["kind"], "spec.names.kind", is_kind=True)
    yield from _wrong_label(names["plural"], "spec.names.plural")
    if names.get("singular"):  # the server fills it in
        yield from _wrong_texts(names, "spec.names", "singular")
        yield from _wrong_label(names["singular"], "spec.names.singular")
    if spec.get("scope") not in {"Namespaced", "Cluster"}:
        yield "spec.scope", f"is neither Namespaced nor Cluster, but {spec.get('scope')!r:.40}"
    versions = spec.get("versions")
    if not isinstance(versions, list) or not versions:
        yield "spec.versions", "is missing" if versions is None else "is not a list of versions"
        return
    for index, version in enumerate(versions):
        yield from _version_problems(version, f"spec.versions[{index}]")
    if twice := _repeated([one["name"] for one in versions]):
        yield "spec.versions", f"has {twice} twice"


def _version_problems(version: Any, path: str) -> Iterator[tuple[str, str]]:
    if not isinstance(version, dict):
        yield path, "is not a mapping"
        return
    yield from _wrong_texts(version, path, "name")
    yield from _wrong_label(version["name"], f"{path}.name")
    schema = version.get("schema")
    if not isinstance(schema, dict | None):
        yield f"{path}.schema", "is not a mapping"
    elif schema and "openAPIV3Schema" in schema:
        yield from _schema_problems(schema["openAPIV3Schema"], f"{path}.schema.openAPIV3Schema")
    for key, kind in (("additionalPrinterColumns", list), ("subresources", dict)):
        if not isinstance(version.get(key), kind | None):
            yield f"{path}.{key}", f"is not a {'list' if kind is list else 'mapping'}"


def _schema_problems(schema: Any, path: str) -> Iterator[tuple[str, str]]:
    if not isinstance(schema, dict):
        yield path, f"is not a schema, but {schema!r:.40}"
        return
    properties = schema.get("properties")
    if isinstance(properties, dict):
        for name, inner in properties.items():
            yield from _schema_problems(inner, f"{path}.properties.{name}")
    elif properties is not None:
        yield f"{path}.properties", "is not a mapping"
    if "items" in schema:
        yield from _schema_problems(schema["items"], f"{path}.items")
    if not isinstance(schema.get("additionalProperties"), bool | None):
        yield from _schema_problems(schema["additionalProperties"], f"{path}.additionalProperties")
    for key in ("required", "enum", "x-kubernetes-validations", "x-kubernetes-list-map-keys"):
        if not isinstance(schema.get(key), list | None):
            yield f"{path}.{key}", "is not a list"


def _wrong_texts(mapping: dict[str, Any], path: str, *keys: str) -> Iterator[tuple[str, str]]:
    for key in keys:
        found = mapping.get(key)
        if not isinstance(found, str) or not found:
            yield f"{path}.{key}", "is missing" if found in (None, "") else "is not a text"


def _wrong_group(group: str) -> Iterator[tuple[str, str]]:
    try:
        check_dns_subdomain(group)
    except ValueError as error:
        yield "spec.group", f"is wrong: {error}"


def _wrong_label(name: str, path: str, *, is_kind: bool = False) -> Iterator[tuple[str, str]]:
    """Yield why Kubernetes would refuse *name*; what is made of it relies on that."""
    pattern, letters = (_KIND_LABEL, "letters") if is_kind else (_LABEL, "lower-case letters")
    if len(name) > MAX_NAME_LENGTH:
        yield path, f"has {len(name)} characters, and at most {MAX_NAME_LENGTH} are allowed"
    elif not pattern.fullmatch(name):
        yield path, f"is wrong: {name!r} is not a valid name: {letters}, {_RULE}"


def _repeated(names: list[str]) -> str:
    return next((name for name in names if names.count(name) > 1), "")

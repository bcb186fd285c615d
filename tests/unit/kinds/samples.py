"""Random objects, made from the OpenAPI document alone: it does not know our classes."""

import base64
import json
from datetime import datetime
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from tools.kindgen.facts import ABSENT_IN_GO

DATA = Path(__file__).parents[3] / "src/kubewright/apiserver/data"
META = "io.k8s.apimachinery.pkg.apis.meta.v1."
EXTENSIONS = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1."
PROPS = EXTENSIONS + "JSONSchemaProps"
DEEPEST = 7

Json = dict[str, Any]


@cache
def definitions() -> dict[str, Json]:
    """Return the definitions of the document."""
    document = json.loads((DATA / "kubernetes-openapi-v2.json").read_text())
    found: dict[str, Json] = document["definitions"]
    return found


def ref_of(schema: Json) -> str:
    """Return the definition that a schema refers to, or an empty string."""
    return str(schema.get("$ref", "")).removeprefix("#/definitions/")


def properties(name: str) -> dict[str, Json]:
    """Return the properties of a definition."""
    found: dict[str, Json] = definitions()[name].get("properties", {})
    return found


def is_struct(schema: Json) -> bool:
    """Say whether a schema is a reference to something with fields."""
    return bool(ref_of(schema)) and bool(properties(ref_of(schema)) or _is_empty_struct(schema))


def _is_empty_struct(schema: Json) -> bool:
    name = ref_of(schema)
    plain = definitions()[name] == {"type": "object"}
    return plain and not name.endswith((".FieldsV1", ".Patch", ".RawExtension"))


def is_collection(schema: Json) -> bool:
    """Say whether a schema is a list or a map."""
    return schema.get("type") in {"array", "object"}


def is_time(schema: Json) -> bool:
    """Say whether a schema is a time."""
    return ref_of(schema) in {META + "Time", META + "MicroTime"}


def required(name: str, wire: str) -> bool:
    """Say whether the document requires a property."""
    return wire in definitions()[name].get("required", ())


def has_metadata(name: str) -> bool:
    """Say whether a definition is a kind or a template of one."""
    return ref_of(properties(name).get("metadata", {})) == META + "ObjectMeta"


def gvk(name: str) -> Json | None:
    """Return the one kind that a definition is."""
    found = definitions()[name].get("x-kubernetes-group-version-kind", [])
    return found[0] if len(found) == 1 else None


def kinds() -> list[str]:
    """Return all definitions that are an object of the API or a list of such."""
    return [name for name in definitions() if gvk(name) and "metadata" in properties(name)]


@cache
def statuses() -> frozenset[str]:
    """Return the definitions that are the status of a kind."""
    return frozenset(ref_of(properties(n).get("status", {})) for n in kinds() if has_metadata(n))


class Sampler:
    """Makes objects as Go writes them: what is required, and the parts of kinds, is there.

    With *full*, the outermost object has all of its properties.
    """

    def __init__(self, random: Random, *, full: bool = False) -> None:
        self.random = random
        self.full = full

    def of(self, name: str, depth: int = 0) -> Json:
        """Return a random object of a definition."""
        made = {}
        for wire, schema in properties(name).items():
            part = has_metadata(name) and wire in _PARTS
            always = required(name, wire) or part or (wire == "metadata" and bool(gvk(name)))
            likely = (0.5 if depth < 2 else 0.25) + (self.full and depth == 0)
            if always or (depth < DEEPEST and self.random.random() < likely):
                made[wire] = self.value(schema, depth + 1)
        if kind := definitions()[name].get("x-kubernetes-group-version-kind"):
            made |= self._type_meta(kind[0]) if "kind" in properties(name) else {}
        return made

    def _type_meta(self, kind: Json) -> Json:
        return {
            "kind": kind["kind"],
            "apiVersion": f"{kind['group']}/{kind['version']}".lstrip("/"),
        }

    def value(self, schema: Json, depth: int) -> Any:
        """Return a random value of a schema."""
        if name := ref_of(schema):
            return self.of(name, depth) if is_struct(schema) else self._special(name, depth)
        kind = schema.get("type")
        if kind == "array":
            return [self.value(schema["items"], depth + 1) for _ in range(self._few(depth))]
        if kind == "object":
            inner = schema["additionalProperties"]
            return {self.text(): self.value(inner, depth + 1) for _ in range(self._few(depth))}
        return self._scalar(schema)

    def _few(self, depth: int) -> int:
        return self.random.choice([0, 1, 1, 2]) if depth < DEEPEST else 0

    def _scalar(self, schema: Json) -> Any:
        kind, random = schema["type"], self.random
        if kind == "integer":
            return random.choice([0, 1, -1, 2**31 - 1, random.randrange(-(2**63), 2**63)])
        if kind == "number":
            return random.choice([0, 1, -2.5, random.uniform(-1e9, 1e9)])
        if kind == "boolean":
            return random.random() < 0.5
        if schema.get("format") == "byte":
            return base64.b64encode(random.randbytes(random.randrange(5))).decode()
        return random.choice(schema["enum"]) if "enum" in schema else self.text()

    def text(self) -> str:
        """Return a random text."""
        return "".join(
            self.random.choices('aZ9-./ é\u2603\U0001f680"\\\n\x00', k=self.random.randrange(6))
        )

    def anything(self, depth: int = 0) -> Any:
        """Return random JSON that is not null itself, but may hold nulls and empty parts."""
        random = self.random
        leaf: Any = random.choice([self.text(), 0, 1.5, True, False, [], {}, [None], {"n": None}])
        if depth > 2 or random.random() < 0.5:
            return leaf
        return {self.text(): self.anything(depth + 1) for _ in range(random.randrange(3))}

    def _special(self, name: str, depth: int) -> Any:
        random = self.random
        if name.startswith(PROPS + "Or"):
            return self._union(name.removeprefix(PROPS), depth)
        values: dict[str, list[Any]] = {
            "Time": ["2026-01-02T03:04:05Z", "1999-12-31T23:59:59+02:00"],
            "MicroTime": [f"2026-01-02T03:04:05.{n:06}Z" for n in (0, random.randrange(10**6))],
            "Quantity": ["100m", "1Gi", "0", 2, 0.5],
            "IntOrString": [0, 8080, "25%", "http", ""],
            "JSON": [self.anything()],
        }
        objects = [{self.text(): self.anything() for _ in range(random.randrange(3))}]
        return random.choice(values.get(name.rpartition(".")[2], objects))

    def _union(self, name: str, depth: int) -> Any:
        schema = self.of(PROPS, depth + 2)
        others: dict[str, list[Any]] = {
            "OrBool": [True, False],
            "OrArray": [[], [schema, schema]],
            "OrStringArray": [[], [self.text()]],
        }
        return self.random.choice([schema, *others[name]])


_PARTS = {"metadata", "spec", "status"}


def each_struct(name: str, value: Json) -> list[tuple[str, Json]]:
    """Return every object inside *value* that has a definition, with its name; itself first."""
    found = [(name, value)]
    for wire, inner in value.items():
        found += _structs_in(properties(name).get(wire, {}), inner)
    return found


def _structs_in(schema: Json, value: Any) -> list[tuple[str, Json]]:
    if value is None:
        return []
    if is_struct(schema):
        return each_struct(ref_of(schema), value)
    if schema.get("type") == "array":
        return [found for one in value for found in _structs_in(schema["items"], one)]
    if "additionalProperties" in schema:
        inner = schema["additionalProperties"]
        return [found for one in value.values() for found in _structs_in(inner, one)]
    return []


def expected(name: str, value: Json, *, top: bool = True) -> Json:
    """Return what we send for *value*: the same, but for the normalisations that we declare.

    Empty collections are not sent, nor are the empty ``spec`` and ``status`` of an object itself,
    nor zeros that Go does not tell from absent ones.
    """
    sent = {}
    for wire, inner in value.items():
        schema = properties(name)[wire]
        told = _expected(schema, inner)
        dropped = is_collection(schema) and not told
        if not dropped and not _is_absent(name, wire, told):
            sent[wire] = told
    if top and gvk(name) and has_metadata(name):
        return {wire: told for wire, told in sent.items() if told != {} or not _is_part(name, wire)}
    return sent


def _is_part(name: str, wire: str) -> bool:
    """Say whether a property is never ``None`` with us, so that an empty one means nothing."""
    if wire in {"metadata", "spec", "status"}:
        return True
    return required(name, wire) and is_struct(properties(name)[wire])


def _expected(schema: Json, value: Any) -> Any:
    if is_struct(schema):
        return expected(ref_of(schema), value, top=False)
    if ref_of(schema) == META + "Time":  # a MicroTime has one form only
        return datetime.fromisoformat(value)
    if schema.get("type") == "array":
        return [_expected(schema["items"], one) for one in value]
    if "additionalProperties" in schema:
        return {key: _expected(schema["additionalProperties"], v) for key, v in value.items()}
    if ref_of(schema).startswith(PROPS + "Or"):
        return _expected_union(value)
    return value


def _expected_union(value: Any) -> Any:
    if isinstance(value, dict):
        return expected(PROPS, value, top=False)
    if isinstance(value, list):
        return [_expected_union(one) for one in value]
    return value


def _is_absent(name: str, wire: str, value: Any) -> bool:
    """Say whether a value is a zero that is not sent."""
    if isinstance(value, (list, dict)) or value:
        return False
    place = ".".join([*name.split(".")[-3:], wire])
    schema = properties(name)[wire]
    return (
        (
            name in {META + "ObjectMeta", META + "ListMeta", META + "ManagedFieldsEntry"}
            and not wire.endswith(("Seconds", "Count"))
        )
        or (name, wire) == (META + "Condition", "reason")
        or (required(name, wire) and name in statuses())
        or (required(name, wire) and schema.get("format") == "byte")
        or place in ABSENT_IN_GO
    )


def with_times(name: str, value: Json) -> Json:
    """Return *value* with its times parsed, so that two forms of one moment are equal."""
    read = {}
    for wire, inner in value.items():
        read[wire] = _with_times(properties(name)[wire], inner)
    return read


def _with_times(schema: Json, value: Any) -> Any:
    if is_struct(schema):
        return with_times(ref_of(schema), value)
    if ref_of(schema) == META + "Time":  # a MicroTime has one form only
        return datetime.fromisoformat(value)
    if schema.get("type") == "array":
        return [_with_times(schema["items"], one) for one in value]
    if "additionalProperties" in schema:
        return {key: _with_times(schema["additionalProperties"], v) for key, v in value.items()}
    return value


def difference(left: Any, right: Any, at: str = "$") -> str:
    """Return where two values differ as JSON, or nothing: ``1`` is ``1.0``, ``true`` is not."""
    if isinstance(left, dict) and isinstance(right, dict):
        if left.keys() != right.keys():
            return f"{at}: only in one of them: {sorted(left.keys() ^ right.keys())}"
        found = (difference(left[key], right[key], f"{at}.{key}") for key in left)
        return next(filter(None, found), "")
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        pairs = enumerate(zip(left, right, strict=True))
        return next(filter(None, (difference(a, b, f"{at}[{i}]") for i, (a, b) in pairs)), "")
    alike = left is right if isinstance(left, bool) or isinstance(right, bool) else left == right
    return "" if alike else f"{at}: {left!r} is not {right!r}"

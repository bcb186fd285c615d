"""Random objects of a kind, made from the schema of its class."""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from random import Random
from typing import Any

from kubewright import _json
from kubewright.api.kind import GroupVersionKind
from kubewright.api.resource import Resource, gvk_of
from kubewright.crd.conformity import problems
from kubewright.crd.schema import resource_schema
from kubewright.testing.texts import make_text

Document = dict[str, Any]
Make = Mapping[str, Callable[[Random], Any]]

_DEEPEST = 12
_QUANTITIES = ("1", "100m", "2Gi", "1500", "3k")
_HEAD = ("apiVersion", "kind", "metadata")
_TRIES = 50
_INTEGERS = (0, 1, 2, 3, 7, 30, 100, 65535)


class Instances:
    """Makes objects of one kind that its schema allows.

    Not everything that a schema says can be kept: rules in CEL are not looked at.

    Args:
        kind: The class.
        random: Where chance comes from.
        make: Functions that make the value of a field, by its path: ``spec.ports[].name``, and
            ``spec.parts{}.name`` inside a dict.
    """

    def __init__(self, kind: type[Resource], random: Random, make: Make) -> None:
        self.kind: type[Resource] = kind
        self.schema: Document = resource_schema(kind)
        self._random = random
        self._make = make
        self._chance = 0.5
        self._left = 0

    def documents(self, count: int) -> Iterator[Document]:
        """Yield *count* objects: first one without all that is optional, then one with all."""
        for index in range(count):
            self._chance = (0.0, 1.0)[index] if index < len((0.0, 1.0)) else self._random.random()
            self._left = 3000 if index == 1 else 80
            yield self._document()

    def has_path(self, path: str) -> bool:
        """Tell whether the kind has a field at *path*, whose value can be chosen."""
        if path in _HEAD:
            return False
        schema: Any = self.schema
        for name in path.replace("[]", ".[]").replace("{}", ".{}").split("."):
            if not isinstance(schema, dict):
                return False
            inner = {"[]": schema.get("items"), "{}": schema.get("additionalProperties")}
            schema = inner.get(name) or schema.get("properties", {}).get(name)
        return isinstance(schema, dict)

    def _document(self) -> Document:
        gvk: GroupVersionKind = gvk_of(self.kind)
        metadata: Document = {"name": self._word(), "namespace": self._word()}
        if self._is_wanted():
            metadata["labels"] = {self._word(): self._word()}
        if self._is_wanted():
            metadata["annotations"] = {self._word(): self._word()}
        head = {"apiVersion": gvk.api_version, "kind": gvk.kind, "metadata": metadata}
        return {**self._object(self.schema, "", 0), **head}

    def _value(self, schema: Document, path: str, depth: int) -> Any:
        self._left -= 1
        if path in self._make:
            return self._make[path](self._random)
        if "enum" in schema:
            return self._random.choice(schema["enum"])
        if schema.get("x-kubernetes-int-or-string"):
            return self._int_or_text(schema, path)
        if schema.get("type") in {"object", "array"}:
            inner = self._object if schema["type"] == "object" else self._array
            return inner(schema, path, depth)
        return self._scalar(schema, path)

    def _scalar(self, schema: Document, path: str) -> Any:
        match schema.get("type"):
            case "string":
                return self._text(schema, path)
            case "integer":
                return int(self._number(schema, path, _whole_numbers(schema)))
            case "number":
                return self._number(schema, path, _numbers(schema))
            case "boolean":
                return self._random.random() < 0.5  # noqa: PLR2004  # a coin
        return {self._word(): self._random.choice((1, "a", True))}  # anything at all

    def _object(self, schema: Document, path: str, depth: int) -> Document:
        fields = list(schema.get("properties", {}).items())
        if not fields:
            return self._map(schema, path, depth)
        # In another order each time: there may not be room for all of a large kind.
        self._random.shuffle(fields)
        required = set(schema.get("required", ()))
        made = {}
        for name, one in fields:
            if name in required or (depth < _DEEPEST and self._is_wanted()):
                made[name] = self._value(one, f"{path}.{name}".lstrip("."), depth + 1)
        return made

    def _map(self, schema: Document, path: str, depth: int) -> Document:
        of = schema.get("additionalProperties")
        inner = of if isinstance(of, dict) else {"type": "string"}
        least = schema.get("minProperties", 0)
        count = self._count(least, schema.get("maxProperties", least + 2))
        return {self._word(): self._value(inner, f"{path}{{}}", depth + 1) for _ in range(count)}

    def _array(self, schema: Document, path: str, depth: int) -> list[Any]:
        least = schema.get("minItems", 0)
        count = self._count(least, schema.get("maxItems", least + 2))
        more = (self._value(schema["items"], f"{path}[]", depth + 1) for _ in range(count + _TRIES))
        keys = schema.get("x-kubernetes-list-map-keys")
        if keys or schema.get("x-kubernetes-list-type") == "set" or schema.get("uniqueItems"):
            unique: dict[bytes, Any] = {}
            while len(unique) < count and (one := next(more, None)) is not None:
                unique.setdefault(_identity(one, keys), one)
            return list(unique.values())
        return list(islice(more, count))

    def _count(self, least: int, most: int) -> int:
        # One at least where something is wanted: an empty collection shows nothing.
        wanted = 1 if self._left > 0 and self._chance else 0
        return min(
            max(least, wanted, self._random.randint(least, least + 2) if wanted else 0), most
        )

    def _text(self, schema: Document, path: str) -> str:
        made = make_text(self._random, schema)
        if made is None:
            rule = f"the pattern {schema['pattern']!r}" if "pattern" in schema else "its rules"
            raise ValueError(
                f"cannot make a text for {path} of {gvk_of(self.kind)} that fits {rule}: pass"
                f" make={{{path!r}: lambda random: ...}}, which returns one"
            )
        return made

    def _int_or_text(self, schema: Document, path: str) -> int | str:
        if "pattern" in schema:
            fitting = [one for one in _QUANTITIES if not any(problems(one, schema))]
            return self._random.choice(fitting) if fitting else self._text(schema, path)
        number = int(self._number(schema, path, _whole_numbers(schema)))
        return self._random.choice((number, "50%"))

    def _number(self, schema: Document, path: str, near: set[float]) -> float:
        step = schema.get("multipleOf")
        rounded = {one - one % step for one in near} if step else near
        fitting = sorted(one for one in rounded if not any(problems(one, schema)))
        if not fitting:
            raise ValueError(
                f"cannot make a number for {path} of {gvk_of(self.kind)}: pass"
                f" make={{{path!r}: lambda random: ...}}, which returns one"
            )
        return self._random.choice(fitting)

    def _is_wanted(self) -> bool:
        return self._left > 0 and self._random.random() < self._chance

    def _word(self) -> str:
        return "".join(self._random.choices("abcdefghijklmnopqrstuvwxyz", k=6))


def _whole_numbers(schema: Document) -> set[float]:
    """Return whole numbers at the limits of *schema*, and some others that may be outside."""
    return {*_limits(schema), *_INTEGERS}


def _numbers(schema: Document) -> set[float]:
    """Return numbers at the limits of *schema* and between them, and some that may be outside."""
    whole = _whole_numbers(schema)
    limits = [schema[name] for name in ("minimum", "maximum") if name in schema]
    middle = {sum(limits) / len(limits)} if limits else set()
    return {*whole, *(one + part for one in whole for part in (0.25, 0.5)), *limits, *middle}


def _limits(schema: Document) -> tuple[int, int]:
    """Return the least and the greatest whole number that *schema* allows."""
    bits = 31 if schema.get("format") == "int32" else 53
    least, most = schema.get("minimum"), schema.get("maximum")
    lowest = 0 if most is None or most >= 0 else int(most) - 100
    first = lowest if least is None else -int(-least // 1) + bool(schema.get("exclusiveMinimum"))
    highest = max(2**bits - 1, first)
    last = highest if most is None else int(most // 1) - bool(schema.get("exclusiveMaximum"))
    return first, last


def _identity(item: Any, keys: list[str] | None) -> bytes:
    chosen = [item.get(key) for key in keys] if keys and isinstance(item, dict) else item
    return _json.encode(chosen)

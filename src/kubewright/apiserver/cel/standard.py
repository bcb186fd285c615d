"""The standard functions and operators of CEL."""

from collections.abc import Callable
from typing import Any

from kubewright.apiserver.cel import conversions, operators, regex, times
from kubewright.apiserver.cel.declarations import Overload, declare
from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.operators import no_overload
from kubewright.apiserver.cel.values import (
    NONE,
    Optional,
    equal,
    is_list,
    is_zero,
    map_key,
    runtime_type,
    size,
)

_SCALARS = ("bool", "int64", "uint64", "double", "string", "bytes", "timestamp", "duration")
_NAMES = {"int64": "int", "uint64": "uint"}
_MIXED = ("int64_double", "int64_uint64", "uint64_double", "uint64_int64")
_MIXED_DOUBLE = ("double_int64", "double_uint64")


def _named(kind: str) -> str:
    return _NAMES.get(kind, kind)


def _arithmetic(prefix: str, body: Callable[[Any, Any], Any], *kinds: str) -> list[Overload]:
    return [
        Overload(f"{prefix}_{kind}", f"({_named(kind)}, {_named(kind)}) -> {_named(kind)}", body)
        for kind in kinds
    ]


def _relation(prefix: str, body: Callable[[Any, Any], Any]) -> list[Overload]:
    same = [
        Overload(f"{prefix}_{kind}", f"({_named(kind)}, {_named(kind)}) -> bool", body)
        for kind in _SCALARS
    ]
    mixed = [
        Overload(f"{prefix}_{pair}", "({}, {}) -> bool".format(*map(_named, pair.split("_"))), body)
        for pair in (*_MIXED, *_MIXED_DOUBLE)
    ]
    return same + mixed


def _add() -> list[Overload]:
    body = operators.add
    return [
        *_arithmetic("add", body, "bytes", "double"),
        Overload("add_duration_duration", "(duration, duration) -> duration", body),
        Overload("add_duration_timestamp", "(duration, timestamp) -> timestamp", body),
        Overload("add_timestamp_duration", "(timestamp, duration) -> timestamp", body),
        *_arithmetic("add", body, "int64"),
        Overload("add_list", "(list(A), list(A)) -> list(A)", body),
        *_arithmetic("add", body, "string", "uint64"),
    ]


def _subtract() -> list[Overload]:
    body = operators.subtract
    return [
        *_arithmetic("subtract", body, "double"),
        Overload("subtract_duration_duration", "(duration, duration) -> duration", body),
        *_arithmetic("subtract", body, "int64"),
        Overload("subtract_timestamp_duration", "(timestamp, duration) -> timestamp", body),
        Overload("subtract_timestamp_timestamp", "(timestamp, timestamp) -> duration", body),
        *_arithmetic("subtract", body, "uint64"),
    ]


declare(
    {
        "_?_:_": [Overload("conditional", "(bool, A, A) -> A", no_overload)],
        "_&&_": [Overload("logical_and", "(bool, bool) -> bool", no_overload)],
        "_||_": [Overload("logical_or", "(bool, bool) -> bool", no_overload)],
        "!_": [Overload("logical_not", "(bool) -> bool", operators.logical_not)],
        "@not_strictly_false": [Overload("not_strictly_false", "(bool) -> bool", no_overload)],
        "_==_": [Overload("equals", "(A, A) -> bool", equal)],
        "_!=_": [Overload("not_equals", "(A, A) -> bool", lambda a, b: not equal(a, b))],
        "_+_": _add(),
        "_-_": _subtract(),
        "_*_": _arithmetic("multiply", operators.multiply, "double", "int64", "uint64"),
        "_/_": _arithmetic("divide", operators.divide, "double", "int64", "uint64"),
        "_%_": _arithmetic("modulo", operators.modulo, "int64", "uint64"),
        "-_": [
            Overload("negate_double", "(double) -> double", operators.negate),
            Overload("negate_int64", "(int) -> int", operators.negate),
        ],
        "_<_": _relation("less", operators.less),
        "_<=_": _relation("less_equals", operators.less_equal),
        "_>_": _relation("greater", operators.greater),
        "_>=_": _relation("greater_equals", operators.greater_equal),
        "@in": [
            Overload("in_list", "(A, list(A)) -> bool", operators.is_in),
            Overload("in_map", "(A, map(A, B)) -> bool", operators.is_in),
        ],
    }
)


def _optional_index(container: Any, key: Any) -> Optional:
    """``container[?key]``."""
    if isinstance(container, Optional):
        return _optional_index(container.value, key) if container.present else NONE
    if type(container) is dict:
        try:
            key = map_key(key)
            return Optional(container[key]) if key in container else NONE
        except TypeError:
            return NONE
    if not is_list(container):
        no_overload()
    place = operators.list_index(key)
    return Optional(container[place]) if 0 <= place < len(container) else NONE


def _index(container: Any, key: Any) -> Any:
    """``container[key]``; an optional container returns an optional item."""
    if isinstance(container, Optional):
        return _optional_index(container, key)
    return operators.index(container, key)


def _optionals(prefix: str, plain: bool) -> list[Overload]:
    """Return overloads for indexing lists and maps, also if they are optional."""
    wrapped = [
        Overload(f"{prefix}list", "(optional_type(list(V)), int) -> optional_type(V)", _index),
        Overload(f"{prefix}map", "(optional_type(map(K, V)), K) -> optional_type(V)", _index),
    ]
    if plain:
        return [
            Overload("index_list", "(list(A), int) -> A", _index),
            Overload("index_map", "(map(A, B), A) -> B", _index),
            *wrapped,
        ]
    return [
        Overload("list_optindex_optional_int", "(list(V), int) -> optional_type(V)", _index),
        Overload("map_optindex_optional_value", "(map(K, V), K) -> optional_type(V)", _index),
        *wrapped,
    ]


def _unwrapped(values: list[Any]) -> list[Any]:
    if not all(isinstance(value, Optional) for value in values):
        no_overload()
    return [value.value for value in values if value.present]


def _or(first: Optional, second: Optional) -> Optional:
    return first if first.present else second


def _end(place: int) -> Callable[[list[Any]], Optional]:
    return lambda values: Optional(values[place]) if values else NONE


declare(
    {
        "_[_]": _optionals("optional_index_", plain=True),
        "_[?_]": [
            Overload(each.id, each.signature, _optional_index)
            for each in _optionals("optional_optindex_", plain=False)
        ],
        "_?._": [
            Overload("select_optional_field", "(dyn, string) -> optional_type(V)", no_overload)
        ],
        "optional.of": [Overload("optional_of", "(V) -> optional_type(V)", Optional)],
        "optional.ofNonZeroValue": [
            Overload(
                "optional_ofNonZeroValue",
                "(V) -> optional_type(V)",
                lambda value: NONE if is_zero(value) else Optional(value),
            )
        ],
        "optional.none": [Overload("optional_none", "() -> optional_type(V)", lambda: NONE)],
        "value": [Overload("optional_value", "optional_type(V).() -> V", Optional.get)],
        "hasValue": [
            Overload(
                "optional_hasValue", "optional_type(V).() -> bool", lambda value: value.present
            )
        ],
        "or": [
            Overload(
                "optional_or_optional",
                "optional_type(V).(optional_type(V)) -> optional_type(V)",
                _or,
            )
        ],
        "orValue": [
            Overload(
                "optional_orValue_value",
                "optional_type(V).(V) -> V",
                lambda first, second: first.value if first.present else second,
            )
        ],
        "first": [Overload("list_first", "list(V).() -> optional_type(V)", _end(0))],
        "last": [Overload("list_last", "list(V).() -> optional_type(V)", _end(-1))],
        "optional.unwrap": [
            Overload("optional_unwrap", "(list(optional_type(V))) -> list(V)", _unwrapped)
        ],
        "unwrapOpt": [
            Overload("optional_unwrapOpt", "list(optional_type(V)).() -> list(V)", _unwrapped)
        ],
    }
)


def _conversion(to: str, body: Callable[[Any], Any], *kinds: str) -> list[Overload]:
    target = {"int": "int64", "uint": "uint64"}.get(to, to)
    return [Overload(f"{kind}_to_{target}", f"({_named(kind)}) -> {to}", body) for kind in kinds]


def _type_of(value: Any) -> Any:
    return runtime_type(value)


def _sizes() -> list[Overload]:
    kinds = {"bytes": "bytes", "list": "list(A)", "map": "map(A, B)", "string": "string"}
    plain = [Overload(f"size_{kind}", f"({text}) -> int", size) for kind, text in kinds.items()]
    member = [Overload(f"{kind}_size", f"{text}.() -> int", size) for kind, text in kinds.items()]
    return plain + member


_NUMBERS = ("int64", "uint64", "double", "string")

declare(
    {
        "size": _sizes(),
        "type": [Overload("type", "(A) -> type(A)", _type_of)],
        "dyn": [Overload("to_dyn", "(A) -> dyn", lambda value: value)],
        "bool": _conversion("bool", conversions.to_bool, "bool", "string"),
        "bytes": _conversion("bytes", conversions.to_bytes, "bytes", "string"),
        "double": _conversion("double", conversions.to_double, *_NUMBERS),
        "duration": _conversion("duration", conversions.to_duration, "duration", "string"),
        "int": _conversion("int", conversions.to_int, *_NUMBERS, "duration", "timestamp"),
        "string": _conversion("string", conversions.to_string, *_SCALARS),
        "timestamp": _conversion(
            "timestamp", conversions.to_timestamp, "timestamp", "int64", "string"
        ),
        "uint": _conversion("uint", conversions.to_uint, *_NUMBERS),
    }
)


def _matches(text: str, pattern: str) -> bool:
    return regex.matches(text, pattern)


def _text(body: Callable[[str, str], Any]) -> Callable[[Any, Any], Any]:
    def checked(text: Any, other: Any) -> Any:
        if type(text) is not str or type(other) is not str:
            return no_overload()
        return body(text, other)

    return checked


declare(
    {
        "contains": [
            Overload("contains_string", "string.(string) -> bool", _text(lambda a, b: b in a))
        ],
        "endsWith": [Overload("ends_with_string", "string.(string) -> bool", _text(str.endswith))],
        "startsWith": [
            Overload("starts_with_string", "string.(string) -> bool", _text(str.startswith))
        ],
        "matches": [
            Overload("matches", "(string, string) -> bool", _text(_matches)),
            Overload("matches_string", "string.(string) -> bool", _text(_matches)),
        ],
    }
)


def _parts() -> dict[str, list[Overload]]:
    functions: dict[str, list[Overload]] = {}
    for name, read in times.TIMESTAMP_PARTS.items():
        functions[name] = [
            Overload(f"timestamp_{name}", "timestamp.() -> int", read),
            Overload(f"timestamp_{name}_with_tz", "timestamp.(string) -> int", read),
        ]
    for name, length in times.DURATION_PARTS.items():
        functions[name].append(Overload(f"duration_{name}", "duration.() -> int", length))
    return functions


declare(_parts())


def _insert(target: dict[Any, Any], *update: Any) -> dict[Any, Any]:
    """``cel.@mapInsert``: add a key, or the entries of a map; existing keys are an error."""
    if len(update) == 1 and type(update[0]) is not dict:
        no_overload()
    added = update[0] if len(update) == 1 else {map_key(update[0]): update[1]}
    for key in added:
        if key in target:
            shown = operators.shown_key(key)
            raise EvaluationError(f"insert failed: key {shown} already exists")
    return {**target, **added}


declare(
    {
        "cel.@mapInsert": [
            Overload(
                "@mapInsert_map_key_value",
                "(map(K, V), K, V) -> map(K, V)",
                _insert,
            ),
            Overload("@mapInsert_map_map", "(map(K, V), map(K, V)) -> map(K, V)", _insert),
        ],
    }
)

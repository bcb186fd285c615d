"""What was read, converted to types; errors name the line and the field, and what was meant."""

import re
from difflib import get_close_matches
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin

import msgspec

from kubewright.errors import ConfigError
from kubewright.scaffold.kustomize.fields import Part
from kubewright.scaffold.kustomize.problem import telling
from kubewright.scaffold.kustomize.syntax import values

__all__ = ["Lines", "converted", "place_of", "read_as"]

Lines = dict[tuple[str | int, ...], int]
"""The line of each field, by its path."""
T = TypeVar("T")


def read_as(text: str, kind: type[T], *, place: str) -> T:
    """Return what another file of kustomize's says.

    Raises:
        ConfigError: It does not fit *kind*; the message names line and field.
    """
    with telling(place):
        found, lines = values(text)
    return converted(found, kind, place=place, lines=lines)


def converted(found: Any, kind: type[T], *, place: str, lines: Lines) -> T:
    """Return what was found in the file *place* as *kind*.

    Raises:
        ConfigError: It does not fit; the message names line and field.
    """
    try:
        said = _spelled_as(_without_nulls({} if found is None else found), kind)
        return msgspec.convert(said, kind)
    except msgspec.ValidationError as error:
        path, why = _explained(str(error), kind)
        if not lines:
            raise ConfigError(f"{place}: {why}") from None
        raise ConfigError(f"{place_of(path, place=place, lines=lines)}: {why}") from None


def _without_nulls(value: Any) -> Any:
    match value:
        case dict():
            return {key: _without_nulls(one) for key, one in value.items() if one is not None}
        case list():
            return [_without_nulls(one) for one in value]
    return value


def _spelled_as(value: Any, kind: Any) -> Any:
    """Return *value* with the fields as *kind* spells them: kustomize takes any case."""
    inner = _inner(kind)
    if isinstance(value, list) and get_origin(kind) is list:
        return [_spelled_as(one, inner) for one in value]
    if isinstance(value, dict) and isinstance(kind if inner is None else inner, type):
        part = kind if inner is None else inner
        return _spelled_fields(value, part) if issubclass(part, Part) else value
    return value


def _spelled_fields(value: dict[str, Any], kind: type[Part]) -> dict[str, Any]:
    fields = {one.encode_name: one.type for one in msgspec.structs.fields(kind)}
    by_lower = {name.lower(): name for name in fields}
    found: dict[str, Any] = {}
    for given, one in value.items():
        name = given if given in fields else by_lower.get(given.lower(), given)
        found[name] = _spelled_as(one, fields.get(name))
    return found


_STEP = re.compile(r"\.([A-Za-z0-9]+)|\[(\d+)\]")
_UNKNOWN = re.compile(r"Object contains unknown field `(.*?)`")
_EXPECTED = re.compile(r"Expected `(.*?)`, got `(.*?)`")
_NAMES = {
    "array": "a list",
    "bool": "true or false",
    "float": "a number",
    "int": "a whole number",
    "null": "nothing",
    "object": "a mapping",
    "str": "a text",
}


def _explained(message: str, kind: Any) -> tuple[tuple[str | int, ...], str]:
    """Return the path in msgspec's message, and what is wrong there."""
    why, _, where = message.partition(" - at `$")
    path = tuple(int(at) if at else name for name, at in _STEP.findall(where))
    if (unknown := _UNKNOWN.match(why)) is not None:
        return (
            *path,
            unknown[1],
        ), f"there is no such field{_similar(unknown[1], _part_at(kind, path))}"
    if (types := _EXPECTED.match(why)) is not None:
        wanted, got = (_NAMES.get(name.split(" ")[0], name) for name in types.groups())
        hint = "; put it in quotes" if types[1] == "str" and types[2] in _SCALARS else ""
        return path, f"this is {got}, and should be {wanted}{hint}"
    return path, why


_SCALARS = frozenset(("bool", "int", "float"))


def _similar(name: str, part: Any) -> str:
    names = {one.encode_name for one in msgspec.structs.fields(part)} if part else set()
    by_lower = {known.lower(): known for known in sorted(names)}
    near = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return f"; did you mean {by_lower[near[0]]}?" if near else ""


def _part_at(kind: Any, path: tuple[str | int, ...]) -> Any:
    """Return the type of what is at *path*."""
    for step in path:
        if isinstance(step, int):
            kind = _inner(kind)
        else:
            part = _inner(kind) or kind
            kind = {one.encode_name: one.type for one in msgspec.structs.fields(part)}.get(step)
    return _inner(kind) or kind


def _inner(kind: Any) -> Any:
    """Return what a list holds, or what else something is than ``None``."""
    return next((one for one in get_args(kind) if one not in (str, NoneType)), None)


def place_of(path: tuple[str | int, ...], *, place: str, lines: Lines) -> str:
    """Return file, line and field, for messages."""
    known = next((lines[path[:n]] for n in range(len(path), 0, -1) if path[:n] in lines), None)
    line = f", line {known}" if known is not None else ""
    return f"{place}{line}: {_spelled(path)}" if path else f"{place}{line}"


def _spelled(path: tuple[str | int, ...]) -> str:
    return "".join(f"[{one}]" if isinstance(one, int) else f".{one}" for one in path)[1:]

"""Small checks that many kinds share, with Kubernetes' messages.

Each takes a value and its path, and returns errors. The checks that every pod goes through look at
several fields in one call, because most fields are absent most of the time.
"""

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

from kubewright.api.quantity import parse_quantity
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors, FieldError
from kubewright.apiserver.registry.strategy import Obj

NOT_NEGATIVE: str = "must be greater than or equal to 0"
POSITIVE: str = "must be greater than zero"
IMMUTABLE: str = "field is immutable"
MAX_INT32: int = 2**31 - 1
MAX_PORT: int = 65535
MAX_KEY: int = 253
MAX_PORT_NAME: int = 15
PROTOCOLS: tuple[str, ...] = ("SCTP", "TCP", "UDP")

_PORT_NAME = re.compile(r"[-a-z0-9]+").fullmatch
_LETTER = re.compile(r"[a-z]").search
_PERCENT = re.compile(r"[0-9]+%").fullmatch
_KEY = re.compile(r"[-._a-zA-Z0-9]+").fullmatch

_BAD_PERCENT = (
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or"
    " '93%', regex used for validation is '[0-9]+%')"
)
_BAD_KEY = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name', "
    " or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)


def problems(rule: Callable[[str], list[str]], value: Any, path: str) -> Errors:
    """Return an error for each problem that *rule* finds in a text."""
    return [field.invalid(path, value, problem) for problem in rule(str(value))]


def not_negative_fields(obj: Obj, names: Sequence[str], path: str) -> Errors:
    """Return errors for fields *names* of *obj* that are below zero; absent ones are fine."""
    errors: Errors = []
    for name in names:
        value = obj.get(name)
        if value is not None and value < 0:
            errors.append(field.invalid(f"{path}.{name}", value, NOT_NEGATIVE))
    return errors


def at_most(obj: Obj, names: Sequence[str], path: str, *, limit: str, text: str = "") -> Errors:
    """Return errors for counts *names* that are above the count *limit* of the same object."""
    highest = obj.get(limit) or 0
    text = text or f"cannot be greater than {path}.{limit}"
    return [
        field.invalid(f"{path}.{name}", obj.get(name) or 0, text)
        for name in names
        if (obj.get(name) or 0) > highest
    ]


def not_decremented(new: Obj, old: Obj, name: str, path: str) -> Errors:
    """Return an error if a counter went down or was removed."""
    before = old.get(name)
    if before is None or (new.get(name) is not None and new[name] >= before):
        return []
    return [field.invalid(f"{path}.{name}", new.get(name) or 0, "cannot be decremented")]


def immutable_fields(new: Obj, old: Obj, names: Sequence[str], path: str) -> Errors:
    """Return errors for fields *names* that differ between two versions of an object."""
    return [
        field.invalid(f"{path}.{name}", new.get(name), IMMUTABLE)
        for name in names
        if new.get(name) != old.get(name)
    ]


class Shown(str):
    """A value that is already formatted for a message."""

    __slots__ = ()


def unsupported(path: str, value: Any, allowed: Iterable[str]) -> FieldError:
    """Return the error for a value that is not one of *allowed*, listed in the given order."""
    listed = ", ".join(map(field.quoted, allowed))
    shown = value if isinstance(value, Shown) else field.shown(value)
    text = f"Unsupported value: {shown}: supported values: {listed}"
    return FieldError("FieldValueNotSupported", path, text)


def omitted(path: str, detail: str) -> FieldError:
    """Return the error for an invalid value that is too long to show."""
    return FieldError("FieldValueInvalid", path, f"Invalid value: {detail}")


def port_name(value: str) -> list[str]:
    """Return what is wrong with the name of a port."""
    found = []
    if len(value) > MAX_PORT_NAME:
        found.append(f"must be no more than {MAX_PORT_NAME} characters")
    if not _PORT_NAME(value):
        found.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not _LETTER(value):
        found.append("must contain at least one letter (a-z)")
    if "--" in value:
        found.append("must not contain consecutive hyphens")
    if value.startswith("-") or value.endswith("-"):
        found.append("must not begin or end with a hyphen")
    return found


def config_key(value: str) -> list[str]:
    """Return what is wrong with a key of a ConfigMap or Secret."""
    found = []
    if len(value) > MAX_KEY:
        found.append(f"must be no more than {MAX_KEY} characters")
    if not _KEY(value):
        found.append(_BAD_KEY)
    if value in (".", ".."):
        found.append(f"must not be '{value}'")
    elif value.startswith(".."):
        found.append("must not start with '..'")
    return found


def int_or_percent(value: int | str, path: str) -> Errors:
    """Return what is wrong with a count or a percentage."""
    if isinstance(value, str):
        return [] if _PERCENT(value) else [field.invalid(path, value, _BAD_PERCENT)]
    return [field.invalid(path, value, NOT_NEGATIVE)] if value < 0 else []


def percent(value: int | str) -> int | None:
    """Return the number of a percentage such as ``25%``; ``None`` for anything else."""
    return int(value[:-1]) if isinstance(value, str) and _PERCENT(value) else None


def count_or_percent(value: int | str) -> int:
    """Return the number in a count or a percentage; 0 for any other text."""
    share = percent(value)
    if share is not None:
        return share
    return value if isinstance(value, int) else 0


def at_most_all(value: int | str, path: str) -> Errors:
    """Return an error if a percentage is above 100%."""
    if (percent(value) or 0) > 100:  # noqa: PLR2004  # percent
        return [field.invalid(path, value, "must not be greater than 100%")]
    return []


def first_indexes(items: Iterable[Hashable]) -> dict[Any, int]:
    """Return the index of each item; for duplicates, the first."""
    found: dict[Any, int] = {}
    for index, item in enumerate(items):
        found.setdefault(item, index)
    return found


def immutable(new: Any, old: Any, path: str) -> Errors:
    """Return an error if an immutable value changed."""
    return [] if new == old else [field.invalid(path, new, IMMUTABLE)]


def same(new: dict[str, Any], old: dict[str, Any], fields: Iterable[str]) -> Errors:
    """Return an error for each of the top-level *fields* that differs."""
    found: Errors = []
    for name in fields:
        found += immutable(new.get(name), old.get(name), name)
    return found


def one_of(value: Any, allowed: tuple[str, ...], path: str) -> Errors:
    """Return an error if *value* is not one of *allowed*, listed in the given order."""
    return [] if value in allowed else [unsupported(path, value, allowed)]


def needed(value: Any, path: str, detail: str = "") -> Errors:
    """Return an error if *value* is empty."""
    return [] if value else [field.required(path, detail)]


def needed_one_of(value: Any, allowed: tuple[str, ...], path: str) -> Errors:
    """Return an error if *value* is empty or not one of *allowed*."""
    return one_of(value, allowed, path) if value else [field.required(path)]


def needed_segment(value: Any, path: str) -> Errors:
    """Return an error if *value* is empty or cannot be a segment of a URL's path."""
    return needed(value, path) or problems(naming.path_segment, value, path)


def in_range(value: Any, low: int, high: int, path: str) -> Errors:
    """Return an error if a number is not between *low* and *high*; an absent one counts as 0."""
    if low <= (value or 0) <= high:
        return []
    return [field.invalid(path, value or 0, f"must be between {low} and {high}, inclusive")]


def port(value: Any, path: str) -> Errors:
    """Return what is wrong with a port number."""
    return in_range(value, 1, MAX_PORT, path)


def port_or_name(value: Any, path: str) -> Errors:
    """Return what is wrong with a port given by number or by name."""
    return port(value, path) if isinstance(value, int) else problems(port_name, value or "", path)


def not_negative(value: Any, path: str) -> Errors:
    """Return an error if a number is below zero."""
    return [field.invalid(path, value, NOT_NEGATIVE)] if (value or 0) < 0 else []


def quantity_not_negative(value: Any, path: str) -> Errors:
    """Return an error if a quantity is below zero."""
    bad = parse_quantity(value) < parse_quantity("0")
    return [field.invalid(path, str(value), NOT_NEGATIVE)] if bad else []


def quantity_positive(value: Any, path: str) -> Errors:
    """Return an error if a quantity is not above zero."""
    bad = parse_quantity(value) <= parse_quantity("0")
    return [field.invalid(path, str(value), POSITIVE)] if bad else []

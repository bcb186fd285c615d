"""Rules for single fields that many kinds share, with Kubernetes' messages."""

from collections.abc import Callable, Hashable, Iterable
from typing import Any

from kubewright.api.quantity import parse_quantity
from kubewright.apiserver.builtin.fields.checks import IMMUTABLE, MAX_PORT, port_name, unsupported
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors

NEGATIVE: str = "must be greater than or equal to 0"
NOT_POSITIVE: str = "must be greater than zero"
PROTOCOLS: tuple[str, ...] = ("SCTP", "TCP", "UDP")


def first_indexes(items: Iterable[Hashable]) -> dict[Any, int]:
    """Return the index of each item; for duplicates, the first."""
    found: dict[Any, int] = {}
    for place, item in enumerate(items):
        found.setdefault(item, place)
    return found


def named(rule: Callable[[str], list[str]], value: Any, path: str) -> Errors:
    """Return an error for each problem that *rule*, a rule for names, finds in *value*."""
    return [field.invalid(path, value, problem) for problem in rule(str(value))]


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
    return needed(value, path) or named(naming.path_segment, value, path)


def in_range(value: Any, low: int, high: int, *, path: str) -> Errors:
    """Return an error if a number is not between *low* and *high*; an absent one counts as 0."""
    if low <= (value or 0) <= high:
        return []
    return [field.invalid(path, value or 0, f"must be between {low} and {high}, inclusive")]


def port(value: Any, path: str) -> Errors:
    """Return what is wrong with a port number."""
    return in_range(value, 1, MAX_PORT, path=path)


def port_or_name(value: Any, path: str) -> Errors:
    """Return what is wrong with a port given by number or by name."""
    return port(value, path) if isinstance(value, int) else named(port_name, value or "", path)


def not_negative(value: Any, path: str) -> Errors:
    """Return an error if a number is below zero."""
    return [field.invalid(path, value, NEGATIVE)] if (value or 0) < 0 else []


def quantity_not_negative(value: Any, path: str) -> Errors:
    """Return an error if a quantity is below zero."""
    bad = parse_quantity(value) < parse_quantity("0")
    return [field.invalid(path, str(value), NEGATIVE)] if bad else []


def quantity_positive(value: Any, path: str) -> Errors:
    """Return an error if a quantity is not above zero."""
    bad = parse_quantity(value) <= parse_quantity("0")
    return [field.invalid(path, str(value), NOT_POSITIVE)] if bad else []

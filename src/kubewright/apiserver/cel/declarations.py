"""The registry of functions: signatures and implementations.

A library declares its functions in one table, ``{name: [overload, ...]}``. Signatures are parsed
when an expression first uses the name, so that unused ones cost nothing.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from kubewright.apiserver.cel import library
from kubewright.apiserver.cel.celtype import Type, parse_type, parse_types
from kubewright.apiserver.cel.values import TYPES

Body = Callable[..., Any]


@dataclass(frozen=True)
class Overload:
    """An overload of a function, such as ``string.(int) -> string``; the target is optional."""

    id: str
    signature: str
    body: Body

    @cached_property
    def is_member(self) -> bool:
        """Return whether it is called on a target, as ``x.f()``."""
        return not self.signature.startswith("(")

    @cached_property
    def args(self) -> tuple[Type, ...]:
        """The types of the target, if any, and of the arguments."""
        head, _, _ = self.signature.rpartition(" -> ")
        target, _, rest = head.partition(".(") if self.is_member else ("", "", head[1:])
        parts = ([target] if target else []) + ([rest[:-1]] if rest[:-1] else [])
        return tuple(parse_types(", ".join(parts)))

    @cached_property
    def result(self) -> Type:
        """The type of the result."""
        return parse_type(self.signature.rpartition(" -> ")[2])

    @cached_property
    def params(self) -> frozenset[str]:
        """The names of its type parameters."""
        return frozenset(_params((*self.args, self.result)))

    def takes(self, values: tuple[Any, ...]) -> bool:
        """Return whether the overload accepts these values, as far as their types are known."""
        return len(values) == len(self.args) and all(map(_fits, self.args, values))


def _params(types: Iterable[Type]) -> Iterable[str]:
    for each in types:
        if each.kind == "param":
            yield each.name
        yield from _params(each.params)


def _fits(wanted: Type, value: Any) -> bool:
    if wanted.kind in {"dyn", "param"}:
        return True
    found = TYPES.get(type(value))
    if found is None or found.name != wanted.name:
        return False
    # The first item tells the type of a list's items.
    return wanted.kind != "list" or not value or _fits(wanted.params[0], value[0])


_FUNCTIONS: Final[dict[str, list[Overload]]] = {}


def declare(functions: dict[str, list[Overload]]) -> None:
    """Add functions; a known name gets more overloads."""
    for name, overloads in functions.items():
        _FUNCTIONS.setdefault(name, []).extend(overloads)


def find_overloads(name: str) -> list[Overload] | None:
    """Return the overloads of a function; ``None`` if it does not exist."""
    if name not in _FUNCTIONS:
        library.load()
    return _FUNCTIONS.get(name)

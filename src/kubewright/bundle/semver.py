"""Versions of operators, and ranges of them, as OLM reads both."""

import re
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["Range", "Version"]

_CORE = r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)"
_PART = r"(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_VERSION = re.compile(
    rf"{_CORE}(?:-({_PART}(?:\.{_PART})*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?"
)
_TERM = re.compile(r"(>=|<=|==|!=|>|<|=|!)?\s*([0-9xX*][0-9A-Za-z.*+-]*)")
_WILD = ("x", "X", "*")


class Version(NamedTuple):
    """A semantic version.

    Attributes:
        numbers: Its three numbers.
        pre: What is behind the hyphen, in parts.
        build: What is behind the plus; it says nothing about the order.
    """

    numbers: tuple[int, int, int]
    pre: tuple[str, ...] = ()
    build: str = ""

    @classmethod
    def parse(cls, text: str) -> "Version":
        """Return the version that *text* is.

        Raises:
            ValueError: It is none; the message says what one looks like.

        Example:
            >>> Version.parse("1.2.0-rc.1") < Version.parse("1.2.0")
            True
        """
        found = _VERSION.fullmatch(text)
        if found is None:
            hint = " Leave out the v" if _VERSION.fullmatch(text.removeprefix("v")) else ""
            raise ValueError(
                f"{text!r} is not a version like 1.2.3 or 1.2.3-rc.1.{hint}".rstrip(".")
            )
        major, minor, patch, pre, build = found.groups()
        return cls(
            (int(major), int(minor), int(patch)),
            tuple((pre or "").split(".")) if pre else (),
            build or "",
        )

    @classmethod
    def find(cls, text: object) -> "Version | None":
        """Return the version that *text* is, or ``None``."""
        try:
            return cls.parse(text) if isinstance(text, str) else None
        except ValueError:
            return None

    @property
    def precedence(self) -> tuple[tuple[int, int, int], int, list[tuple[int, int, str]]]:
        """The key by which versions are ordered."""
        parts = [(0, int(one), "") if one.isdigit() else (1, 0, one) for one in self.pre]
        return self.numbers, 0 if self.pre else 1, parts

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Version):
            return NotImplemented
        return self.precedence < other.precedence

    def __le__(self, other: object) -> bool:
        return isinstance(other, Version) and self.precedence <= other.precedence

    def __gt__(self, other: object) -> bool:
        return isinstance(other, Version) and self.precedence > other.precedence

    def __ge__(self, other: object) -> bool:
        return isinstance(other, Version) and self.precedence >= other.precedence

    def __str__(self) -> str:
        text = ".".join(map(str, self.numbers))
        text += f"-{'.'.join(self.pre)}" if self.pre else ""
        return f"{text}+{self.build}" if self.build else text


class _Term(NamedTuple):
    sign: str
    version: Version

    def holds(self, version: Version) -> bool:
        mine, other = version.precedence, self.version.precedence
        return {
            "<": mine < other,
            "<=": mine <= other,
            ">": mine > other,
            ">=": mine >= other,
            "!": mine != other,
            "!=": mine != other,
        }.get(self.sign, mine == other)


@dataclass(frozen=True, slots=True)
class Range:
    """A range of versions, such as ``>=1.0.0 <1.2.0 || >2.0.0``.

    Attributes:
        choices: One of these holds, with all its terms.
    """

    choices: tuple[tuple[_Term, ...], ...]

    @classmethod
    def parse(cls, text: str) -> "Range":
        """Return the range that *text* is.

        Raises:
            ValueError: It is none.

        Example:
            >>> Version.parse("1.1.9") in Range.parse(">=1.0.0 <1.2.0")
            True
        """
        return cls(tuple(_terms(part, text) for part in text.split("||")))

    def __contains__(self, version: object) -> bool:
        if not isinstance(version, Version):
            return False
        return any(all(term.holds(version) for term in choice) for choice in self.choices)


def _terms(part: str, whole: str) -> tuple[_Term, ...]:
    rest, found = part.strip(), list[_Term]()
    while rest:
        match = _TERM.match(rest)
        if match is None:
            raise ValueError(
                f"{whole!r} is not a range like '>=1.0.0 <1.2.0': {rest!r} is no part of one"
            )
        found += _expanded(match[1] or "=", match[2], whole)
        rest = rest[match.end() :].strip()
    if not found:
        raise ValueError(f"{whole!r} is not a range like '>=1.0.0 <1.2.0': it has an empty part")
    return tuple(found)


def _expanded(sign: str, text: str, whole: str) -> list[_Term]:
    """Return the terms that one with ``x`` in it stands for."""
    parts = text.split(".")
    fixed = [part for part in parts if part not in _WILD]
    if len(fixed) == len(parts):
        try:
            return [_Term(sign, Version.parse(text))]
        except ValueError as error:
            raise ValueError(f"{whole!r} is not a range: {error}") from None
    if parts[len(fixed) :] != [one for one in parts if one in _WILD] or not all(
        map(str.isdigit, fixed)
    ):
        raise ValueError(f"{whole!r} is not a range: {text!r} has an x before a number")
    if not fixed:
        return [_Term(">=", Version((0, 0, 0)))]
    low = [*map(int, fixed), 0, 0][:3]
    high = [*low[: len(fixed) - 1], low[len(fixed) - 1] + 1, 0, 0][:3]
    first, behind = (Version((one[0], one[1], one[2])) for one in (low, high))
    return {
        "=": [_Term(">=", first), _Term("<", behind)],
        "==": [_Term(">=", first), _Term("<", behind)],
        ">=": [_Term(">=", first)],
        ">": [_Term(">=", behind)],
        "<": [_Term("<", first)],
        "<=": [_Term("<", behind)],
    }.get(sign) or _refused(text, whole)


def _refused(text: str, whole: str) -> list[_Term]:
    raise ValueError(f"{whole!r} is not a range: {text!r} cannot stand behind an exclamation mark")

"""Semantic versions: ``semver('1.2.3').isLessThan(semver('1.10.0'))``."""

import re
from dataclasses import dataclass
from typing import Final

from kubewright.apiserver.cel.celtype import Type
from kubewright.apiserver.cel.declarations import Overload, declare
from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.values import TYPES
from kubewright.apiserver.meta.field import quoted

_NAME: Final = "kubernetes.Semver"
_ALPHANUMERIC = re.compile(r"[0-9A-Za-z-]+", re.ASCII)
_DIGITS = re.compile(r"[0-9]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Semver:
    """A version; build metadata after a plus is ignored."""

    numbers: tuple[int, int, int]
    pre: tuple[str, ...] = ()

    def compare(self, other: "Semver") -> int:
        """Return -1, 0 or 1."""
        if self.numbers != other.numbers:
            return 1 if self.numbers > other.numbers else -1
        if not self.pre or not other.pre:
            return bool(other.pre) - bool(self.pre)
        mine, others = _precedence(self.pre), _precedence(other.pre)
        return (mine > others) - (mine < others)


TYPES[Semver] = Type("object", _NAME)


def _precedence(parts: tuple[str, ...]) -> list[tuple[int, int, str]]:
    """Return a sort key: numbers come before words, and compare by value."""
    return [(0, int(p), "") if _DIGITS.fullmatch(p) else (1, 0, p) for p in parts]


def parse_semver(text: str) -> Semver:
    """Read a full version.

    Raises:
        EvaluationError: It is not a semantic version.
    """
    if not text:
        raise EvaluationError("Version string empty")
    parts = text.split(".", 2)
    if len(parts) != 3:  # noqa: PLR2004  # major, minor, patch
        raise EvaluationError("No Major.Minor.Patch elements found")
    patch, plus, build = parts[2].partition("+")
    patch, dash, pre = patch.partition("-")
    numbers = (_number("Major", parts[0]), _number("Minor", parts[1]), _number("Patch", patch))
    before = tuple(pre.split(".")) if dash else ()
    for part in before:
        _check_pre(part)
    for part in build.split(".") if plus else ():
        if not part:
            raise EvaluationError("Build meta data is empty")
        if not _ALPHANUMERIC.fullmatch(part):
            raise EvaluationError(f"Invalid character(s) found in build meta data {quoted(part)}")
    return Semver(numbers, before)


def _number(name: str, text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise EvaluationError(f"Invalid character(s) found in {name.lower()} number {quoted(text)}")
    if len(text) > 1 and text[0] == "0":
        raise EvaluationError(f"{name} number must not contain leading zeroes {quoted(text)}")
    if len(text) > 20 or int(text) >= 2**64:  # noqa: PLR2004  # more digits than 64 bits have
        raise EvaluationError(f"strconv.ParseUint: parsing {quoted(text)}: value out of range")
    return int(text)


def _check_pre(part: str) -> None:
    if not part:
        raise EvaluationError("Prerelease is empty")
    if _DIGITS.fullmatch(part):
        if len(part) > 1 and part[0] == "0":
            text = "Numeric PreRelease version must not contain leading zeroes"
            raise EvaluationError(f"{text} {quoted(part)}")
    elif not _ALPHANUMERIC.fullmatch(part):
        raise EvaluationError(f"Invalid character(s) found in prerelease {quoted(part)}")


def _semver(text: str, normalize: bool = False) -> Semver:
    return parse_semver(_normalized(text) if normalize else text)


def _normalized(text: str) -> str:
    """Return the full version for a short form such as ``v1`` or ``01.2``."""
    parts = [_without_zeros(part) for part in text.removeprefix("v").split(".", 2)]
    if len(parts) < 3:  # noqa: PLR2004  # major, minor, patch
        if re.search(r"[+-]", parts[-1]):
            raise EvaluationError("short version cannot contain PreRelease/Build meta data")
        parts += ["0"] * (3 - len(parts))
    return ".".join(parts)


def _without_zeros(part: str) -> str:
    if len(part) <= 1:
        return part
    stripped = part.lstrip("0")
    return stripped if stripped[:1] in set("0123456789") else f"0{stripped}"


def _is_semver(text: str, normalize: bool = False) -> bool:
    try:
        _semver(text, normalize)
    except EvaluationError:
        return False
    return True


declare(
    {
        "semver": [
            Overload("string_to_semver", f"(string) -> {_NAME}", _semver),
            Overload("string_bool_to_semver", f"(string, bool) -> {_NAME}", _semver),
        ],
        "isSemver": [
            Overload("is_semver_string", "(string) -> bool", _is_semver),
            Overload("is_semver_string_bool", "(string, bool) -> bool", _is_semver),
        ],
        "isGreaterThan": [
            Overload(
                "semver_is_greater_than",
                f"{_NAME}.({_NAME}) -> bool",
                lambda a, b: a.compare(b) > 0,
            )
        ],
        "isLessThan": [
            Overload(
                "semver_is_less_than", f"{_NAME}.({_NAME}) -> bool", lambda a, b: a.compare(b) < 0
            )
        ],
        "compareTo": [Overload("semver_compare_to", f"{_NAME}.({_NAME}) -> int", Semver.compare)],
        "major": [Overload("semver_major", f"{_NAME}.() -> int", lambda v: v.numbers[0])],
        "minor": [Overload("semver_minor", f"{_NAME}.() -> int", lambda v: v.numbers[1])],
        "patch": [Overload("semver_patch", f"{_NAME}.() -> int", lambda v: v.numbers[2])],
    }
)

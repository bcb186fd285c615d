"""`Requirement`: one condition of a label selector, checked when it is made."""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final

import msgspec

from kubewright.api.names import check_label_key, check_label_value

__all__ = ["Operator", "Requirement", "parse_int64"]


class Operator(StrEnum):
    """How a requirement relates a key to its values."""

    IN = "in"
    NOT_IN = "notin"
    EQUALS = "="
    DOUBLE_EQUALS = "=="
    NOT_EQUALS = "!="
    EXISTS = "exists"
    DOES_NOT_EXIST = "!"
    GREATER_THAN = ">"
    LESS_THAN = "<"


IS = frozenset({Operator.IN, Operator.EQUALS, Operator.DOUBLE_EQUALS})
_PRESENCE = frozenset({Operator.EXISTS, Operator.DOES_NOT_EXIST})
_NUMERIC = frozenset({Operator.GREATER_THAN, Operator.LESS_THAN})
SETS = frozenset({Operator.IN, Operator.NOT_IN})
_EXCLUDES = frozenset({Operator.NOT_IN, Operator.NOT_EQUALS})
_INT64 = range(-(2**63), 2**63)


def parse_int64(text: str) -> int | None:
    """Return *text* as a 64-bit number, or ``None``: only what Go's ``ParseInt`` takes.

    Python's ``int`` would also take ``1_0``, blanks around and digits of other scripts.
    """
    # A label has at most 63 characters; a longer text is not worth converting.
    if not re.fullmatch(r"[+-]?[0-9]{1,63}", text):
        return None
    number = int(text)
    return number if number in _INT64 else None


class Requirement(msgspec.Struct, frozen=True, gc=False):
    """One condition on one label: ``key operator values``.

    Example:
        >>> str(Requirement("tier", Operator.IN, ("web", "api")))
        'tier in (api,web)'

    Raises:
        ValueError: The key, the operator and the values do not go together.
    """

    key: str
    operator: Operator
    values: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # Sorted and unique, so that two ways of writing one requirement are equal.
        msgspec.structs.force_setattr(self, "values", tuple(sorted(set(self.values))))
        check_label_key(self.key)
        self._check_count()
        for value in self.values:
            check_label_value(value)
        if self.operator in _NUMERIC and parse_int64(self.values[0]) is None:
            raise ValueError(
                f"label {self.key!r}: {self.operator.value!r} compares whole numbers of 64 bits,"
                f" and {self.values[0]!r} is none"
            )

    def _check_count(self) -> None:
        count = len(self.values)
        if self.operator in _PRESENCE:
            fits, wanted = count == 0, "no value"
        elif self.operator in SETS:
            fits, wanted = count > 0, "at least one value"
        else:
            fits, wanted = count == 1, "exactly one value"
        if not fits:
            raise ValueError(
                f"label {self.key!r}: {self.operator.value!r} takes {wanted}, not {count}"
            )

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Tell whether *labels* meet this requirement."""
        for key, values, wanted in compiled((self,)):
            if (labels.get(key) in values) is not wanted:
                return False
        if is_refused(labels, refused((self,))):
            return False
        return all(within(labels, bound) for bound in bounds((self,)))

    def __str__(self) -> str:
        if self.operator is Operator.EXISTS:
            return self.key
        if self.operator is Operator.DOES_NOT_EXIST:
            return f"!{self.key}"
        values = ",".join(self.values)
        if self.operator in SETS:
            return f"{self.key} {self.operator.value} ({values})"
        return f"{self.key}{self.operator.value}{values}"


# What the labels of an object must be is tested label by label, and what they must not be is looked
# up for the labels that there are: an object has few, while a selector may have thousands of terms.
# Informers match every object that they receive, so there are no branches on the operator.
Test = tuple[str, frozenset[str | None], bool]
Bound = tuple[str, bool, int]
Refused = Mapping[str, frozenset[str]]
_ABSENT: Final[frozenset[str | None]] = frozenset({None})
ANY: Final[frozenset[str]] = frozenset()
IMPOSSIBLE: Final[tuple[Test, ...]] = (("", frozenset(), True),)


def compiled(requirements: Iterable[Requirement]) -> tuple[Test, ...]:
    """Return what labels must be there, at most two tests for a key."""
    present: dict[str, Test] = {}
    among: dict[str, frozenset[str | None]] = {}
    for one in requirements:
        if one.operator is Operator.EXISTS:
            present[one.key] = (one.key, _ABSENT, False)
        elif one.operator in IS:
            values = frozenset[str | None](one.values)
            among[one.key] = among[one.key] & values if one.key in among else values
    return (*((key, values, True) for key, values in among.items()), *present.values())


def refused(requirements: Iterable[Requirement]) -> Refused:
    """Return the values that labels must not have; `ANY` where there must be no such label."""
    found: dict[str, set[str]] = {}
    absent: set[str] = set()
    for one in requirements:
        if one.operator is Operator.DOES_NOT_EXIST:
            absent.add(one.key)
        elif one.operator in _EXCLUDES:
            found.setdefault(one.key, set()).update(one.values)
    return {key: frozenset(values) for key, values in found.items()} | dict.fromkeys(absent, ANY)


def is_refused(labels: Mapping[str, str], refused: Refused) -> bool:
    """Tell whether one of *labels* is forbidden."""
    for key, value in labels.items():
        values = refused.get(key)
        if values is not None and (values is ANY or value in values):
            return True
    return False


def bounds(requirements: Iterable[Requirement]) -> tuple[Bound, ...]:
    """Return the comparisons of numbers: the key, whether to be above, and the number."""
    found: dict[tuple[str, bool], int] = {}
    for one in requirements:
        if one.operator in _NUMERIC:
            above, limit = one.operator is Operator.GREATER_THAN, int(one.values[0])
            before = found.get((one.key, above), limit)
            found[one.key, above] = max(before, limit) if above else min(before, limit)
    return tuple((key, above, limit) for (key, above), limit in found.items())


def within(labels: Mapping[str, str], bound: Bound) -> bool:
    """Tell whether *labels* have a number on the right side of *bound*."""
    key, above, limit = bound
    number = parse_int64(labels.get(key, ""))
    return number is not None and (number > limit if above else number < limit)

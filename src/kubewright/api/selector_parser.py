"""Reads label selectors, as ``kubectl -l`` takes them, into requirements."""

import re
from collections.abc import Iterable

from kubewright.api.requirement import SETS, Operator, Requirement

__all__ = ["parse_requirements"]


def parse_requirements(text: str) -> list[Requirement]:
    """Read the requirements of a selector.

    Raises:
        ValueError: It is malformed; the message names the position and what was expected.
    """
    return _Parser(text).requirements()


_WORD = r"[ \t\r\n]*(==|!=|[=!(),<>]|[^=!(),<> \t\r\n]+|$)"
_SYMBOLS = frozenset(("==", "!=", *"=!(),<>", ""))
_BINARY = {op.value: op for op in Operator if op not in (Operator.EXISTS, Operator.DOES_NOT_EXIST)}


class _Parser:
    """Reads requirements from left to right.

    Whether ``in`` is an operator or a name depends on where it stands: ``in in (in)`` is valid.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = [(m.group(1), m.start(1)) for m in re.finditer(_WORD, text)]
        self._next = 0

    def requirements(self) -> list[Requirement]:
        found: list[Requirement] = []
        if self._peek() == "":
            return found
        while True:
            found.append(self._requirement())
            if not self._accept(","):
                if self._peek() != "":
                    raise self._expected("',' or the end")
                return found

    def _requirement(self) -> Requirement:
        start = self._position()
        negated = self._accept("!")
        key = self._word("a label key")
        if negated:
            return self._made(start, key, Operator.DOES_NOT_EXIST)
        if self._peek() in (",", ""):
            return self._made(start, key, Operator.EXISTS)
        operator = _BINARY.get(self._peek())
        if operator is None:
            raise self._expected("one of " + ", ".join(_BINARY))
        self._next += 1
        values = self._value_set() if operator in SETS else [self._value(",")]
        return self._made(start, key, operator, values)

    def _value_set(self) -> list[str]:
        if not self._accept("("):
            raise self._expected("'('")
        values = [self._value(",)")]
        while self._accept(","):
            values.append(self._value(",)"))
        if not self._accept(")"):
            raise self._expected("',' or ')'")
        return values

    def _value(self, ends: str) -> str:
        # Nothing at all is a value too: the empty one.
        return "" if self._peek() in ("", *ends) else self._word("a value")

    def _word(self, wanted: str) -> str:
        word = self._peek()
        if word in _SYMBOLS:
            raise self._expected(wanted)
        self._next += 1
        return word

    def _peek(self) -> str:
        return self._tokens[self._next][0]

    def _position(self) -> int:
        return self._tokens[self._next][1]

    def _accept(self, token: str) -> bool:
        if self._peek() != token:
            return False
        self._next += 1
        return True

    def _made(
        self, start: int, key: str, operator: Operator, values: Iterable[str] = ()
    ) -> Requirement:
        try:
            return Requirement(key, operator, tuple(values))
        except ValueError as error:
            raise self._error(start, str(error)) from None

    def _expected(self, wanted: str) -> ValueError:
        found = repr(self._peek()) if self._peek() else "the end"
        return self._error(self._position(), f"expected {wanted}, found {found}")

    def _error(self, position: int, problem: str) -> ValueError:
        return ValueError(
            f"cannot read label selector {self._text!r} at position {position + 1}: {problem}"
        )

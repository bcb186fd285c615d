"""What Kubernetes says about a label selector that cannot be read."""

import re
from collections.abc import Iterator

from kubewright.apiserver.meta import field, naming

_TOKEN = re.compile(r"[ \t\r\n]*(==|!=|[=!(),<>]|[^=!(),<> \t\r\n]+)")
_SYMBOLS = frozenset({"==", "!=", "=", "!", "(", ")", ",", "<", ">", ""})
_SETS = frozenset({"in", "notin"})
_NUMBERS = frozenset({"<", ">"})
_BINARY = frozenset({"=", "==", "!="}) | _SETS | _NUMBERS
_WANTED = "in, notin, =, ==, !=, gt, lt"
_NUMBER = re.compile(r"[+-]?[0-9]+")


class _ProblemError(ValueError):
    """Ends the search: the text is the answer."""


def label_selector_problem(text: str) -> str:
    """Return why *text* is not a label selector; empty if it is one."""
    try:
        _Search([*_TOKEN.findall(text.rstrip(" \t\r\n")), ""]).selector()
    except _ProblemError as problem:
        return str(problem)
    return ""


class _Search:
    """Reads tokens as the real server does; the last one is empty."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._next = 0

    def selector(self) -> None:
        while self._peek():
            if self._peek() in _SYMBOLS and self._peek() != "!":
                raise self._found(self._peek(), ": !, identifier, or 'end of string'")
            try:
                self._requirement()
            except _ProblemError as problem:
                raise _ProblemError(f"unable to parse requirement: {problem}") from None
            self._separator()

    def _separator(self) -> None:
        word = self._take()
        if word == ",":
            if self._peek() in _SYMBOLS - {"!"}:
                raise self._found(self._peek(), ": identifier after ','")
        elif word:
            raise self._found(word, ": ',' or 'end of string'")
        else:
            self._next -= 1

    def _requirement(self) -> None:
        key = self._take()
        absent = key == "!"
        if absent:
            key = self._take()
        if key in _SYMBOLS:
            raise self._found(key, ": identifier")
        if problems := naming.qualified_name(key):
            raise _ProblemError(str(field.invalid("<nil>", key, "; ".join(problems))))
        if absent or self._peek() in {"", ","}:
            return
        operator = self._take()
        if operator not in _BINARY:
            raise self._found(operator, f": {_WANTED}")
        values = set(self._values()) if operator in _SETS else {self._value()}
        _check_values(sorted(values), number=operator in _NUMBERS)

    def _values(self) -> Iterator[str]:
        word = self._take()
        if word != "(":
            raise self._found(word, " expected: '('", separator="")
        first = self._peek()
        if first == ")":
            yield ""
        elif first in _SYMBOLS and first != ",":
            raise self._found(first, ": ',', ')' or identifier")
        while (word := self._take()) != ")":
            if word == ",":
                yield from self._nothing()
            elif word in _SYMBOLS:
                raise self._found(word, ": ',', or identifier")
            else:
                yield word
                if self._peek() not in {",", ")"}:
                    raise self._found(self._peek(), ": ',' or ')'")

    def _nothing(self) -> list[str]:
        """Return the empty value if there is one beside the comma that was just read."""
        before = self._tokens[self._next - 2]
        return [""] if before in {"(", ","} or self._peek() in {",", ")"} else []

    def _value(self) -> str:
        if self._peek() in {"", ","}:
            return ""
        word = self._take()
        if word in _SYMBOLS:
            raise self._found(word, ": identifier")
        return word

    def _peek(self) -> str:
        return self._tokens[self._next]

    def _take(self) -> str:
        self._next += 1
        return self._tokens[self._next - 1]

    def _found(self, token: str, rest: str, *, separator: str = ", expected") -> _ProblemError:
        return _ProblemError(f"found '{token}'{separator}{rest}")


def _check_values(values: list[str], *, number: bool) -> None:
    found = []
    for index, value in enumerate(values):
        path = f"values[{index}]"
        if number and not _NUMBER.fullmatch(value):
            text = "for 'Gt', 'Lt' operators, the value must be an integer"
            found.append(field.invalid(path, value, text))
    for index, value in enumerate(values):
        if problems := naming.label_value(value):
            found.append(field.invalid(f"values[{index}]", value, "; ".join(problems)))
    if found:
        texts = list(dict.fromkeys(map(str, found)))
        raise _ProblemError(texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]")

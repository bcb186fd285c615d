"""RE2 regular expressions, run by Python's ``re`` where that is safe.

RE2 has no look-around and no back-references, and gives some characters a narrower meaning. A
pattern is parsed once, rejected with Go's errors, and translated to Python's syntax.
"""

import re
import unicodedata
from functools import lru_cache
from itertools import groupby
from typing import Final

from kubewright.apiserver.cel.automaton import Matcher, TooLargeError
from kubewright.apiserver.cel.cost import over_limit
from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.effort import Effort, TooMuchError

_FLAGS = re.compile(r"\(\?([imsU]*)(-[imsU]+)?([:)])")
_REPEAT = re.compile(r"\{([0-9]+)(?:,([0-9]*))?\}", re.ASCII)
_OPERATOR = re.compile(r"(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})", re.ASCII)
_POSIX_CLASS = re.compile(r"\[:(\^?)([a-z]+):\]")
_PROPERTY = re.compile(r"\\([pP])(?:\{(\^?)([A-Za-z_]+)\}|([A-Z]))")
_GROUP_NAME = re.compile(r"\(\?P?<([^>]*)>")
_BAD_FLAGS = re.compile(r"\(\?[imsU-]*.?", re.DOTALL)
_ANCHORS: Final = frozenset({"^", "$", r"\A", r"\Z", r"\b", r"\B"})
_MOST_REPEATS: Final = 1000
_CHARACTERS: Final = 0x110000
_LAST_SCRIPT: Final = 0x33480  # no script has letters beyond it
_SPACES: Final = r"\t\n\f\r "
_ENDINGS: Final = {"A": r"\A", "z": r"\Z", "b": r"\b", "B": r"\B"}
_POSIX: Final = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7F",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1F\x7F",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t\n\v\f\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}


class RegexError(ValueError):
    """The pattern is not RE2; the text is Go's."""

    def __init__(self, problem: str, part: str) -> None:
        super().__init__(f"error parsing regexp: {problem}: `{part}`")


def compile_regex(pattern: str) -> re.Pattern[str]:
    """Return *pattern* compiled for Python.

    Raises:
        RegexError: It is not a valid RE2 pattern.
    """
    return (_compiled if len(pattern) <= _LONG else _compiled_long)(pattern)


def _compile(pattern: str) -> re.Pattern[str]:
    translated = _Translator(pattern).translate()
    try:
        return re.compile(translated, re.ASCII)
    except (re.error, OverflowError, RecursionError):
        raise RegexError("invalid or unsupported Perl syntax", pattern) from None


def matcher(pattern: str) -> Matcher:
    """Return a matcher for *pattern* that takes linear time.

    Raises:
        RegexError: It is not a valid RE2 pattern.
    """
    return (_matcher if len(pattern) <= _LONG else _matcher_long)(pattern)


def _make_matcher(pattern: str) -> Matcher:
    compiled = compile_regex(pattern)
    try:
        return Matcher(compiled)
    except (TooLargeError, RecursionError):
        raise RegexError("expression too large", pattern) from None


# A pattern may be a megabyte long: only a few of those are cached, but a schema that has one uses
# it again and again.
_LONG: Final = 4096
_compiled, _compiled_long = lru_cache(512)(_compile), lru_cache(8)(_compile)
_matcher, _matcher_long = lru_cache(512)(_make_matcher), lru_cache(8)(_make_matcher)


def matches(text: str, pattern: str) -> bool:
    """Return whether *pattern* matches anywhere in *text*.

    Raises:
        EvaluationError: The pattern is not valid.
        CostLimitError: Matching takes too long.
    """
    try:
        return matcher(pattern).search(text, Effort())
    except RegexError as error:
        raise EvaluationError(str(error)) from None
    except TooMuchError:
        raise over_limit() from None


class _Translator:
    """Translates a pattern from left to right."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.position = 0
        self.out: list[str] = []
        # For each open group: the scopes of flags that end with it, and the flags outside it.
        self.scopes: list[list[str]] = [[]]
        self.flags: list[str] = [""]
        self.repeatable = False

    def translate(self) -> str:
        while self.position < len(self.pattern):
            self._step(self.pattern[self.position])
        if len(self.scopes) > 1:
            raise RegexError("missing closing )", self.pattern)
        return "".join(self.out) + ")" * len(self.scopes[0])

    def _emit(self, text: str, length: int, *, repeatable: bool = True) -> None:
        self.out.append(text)
        self.position += length
        self.repeatable = repeatable

    def _step(self, char: str) -> None:
        match char:
            case "\\":
                self._translate_escape()
            case "[":
                self._emit(*_Class(self.pattern, self.position).read())
            case "(":
                self._open()
            case ")":
                self._close()
            case "|":
                self._start_alternative()
            case "$":
                self._emit("$" if "m" in self.flags[-1] else r"\Z", 1)
            case "*" | "+" | "?":
                self._repeat(char)
            case "{":
                self._repeat_in_braces()
            case _:
                self._emit(char, 1)

    def _translate_escape(self) -> None:
        rest = self.pattern[self.position :]
        if rest.startswith(r"\Q"):
            literal, _, _ = rest[2:].partition(r"\E")
            closed = 4 if r"\E" in rest[2:] else 2
            self._emit(re.escape(literal), len(literal) + closed)
            return
        if len(rest) > 1 and rest[1] in _ENDINGS:
            self._emit(_ENDINGS[rest[1]], 2)
            return
        text, length, is_set = escape(self.pattern, self.position)
        self._emit(f"[{text}]" if is_set else text, length)

    def _open(self) -> None:
        rest = self.pattern[self.position :]
        if not rest.startswith("(?"):
            self._open_group("(", 1)
        elif rest.startswith(("(?P<", "(?<")):
            self._open_group("(", _group_name(rest))
        elif flags := _FLAGS.match(rest):
            self._open_flags(flags)
        else:
            bad = _BAD_FLAGS.match(rest)
            raise RegexError("invalid or unsupported Perl syntax", bad[0] if bad else rest)

    def _open_group(self, text: str, length: int) -> None:
        self._emit(text, length, repeatable=False)
        self.scopes.append([])
        self.flags.append(self.flags[-1])

    def _open_flags(self, match: re.Match[str]) -> None:
        on, off, end = match[1], match[2] or "", match[3]
        removed = off.replace("-", "")
        # Python has no flag U; where it is set, greedy and lazy repetitions are swapped.
        plain, gone = on.replace("U", ""), removed.replace("U", "")
        prefix = f"(?{plain}{f'-{gone}' if gone else ''}:"
        if end == ":":
            self._open_group(prefix, match.end())
        else:
            # Python needs a group around the part that such flags affect.
            self.scopes[-1].append(prefix)
            self._emit(prefix, match.end(), repeatable=False)
        kept = [flag for flag in self.flags[-1] + on if flag not in removed]
        self.flags[-1] = "".join(kept)

    def _close(self) -> None:
        if len(self.scopes) == 1:
            raise RegexError("unexpected )", self.pattern)
        self.flags.pop()
        self._emit(")" * (len(self.scopes.pop()) + 1), 1)

    def _start_alternative(self) -> None:
        scopes = self.scopes[-1]
        self._emit(")" * len(scopes) + "|" + "".join(scopes), 1, repeatable=False)

    def _repeat(self, operator: str) -> None:
        start = self.position
        if not self.repeatable:
            raise RegexError("missing argument to repetition operator", operator)
        lazy = self.pattern.startswith("?", start + len(operator))
        length = len(operator) + lazy
        if double := _OPERATOR.match(self.pattern, start + length):
            part = self.pattern[start : double.end()]
            raise RegexError("invalid nested repetition operator", part)
        if self.out[-1] in _ANCHORS:
            self.out[-1] = f"(?:{self.out[-1]})"  # otherwise Python reports nothing to repeat
        ungreedy = lazy != ("U" in self.flags[-1])
        self._emit(operator + ("?" if ungreedy else ""), length)

    def _repeat_in_braces(self) -> None:
        match = _REPEAT.match(self.pattern, self.position)
        if match is None:
            self._emit(r"\{", 1)
            return
        low, high = int(match[1]), int(match[2] or match[1])
        if low > _MOST_REPEATS or high > _MOST_REPEATS or high < low:
            raise RegexError("invalid repeat count", match[0])
        self._repeat(match[0])


class _Class:
    """Translates a character class such as ``[a-z[:digit:]]``."""

    def __init__(self, pattern: str, start: int) -> None:
        self.pattern = pattern
        self.start = start

    def read(self) -> tuple[str, int]:
        """Return the class in Python's syntax, and its length in the pattern."""
        position, parts = self.start + 1, ["["]
        if self.pattern.startswith("^", position):
            parts.append("^")
            position += 1
        first = True
        while first or not self.pattern.startswith("]", position):
            if position >= len(self.pattern):
                raise RegexError("missing closing ]", self.pattern[self.start :])
            part, length = self._part(position)
            parts.append(part)
            position += length
            first = False
        return "".join([*parts, "]"]), position + 1 - self.start

    def _part(self, position: int) -> tuple[str, int]:
        if posix := _POSIX_CLASS.match(self.pattern, position):
            if posix[2] not in _POSIX:
                raise RegexError("invalid character class range", posix[0])
            return (_inverted if posix[1] else str)(_POSIX[posix[2]]), len(posix[0])
        low, length, is_set = self._single(position)
        after = position + length
        ranged = self.pattern.startswith("-", after) and not self.pattern.startswith("-]", after)
        if is_set or not ranged:
            return low, length
        if after + 1 >= len(self.pattern):
            raise RegexError("missing closing ]", self.pattern[self.start :])
        high, more, is_set = self._single(after + 1)
        if is_set:
            raise RegexError("invalid escape sequence", self.pattern[after + 1 : after + 3])
        whole = self.pattern[position : after + 1 + more]
        if _code(low) > _code(high):
            raise RegexError("invalid character class range", whole)
        return f"{low}-{high}", length + 1 + more

    def _single(self, position: int) -> tuple[str, int, bool]:
        char = self.pattern[position]
        if char == "\\":
            return escape(self.pattern, position)
        return (f"\\{char}" if char in "[]^-&~|" else char), 1, False


def _code(text: str) -> int:
    """Return the code point of one end of a range."""
    if len(text) == 1:
        return ord(text)
    found = re.fullmatch(r"\\x([0-9A-F]{2})|\\U([0-9A-F]{8})|\\(.)", text, re.DOTALL)
    if found is None:
        raise RegexError("invalid character class range", text)
    if found[3]:
        return ord(
            {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}.get(
                found[3], found[3]
            )
        )
    return int(found[1] or found[2], 16)


def _group_name(rest: str) -> int:
    """Return the length of the start of a named group; the name itself is not needed."""
    match = _GROUP_NAME.match(rest)
    if match is None:
        raise RegexError("invalid named capture", rest)
    if not re.fullmatch(r"\w+", match[1], re.ASCII):
        raise RegexError("invalid named capture", match[0])
    return match.end()


def escape(pattern: str, position: int) -> tuple[str, int, bool]:
    """Return an escape in Python's syntax, its length in the pattern, and whether it is a set.

    A set is returned as the members of a class.

    Raises:
        RegexError: It is not a valid RE2 escape.
    """
    if position + 1 >= len(pattern):
        raise RegexError("trailing backslash at end of expression", "")
    char = pattern[position + 1]
    if char in "dDwWS":
        return f"\\{char}", 2, True
    if char == "s":
        return _SPACES, 2, True
    if char in "afnrtv":
        return f"\\{char}", 2, False
    if char in "pP":
        return *_property(pattern, position), True
    if char == "x" or char in "01234567":
        return *_numbered(pattern, position), False
    if char.isascii() and not char.isalnum():
        return f"\\{char}" if char != "_" else "_", 2, False
    raise RegexError("invalid escape sequence", f"\\{char}")


def _numbered(pattern: str, position: int) -> tuple[str, int]:
    match = re.compile(
        r"\\(?:x\{([0-9A-Fa-f]{1,8})\}|x([0-9A-Fa-f]{2})|(0[0-7]{0,2}|[1-7][0-7]{1,2}))"
    ).match(pattern, position)
    code = -1
    if match:
        code = int(match[3], 8) if match[3] else int(match[1] or match[2], 16)
    if match is None or code > 0x10FFFF:  # noqa: PLR2004  # the last character
        width = 4 if pattern[position + 1] == "x" else 2
        raise RegexError("invalid escape sequence", pattern[position : position + width])
    return f"\\U{code:08X}", len(match[0])


def _property(pattern: str, position: int) -> tuple[str, int]:
    match = _PROPERTY.match(pattern, position)
    if match is None:
        raise RegexError("invalid character class range", pattern[position : position + 2])
    inverted = (match[1] == "P") != (match[2] == "^")
    try:
        return property_class(match[3] or match[4], inverted=inverted), len(match[0])
    except ValueError:
        raise RegexError("invalid character class range", match[0]) from None


@lru_cache(maxsize=64)
def property_class(name: str, *, inverted: bool = False) -> str:
    """Return the characters of a Unicode category or script, as ranges of a class.

    Raises:
        ValueError: There is no category or script with that name.
    """
    members = _members(name)
    if True not in members:
        raise ValueError(name)
    ranges: list[str] = []
    start = 0
    for member, run in groupby(members):
        end = start + sum(1 for _ in run)
        if member is not inverted:
            ranges.append(f"\\U{start:08X}-\\U{end - 1:08X}")
        start = end
    return "".join(ranges)


def _members(name: str) -> list[bool]:
    """Return for each character whether it belongs to a category such as Lu, or to a script."""
    if name == "Any":
        return [True] * _CHARACTERS
    if len(name) <= 2:  # noqa: PLR2004  # the names of scripts are longer
        return [category.startswith(name) for category in _categories()]
    prefix = f"{name.upper().replace('_', ' ')} "
    named = [unicodedata.name(chr(code), "").startswith(prefix) for code in range(_LAST_SCRIPT)]
    return named + [False] * (_CHARACTERS - _LAST_SCRIPT)


@lru_cache(maxsize=1)
def _categories() -> list[str]:
    return list(map(unicodedata.category, map(chr, range(_CHARACTERS))))


@lru_cache(maxsize=16)
def _inverted(members: str) -> str:
    """Return the complement of a class of ASCII characters."""
    single = re.compile(f"[{members}]")
    others = [chr(code) for code in range(128) if not single.match(chr(code))]
    return "".join(map(re.escape, others)) + r"\U00000080-\U0010FFFF"

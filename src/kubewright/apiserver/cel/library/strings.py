"""Functions of strings: version 2 of CEL's string extension, which Kubernetes uses."""

from typing import Any

from kubewright.apiserver.cel.declarations import Overload, declare
from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.library.formatting import format_string

_SPACES = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
    "\u200a\u2028\u2029\u202f\u205f\u3000"
)
_LOWER = str.maketrans({chr(code): chr(code + 32) for code in range(65, 91)})
_UPPER = str.maketrans({chr(code + 32): chr(code) for code in range(65, 91)})
_QUOTED = str.maketrans(
    {
        "\a": "\\a",
        "\b": "\\b",
        "\f": "\\f",
        "\n": "\\n",
        "\r": "\\r",
        "\t": "\\t",
        "\v": "\\v",
        "\\": "\\\\",
        '"': '\\"',
    }
)


def _check(place: int, length: int) -> None:
    if not 0 <= place <= length:
        raise EvaluationError(f"index out of range: {place}")


def _char_at(text: str, place: int) -> str:
    _check(place, len(text))
    return text[place : place + 1]


def _index_of(text: str, part: str, start: int = 0) -> int:
    if start < 0:
        raise EvaluationError(f"index out of range: {start}")
    if not part:
        return min(start, len(text))
    return text.find(part, start) if start < len(text) else -1


def _last_index_of(text: str, part: str, last: int | None = None) -> int:
    if last is not None and last < 0:
        raise EvaluationError(f"index out of range: {last}")
    if not part:
        return len(text) if last is None else min(last, len(text))
    if last is None:
        return text.rfind(part)
    return text.rfind(part, 0, last + len(part)) if last < len(text) else -1


def _replace(text: str, old: str, new: str, count: int = -1) -> str:
    return text.replace(old, new, max(count, -1))


def _split(text: str, separator: str, count: int = -1) -> list[str]:
    if count == 0:
        return []
    if not separator:
        head = list(text) if count < 0 or len(text) <= count else list(text[: count - 1])
        return [*head, text[len(head) :]] if len(head) < len(text) else head
    return text.split(separator, count - 1 if count > 0 else -1)


def _substring(text: str, start: int, end: int | None = None) -> str:
    if end is None:
        _check(start, len(text))
        return text[start:]
    if start > end:
        raise EvaluationError(f"invalid substring range. start: {start}, end: {end}")
    _check(start, len(text))
    _check(end, len(text))
    return text[start:end]


def _join(parts: list[Any], separator: str = "") -> str:
    for part in parts:
        if type(part) is not str:
            raise EvaluationError(f"join: invalid input: {part}")
    return separator.join(parts)


def _quote(text: str) -> str:
    return f'"{text.translate(_QUOTED)}"'


declare(
    {
        "charAt": [Overload("string_char_at_int", "string.(int) -> string", _char_at)],
        "indexOf": [
            Overload("string_index_of_string", "string.(string) -> int", _index_of),
            Overload("string_index_of_string_int", "string.(string, int) -> int", _index_of),
        ],
        "lastIndexOf": [
            Overload("string_last_index_of_string", "string.(string) -> int", _last_index_of),
            Overload(
                "string_last_index_of_string_int", "string.(string, int) -> int", _last_index_of
            ),
        ],
        "lowerAscii": [
            Overload("string_lower_ascii", "string.() -> string", lambda s: s.translate(_LOWER))
        ],
        "upperAscii": [
            Overload("string_upper_ascii", "string.() -> string", lambda s: s.translate(_UPPER))
        ],
        "trim": [Overload("string_trim", "string.() -> string", lambda s: s.strip(_SPACES))],
        "replace": [
            Overload("string_replace_string_string", "string.(string, string) -> string", _replace),
            Overload(
                "string_replace_string_string_int",
                "string.(string, string, int) -> string",
                _replace,
            ),
        ],
        "split": [
            Overload("string_split_string", "string.(string) -> list(string)", _split),
            Overload("string_split_string_int", "string.(string, int) -> list(string)", _split),
        ],
        "substring": [
            Overload("string_substring_int", "string.(int) -> string", _substring),
            Overload("string_substring_int_int", "string.(int, int) -> string", _substring),
        ],
        "join": [
            Overload("list_join", "list(string).() -> string", _join),
            Overload("list_join_string", "list(string).(string) -> string", _join),
        ],
        "strings.quote": [Overload("strings_quote", "(string) -> string", _quote)],
        "format": [Overload("string_format", "string.(list(dyn)) -> string", format_string)],
    }
)

"""``string.format``: ``'%d of %s'.format([1, 'x'])``, with numbers in Go's American format."""

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from kubewright.apiserver.cel.celtype import STRING, Type
from kubewright.apiserver.cel.conversions import to_string
from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.values import (
    Duration,
    Timestamp,
    UInt,
    is_list,
    key_value,
    runtime_type,
)

_PRECISION: Final = 6
_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_NOT_NUMBERS: Final = frozenset({"NaN", "Infinity", "-Infinity"})
_GO_ESCAPES: Final = {"\a": "a", "\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t", "\v": "v"}
_REFUSALS: Final = {
    "s": "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists,"
    " types, durations, and timestamps",
    "d": "decimal clause can only be used on integers",
    "f": "fixed-point clause can only be used on doubles",
    "e": "scientific clause can only be used on doubles",
    "b": "only integers and bools can be formatted as binary",
    "x": "only integers, byte buffers, and strings can be formatted as hex",
    "o": "octal clause can only be used on integers",
}
_ACCEPTED: Final = {
    "s": frozenset(
        [
            "string",
            "bool",
            "bytes",
            "int",
            "uint",
            "double",
            "map",
            "list",
            "type",
            "null",
            "timestamp",
            "duration",
            "dyn",
        ]
    ),
    "d": frozenset({"int", "uint", "dyn"}),
    "f": frozenset({"double", "string", "dyn"}),
    "e": frozenset({"double", "string", "dyn"}),
    "b": frozenset({"int", "uint", "bool", "dyn"}),
    "x": frozenset({"int", "uint", "string", "bytes", "dyn"}),
    "o": frozenset({"int", "uint", "dyn"}),
}


class FormatError(EvaluationError):
    """The format does not fit its arguments; *place* is the index of the argument at fault."""

    def __init__(self, text: str, place: int | None = None) -> None:
        super().__init__(text)
        self.place = place


class _Clause(NamedTuple):
    """A clause such as ``%.3f``."""

    verb: str
    precision: int | None


def _clauses(template: str, count: int) -> Iterator[str | _Clause]:
    position, used = 0, 0
    while position < len(template):
        mark = template.find("%", position)
        if mark < 0:
            yield template[position:]
            return
        yield template[position:mark]
        if template.startswith("%%", mark):
            yield "%"
            position = mark + 2
            continue
        if used >= count:
            raise FormatError(f"index {used} out of range")
        clause, position = _clause(template, mark + 1)
        used += 1
        yield clause


def _clause(template: str, position: int) -> tuple[_Clause, int]:
    if position >= len(template):
        raise FormatError("unexpected end of string")
    precision = None
    broken = "could not parse formatting clause: "
    if template[position] == ".":
        digits = re.compile(r"\.([0-9]*)", re.ASCII).match(template, position)
        assert digits is not None
        position = digits.end()
        broken += "error while parsing precision: "
        if position >= len(template):
            raise FormatError(f"{broken}could not find end of precision specifier")
        if not digits[1]:
            cause = 'strconv.Atoi: parsing "": invalid syntax'
            raise FormatError(f"{broken}error while converting precision to integer: {cause}")
        precision = int(digits[1])
    verb = template[position]
    if verb.lower() not in _REFUSALS or verb in "SDFEBO":
        text = f'could not parse formatting clause: unrecognized formatting clause "{verb}"'
        raise FormatError(text)
    return _Clause(verb, precision), position + 1


def check_format(template: str, types: Sequence[Type]) -> None:
    """Check a format whose arguments are known at compile time.

    Raises:
        FormatError: It does not fit the arguments.
    """
    used = 0
    for clause in _clauses(template, len(types)):
        if isinstance(clause, _Clause):
            kind = types[used]
            verb = clause.verb.lower()
            if kind.kind not in _ACCEPTED[verb]:
                raise FormatError(_refusal(verb, kind), used)
            used += 1
    if used < len(types):
        expected = f"(expected {used}, got {len(types)})"
        raise FormatError(f"too many arguments supplied to string.format {expected}")


def _refusal(verb: str, kind: Type) -> str:
    return f"error during formatting: {_REFUSALS[verb]}, was given {kind.name}"


def format_string(template: str, args: list[Any]) -> str:
    """``template.format(args)``.

    Raises:
        FormatError: It does not fit the arguments.
    """
    parts: list[str] = []
    used = 0
    for clause in _clauses(template, len(args)):
        if isinstance(clause, str):
            parts.append(clause)
        else:
            parts.append(_formatted(clause, args[used], used))
            used += 1
    return "".join(parts)


def _formatted(clause: _Clause, value: Any, place: int) -> str:
    verb = clause.verb.lower()
    kind = runtime_type(value)
    word = value in _NOT_NUMBERS if kind is STRING else False
    accepted = kind.kind in _ACCEPTED[verb] and not (verb in "ef" and kind is STRING and not word)
    if not accepted:
        raise FormatError(_refusal(verb, kind), place)
    match clause.verb:
        case "s":
            return _text(value)
        case "f":
            return _fixed(
                float(value), _PRECISION if clause.precision is None else clause.precision
            )
        case "e":
            width = _PRECISION if clause.precision is None else clause.precision
            return _scientific(float(value), width)
        case "x" | "X":
            shown = _hex(value)
            return shown.upper() if clause.verb == "X" else shown
    return format(int(value), clause.verb)


def _hex(value: Any) -> str:
    if isinstance(value, int):
        return format(int(value), "x")
    return (value.encode() if isinstance(value, str) else value).hex()


def _fixed(value: float, precision: int) -> str:
    return _endless(value) or f"{value:,.{precision}f}"


def _endless(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return ("∞" if value > 0 else "-∞") if math.isinf(value) else ""


def _scientific(value: float, width: int) -> str:
    """Write a number in scientific notation; the given precision only sets the width."""
    if endless := _endless(value):
        return endless.rjust(width)
    mantissa, _, exponent = f"{value:.{_PRECISION}e}".partition("e")
    power = f"{'-' if exponent[0] == '-' else ''}{exponent[1:]}".translate(_SUPERSCRIPTS)
    return f"{mantissa}\u202f\u00d7\u202f10{power}".rjust(width)


def _text(value: Any) -> str:
    """``%s`` of a top-level value."""
    if is_list(value):
        return f"[{', '.join(map(_member, value))}]"
    if isinstance(value, dict):
        pairs = sorted((_member(key_value(key)), _member(member)) for key, member in value.items())
        return "{" + ", ".join(f"{key}:{member}" for key, member in pairs) + "}"
    if isinstance(value, Type):
        return value.name
    return "null" if value is None else to_string(value)


def _member(value: Any) -> str:  # noqa: PLR0911  # one answer for each kind
    """``%s`` of a value inside a list or map."""
    match value:
        case str():
            return _quoted(value)
        case bytes():
            return f"b{_quoted(to_string(value))}"
        case float():
            if math.isnan(value) or math.isinf(value):
                return f'"{to_string(value) if math.isnan(value) else f"{value:+}".title()}"'
            return f"{value:.{_PRECISION}f}"
        case Timestamp():
            return f'timestamp("{to_string(value)}")'
        case Duration():
            return f'duration("{to_string(value)}")'
        case UInt():
            return str(int(value))
    kind = runtime_type(value)
    if kind.kind not in _ACCEPTED["s"]:
        raise FormatError(f"error during formatting: no formatting function for {kind.name}")
    return _text(value)


def _quoted(text: str) -> str:
    """Write a string as Go's ``%q`` does."""
    out: list[str] = []
    for char in text:
        if char in '"\\':
            out.append(f"\\{char}")
        elif char in _GO_ESCAPES:
            out.append(f"\\{_GO_ESCAPES[char]}")
        elif char == " " or char.isprintable():
            out.append(char)
        elif char < "\x80":
            out.append(f"\\x{ord(char):02x}")
        else:
            out.append(f"\\u{ord(char):04x}" if char <= "\uffff" else f"\\U{ord(char):08x}")
    return f'"{"".join(out)}"'

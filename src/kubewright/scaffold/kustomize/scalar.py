"""`Scalar`: a text, number or boolean as it was written, since kustomize works on what is written.

The rules are those of the YAML library that kustomize has, for its resources and for its own
files: the latter read ``yes`` and ``on`` as booleans, as YAML 1.1 does.
"""

import math
import re
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from kubewright.scaffold.kustomize.problem import ProblemError

__all__ = ["STR", "TAGS", "Scalar", "is_ambiguous", "resolved", "scalar_of", "text"]

STR: str = "str"
"""The tag of a text."""
TAGS: frozenset[str] = frozenset((STR, "int", "float", "bool", "null", "timestamp"))

_BOOLEANS = {
    word: word.lower() == "true" for word in ("true", "True", "TRUE", "false", "False", "FALSE")
}
_OLD_BOOLEANS = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "off", "Off", "OFF"), False),
}
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_ODD_FLOATS = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_INTEGER = re.compile(r"[-+]?(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_TIME = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})"
    r"(?:([Tt ])(\d{1,2}):(\d{1,2}):(\d{1,2})(\.\d+)?(Z|[-+]\d\d:\d\d)?)?"
)
_FRACTION = 10  # a point and nanoseconds
_LEAST, _MOST = -(2**63), 2**64 - 1  # what an integer of Go holds, signed or not
_EXACT = 1e21  # Go writes integers up to here without an exponent
_SMALL, _LARGE = -4, 6  # and floats in YAML between these powers of ten


@dataclass(slots=True)
class Scalar:
    """One value of a document.

    It can stand in several fields at once, and then changes in all of them: kustomize puts one
    node into the labels of an object, of its selector and of its template.

    Attributes:
        text: What is written, without quotation marks.
        tag: What it was read as; empty where it is what the text looks like.
        quoted: Whether it has quotation marks, or is a block: then what is put there is a text.
        tagged: Whether the tag is written: then it wins over quotation marks, as in ``!!int "5"``.
    """

    text: str
    tag: str = ""
    quoted: bool = False
    tagged: bool = False

    @property
    def value(self) -> Any:
        """The value in JSON.

        Raises:
            ProblemError: The text does not fit the tag, or JSON has no such value.
        """
        if self.is_verbatim:
            return self.text
        tag, value = resolved(self.text)
        if self.tag not in ("", tag) and (self.tag, tag) != ("float", "int"):
            raise ProblemError(f"{self.text!r} was put where there was {_NAMES[self.tag]}")
        if isinstance(value, float) and not math.isfinite(value):
            raise ProblemError(f"JSON has no {self.text}")
        return value

    @property
    def is_verbatim(self) -> bool:
        """Whether this is the text that is written, whatever it looks like."""
        return self.tag == STR or (self.quoted and not (self.tagged and self.tag))

    @property
    def is_text(self) -> bool:
        """Whether this counts as a text where only texts are changed."""
        return self.tag in ("", STR)

    def become(self, other: "Scalar") -> None:
        """Take over what *other* is, in all fields that this one stands in."""
        self.text, self.tag = other.text, other.tag
        self.quoted, self.tagged = other.quoted, other.tagged

    def holding(self, text: str, tag: str = "") -> "Scalar":
        """Return a scalar with another text, in quotation marks if this one has them."""
        return Scalar(text, tag, self.quoted, self.tagged)


_NAMES = {
    "int": "an integer",
    "float": "a number",
    "bool": "a boolean",
    "null": "nothing",
    "timestamp": "a time",
}


def text(of: str) -> Scalar:
    """Return the scalar that stays a text; in quotation marks if it looks like a number."""
    return Scalar(of, STR, is_ambiguous(of))


def is_ambiguous(written: str) -> bool:
    """Return whether some version of YAML reads a text as something else, unless it is quoted."""
    if not written:
        return False
    return any(resolved(written, old=old)[0] != STR for old in (False, True))


def scalar_of(value: Any) -> Scalar:
    """Return the scalar for a value of JSON."""
    match value:
        case None:
            return Scalar("null", "null")
        case bool():
            return Scalar("true" if value else "false", "bool")
        case str():
            return text(value)
        case int() if abs(value) < 10**_LARGE:
            return Scalar(str(value), "int")
    return Scalar(_go_text(float(value)), "float")


def _go_text(number: float) -> str:
    """Return *number* as Go writes it: a JSON patch leaves all numbers of its document so."""
    decimal = Decimal(repr(number)).normalize()
    _, (first, *more), exponent = decimal.as_tuple()
    power = len(more) + int(exponent)
    if not number or _SMALL <= power < _LARGE:
        return format(decimal, "f")
    point = "." + "".join(map(str, more)) if more else ""
    return f"{'-' if number < 0 else ''}{first}{point}e{power:+03d}"


def resolved(written: str, *, old: bool = False) -> tuple[str, Any]:
    """Return tag and value of a text without quotation marks; *old* for YAML 1.1."""
    if written in _NULLS:
        return "null", None
    if written in _BOOLEANS:
        return "bool", _BOOLEANS[written]
    if old and written in _OLD_BOOLEANS:
        return "bool", _OLD_BOOLEANS[written]
    if written[0] in "+-.0123456789":
        return _number_or_time(written, old=old)
    return STR, written


def _number_or_time(written: str, *, old: bool) -> tuple[str, Any]:
    if _ODD_FLOATS.fullmatch(written):
        return "float", math.nan
    if not old and (time := _time(written)) is not None:
        return "timestamp", time
    plain = written.replace("_", "")
    if _INTEGER.fullmatch(plain) and _LEAST <= (number := _integer(plain)) <= _MOST:
        return "int", number
    if _FLOAT.fullmatch(plain) and math.isfinite(found := float(plain)):
        return "float", int(found) if found.is_integer() and abs(found) < _EXACT else found
    return STR, written


def _integer(plain: str) -> int:
    """Return an integer as C writes it: a leading zero means octal."""
    sign, digits = (plain[0], plain[1:]) if plain[0] in "+-" else ("", plain)
    octal = len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()
    return int(sign + ("0o" + digits[1:] if octal else digits), 0)


def _time(written: str) -> str | None:
    """Return a time as JSON has it, or ``None`` if it is none."""
    if (found := _TIME.fullmatch(written)) is None:
        return None
    year, month, day, between, hour, minute, second, fraction, zone = found.groups()
    if between and (between == " ") == bool(zone):
        return None
    numbers = (int(one or 0) for one in (year, month, day, hour, minute, second))
    try:
        moment = datetime(*numbers)  # type: ignore[arg-type] # noqa: DTZ001  # the zone stays text
    except ValueError:
        return None
    rest = (fraction or "")[:_FRACTION].rstrip("0").rstrip(".")
    return f"{moment.isoformat()}{rest}{zone if zone and zone != '+00:00' else 'Z'}"

"""Reads times, quantities and bytes as Go does, with Go's errors for invalid ones."""

import base64
import binascii
import re
from functools import lru_cache

from kubewright.api.quantity import format_quantity
from kubewright.api.times import format_micro_time, format_time, parse_time

RFC3339: str = "2006-01-02T15:04:05Z07:00"
RFC3339_MICRO: str = "2006-01-02T15:04:05.000000Z07:00"
BAD_QUANTITY: str = (
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)
_BAD_SUFFIX = "unable to parse quantity's suffix"
_LOOSE_QUANTITY = re.compile(r"[+-]?[0-9]*(\.[0-9]*)?[eEinumkKMGTP]*[-+]?[0-9]*").fullmatch
# The parts of a layout, each with its pattern and its highest number.
_TIME_PARTS = (
    ("2006", r"[0-9]{4}", None, ""),
    ("-", r"-", None, ""),
    ("01", r"[0-9]{2}", range(1, 13), "month"),
    ("-", r"-", None, ""),
    ("02", r"[0-9]{2}", range(1, 32), "day"),
    ("T", r"T", None, ""),
    ("15", r"[0-9]{2}", range(24), "hour"),
    (":", r":", None, ""),
    ("04", r"[0-9]{2}", range(60), "minute"),
    (":", r":", None, ""),
    ("05", r"[0-9]{2}", range(60), "second"),
)
_ZONE = ("Z07:00", r"Z|[-+][0-9]{2}:[0-9]{2}", None, "")
_MICROS = (".000000", r"\.[0-9]{6}", None, "")
_FRACTION = re.compile(r"[.,][0-9]+")
_SIX_DIGITS = re.compile(r"\.[0-9]{6}(Z|[-+])")


@lru_cache(maxsize=4096)
def time(text: str) -> str:
    """Return a time as ``metav1.Time`` writes it.

    Raises:
        ValueError: It is not a time; the message is Go's.
    """
    try:
        return format_time(parse_time(text))
    except ValueError:
        raise ValueError(time_problem(text, RFC3339)) from None


@lru_cache(maxsize=4096)
def micro_time(text: str) -> str:
    """Return a time as ``metav1.MicroTime`` writes it, with exactly six fractional digits.

    Raises:
        ValueError: It is not a time; the message is Go's.
    """
    try:
        found = format_micro_time(parse_time(text))
    except ValueError:
        raise ValueError(time_problem(text, RFC3339_MICRO)) from None
    if not _SIX_DIGITS.search(text):
        raise ValueError(time_problem(text, RFC3339_MICRO))
    return found


def time_problem(text: str, layout: str) -> str:
    """Return Go's message for a time that does not match *layout*."""
    shown = f"parsing time {_quoted(text)}"
    rest = text
    micro = layout == RFC3339_MICRO
    for element, pattern, numbers, unit in (*_TIME_PARTS, *((_MICROS,) if micro else ()), _ZONE):
        if element == _ZONE[0] and not micro and (fraction := _FRACTION.match(rest)):
            rest = rest[fraction.end() :]
        match = re.match(pattern, rest)
        if match is None:
            return (
                f"{shown} as {_quoted(layout)}: cannot parse {_quoted(rest)} as {_quoted(element)}"
            )
        if numbers is not None and int(match.group()) not in numbers:
            return f"{shown}: {unit} out of range"
        rest = rest[match.end() :]
    return f"{shown}: extra text: {_quoted(rest)}" if rest else f"{shown}: day out of range"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


@lru_cache(maxsize=4096)
def quantity(text: str) -> str:
    """Return a quantity in canonical form.

    Raises:
        ValueError: It is not a quantity; the message is Go's.
    """
    try:
        return format_quantity(text)
    except ValueError:
        loose = text and _LOOSE_QUANTITY(text)
        raise ValueError(_BAD_SUFFIX if loose else BAD_QUANTITY) from None


def base64_text(text: str) -> str:
    """Return base64 as Go writes it, without line breaks.

    Raises:
        ValueError: It is not base64; the message is Go's.
    """
    compact = text.replace("\n", "").replace("\r", "")
    try:
        data = base64.b64decode(compact, validate=True)
    except (binascii.Error, ValueError):
        raise ValueError(f"illegal base64 data at input byte {_bad_byte(text)}") from None
    return base64.b64encode(data).decode()


def _bad_byte(text: str) -> int:
    """Return the offset at which Go's decoder stops."""
    start = count = 0
    for position, char in enumerate(text):
        if char in "\r\n":
            continue
        if count % 4 == 0:
            start = position
        if char == "=":
            return _bad_padding(text, position, count % 4)
        if not (char.isascii() and (char.isalnum() or char in "+/")):
            return len(text[:position].encode())
        count += 1
    return start


def _bad_padding(text: str, position: int, filled: int) -> int:
    if filled < 2:  # noqa: PLR2004  # a group has at least two letters
        return position
    if filled == 3:  # noqa: PLR2004  # one sign of padding ends the group
        return position + 1
    rest = text[position + 1 :].lstrip("\r\n")
    if not rest:
        return len(text)
    return (
        position + 1
        if rest[0] == "=" and len(rest) == 1
        else len(text) - len(rest) + (rest[0] == "=")
    )

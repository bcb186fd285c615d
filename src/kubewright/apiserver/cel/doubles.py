"""Writes doubles as Go does: with the fewest digits that parse to the same number."""

import math
from typing import Final

_PLAIN_DIGITS: Final = 6  # with more digits before the point, Go writes an exponent


def double_text(value: float) -> str:
    """Write a double as Go's ``%g`` does."""
    if math.isnan(value) or math.isinf(value):
        return "NaN" if math.isnan(value) else ("+Inf" if value > 0 else "-Inf")
    sign = "-" if math.copysign(1, value) < 0 else ""
    digits, point = shortest_digits(abs(value))
    exponent = point - 1
    if exponent < -4 or exponent >= _PLAIN_DIGITS:  # noqa: PLR2004  # Go's limit
        rest = f".{digits[1:]}" if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{rest}e{'-' if exponent < 0 else '+'}{abs(exponent):02}"
    return sign + plain_digits(digits, point)


def plain_digits(digits: str, point: int) -> str:
    """Write digits without an exponent, with the decimal point after *point* of them."""
    if point <= 0:
        return f"0.{'0' * -point}{digits}"
    if point >= len(digits):
        return digits + "0" * (point - len(digits))
    return f"{digits[:point]}.{digits[point:]}"


def shortest_digits(value: float) -> tuple[str, int]:
    """Return the digits of a positive double, and how many of them are before the point."""
    mantissa, _, exponent = f"{value!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = whole + ("" if fraction == "0" else fraction)
    point = len(whole) + int(exponent or 0)
    stripped = digits.lstrip("0")
    point -= len(digits) - len(stripped)
    return (stripped.rstrip("0") or "0", point) if stripped else ("0", 1)

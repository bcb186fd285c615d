"""Times and durations as Go writes them in Kubernetes objects.

``metav1.Time`` has whole seconds, ``metav1.MicroTime`` exactly six digits, ``metav1.Duration`` is
Go's own text, such as ``1h0m0s``. A datetime without a time zone is refused everywhere: it names
no moment, and guessing one is how operators act an hour early.
"""

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Annotated, Final, TypeAlias

import msgspec

from kubewright._json import MicroTime

__all__ = [
    "Duration",
    "MicroTime",
    "duration_nanoseconds",
    "format_duration",
    "format_micro_time",
    "format_nanoseconds",
    "format_time",
    "parse_duration",
    "parse_time",
    "to_seconds",
]

Duration: TypeAlias = Annotated[str, msgspec.Meta(extra={"kubernetes": "duration"})]
"""A duration as it stands in JSON, such as ``"1m30s"``, for fields of models."""

# Patterns are text where most programs never use them: compiling all would be a part of the start.
_TIME: Final = (
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt]([0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]+))?"
    r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)
_UNITS: Final = {
    "ns": 1,
    "us": 10**3,
    "\u00b5s": 10**3,  # the micro sign, which Go prints
    "\u03bcs": 10**3,  # the Greek letter mu, which Go reads too
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}
_PART: Final = r"([0-9]*)(?:\.([0-9]*))?([^0-9.]*)"
_MAX_NANOSECONDS: Final = 2**63 - 1
_MAX_DIGITS: Final = 30  # more cannot matter, and Python converts long numbers slowly


def to_seconds(time: datetime) -> datetime:
    """Return *time* in UTC and cut to whole seconds, as ``metav1.Time`` stores it.

    Raises:
        ValueError: It has no time zone.
    """
    return _in_utc(time).replace(microsecond=0)


def format_time(time: datetime) -> str:
    """Return *time* as ``metav1.Time`` is written: UTC, whole seconds, ``Z``.

    Raises:
        ValueError: It has no time zone.

    Example:
        >>> format_time(datetime(2026, 1, 2, 3, 4, 5, 999999, tzinfo=UTC))
        '2026-01-02T03:04:05Z'
    """
    return f"{_in_utc(time).replace(tzinfo=None).isoformat(timespec='seconds')}Z"


def format_micro_time(time: datetime) -> str:
    """Return *time* as ``metav1.MicroTime`` is written: UTC, six digits of a second, ``Z``.

    Raises:
        ValueError: It has no time zone.

    Example:
        >>> format_micro_time(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
        '2026-01-02T03:04:05.000000Z'
    """
    return f"{_in_utc(time).replace(tzinfo=None).isoformat(timespec='microseconds')}Z"


def parse_time(text: str) -> datetime:
    """Read an RFC 3339 time with any offset and any number of digits, and return it in UTC.

    Digits after the sixth are cut off.

    Raises:
        ValueError: It is not such a time.

    Example:
        >>> parse_time("2026-01-02T04:04:05.123456789+01:00").isoformat()
        '2026-01-02T03:04:05.123456+00:00'
    """
    match = re.fullmatch(_TIME, text)
    if match is None:
        raise ValueError(
            f"cannot read time {text!r}: write RFC 3339, such as '2026-01-02T03:04:05Z'"
        )
    day, clock, fraction, sign, hours, minutes = match.groups()
    try:
        zone = _offset(sign, hours, minutes) if sign else UTC
        moment = datetime.fromisoformat(f"{day}T{clock}.{(fraction or '')[:6]:0<6}")
        return moment.replace(tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"cannot read time {text!r}: {error}") from None


def _offset(sign: str, hours: str, minutes: str) -> timezone:
    if int(minutes) >= 60:  # noqa: PLR2004  # minutes of an hour
        raise ValueError(f"an offset has at most 59 minutes, not {minutes}")
    offset = timedelta(hours=int(hours), minutes=int(minutes))
    return timezone(-offset if sign == "-" else offset)


def _in_utc(time: datetime) -> datetime:
    if time.tzinfo is None or time.utcoffset() is None:
        raise ValueError(
            f"{time!r} has no time zone, so it names no moment: make it with tzinfo=UTC, such as"
            " datetime.now(UTC)"
        )
    return time.astimezone(UTC)


def duration_nanoseconds(text: str) -> int:
    """Read a duration such as ``1h2m3.5s`` as whole nanoseconds, exactly as Go does.

    Raises:
        ValueError: It is not a duration, or longer than Go's 292 years.

    Example:
        >>> duration_nanoseconds("1.5us")
        1500
    """
    rest = text[1:] if text[:1] in ("+", "-") else text
    if rest == "0":
        return 0
    if not rest:
        raise _bad_duration(text, "it is empty")
    total, position = 0, 0
    part = re.compile(_PART)
    while position < len(rest):
        match = part.match(rest, position)
        assert match is not None  # every part of the pattern may be empty
        total += _part_nanoseconds(text, match)
        position = match.end()
    negative = text.startswith("-")
    if total > _MAX_NANOSECONDS + negative:
        raise _bad_duration(text, "it is longer than Go can hold, about 292 years")
    return -total if negative else total


def _part_nanoseconds(text: str, match: re.Match[str]) -> int:
    whole, fraction, unit = match.groups()
    fraction = fraction or ""
    if not whole and not fraction:
        raise _bad_duration(text, "a number is missing")
    if not unit:
        raise _bad_duration(text, f"a unit is missing after {match.group()!r}; write 's' or 'm'")
    if unit not in _UNITS:
        raise _bad_duration(text, f"{unit!r} is not a unit; write ns, us, ms, s, m or h")
    if len(whole.lstrip("0")) > _MAX_DIGITS:
        raise _bad_duration(text, "it is longer than Go can hold, about 292 years")
    fraction = fraction[:_MAX_DIGITS]
    part: int = int(fraction or 0) * _UNITS[unit] // 10 ** len(fraction)
    return int(whole[-_MAX_DIGITS:] or 0) * _UNITS[unit] + part


def _bad_duration(text: str, problem: str) -> ValueError:
    shown = text if len(text) <= 80 else f"{text[:40]}…"  # noqa: PLR2004  # fits a line
    return ValueError(
        f"cannot read duration {shown!r}: {problem}. Write it like '1h30m' or '500ms'"
    )


def parse_duration(text: str) -> timedelta:
    """Read a duration such as ``1h2m3.5s``; digits below a microsecond are cut off.

    Raises:
        ValueError: It is not a duration.

    Example:
        >>> parse_duration("1m30.5s").total_seconds()
        90.5
    """
    nanoseconds = duration_nanoseconds(text)
    microseconds = abs(nanoseconds) // 1000
    return timedelta(microseconds=-microseconds if nanoseconds < 0 else microseconds)


def format_duration(duration: timedelta) -> str:
    """Return *duration* as Go prints it.

    Example:
        >>> format_duration(timedelta(hours=1)), format_duration(timedelta(milliseconds=1.5))
        ('1h0m0s', '1.5ms')
    """
    return format_nanoseconds(duration // timedelta(microseconds=1) * 1000)


def format_nanoseconds(nanoseconds: int) -> str:
    """Return a duration of *nanoseconds* as Go prints it.

    Example:
        >>> format_nanoseconds(0), format_nanoseconds(1), format_nanoseconds(-61 * 10**9)
        ('0s', '1ns', '-1m1s')
    """
    sign, rest = ("-", -nanoseconds) if nanoseconds < 0 else ("", nanoseconds)
    if rest == 0:
        return "0s"
    for unit in ("ns", "\u00b5s", "ms"):
        if rest < _UNITS[unit] * 1000:
            return f"{sign}{_decimal(rest, _UNITS[unit])}{unit}"
    minutes, below = divmod(rest, _UNITS["m"])
    seconds = f"{_decimal(below, _UNITS['s'])}s"
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{sign}{hours}h{minutes}m{seconds}"
    return f"{sign}{minutes}m{seconds}" if minutes else f"{sign}{seconds}"


def _decimal(number: int, unit: int) -> str:
    """Return *number* in *unit*, a power of ten, without zeros at the end of its fraction."""
    whole, rest = divmod(number, unit)
    places = len(str(unit)) - 1
    return f"{whole}.{rest:0{places}}".rstrip("0") if rest else str(whole)

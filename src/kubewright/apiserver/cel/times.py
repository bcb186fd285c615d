"""Timestamps and durations: parsing, formatting, arithmetic, and parts of a date."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any, Final

from kubewright.apiserver.cel.doubles import plain_digits, shortest_digits
from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.values import Duration, Timestamp

SECOND: Final = 10**9
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST: Final = -62_135_596_800  # 0001-01-01
_LAST: Final = 253_402_300_799  # 9999-12-31
_INT_BOUND: Final = 2**63
_UNITS: Final = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "μs": 10**3,
    "ms": 10**6,
    "s": SECOND,
    "m": 60 * SECOND,
    "h": 3600 * SECOND,
}
_DURATION_PART: Final = r"([0-9]*)(?:\.([0-9]*))?(ns|us|µs|μs|ms|s|m|h)"
_LONG_UNITS: Final = {
    "ns": 1,
    "nano": 1,
    "us": 10**3,
    "µs": 10**3,
    "micro": 10**3,
    "ms": 10**6,
    "milli": 10**6,
    "s": SECOND,
    "sec": SECOND,
    "second": SECOND,
    "m": 60 * SECOND,
    "min": 60 * SECOND,
    "minute": 60 * SECOND,
    "h": 3600 * SECOND,
    "hr": 3600 * SECOND,
    "hour": 3600 * SECOND,
    "d": 86400 * SECOND,
    "day": 86400 * SECOND,
    "w": 7 * 86400 * SECOND,
    "wk": 7 * 86400 * SECOND,
    "week": 7 * 86400 * SECOND,
}
_LONG_DURATION: Final = r"\s*([0-9]+)\s*([A-Za-zµ]+)\s*"
_RFC3339: Final = (
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]+))?"
    r"(?:Z|([+-])([0-9]{2}):([0-9]{2}))"
)
_DATE: Final = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_OFFSET: Final = r"([+-]?)([0-9]{2}):([0-9]{2})"


def parse_timestamp(text: str) -> Timestamp:
    """Read a date and time of RFC 3339.

    Raises:
        ValueError: It is not one, or is outside the years 1 to 9999.
    """
    match = re.fullmatch(_RFC3339, text, re.ASCII)
    if match is None:
        raise ValueError(f"{text!r} is not a date and time")
    *numbers, fraction, sign, hours, minutes = match.groups(default="")
    moment = datetime(*map(int, numbers), tzinfo=UTC)  # type: ignore[arg-type, misc]  # six numbers
    nanos = _nanos(moment) + int((fraction + "0" * 9)[:9])
    if sign:
        if int(hours) > 24 or int(minutes) > 59:  # noqa: PLR2004  # the offsets that Go accepts
            raise ValueError(f"{text!r} is not a date and time")
        shift = (int(hours) * 3600 + int(minutes) * 60) * SECOND
        nanos += shift if sign == "-" else -shift
    return _checked(Timestamp(nanos), ValueError)


def parse_date(text: str) -> Timestamp:
    """Read a date as a timestamp, at midnight in UTC.

    Raises:
        ValueError: It is not a date.
    """
    if not re.fullmatch(_DATE, text, re.ASCII):
        raise ValueError(f"{text!r} is not a date")
    return Timestamp(_nanos(datetime.fromisoformat(text).replace(tzinfo=UTC)))


def _nanos(moment: datetime) -> int:
    return int((moment - _EPOCH) // timedelta(microseconds=1)) * 1000


def _checked(value: Timestamp, error: type[Exception]) -> Timestamp:
    if not _FIRST <= value.nanos // SECOND <= _LAST:
        raise error("timestamp overflow")
    return value


def timestamp_of(seconds: int) -> Timestamp:
    """Return the timestamp at a number of seconds since 1970.

    Raises:
        EvaluationError: It is outside the years 1 to 9999.
    """
    return _checked(Timestamp(seconds * SECOND), EvaluationError)


def parse_duration(text: str) -> Duration:
    """Read a duration as Go does: ``1h30m``, ``-1.5s``.

    Raises:
        ValueError: It is not a duration, or too long for 64 bits.
    """
    sign, body = (text[0], text[1:]) if text[:1] in {"+", "-"} else ("", text)
    if body == "0":
        return Duration(0)
    total, position = 0, 0
    part = re.compile(_DURATION_PART)  # re caches compiled patterns
    while position < len(body):
        match = part.match(body, position)
        if match is None or not (match[1] or match[2]):
            raise ValueError(f"{text!r} is not a duration")
        total += _amount(match[1], match[2] or "", _UNITS[match[3]])
        position = match.end()
    if not body or total >= _INT_BOUND + (sign == "-"):
        raise ValueError(f"{text!r} is not a duration")
    return Duration(-total if sign == "-" else total)


def _amount(whole: str, fraction: str, unit: int) -> int:
    if len(whole) > 20:  # noqa: PLR2004  # more digits than 64 bits have
        raise ValueError("the duration is too long")
    digits = fraction[:18]
    return int(whole or 0) * unit + int(digits or 0) * unit // int(10 ** len(digits))


def parse_schema_duration(text: str) -> Duration:
    """Read a duration of a field with ``format: duration``, which also allows ``2 days``.

    Raises:
        ValueError: It is not a duration.
    """
    try:
        return parse_duration(text)
    except ValueError:
        total, position = 0, 0
        part = re.compile(_LONG_DURATION)
        while position < len(text):
            match = part.match(text, position)
            unit = _long_unit(match[2].lower()) if match else None
            if match is None or unit is None:
                raise
            total += _amount(match[1], "", unit)
            position = match.end()
        return Duration(total)


def _long_unit(name: str) -> int | None:
    return _LONG_UNITS.get(name) or _LONG_UNITS.get(name.removesuffix("s"))


def timestamp_text(value: Timestamp) -> str:
    """Write a timestamp as ``2006-01-02T15:04:05.5Z``."""
    seconds, nanos = divmod(value.nanos, SECOND)
    moment = _EPOCH + timedelta(seconds=seconds)
    fraction = f".{nanos:09}".rstrip("0") if nanos else ""
    return f"{moment.year:04}{moment:-%m-%dT%H:%M:%S}{fraction}Z"


def duration_text(value: Duration) -> str:
    """Write a duration in seconds: ``5400s``. Long ones lose their last digits, as in Go."""
    seconds, nanos = divmod(abs(value.nanos), SECOND)
    shown = plain_digits(*shortest_digits(seconds + nanos / 1e9))
    return f"{'-' if value.nanos < 0 else ''}{shown}s"


def add(left: Any, right: Any) -> Any:
    """Add a duration to a duration or to a timestamp, in any order."""
    nanos = left.nanos + right.nanos
    if isinstance(left, Timestamp) or isinstance(right, Timestamp):
        return _checked(Timestamp(nanos), EvaluationError)
    return checked_duration(nanos)


def subtract(left: Any, right: Any) -> Any:
    """Subtract durations and timestamps."""
    nanos = left.nanos - right.nanos
    if isinstance(left, Timestamp) and isinstance(right, Duration):
        return _checked(Timestamp(nanos), EvaluationError)
    return checked_duration(nanos)


def checked_duration(nanos: int) -> Duration:
    """Return a duration of *nanos* nanoseconds.

    Raises:
        EvaluationError: It does not fit into 64 bits.
    """
    if not -_INT_BOUND <= nanos < _INT_BOUND:
        raise EvaluationError("integer overflow")
    return Duration(nanos)


def _moment(value: Timestamp, zone: str) -> datetime:
    moment = _EPOCH + timedelta(microseconds=value.nanos // 1000)
    try:
        return moment.astimezone(_zone(zone))
    except OverflowError:
        raise EvaluationError("timestamp overflow") from None


def _zone(name: str) -> tzinfo:
    if name in {"", "UTC"}:
        return UTC
    if match := re.fullmatch(_OFFSET, name, re.ASCII):
        minutes = int(match[2]) * 60 + int(match[3])
        return timezone(timedelta(minutes=-minutes if match[1] == "-" else minutes))
    import zoneinfo

    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise EvaluationError(f"unknown time zone {name}") from None


def _part(read: Callable[[datetime], int]) -> Callable[..., int]:
    return lambda value, zone="UTC": read(_moment(value, zone))


TIMESTAMP_PARTS: Final[dict[str, Callable[..., int]]] = {
    "getFullYear": _part(lambda moment: moment.year),
    "getMonth": _part(lambda moment: moment.month - 1),
    "getDayOfYear": _part(lambda moment: moment.timetuple().tm_yday - 1),
    "getDayOfMonth": _part(lambda moment: moment.day - 1),
    "getDate": _part(lambda moment: moment.day),
    "getDayOfWeek": _part(lambda moment: moment.isoweekday() % 7),
    "getHours": _part(lambda moment: moment.hour),
    "getMinutes": _part(lambda moment: moment.minute),
    "getSeconds": _part(lambda moment: moment.second),
    "getMilliseconds": _part(lambda moment: moment.microsecond // 1000),
}
"""The accessors of timestamps, in UTC or in a time zone."""


def _whole(unit: int) -> Callable[[Duration], int]:
    return lambda value: abs(value.nanos) // unit * (-1 if value.nanos < 0 else 1)


DURATION_PARTS: Final[dict[str, Callable[[Duration], int]]] = {
    "getHours": _whole(3600 * SECOND),
    "getMinutes": _whole(60 * SECOND),
    "getSeconds": _whole(SECOND),
    "getMilliseconds": _whole(10**6),
}
"""The accessors of durations, rounded towards zero."""

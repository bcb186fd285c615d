"""Schedules of CronJobs: five fields or a word such as ``@hourly``, and when they are due.

The dialect is that of Kubernetes (robfig/cron): ranges, steps, lists and names; ``?`` is ``*``.
If both the day of the month and the day of the week are given, either of them will do.
"""

from datetime import UTC, datetime, timedelta, tzinfo
from typing import Protocol
from zoneinfo import ZoneInfo

import msgspec

from kubewright.api.times import parse_duration

__all__ = ["Cron", "Every", "Schedule", "parse_schedule"]

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_WORDS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_YEARS = 5
"""How far to look ahead: 30 February never comes."""
_DAY = timedelta(days=1)


class Schedule(Protocol):
    """When something is due."""

    def after(self, moment: datetime) -> datetime | None:
        """Return the first time after *moment*, or ``None`` if there is none for years."""
        ...


class Every(msgspec.Struct, frozen=True):
    """Repeatedly, one period after the last time."""

    period: timedelta

    def after(self, moment: datetime) -> datetime | None:
        """Return *moment* plus the period, in whole seconds."""
        return moment.replace(microsecond=0) + self.period


class Cron(msgspec.Struct, frozen=True):
    """The five fields, and their time zone.

    Attributes:
        either_day: Whether one of the two kinds of days is enough: both were restricted.
    """

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    either_day: bool
    zone: tzinfo = UTC

    def after(self, moment: datetime) -> datetime | None:
        """Return the first time after *moment*, or ``None`` if there is none for years.

        A time that the clocks skip in spring does not come; one that they show twice in autumn
        comes twice.
        """
        local = moment.astimezone(self.zone)
        day = local.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
        first, last = local.hour, local.year + _YEARS
        while day.year <= last:
            if self._has_day(day):
                for hour in sorted(self.hours):
                    if hour >= first and (found := self._in_hour(day, hour, moment)):
                        return found
            day, first = day + _DAY, 0
        return None

    def _has_day(self, day: datetime) -> bool:
        if day.month not in self.months:
            return False
        by_month = day.day in self.days
        by_week = day.isoweekday() % 7 in self.weekdays
        return by_month or by_week if self.either_day else by_month and by_week

    def _in_hour(self, day: datetime, hour: int, moment: datetime) -> datetime | None:
        """Return the first time of an hour after *moment*, or ``None``."""
        for fold in (0, 1):
            for minute in sorted(self.minutes):
                local = day.replace(hour=hour, minute=minute, fold=fold)
                time = local.astimezone(UTC)
                if time > moment and self._exists(local, time):
                    return time
        return None

    def _exists(self, local: datetime, time: datetime) -> bool:
        """Return whether the clocks ever show *local*, which is *time* if they do."""
        return time.astimezone(self.zone).replace(tzinfo=None) == local.replace(tzinfo=None)


def parse_schedule(text: str, zone: str | None = None) -> Schedule:
    """Read a schedule.

    Args:
        text: Five fields, or a word.
        zone: The name of a time zone, such as ``Europe/Berlin``; UTC unless given.

    Raises:
        ValueError: It cannot be read; the message says why, and which part.
    """
    if text.startswith(("TZ=", "CRON_TZ=")):
        prefix, _, text = text.partition(" ")
        zone = prefix.partition("=")[2]
    place = _zone(zone)
    text = text.strip()
    if text.startswith("@every "):
        period = parse_duration(text.removeprefix("@every "))
        whole = timedelta(seconds=max(1, int(period.total_seconds())))
        return Every(whole)
    fields = _WORDS.get(text, text).split()
    if len(fields) != len(_FIELDS):
        raise ValueError(f"expected exactly 5 fields, found {len(fields)}: [{' '.join(fields)}]")
    sets = [_field(one, *limits) for one, limits in zip(fields, _FIELDS, strict=True)]
    free = any(_is_free(part) for one in (fields[2], fields[4]) for part in one.split(","))
    minutes, hours, days, months, weekdays = sets
    return Cron(minutes, hours, days, months, weekdays, not free, place)


def _is_free(part: str) -> bool:
    return part in {"*", "?", "*/1", "?/1"}


def _zone(name: str | None) -> tzinfo:
    if name is None or name in {"", "UTC", "Etc/UTC"}:
        return UTC
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError) as error:
        raise ValueError(f"unknown time zone {name}") from error


_FIELDS: tuple[tuple[int, int, dict[str, int]], ...] = (
    (0, 59, {}),
    (0, 23, {}),
    (1, 31, {}),
    (1, 12, {name: i + 1 for i, name in enumerate(_MONTHS)}),
    (0, 6, {name: i for i, name in enumerate(_DAYS)}),
)


def _field(text: str, low: int, high: int, names: dict[str, int]) -> frozenset[int]:
    found: set[int] = set()
    for part in filter(None, text.split(",")):
        span, slash, step = part.partition("/")
        first, dash, last = span.partition("-")
        if first in {"*", "?"}:
            start, end = low, high
        else:
            start = _number(first, names, part)
            end = _number(last, names, part) if dash else (high if slash else start)
        by = _number(step, {}, part) if slash else 1
        if not low <= start <= end <= high or by < 1:
            raise ValueError(f"cannot read {part!r}: write numbers from {low} to {high}")
        found |= set(range(start, end + 1, by))
    return frozenset(found)


def _number(text: str, names: dict[str, int], part: str) -> int:
    named = names.get(text.lower())
    if named is not None:
        return named
    if not text.isdigit():
        raise ValueError(f"cannot read {part!r}: {text!r} is not a number")
    return int(text)

"""Cron schedules: five fields such as ``30 6 * * MON-FRI``, and when they are due, in UTC."""

import calendar
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

MACROS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
WEEKDAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
YEARS = 8
"""How far to look: 29 February is that rare around the year 2100, and nothing is rarer."""
DAY = timedelta(days=1)


class ScheduleError(ValueError):
    """A schedule cannot be read; the message says which part, and what to write."""


@dataclass(frozen=True)
class Schedule:
    """The minutes, hours, days, months and weekdays of a schedule, each sorted.

    Attributes:
        either_day: Whether one of the two kinds of days is enough: both were restricted.
    """

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: tuple[int, ...]
    months: tuple[int, ...]
    weekdays: tuple[int, ...]
    either_day: bool

    @property
    def each_minute(self) -> bool:
        """Whether there is a run each minute, for at least an hour."""
        return len(self.minutes) == 60  # noqa: PLR2004  # an hour has that many

    def next(self, after: datetime) -> datetime | None:
        """Return the first time after *after*; ``None`` if it never comes."""
        for day in self._days_from(after.date(), DAY):
            for hour in self.hours:
                if (day, hour) < (after.date(), after.hour):
                    continue
                for minute in self.minutes:
                    found = _at(day, hour, minute, after)
                    if found > after:
                        return found
        return None

    def latest(self, until: datetime) -> datetime | None:
        """Return the last time that is not after *until*; ``None`` if there was none."""
        for day in self._days_from(until.date(), -DAY):
            for hour in reversed(self.hours):
                if (day, hour) > (until.date(), until.hour):
                    continue
                for minute in reversed(self.minutes):
                    found = _at(day, hour, minute, until)
                    if found <= until:
                        return found
        return None

    def _days_from(self, day: date, step: timedelta) -> Iterator[date]:
        """Yield the days on which it is due, from *day* on in one direction, for some years."""
        first = day.year
        while abs(day.year - first) <= YEARS:
            if day.month not in self.months:  # go to its last day, which the step leaves
                last = calendar.monthrange(day.year, day.month)[1]
                day = day.replace(day=last if step > timedelta(0) else 1)
            elif self._has(day):
                yield day
            if day in {date.min, date.max}:
                return
            day += step

    def _has(self, day: date) -> bool:
        by_month, by_week = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        return by_month or by_week if self.either_day else by_month and by_week


def _at(day: date, hour: int, minute: int, like: datetime) -> datetime:
    return datetime(day.year, day.month, day.day, hour, minute, tzinfo=like.tzinfo)


def missed(
    schedule: Schedule, since: datetime, now: datetime, *, most: int
) -> tuple[datetime | None, int]:
    """Return the last time after *since* until *now*, and how many there were, up to *most* + 1."""
    count, moment = 0, schedule.next(since)
    while moment is not None and moment <= now and count <= most:
        count, moment = count + 1, schedule.next(moment)
    return (schedule.latest(now), count) if count else (None, 0)


@dataclass(frozen=True)
class Field:
    """What may be written in one of the five fields."""

    title: str
    low: int
    high: int
    names: tuple[str, ...] = ()

    def parse(self, text: str) -> tuple[int, ...]:
        """Return the numbers that *text* stands for, sorted."""
        return tuple(sorted({number for part in text.split(",") for number in self._part(part)}))

    def is_free(self, text: str) -> bool:
        """Return whether *text* allows everything by a star, and so does not restrict the days."""
        return any(part in {"*", "?", "*/1", "?/1"} for part in text.split(","))

    def _part(self, part: str) -> range:
        span, slash, step = part.partition("/")
        first, dash, last = span.partition("-")
        if span in {"*", "?"}:
            low, high = self.low, self.high
        else:
            low = self._number(first, part)
            high = self._number(last, part) if dash else (self.high if slash else low)
        if low > high:
            raise self._error(part, f"{first} is after {last}")
        by = self._step(step, part) if slash else 1
        return range(low, high + 1, by)

    def _number(self, text: str, part: str) -> int:
        if text.upper() in self.names:
            return self.low + self.names.index(text.upper())
        number = _digits(text)
        if number is None or not self.low <= number <= self.high:
            names = f" or {self.names[0]} to {self.names[-1]}" if self.names else ""
            raise self._error(part, f"write {self.low} to {self.high}{names}, not {text!r}")
        return number

    def _step(self, text: str, part: str) -> int:
        step = _digits(text)
        if not step:
            raise self._error(part, f"a step is a number from 1 on, not {text!r}")
        return step

    def _error(self, part: str, reason: str) -> ScheduleError:
        return ScheduleError(f"cannot read {part!r} as {self.title}: {reason}")


def _digits(text: str) -> int | None:
    """Return a short number in plain digits, or ``None``."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= len("2359") else None


FIELDS = (
    Field("minute", 0, 59),
    Field("hour", 0, 23),
    Field("day of the month", 1, 31),
    Field("month", 1, 12, MONTHS),
    Field("day of the week", 0, 6, WEEKDAYS),
)


def fields_of(text: str) -> list[str]:
    """Return the five fields of a schedule as they are written, those of a macro included.

    Raises:
        ScheduleError: There are not five of them.
    """
    words = MACROS.get(text.strip(), text).split()
    if words and words[0].startswith(("TZ=", "CRON_TZ=")):
        raise ScheduleError(f"schedules are in UTC: leave out {words[0]!r}")
    if words and words[0].startswith("@"):
        raise ScheduleError(f"there is no {' '.join(words)!r}: write one of {', '.join(MACROS)}")
    if len(words) != len(FIELDS):
        titles = ", ".join(field.title for field in FIELDS)
        raise ScheduleError(f"{len(words)} fields instead of five: {titles}")
    return words


def parse(text: str) -> Schedule:
    """Read a schedule: five fields, or a macro such as ``@hourly``.

    A field is ``*``, a number, a range ``1-5``, a step ``*/15``, or a list of those. Months and
    days of the week may have names. If both days are restricted, one of them is enough.

    Raises:
        ScheduleError: It cannot be read.
    """
    words = fields_of(text)
    minutes, hours, days, months, weekdays = (
        field.parse(word) for field, word in zip(FIELDS, words, strict=True)
    )
    free = FIELDS[2].is_free(words[2]) or FIELDS[4].is_free(words[4])
    return Schedule(minutes, hours, days, months, weekdays, either_day=not free)

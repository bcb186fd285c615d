"""Schedules: how they are read, and when they are due."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from schedule import MACROS, Schedule, ScheduleError, fields_of, missed, parse

NOW = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)  # a Saturday


def due(text: str, after: datetime = NOW, count: int = 3) -> list[str]:
    """Return the next times of a schedule, shortened."""
    found = []
    moment = after
    for _ in range(count):
        following = parse(text).next(moment)
        assert following is not None
        moment = following
        found.append(f"{moment:%Y-%m-%d %H:%M}")
    return found


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("* * * * *", ["2026-03-14 09:27", "2026-03-14 09:28", "2026-03-14 09:29"]),
        ("*/20 * * * *", ["2026-03-14 09:40", "2026-03-14 10:00", "2026-03-14 10:20"]),
        ("5/25 10 * * *", ["2026-03-14 10:05", "2026-03-14 10:30", "2026-03-14 10:55"]),
        ("0 8-18/5 * * *", ["2026-03-14 13:00", "2026-03-14 18:00", "2026-03-15 08:00"]),
        ("15,45 9 * * *", ["2026-03-14 09:45", "2026-03-15 09:15", "2026-03-15 09:45"]),
        ("0 0 1 * *", ["2026-04-01 00:00", "2026-05-01 00:00", "2026-06-01 00:00"]),
        ("0 0 31 * *", ["2026-03-31 00:00", "2026-05-31 00:00", "2026-07-31 00:00"]),
        ("30 6 * * MON-FRI", ["2026-03-16 06:30", "2026-03-17 06:30", "2026-03-18 06:30"]),
        ("0 0 ? jan,Dec ?", ["2026-12-01 00:00", "2026-12-02 00:00", "2026-12-03 00:00"]),
        ("0 0 29 2 *", ["2028-02-29 00:00", "2032-02-29 00:00", "2036-02-29 00:00"]),
        ("@hourly", ["2026-03-14 10:00", "2026-03-14 11:00", "2026-03-14 12:00"]),
        ("@weekly", ["2026-03-15 00:00", "2026-03-22 00:00", "2026-03-29 00:00"]),
        ("@yearly", ["2027-01-01 00:00", "2028-01-01 00:00", "2029-01-01 00:00"]),
    ],
)
def test_a_schedule_is_due_when_its_fields_say(text: str, times: list[str]) -> None:
    """The dialect that people know."""
    assert due(text) == times


def test_a_day_of_the_month_or_of_the_week_is_enough_if_both_are_given() -> None:
    """The rule of cron that surprises; a star in one of them means that the other counts alone."""
    assert due("0 0 20 * FRI", count=3) == [
        "2026-03-20 00:00",
        "2026-03-27 00:00",
        "2026-04-03 00:00",
    ]
    assert due("0 0 17 * SUN", count=2) == ["2026-03-15 00:00", "2026-03-17 00:00"]
    assert due("0 0 */1 * SUN", count=2) == ["2026-03-15 00:00", "2026-03-22 00:00"]


def test_the_next_time_is_after_and_the_latest_is_not() -> None:
    """Exactly on time, it is due now and not again."""
    noon, schedule = datetime(2026, 3, 14, 12, tzinfo=UTC), parse("0 12 * * *")

    assert schedule.next(noon) == noon + timedelta(days=1)
    assert schedule.latest(noon) == noon
    assert schedule.latest(noon - timedelta(microseconds=1)) == noon - timedelta(days=1)


@pytest.mark.parametrize("text", ["0 0 30 2 *", "0 0 31 4,6,9,11 *"])
def test_what_never_comes_is_not_looked_for_for_ever(text: str) -> None:
    """30 February is easy to write."""
    assert parse(text).next(NOW) is None
    assert parse(text).latest(NOW) is None


def test_a_leap_day_is_found_across_a_century_without_one() -> None:
    """2100 is not a leap year: eight years pass."""
    before = datetime(2096, 3, 1, tzinfo=UTC)

    assert due("0 0 29 2 *", before, 1) == ["2104-02-29 00:00"]
    assert parse("0 0 29 2 *").latest(datetime(2104, 2, 28, tzinfo=UTC)) == datetime(
        2096, 2, 29, tzinfo=UTC
    )


def test_the_ends_of_the_calendar_do_no_harm() -> None:
    """A status may say anything."""
    begin, end = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, tzinfo=UTC)
    schedule = parse("0 0 31 12 *")

    assert (schedule.latest(begin), schedule.next(end)) == (None, None)
    assert schedule.next(begin) == datetime(1, 12, 31, tzinfo=UTC)
    assert schedule.latest(end) == datetime(9999, 12, 31, tzinfo=UTC)


@pytest.mark.parametrize("seed", range(20))
def test_times_are_those_that_a_look_at_each_minute_finds(seed: int) -> None:
    """Skipping days and months loses nothing, in either direction."""
    rng = random.Random(seed)  # noqa: S311  # the same each time
    schedule = parse(random_schedule(rng))
    start = datetime(2026, rng.randint(1, 12), rng.randint(1, 28), rng.randint(0, 23), tzinfo=UTC)
    minutes = [start + timedelta(minutes=number) for number in range(3 * 24 * 60)]
    expected = [moment for moment in minutes if is_due(schedule, moment)]

    forth, moment = [], schedule.next(start - timedelta(seconds=1))
    while moment is not None and moment <= minutes[-1]:
        forth.append(moment)
        moment = schedule.next(moment)
    back, moment = [], schedule.latest(minutes[-1])
    while moment is not None and moment >= start:
        back.append(moment)
        moment = schedule.latest(moment - timedelta(seconds=1))

    assert forth == expected == back[::-1]


def random_schedule(rng: random.Random) -> str:
    """Return a schedule that is due often enough to be compared."""
    return " ".join(
        (
            rng.choice(["*", "*/7", "3,30-40/4", "0"]),
            rng.choice(["*", "*/5", "1-3", "23", "9,17"]),
            rng.choice(["*", "?", "1-20", "*/2"]),
            rng.choice(["*", "1-6", "JUL-DEC"]),
            rng.choice(["*", "MON-FRI", "0,6"]),
        )
    )


def is_due(schedule: Schedule, moment: datetime) -> bool:
    """Return whether *moment* fits, looked at by itself."""
    by_month = moment.day in schedule.days
    by_week = (moment.weekday() + 1) % 7 in schedule.weekdays
    day = by_month or by_week if schedule.either_day else by_month and by_week
    return (
        moment.minute in schedule.minutes
        and moment.hour in schedule.hours
        and moment.month in schedule.months
        and day
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "0 fields instead of five: minute, hour, day of the month, month, day of the week"),
        ("* * * *", "4 fields instead of five"),
        ("0 0 * * * *", "6 fields instead of five"),
        ("60 * * * *", "cannot read '60' as minute: write 0 to 59, not '60'"),
        ("* 24 * * *", "cannot read '24' as hour"),
        ("* * 0 * *", "cannot read '0' as day of the month: write 1 to 31"),
        ("* * * 13 *", "cannot read '13' as month: write 1 to 12 or JAN to DEC"),
        ("* * * * 7", "cannot read '7' as day of the week: write 0 to 6 or SUN to SAT, not '7'"),
        ("* * * * MO", "not 'MO'"),
        ("*/0 * * * *", "a step is a number from 1 on, not '0'"),
        ("*/ * * * *", "a step is a number from 1 on, not ''"),
        ("5-1 * * * *", "cannot read '5-1' as minute: 5 is after 1"),
        ("1,,2 * * * *", "cannot read '' as minute"),
        ("* * * 1, *", "cannot read '' as month"),
        ("*-5 * * * *", "cannot read '*-5' as minute"),
        ("-1 * * * *", "cannot read '-1' as minute"),
        ("\N{SUPERSCRIPT TWO} * * * *", "write 0 to 59"),
        ("9999999999999999999999 * * * *", "write 0 to 59"),
        ("TZ=Europe/Berlin 0 6 * * *", "schedules are in UTC: leave out 'TZ=Europe/Berlin'"),
        ("CRON_TZ=UTC @daily", "schedules are in UTC"),
        ("@every 5m", "there is no '@every 5m': write one of @yearly"),
        ("@reboot", "there is no '@reboot'"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(text: str, reason: str) -> None:
    """The message goes to whoever wrote the schedule."""
    with pytest.raises(ScheduleError) as refused:
        parse(text)

    assert reason in str(refused.value)


def test_macros_are_fields() -> None:
    """That is how v2 shows them."""
    assert fields_of("@hourly") == ["0", "*", "*", "*", "*"]
    assert all(parse(macro) == parse(text) for macro, text in MACROS.items())


def test_missed_times_are_counted_up_to_a_limit_and_the_last_one_is_found() -> None:
    """However long nobody was there."""
    schedule = parse("*/10 * * * *")

    assert missed(schedule, NOW, NOW, most=100) == (None, 0)
    assert missed(schedule, NOW, NOW + timedelta(hours=1), most=100) == (
        datetime(2026, 3, 14, 10, 20, tzinfo=UTC),
        6,
    )
    assert missed(schedule, NOW - timedelta(days=9999), NOW, most=100) == (
        datetime(2026, 3, 14, 9, 20, tzinfo=UTC),
        101,
    )

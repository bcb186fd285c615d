from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from kubewright.apiserver.builtin.batch.cron import schedule_problem
from kubewright.embedded.controllers.schedule import parse_schedule

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)  # a Thursday


def times(text: str, count: int = 3, *, zone: str | None = None, start: str = "") -> list[str]:
    """Return when a schedule is due after New Year, in UTC."""
    schedule = parse_schedule(text, zone)
    moment: datetime | None = datetime.fromisoformat(start) if start else NEW_YEAR
    found: list[str] = []
    while len(found) < count and moment is not None and (moment := schedule.after(moment)):
        found.append(f"{moment:%m-%d %H:%M}")
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("* * * * *", ["01-01 00:01", "01-01 00:02", "01-01 00:03"]),
        ("*/20 * * * *", ["01-01 00:20", "01-01 00:40", "01-01 01:00"]),
        ("5/25 * * * *", ["01-01 00:05", "01-01 00:30", "01-01 00:55"]),
        ("0 9-17/4 * * *", ["01-01 09:00", "01-01 13:00", "01-01 17:00"]),
        ("30 8,12 * * *", ["01-01 08:30", "01-01 12:30", "01-02 08:30"]),
        ("0 0 * * MON-wed", ["01-05 00:00", "01-06 00:00", "01-07 00:00"]),
        ("0 0 1 feb,Mar ?", ["02-01 00:00", "03-01 00:00", "02-01 00:00"]),
        ("0 0 13 * 5", ["01-02 00:00", "01-09 00:00", "01-13 00:00"]),
        ("0 0 */15 * *", ["01-16 00:00", "01-31 00:00", "02-01 00:00"]),
        ("0 0 29 2 *", ["02-29 00:00"]),
        ("@hourly", ["01-01 01:00", "01-01 02:00", "01-01 03:00"]),
        ("@daily", ["01-02 00:00", "01-03 00:00", "01-04 00:00"]),
        ("@weekly", ["01-04 00:00", "01-11 00:00", "01-18 00:00"]),
        ("@monthly", ["02-01 00:00", "03-01 00:00", "04-01 00:00"]),
        ("@yearly", ["01-01 00:00", "01-01 00:00", "01-01 00:00"]),
        ("@every 90m", ["01-01 01:30", "01-01 03:00", "01-01 04:30"]),
        ("TZ=Asia/Tokyo 0 0 * * *", ["01-01 15:00", "01-02 15:00", "01-03 15:00"]),
    ],
)
def test_a_schedule_is_due_when_kubernetes_says(text: str, expected: list[str]) -> None:
    """Ranges, steps, lists, names and words; either kind of day if both are restricted."""
    assert times(text, len(expected)) == expected


def test_the_wall_clock_of_the_zone_counts() -> None:
    """Nine in Berlin is eight in winter and seven in summer."""
    assert times("0 9 * * *", 1, zone="Europe/Berlin") == ["01-01 08:00"]
    assert times("0 9 * * *", 1, zone="Europe/Berlin", start="2026-07-01T00:00Z") == ["07-01 07:00"]


def test_an_hour_that_the_clocks_skip_does_not_come() -> None:
    """On 29 March 2026 there is no half past two in Berlin."""
    found = times("30 2 * * *", 2, zone="Europe/Berlin", start="2026-03-28T12:00Z")

    assert found == ["03-30 00:30", "03-31 00:30"]


def test_an_hour_that_the_clocks_show_twice_comes_twice() -> None:
    """On 25 October 2026 half past two in Berlin is at 0:30 and at 1:30."""
    found = times("30 2 * * *", 3, zone="Europe/Berlin", start="2026-10-24T12:00Z")

    assert found == ["10-25 00:30", "10-25 01:30", "10-26 01:30"]


def test_a_day_that_never_comes_is_no_endless_search() -> None:
    """30 February."""
    assert parse_schedule("0 0 30 2 *").after(NEW_YEAR) is None


@pytest.mark.parametrize(
    "text", ["", "* * * *", "60 * * * *", "x * * * *", "5-1 * * * *", "*/0 * * * *", "@never"]
)
def test_what_the_server_refuses_cannot_be_read(text: str) -> None:
    """With a good reason; a server may still have accepted it."""
    with pytest.raises(ValueError, match=r"\w+ \w+"):
        parse_schedule(text)
    assert schedule_problem(text)


@pytest.mark.parametrize("text", ["*/7 3-5 * * *", "1,2,3 */2 1-10/3 1-6 1-5", "0 0 * * *"])
def test_times_grow_and_are_whole_minutes(text: str) -> None:
    """Whatever the schedule."""
    schedule, moment, found = parse_schedule(text, "America/New_York"), NEW_YEAR, []
    for _ in range(200):
        moment = schedule.after(moment) or NEW_YEAR
        found.append(moment)

    assert all(late - early >= timedelta(minutes=1) for early, late in pairwise(found))
    assert all(one.second == 0 for one in found)


def test_an_unknown_zone_is_named() -> None:
    """So that the user can fix it."""
    with pytest.raises(ValueError, match="unknown time zone Mars/Olympus"):
        parse_schedule("* * * * *", "Mars/Olympus")

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.api.times import (
    MicroTime,
    duration_nanoseconds,
    format_duration,
    format_micro_time,
    format_nanoseconds,
    format_time,
    parse_duration,
    parse_time,
    to_seconds,
)

SUMMER = timezone(timedelta(hours=2))
HOUR = 3600 * 10**9


def test_a_time_is_written_in_utc_and_cut_to_seconds() -> None:
    """Rounding up would put a transition into the future."""
    moment = datetime(2026, 7, 1, 1, 30, 15, 999_999, tzinfo=SUMMER)

    assert format_time(moment) == "2026-06-30T23:30:15Z"
    assert format_micro_time(moment) == "2026-06-30T23:30:15.999999Z"
    assert to_seconds(moment) == datetime(2026, 6, 30, 23, 30, 15, tzinfo=UTC)


def test_a_micro_time_has_six_digits_even_when_they_are_zero() -> None:
    """Go parses it with a fixed layout and refuses fewer."""
    assert format_micro_time(datetime(1, 1, 1, tzinfo=UTC)) == "0001-01-01T00:00:00.000000Z"
    assert str(MicroTime(1, 1, 1, tzinfo=UTC)) == "0001-01-01T00:00:00.000000Z"


@pytest.mark.parametrize("write", [format_time, format_micro_time, to_seconds])
def test_a_time_without_a_zone_is_refused(write: object) -> None:
    """It names no moment; taking it for UTC is an hour wrong half of the year."""
    with pytest.raises(ValueError, match=r"has no time zone.*tzinfo=UTC"):
        write(datetime(2026, 1, 1))  # type: ignore[operator]  # noqa: DTZ001  # that is the point


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-02T03:04:05Z", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("2026-01-02t03:04:05z", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("2026-01-02T03:04:05.5Z", datetime(2026, 1, 2, 3, 4, 5, 500_000, tzinfo=UTC)),
        ("2026-01-02T03:04:05.123456789Z", datetime(2026, 1, 2, 3, 4, 5, 123_456, tzinfo=UTC)),
        ("2026-01-02T03:04:05.9999999Z", datetime(2026, 1, 2, 3, 4, 5, 999_999, tzinfo=UTC)),
        ("2026-01-02T03:04:05+05:30", datetime(2026, 1, 1, 21, 34, 5, tzinfo=UTC)),
        ("2026-01-02T03:04:05-01:00", datetime(2026, 1, 2, 4, 4, 5, tzinfo=UTC)),
    ],
)
def test_times_are_read_with_any_offset_and_any_number_of_digits(
    text: str, moment: datetime
) -> None:
    """Other programs write nanoseconds and local offsets."""
    assert parse_time(text) == moment
    assert parse_time(text).tzinfo is UTC


@pytest.mark.parametrize(
    "text",
    ["", "now", "2026-01-02", "2026-01-02T03:04:05", "2026-01-02 03:04:05Z", "2026-13-02T03:04:05Z",
     "2026-02-30T03:04:05Z", "2026-01-02T24:04:05Z", "2026-01-02T03:04:60Z",
     "2026-01-02T03:04:05+25:00", "2026-01-02T03:04:05+01:99", "2026-01-02T03:04:05.Z",
     "2026-01-02T03:04:05Z\n", "٢٠٢٦-01-02T03:04:05Z", "0001-01-01T00:00:00+01:00"],
)  # fmt: skip
def test_what_is_no_time_is_refused(text: str) -> None:
    """A time without an offset among them: it names no moment."""
    with pytest.raises(ValueError, match="cannot read time"):
        parse_time(text)


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("0", 0),
        ("+0", 0),
        ("0s", 0),
        ("1ns", 1),
        ("1us", 1000),
        ("1\u00b5s", 1000),
        ("1\u03bcs", 1000),
        ("1.5ms", 1_500_000),
        ("1h2m3.5s", HOUR + 123_500_000_000),
        ("-1.5h", -HOUR * 3 // 2),
        ("+5m", 300 * 10**9),
        (".5s", 500_000_000),
        ("1.s", 10**9),
        ("1h1h", 2 * HOUR),
        ("0.0000000009s", 0),
        ("9223372036854775807ns", 2**63 - 1),
        ("-9223372036854775808ns", -(2**63)),
        ("00000000000000000000000000000000000001s", 10**9),
    ],
)
def test_a_duration_is_read_as_go_reads_it(text: str, nanoseconds: int) -> None:
    """Durations in Kubernetes objects are Go's text."""
    assert duration_nanoseconds(text) == nanoseconds


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "it is empty"),
        ("-", "it is empty"),
        ("5", "a unit is missing after '5'"),
        ("1h5", "a unit is missing after '5'"),
        ("s", "a number is missing"),
        (".s", "a number is missing"),
        ("1d", "'d' is not a unit; write ns, us, ms, s, m or h"),
        ("1 h", "' h' is not a unit"),
        ("1h ", "'h ' is not a unit"),
        ("1H", "'H' is not a unit"),
        ("1.2.3s", "a unit is missing"),
        ("-+1s", "a number is missing"),
        ("9223372036854775808ns", "longer than Go can hold"),
        ("9" * 5000 + "s", "longer than Go can hold"),
        ("PT1H", "a number is missing"),
        ("\u0661s", "a number is missing"),
    ],
)
def test_what_is_no_duration_is_refused_with_the_part_that_is_wrong(
    text: str, problem: str
) -> None:
    """Days are the usual mistake: Go has no unit for them."""
    with pytest.raises(ValueError, match=problem):
        duration_nanoseconds(text)


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        (0, "0s"),
        (1, "1ns"),
        (1100, "1.1\u00b5s"),
        (2_200_000, "2.2ms"),
        (3_300_000_000, "3.3s"),
        (999_999_999, "999.999999ms"),
        (10**9, "1s"),
        (60 * 10**9, "1m0s"),
        (245 * 10**9, "4m5s"),
        (245_001_000_000, "4m5.001s"),
        (HOUR, "1h0m0s"),
        (HOUR + 1, "1h0m0.000000001s"),
        (25 * HOUR, "25h0m0s"),
        (-HOUR, "-1h0m0s"),
        (2**63 - 1, "2562047h47m16.854775807s"),
    ],
)
def test_a_duration_is_written_as_go_prints_it(nanoseconds: int, text: str) -> None:
    """Another spelling of the same duration would look like a change to Go programs."""
    assert format_nanoseconds(nanoseconds) == text


def test_durations_become_timedeltas_cut_to_microseconds() -> None:
    """A timedelta has no nanoseconds; both signs are cut towards zero."""
    assert parse_duration("1.5s") == timedelta(seconds=1.5)
    assert parse_duration("1999ns") == timedelta(microseconds=1)
    assert parse_duration("-1999ns") == timedelta(microseconds=-1)
    assert format_duration(timedelta(days=1, microseconds=1)) == "24h0m0.000001s"
    assert format_duration(timedelta(seconds=-90)) == "-1m30s"


@given(st.integers(-(2**63), 2**63 - 1))
def test_every_duration_reads_back_as_itself(nanoseconds: int) -> None:
    """Over the whole range of Go's int64."""
    assert duration_nanoseconds(format_nanoseconds(nanoseconds)) == nanoseconds


@given(st.datetimes(timezones=st.just(UTC)))
def test_every_time_reads_back_as_itself(moment: datetime) -> None:
    """From the year 1, which is Go's zero time, to 9999."""
    assert parse_time(format_micro_time(moment)) == moment
    assert parse_time(format_time(moment)) == moment.replace(microsecond=0)


@given(st.text(alphabet="0123456789.nuµmsh+-", max_size=10))
def test_any_text_is_read_or_refused_with_a_value_error(text: str) -> None:
    """No input from outside ends in another exception."""
    try:
        found = duration_nanoseconds(text)
    except ValueError:
        return
    assert duration_nanoseconds(format_nanoseconds(found)) == found

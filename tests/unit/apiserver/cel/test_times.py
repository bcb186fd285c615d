"""Timestamps and durations."""

import pytest

from kubewright.apiserver.cel import times
from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.program import compile_rule
from kubewright.apiserver.cel.values import Duration


@pytest.mark.parametrize(
    "source",
    [
        "timestamp('2020-01-01T00:00:00.5+02:00') == timestamp('2019-12-31T22:00:00.5Z')",
        "string(timestamp('2020-01-01T00:00:00.123456789Z')) == '2020-01-01T00:00:00.123456789Z'",
        "timestamp(1) - timestamp(0) == duration('1s') && timestamp(0) < timestamp(1)",
        "timestamp(0) + duration('1h') == timestamp(3600) && int(timestamp(5)) == 5",
        "duration('1h') + timestamp(0) - duration('30m') == timestamp(1800)",
        "timestamp('2020-02-29T13:14:15.678Z').getDayOfYear() == 59",
        "timestamp('2020-02-29T13:14:15.678Z').getDayOfWeek() == 6",
        "timestamp('2020-02-29T13:14:15.678Z').getDate() == 29",
        "timestamp('2020-02-29T13:14:15.678Z').getDayOfMonth() == 28",
        "timestamp('2020-02-29T13:14:15.678Z').getMonth() == 1",
        "timestamp('2020-02-29T13:14:15.678Z').getMilliseconds() == 678",
        "timestamp('2020-01-01T00:00:00Z').getHours('America/New_York') == 19",
        "timestamp('2020-01-01T00:00:00Z').getHours('-08:00') == 16",
        "timestamp('2020-01-01T00:00:00Z').getMinutes('05:30') == 30",
        "duration('-90m').getHours() == -1 && duration('1.5s').getMilliseconds() == 1500",
        "string(duration('1h1.5s')) == '3601.5s' && string(duration('-1ns')) == '-0.000000001s'",
        "duration('.5s') + duration('1.s') == duration('1500ms')",
        "duration('0') == duration('0s')",
    ],
)
def test_claims_about_times_hold(source: str) -> None:
    """Each of these is true on the server."""
    assert compile_rule(source, {}).evaluate({}) is True


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("timestamp('9999-12-31T23:59:59Z') + duration('1h')", "timestamp overflow"),
        ("duration('9223372036s') + duration('9223372036s')", "integer overflow"),
        ("timestamp(0).getHours('foo')", "unknown time zone foo"),
        ("timestamp(0).getHours('../foo')", "unknown time zone ../foo"),
    ],
)
def test_times_have_limits(source: str, text: str) -> None:
    """Years end at 9999, durations at 64 bits."""
    with pytest.raises(EvaluationError, match=text):
        compile_rule(source, {}, result=None).evaluate({})


@pytest.mark.parametrize(
    "text",
    [
        *("2020-13-01T00:00:00Z", "2020-01-01t00:00:00z", "2020-1-1T00:00:00Z"),
        *("0000-01-01T00:00:00Z", "2020-01-01T00:00:00", "2020-01-01T00:00:00+25:00"),
        *("2020-01-01T23:59:60Z", "٢٠٢٠-01-01T00:00:00Z"),
    ],
)
def test_only_rfc_3339_is_a_timestamp(text: str) -> None:
    """Texts that are almost valid are rejected."""
    with pytest.raises(ValueError, match=r"."):
        times.parse_timestamp(text)


@pytest.mark.parametrize("text", ["", "-", "1", "1d", ".s", "s", "1h ", "9" * 400 + "h"])
def test_only_what_go_takes_is_a_duration(text: str) -> None:
    """Units are needed, and days are none."""
    with pytest.raises(ValueError, match=r"."):
        times.parse_duration(text)


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("2 days", 172800), ("1w", 604800), ("1 hour 5 mins", 3900)]
)
def test_schemas_know_longer_durations(text: str, seconds: int) -> None:
    """Fields with the format take words, too."""
    assert times.parse_schema_duration(text) == Duration(seconds * times.SECOND)

"""Schedules of cron jobs."""

import pytest

from kubewright.apiserver.builtin.batch.cron import schedule_problem


@pytest.mark.parametrize(
    "schedule",
    [
        "0 0 1,15 * 1-5",
        "*/5 * ? JAN-mar sun",
        "@hourly",
        "@every 1h30m",
        "CRON_TZ=UTC @daily",
        "5/15 * * * *",
    ],
)
def test_good_schedules_are_taken(schedule: str) -> None:
    """Users bring schedules from cron, in all of its forms."""
    assert schedule_problem(schedule) == ""


@pytest.mark.parametrize(
    ("schedule", "problem"),
    [
        ("70 * * * *", "end of range (70) above maximum (59): 70"),
        ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
        ("9-5 * * * *", "beginning of range (9) beyond end of range (5): 9-5"),
        ("*/0 * * * *", "step of range should be a positive number: */0"),
        ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
        ("1/2/3 * * * *", "too many slashes: 1/2/3"),
        ("x * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'),
        ("@never", "unrecognized descriptor: @never"),
        ("@every soon", 'failed to parse duration @every soon: time: invalid duration "soon"'),
        ("TZ=Nowhere/x * * * * *", "provided bad location Nowhere/x: unknown time zone Nowhere/x"),
    ],
)
def test_bad_schedules_say_what_is_wrong(schedule: str, problem: str) -> None:
    """The messages are those of the parser that Kubernetes uses."""
    assert schedule_problem(schedule) == problem

"""A contender that we talk to while it runs."""

import sys
from pathlib import Path

import pytest

from bench.run import MeasurementError
from bench.runtime.process import Contender


def contender(script: str) -> Contender:
    """Return a process that executes *script*."""
    return Contender([sys.executable, "-c", script], Path("/dev/null"))


def test_it_is_ready_when_it_says_so_and_its_last_line_is_the_result() -> None:
    """Libraries print what they like in between."""
    with contender("print('hello'); print('READY'); print('x'); print('{\"p50\": 1.5}')") as one:
        one.wait_until_ready()

        assert one.result() == {"p50": 1.5}


def test_one_that_ends_before_it_is_ready_is_an_error_with_its_last_words() -> None:
    """Nobody waits for what will not come."""
    with (
        contender("raise SystemExit('no such namespace')") as one,
        pytest.raises(MeasurementError, match="exit status 1: no such namespace"),
    ):
        one.wait_until_ready()


def test_one_that_ends_without_numbers_is_an_error() -> None:
    """No numbers are not zero."""
    with (
        contender("print('READY')") as one,
        pytest.raises(MeasurementError, match="nothing was said"),
    ):
        one.result()


def test_the_memory_of_one_that_waits_can_be_read() -> None:
    """An idle operator is looked at from outside."""
    with contender("import time; print('READY', flush=True); time.sleep(60)") as one:
        one.wait_until_ready()

        assert one.rss > 1

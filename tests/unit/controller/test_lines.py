import logging
from typing import Any

import pytest

from kubewright._aio import VirtualClock
from kubewright.controller import Request, Retry, Run
from kubewright.controller.deadlines import Call
from kubewright.controller.lines import Lines, described
from kubewright.controller.retry import Policies
from kubewright.errors import RetryAfter, TerminalError
from kubewright.log import get_logger


def call(*, changed: bool = False) -> Call:
    """Return a call that has ended at once."""
    run = Run("1", Request("default", "a"), (), 1, "shop", get_logger("test"), changed=changed)
    return Call(run, 0.0, None)


def lines(retry: Any = None) -> Lines:
    return Lines(get_logger("test"), Policies(retry), clock=VirtualClock())


def levels(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.levelname for record in caplog.records]


@pytest.mark.parametrize(("changed", "level"), [(True, "INFO"), (False, "DEBUG")])
def test_what_changed_something_is_told_louder(
    changed: bool, level: str, caplog: pytest.LogCaptureFixture
) -> None:
    """An operator at rest is silent."""
    caplog.set_level(logging.DEBUG)

    lines().tell_end(call(changed=changed), "success")

    assert levels(caplog) == [level]


def test_the_end_of_a_trouble_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    """Who has read of a failure wants to read that it is over."""
    caplog.set_level(logging.INFO)
    told = lines()

    told.tell_failure(call(), OSError("refused"), delay=1.0)
    told.tell_end(call(), "success")
    told.tell_end(call(), "success")

    assert levels(caplog) == ["WARNING", "INFO"]


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("no"), "ValueError: no"),
        (TerminalError("no such size"), "no such size"),
        (ExceptionGroup("", [OSError("a"), KeyError("b")]), "OSError: a; KeyError: 'b'"),
        (RetryAfter(5, "no database"), "no database"),
    ],
)
def test_an_error_is_described_by_what_people_need(error: Exception, text: str) -> None:
    """Our own texts are written to be read; of others the type says what the text does not."""
    assert described(error) == text


def test_a_limit_of_retries_is_named(caplog: pytest.LogCaptureFixture) -> None:
    """Otherwise nobody knows why it was given up this time."""
    lines({OSError: Retry(limit=3)}).tell_failure(call(), OSError("refused"), delay=None)

    assert "limit of 3 retries reached" in caplog.text

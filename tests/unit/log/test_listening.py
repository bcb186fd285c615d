"""Who listens to the lines of whatever runs now."""

import asyncio
import logging
from typing import Any

import pytest

from kubewright.log import bind, get_logger
from kubewright.log.listening import LISTENER, find_listener


class Heard:
    """A listener that remembers."""

    is_open = True

    def __init__(self) -> None:
        self.lines: list[tuple[int, str, dict[str, Any]]] = []

    def hear_line(self, level: int, event: str, fields: dict[str, Any]) -> None:
        self.lines.append((level, event, fields))


async def log_all() -> None:
    """Log a line of each level."""
    log = get_logger("kubewright.test")
    log.debug("debug")
    log.info("info", liters=1)
    log.warning("warning")
    log.error("error")
    try:
        int("x")
    except ValueError:
        log.exception("exception")


async def test_a_listener_hears_what_nobody_prints(caplog: pytest.LogCaptureFixture) -> None:
    """The lines of a run are wanted though the program prints errors only."""
    heard = Heard()

    async def task() -> None:
        LISTENER.set(heard)
        with bind(name="a"):
            await log_all()

    with caplog.at_level("CRITICAL", "kubewright.test"):
        await asyncio.create_task(task())
        await log_all()

    assert [event for _, event, _ in heard.lines] == ["info", "warning", "error", "exception"]
    assert heard.lines[0] == (logging.INFO, "info", {"name": "a", "liters": 1})
    assert not caplog.records


async def test_what_is_printed_is_printed_once(caplog: pytest.LogCaptureFixture) -> None:
    """A listener takes nothing away from the standard library, and adds nothing."""
    heard = Heard()
    token = LISTENER.set(heard)
    with caplog.at_level("DEBUG", "kubewright.test"):
        await log_all()
    LISTENER.reset(token)

    printed = [record.getMessage() for record in caplog.records]

    assert printed == ["debug", "info liters=1", "warning", "error", "exception"]
    assert len(heard.lines) == 5


async def test_one_that_is_closed_makes_no_work(caplog: pytest.LogCaptureFixture) -> None:
    """A daemon lives on with the context of the run that started it; its lines cost nothing."""
    heard = Heard()
    heard.is_open = False
    token = LISTENER.set(heard)
    with caplog.at_level("CRITICAL", "kubewright.test"):
        await log_all()
    found = find_listener()
    LISTENER.reset(token)

    assert (found, heard.lines) == (None, [])


async def test_secrets_are_hidden_from_listeners_too() -> None:
    """What is not fit for a log is not fit for a page."""
    heard = Heard()
    token = LISTENER.set(heard)
    get_logger("kubewright.test").info("log in", password="canary")
    LISTENER.reset(token)

    assert "canary" not in str(heard.lines)

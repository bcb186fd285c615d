"""Logging: on top of the standard library's, loaded when used."""

import asyncio
import logging
import subprocess
import sys

import pytest
import structlog

from kubewright.log import bind, get_logger


def test_a_line_goes_through_the_standard_library(caplog: pytest.LogCaptureFixture) -> None:
    """Users keep their handlers, levels and files."""
    log = get_logger("kubewright.test")

    log.warning("the server warns", warning="old version")

    assert caplog.record_tuples == [
        ("kubewright.test", logging.WARNING, "the server warns warning='old version'")
    ]


@pytest.mark.parametrize("method", ["debug", "info", "warning", "error"])
def test_every_level_has_its_method(method: str, caplog: pytest.LogCaptureFixture) -> None:
    """And is filtered as the standard library is told to."""
    log = get_logger("kubewright.test")
    with caplog.at_level(method.upper(), "kubewright.test"):
        getattr(log, method)("something happened", name="a")

    assert [record.levelname for record in caplog.records] == [method.upper()]


@pytest.mark.parametrize("method", ["debug", "info", "warning", "error", "exception"])
def test_a_line_below_the_level_is_not_made(method: str, caplog: pytest.LogCaptureFixture) -> None:
    """Debug lines on hot paths must cost nothing when nobody reads them."""
    log = get_logger("kubewright.test")

    with caplog.at_level("CRITICAL", "kubewright.test"):
        getattr(log, method)("a detail", name="a")
        enabled = log.is_enabled_for(logging.ERROR)

    assert caplog.records == []
    assert not enabled


def test_structlog_is_left_to_those_who_use_it() -> None:
    """It would be a sixth of what a small operator takes, in time and in memory."""
    code = "import kubewright.log as l, sys; l.get_logger('x').error('x');"
    code += " print('structlog' in sys.modules)"

    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert result.stdout.strip() == "False"


def test_a_line_carries_the_fields_of_its_block(caplog: pytest.LogCaptureFixture) -> None:
    """Without being asked; what the line says itself goes before them."""
    log = get_logger("kubewright.test")

    with bind(controller="at", name="outer"):
        log.warning("slow", name="own")
    log.warning("slow")

    assert caplog.messages == ["slow controller='at' name='own'", "slow"]


async def test_the_fields_of_two_tasks_do_not_mix(caplog: pytest.LogCaptureFixture) -> None:
    """Two reconciles run in turns on one thread."""
    log = get_logger("kubewright.test")

    async def work(name: str) -> None:
        with bind(name=name):
            await asyncio.sleep(0)
            log.warning("worked")

    await asyncio.gather(work("a"), work("b"))

    assert caplog.messages == ["worked name='a'", "worked name='b'"]


def test_fields_that_structlog_was_given_are_carried_too(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Who uses structlog in the program binds with its own means."""
    with structlog.contextvars.bound_contextvars(request="7"):
        get_logger("kubewright.test").warning("slow")

    assert caplog.messages == ["slow request='7'"]


def test_an_exception_reaches_the_handlers_as_one(caplog: pytest.LogCaptureFixture) -> None:
    """Tools that collect errors look at the exception, not at text."""
    failure = ValueError("broken")
    try:
        raise failure
    except ValueError:
        get_logger("kubewright.test").exception("reconcile failed")

    (record,) = caplog.records
    assert record.getMessage() == "reconcile failed"
    assert record.exc_info is not None
    assert record.exc_info[1] is failure


def test_an_error_that_is_not_being_handled_can_be_given(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It came out of a task, say."""
    failure = ValueError("broken")

    get_logger("kubewright.test").error("task failed", exc_info=failure)

    (record,) = caplog.records
    assert record.exc_info == (ValueError, failure, None)


def test_a_record_names_who_logged(caplog: pytest.LogCaptureFixture) -> None:
    """A user's format may show the file; ours would tell nothing."""
    get_logger("kubewright.test").warning("here")
    try:
        raise ValueError("broken")  # noqa: TRY301  # to be logged
    except ValueError:
        get_logger("kubewright.test").exception("there")

    assert [record.filename for record in caplog.records] == ["test_logger.py"] * 2


def test_a_per_cent_sign_is_just_that(caplog: pytest.LogCaptureFixture) -> None:
    """A field is no format."""
    get_logger("kubewright.test").warning("at 100%", error="%s %d")

    assert caplog.messages == ["at 100% error='%s %d'"]


def test_a_name_that_is_released_is_forgotten_unless_it_was_configured() -> None:
    """The standard library keeps names for ever, also those of what is long gone."""
    plain, configured = get_logger("kubewright.test.plain"), get_logger("kubewright.test.mine")
    logging.getLogger("kubewright.test.mine").setLevel(logging.ERROR)

    plain.release()
    configured.release()

    known = logging.Logger.manager.loggerDict
    assert "kubewright.test.plain" not in known
    assert "kubewright.test.mine" in known

"""Logging: on top of the standard library's, loaded when used."""

import logging
import subprocess
import sys

import pytest

from kubewright.log import get_logger


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


def test_a_line_below_the_level_is_not_made(caplog: pytest.LogCaptureFixture) -> None:
    """Debug lines on hot paths must cost nothing when nobody reads them."""
    log = get_logger("kubewright.test")

    with caplog.at_level("INFO", "kubewright.test"):
        log.debug("a detail", name="a")

    assert caplog.records == []


def test_structlog_is_not_loaded_before_the_first_line() -> None:
    """It is a large part of what a small program would import."""
    code = "import kubewright.log as l, sys; l.get_logger('x'); print('structlog' in sys.modules)"

    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert result.stdout.strip() == "False"

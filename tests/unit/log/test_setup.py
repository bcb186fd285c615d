"""Where the lines of a whole program go."""

import io
import json
import logging
import subprocess
import sys
from typing import Any

import pytest

from kubewright import log
from kubewright.errors import ConfigError


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_lines_of_ours_and_of_others_are_printed() -> None:
    """One stream, one format for the whole program."""
    out = io.StringIO()

    log.configure("info", "json", stream=out)
    log.get_logger("kubewright.test").info("started", workers=2)
    logging.getLogger("other").info("hello")

    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [(line["logger"], line["msg"]) for line in lines] == [
        ("kubewright.test", "started"),
        ("other", "hello"),
    ]


@pytest.mark.parametrize(("level", "count"), [("debug", 2), ("INFO", 1), ("error", 0)])
def test_less_important_lines_are_left_out(level: str, count: int) -> None:
    """As the flag says."""
    out = io.StringIO()

    log.configure(level, stream=out)
    log.get_logger("kubewright.test").debug("a detail")
    log.get_logger("kubewright.test").info("started")

    assert len(out.getvalue().splitlines()) == count


def test_configuring_again_replaces_what_was_configured() -> None:
    """Not each line twice; handlers of others stay."""
    foreign, first, second = logging.NullHandler(), io.StringIO(), io.StringIO()
    logging.getLogger().addHandler(foreign)

    log.configure(stream=first)
    log.configure(stream=second)
    log.get_logger("kubewright.test").info("started")

    assert first.getvalue() == ""
    assert second.getvalue().count("started") == 1
    assert foreign in logging.getLogger().handlers


@pytest.mark.parametrize(
    ("stream", "environment", "colour"),
    [
        (Terminal, {}, True),
        (Terminal, {"NO_COLOR": "1"}, False),
        (Terminal, {"TERM": "dumb"}, False),
        (io.StringIO, {}, False),
    ],
)
def test_colour_is_for_terminals(
    stream: type[io.StringIO],
    environment: dict[str, str],
    colour: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And only if their user has not said otherwise."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    out = stream()

    log.configure(stream=out)
    log.get_logger("kubewright.test").info("started")

    assert ("\x1b[" in out.getvalue()) is colour


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            {"level": "loud"},
            "cannot log with level 'loud': use one of debug, info, warning, error",
        ),
        ({"format": "xml"}, "cannot log with format 'xml': use one of console, json"),
    ],
)
def test_a_word_that_is_none_is_refused(wrong: dict[str, Any], message: str) -> None:
    """The person at the command line sees what is possible."""
    before = list(logging.getLogger().handlers)

    with pytest.raises(ConfigError) as caught:
        log.configure(**wrong)

    assert str(caught.value) == message
    assert logging.getLogger().handlers == before


def test_importing_and_logging_touch_no_handler() -> None:
    """A library leaves the logging of the process to the program."""
    code = (
        "import logging, kubewright.log as l; l.get_logger('x').info('quiet');"
        "print(logging.getLogger().handlers, logging.getLogger().level == logging.WARNING)"
    )

    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert (result.stdout.strip(), result.stderr) == ("[] True", "")

"""How a record looks."""

import json
import logging
import sys
from typing import Any

import pytest

from kubewright.log import bind, get_logger
from kubewright.log.formats import ConsoleFormatter, JSONFormatter

NOON = 1767268800.25
PREFIX = "2026-01-01T12:00:00.250Z"


def ours(caplog: pytest.LogCaptureFixture, event: str, **fields: Any) -> logging.LogRecord:
    """Return the record of a line of ours, logged at noon."""
    get_logger("kubewright.test").warning(event, **fields)
    record = caplog.records[-1]
    record.created = NOON
    return record


def theirs(message: str, *args: object, error: bool = False) -> logging.LogRecord:
    """Return the record of another library, logged at noon."""
    failure = sys.exc_info() if error else None
    record = logging.LogRecord("other", logging.INFO, "other.py", 1, message, args, failure)
    record.created = NOON
    return record


def test_json_has_the_names_that_kubernetes_people_know(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Those of zap: ts, level, logger, msg; the fields stand beside them."""
    record = ours(caplog, "watch failed", kind="Pod", delay=0.5, reasons=("a", "b"))

    assert JSONFormatter().format(record) == (
        f'{{"ts":"{PREFIX}","level":"warn","logger":"kubewright.test","msg":"watch failed",'
        '"kind":"Pod","delay":0.5,"reasons":["a","b"]}'
    )


def test_json_of_a_line_with_a_traceback_is_one_line(caplog: pytest.LogCaptureFixture) -> None:
    """Collectors split at the end of lines."""
    try:
        raise ValueError("broken\ninside")  # noqa: TRY301  # to be logged
    except ValueError as error:
        record = ours(caplog, "failed", error=error, exc_info=True)

    written = JSONFormatter().format(record)

    assert "\n" not in written
    line = json.loads(written)
    assert line["error"] == "broken\ninside"
    assert line["stacktrace"].startswith("Traceback (most recent call last):")


def test_json_of_other_libraries_carries_the_fields_of_the_block() -> None:
    """Every line inside a reconcile tells which one it was."""
    with bind(controller="at"):
        line = json.loads(JSONFormatter().format(theirs("sent %d bytes", 3)))

    assert line == {
        "ts": PREFIX,
        "level": "info",
        "logger": "other",
        "msg": "sent 3 bytes",
        "controller": "at",
    }


def test_json_fields_do_not_replace_what_the_line_is(caplog: pytest.LogCaptureFixture) -> None:
    """A field called level would make an error look like a detail."""
    line = json.loads(JSONFormatter().format(ours(caplog, "odd", level="debug", msg="x")))

    assert (line["level"], line["level_"], line["msg"], line["msg_"]) == (
        "warn",
        "debug",
        "odd",
        "x",
    )


def test_json_holds_any_text(caplog: pytest.LogCaptureFixture) -> None:
    """A file name may have bytes that are no text; others are shown as they are."""
    written = JSONFormatter().format(ours(caplog, "read", path="grün/\udc80", name='"'))

    assert "grün" in written
    written.encode()
    assert json.loads(written)["path"] == "grün/\udc80"


def test_console_is_a_line_for_people(caplog: pytest.LogCaptureFixture) -> None:
    """What happened stands first; plain words need no quotes."""
    record = ours(caplog, "watch failed", kind="Pod", error="not found", delay=0.5, name="")

    assert ConsoleFormatter().format(record) == (
        f"{PREFIX} WARN  watch failed kind=Pod error='not found' delay=0.5 name=''"
        " (kubewright.test)"
    )


def test_console_has_colour_only_if_it_is_wanted(caplog: pytest.LogCaptureFixture) -> None:
    """In a file the codes would be noise."""
    record = ours(caplog, "watch failed", kind="Pod")

    assert "\x1b[" not in ConsoleFormatter().format(record)
    assert "\x1b[33mWARN \x1b[0m" in ConsoleFormatter(colour=True).format(record)


def test_console_shows_a_traceback_below_the_line(caplog: pytest.LogCaptureFixture) -> None:
    """People read it as they know it."""
    try:
        raise ValueError("broken")  # noqa: TRY301  # to be logged
    except ValueError:
        record = ours(caplog, "failed", exc_info=True)

    first, second, *_, last = ConsoleFormatter().format(record).splitlines()

    assert first.endswith("failed (kubewright.test)")
    assert second == "Traceback (most recent call last):"
    assert last == "ValueError: broken"


def test_console_shows_a_field_of_several_lines_below(caplog: pytest.LogCaptureFixture) -> None:
    """A rule that is to be added to a role can be copied as it stands."""
    error = 'forbidden: "pods"\nAdd this rule:\n  - apiGroups: [""]\n\n    verbs: ["list"]\n'
    record = ours(caplog, "list failed", error=error, kind="Pod")

    assert ConsoleFormatter().format(record).splitlines() == [
        f"{PREFIX} WARN  list failed kind=Pod (kubewright.test)",
        "    error:",
        '    forbidden: "pods"',
        "    Add this rule:",
        '      - apiGroups: [""]',
        "",
        '        verbs: ["list"]',
    ]
    assert "\n" not in JSONFormatter().format(record)
    assert "\n" not in record.getMessage()


def test_console_lines_of_a_field_cannot_be_forged(caplog: pytest.LogCaptureFixture) -> None:
    """A line of ours begins with a time; what is indented does not."""
    record = ours(caplog, "seen", name="a\n2026-01-01 ERROR stolen\n\x1b[1Ab\rc")

    first, *below = ConsoleFormatter().format(record).split("\n")

    assert first == f"{PREFIX} WARN  seen (kubewright.test)"
    assert all(line.startswith("    ") and line.isprintable() for line in below)


@pytest.mark.parametrize("char", ["\n", "\r", "\x1b", "\u2028"])
def test_console_lines_cannot_be_forged(caplog: pytest.LogCaptureFixture, char: str) -> None:
    """The name of an object, or a message of a server, must not pass for a line of ours."""
    text = f"a{char}2026-01-01 ERROR stolen"

    for record in (ours(caplog, "seen", reasons=[text]), theirs(text)):
        written = ConsoleFormatter().format(record)

        assert char not in written
        assert len(written.splitlines()) == 1


def test_credentials_in_lines_of_others_are_hidden() -> None:
    """In the message and in the traceback."""
    try:
        raise ValueError("Bearer abcdefgh12345")  # noqa: TRY301  # to be logged
    except ValueError:
        record = theirs("sent Bearer %s", "abcdefgh12345", error=True)

    for formatter in (JSONFormatter(), ConsoleFormatter()):
        assert "abcdefgh12345" not in formatter.format(record)


def test_a_stack_that_was_asked_for_is_shown() -> None:
    """``logging`` calls it stack_info."""
    record = theirs("here")
    record.stack_info = "Stack (most recent call last):\n  here"

    assert json.loads(JSONFormatter().format(record))["stacktrace"] == record.stack_info

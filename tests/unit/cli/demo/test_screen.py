import io
from datetime import UTC, datetime, timedelta

import pytest
from rich.console import Console

from kubewright.cli.demo.screen import PlainScreen, RichScreen, Row, Screen, screen
from kubewright.testing import VirtualClock

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def row() -> Row:
    return Row("example", NOON + timedelta(seconds=5), NOON)


def play(shown: Screen) -> None:
    """Show all that a demo shows."""
    one = row()
    shown.title("[bold]title")
    shown.show_step("cluster", "[1] runs")
    with shown.showing(one) as changed:
        one.phase = "PENDING"
        changed()
        one.phase, one.pod, one.pod_phase = "DONE", "example-pod", "Succeeded"
        changed()
    shown.log("example-pod", "YAY\n")


def test_without_a_terminal_each_change_is_a_line() -> None:
    """A log of a build has no cursor to move."""
    out = io.StringIO()

    play(PlainScreen(out, VirtualClock(NOON)))

    assert out.getvalue().splitlines() == [
        "[bold]title",
        "cluster     [1] runs",
        "   AFTER  NAME     PHASE    POD",
        "   0.0 s  example  PENDING  in 5 s",
        "   0.0 s  example  DONE     example-pod Succeeded",
        "$ kubectl logs example-pod",
        "YAY",
    ]


def test_in_a_terminal_the_table_ends_with_the_last_state() -> None:
    """What stays on the screen is what a person reads."""
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=100, highlight=False)

    play(RichScreen(console, VirtualClock(NOON)))

    said = out.getvalue()
    assert "[bold]title" in said  # text is not markup
    assert "[1] runs" in said
    for word in ("PENDING", "DONE", "example-pod", "Succeeded", "in 5 s", "YAY"):
        assert word in said


def test_the_stream_decides_how_it_looks() -> None:
    """Colours and cursors are for terminals."""
    assert isinstance(screen(io.StringIO()), PlainScreen)
    assert isinstance(screen(Terminal()), RichScreen)


def test_why_it_is_over_goes_where_errors_go(capsys: pytest.CaptureFixture[str]) -> None:
    """Standard error, unless there is a terminal that shows both."""
    console = Console(file=io.StringIO(), force_terminal=True, highlight=False)

    PlainScreen(io.StringIO()).fail("no [node]")
    RichScreen(console).fail("no [node]")

    assert capsys.readouterr().err == "no [node]\n"
    assert "no [node]" in console.file.getvalue()  # type: ignore[attr-defined]  # a StringIO


@pytest.mark.parametrize(
    ("phase", "seconds", "said"),
    [("", 0, "in 5 s"), ("PENDING", 3, "in 2 s"), ("PENDING", 9, ""), ("RUNNING", 3, "")],
)
def test_the_wait_is_counted_down_while_it_lasts(phase: str, seconds: int, said: str) -> None:
    """Five seconds of nothing would look like a failure."""
    one = row()
    one.phase = phase

    assert one.wait(NOON + timedelta(seconds=seconds)) == said

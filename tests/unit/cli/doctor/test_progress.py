import io

from kubewright._aio import VirtualClock
from kubewright.cli.doctor.progress import Progress


class Terminal(io.StringIO):
    """A stream that people look at."""

    def isatty(self) -> bool:
        return True


async def test_it_says_nothing_in_the_first_second() -> None:
    """Most examinations are over by then."""
    clock, stream = VirtualClock(), Terminal()
    progress = Progress(stream, clock)

    progress.begin(2)
    progress.show(["a"])
    progress.end()

    assert stream.getvalue() == ""


async def test_on_a_terminal_it_is_one_line_that_goes_away() -> None:
    """The report begins on an empty line."""
    clock, stream = VirtualClock(), Terminal()
    progress = Progress(stream, clock)
    progress.begin(3)

    await clock.advance(2)
    progress.show(["webhooks", "CRDs"])
    progress.end()

    assert stream.getvalue() == (
        "\r1 of 3 checks done; still looking at: webhooks, CRDs\x1b[K\r\x1b[K"
    )


async def test_in_a_log_it_is_said_once() -> None:
    """A log is not a screen."""
    clock, stream = VirtualClock(), io.StringIO()
    progress = Progress(stream, clock)
    progress.begin(3)

    await clock.advance(2)
    progress.show(["webhooks", "CRDs"])
    progress.show(["CRDs"])
    progress.show([])
    progress.end()

    assert stream.getvalue() == "1 of 3 checks done; still looking at: webhooks, CRDs\n"

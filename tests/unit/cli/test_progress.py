"""How far a command is."""

import io

from kubewright._aio import VirtualClock
from kubewright.cli.progress import Progress


class Terminal(io.StringIO):
    """A stream that a person looks at."""

    def isatty(self) -> bool:
        """Say so."""
        return True


async def test_a_terminal_has_one_line_that_changes() -> None:
    """It appears after a second, and changes every second."""
    clock, stream = VirtualClock(), Terminal()
    progress = Progress(stream, clock)

    progress.begin()
    progress.show("too early")
    await clock.advance(1)
    progress.show("one")
    progress.show("too soon")
    await clock.advance(1)
    progress.show("two")
    progress.end()

    assert stream.getvalue() == "\rone\x1b[K\rtwo\x1b[K\n"


async def test_the_line_makes_room_for_a_result() -> None:
    """Otherwise half of it would stay behind the result."""
    clock, stream = VirtualClock(), Terminal()
    progress = Progress(stream, clock)

    progress.show("one")
    progress.clear()
    progress.clear()
    progress.end()

    assert stream.getvalue() == "\rone\x1b[K\r\x1b[K"


async def test_a_file_gets_a_line_now_and_then() -> None:
    """The log of a pipeline is not filled with it, and has no signs for terminals."""
    clock, stream = VirtualClock(), io.StringIO()
    progress = Progress(stream, clock)

    progress.begin()
    for number in range(14):
        await clock.advance(1)
        progress.show(f"{number} of 14")
    progress.clear()
    progress.end()

    assert stream.getvalue() == "0 of 14\n10 of 14\n"

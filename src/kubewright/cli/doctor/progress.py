"""Says on stderr what the doctor still looks at, once it takes longer than a moment."""

from collections.abc import Sequence
from typing import TextIO

from kubewright._aio import Clock

__all__ = ["Progress"]

_QUIET = 1.0  # seconds in which nobody asks how far it is


class Progress:
    """One line that changes, on a terminal; nothing elsewhere but one line at the first second.

    Args:
        stream: Where to say it.
        clock: The source of time.
    """

    def __init__(self, stream: TextIO, clock: Clock) -> None:
        self._stream = stream
        self._clock = clock
        self._from = clock.monotonic() + _QUIET
        self._total = 0
        self._shown = False

    def begin(self, total: int) -> None:
        """Begin with *total* checks."""
        self._total = total

    def show(self, open_: Sequence[str]) -> None:
        """Say which checks are not over, unless it has just begun."""
        if self._clock.monotonic() < self._from or not open_:
            return
        done = self._total - len(open_)
        text = f"{done} of {self._total} checks done; still looking at: {', '.join(open_)}"
        if self._stream.isatty():
            self._stream.write(f"\r{text}\x1b[K")
        elif not self._shown:
            self._stream.write(f"{text}\n")
        self._stream.flush()
        self._shown = True

    def end(self) -> None:
        """Clear the line that changes."""
        if self._shown and self._stream.isatty():
            self._stream.write("\r\x1b[K")
            self._stream.flush()
        self._shown = False

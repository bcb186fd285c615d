"""`Progress`: says how far a command is, once it takes longer than a moment."""

from typing import TextIO

from kubewright._aio import Clock

__all__ = ["Progress"]

_QUIET = 1.0  # seconds in which nobody asks how far it is
_EVERY = 1.0
_EVERY_IN_FILE = 10.0


class Progress:
    """One line that changes on a terminal; elsewhere, such as in CI, a line now and then.

    Args:
        stream: Where to say it.
        clock: The source of time.
    """

    def __init__(self, stream: TextIO, clock: Clock) -> None:
        self._stream = stream
        self._clock = clock
        self._next = 0.0
        self._shown = False

    def begin(self) -> None:
        """Begin something; it is not worth a word for a second."""
        self._next = self._clock.monotonic() + _QUIET

    def show(self, text: str) -> None:
        """Say how far it is, unless that was said just now."""
        now = self._clock.monotonic()
        if now < self._next:
            return
        on_terminal = self._stream.isatty()
        self._next = now + (_EVERY if on_terminal else _EVERY_IN_FILE)
        self._stream.write(f"\r{text}\x1b[K" if on_terminal else f"{text}\n")
        self._stream.flush()
        self._shown = on_terminal

    def clear(self) -> None:
        """Take the line that changes away, before something else is printed."""
        self._leave("\r\x1b[K")

    def end(self) -> None:
        """Leave the line that changes as it is."""
        self._leave("\n")

    def _leave(self, by: str) -> None:
        if self._shown:
            self._stream.write(by)
            self._stream.flush()
        self._shown = False

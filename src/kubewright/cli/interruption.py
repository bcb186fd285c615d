"""Signals that end a command, held back until there is a good moment."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["Interrupted", "held_signals"]

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP
_DEFAULTS = (signal.SIG_DFL, signal.default_int_handler)


class Interrupted(SystemExit):
    """The user, or the system, wants the command to end.

    It ends with the status that shells know, should the signal itself not end it: the first process
    of a container is spared by those that nobody handles.

    Attributes:
        name: The name of the signal.
    """

    def __init__(self, signum: int) -> None:
        super().__init__(128 + signum)
        self.name: str = signal.Signals(signum).name


@contextmanager
def held_signals() -> Iterator[Callable[[], None]]:
    """Hold signals back that would end the command; afterwards, they do.

    Yields a function for the good moments: it raises `Interrupted` if a signal has come. Then the
    block should put things in order, and needs not fear the next signal.

    Only Python's main thread gets signals, so nothing is held back in others. Signals that are
    ignored, as by ``nohup``, or that somebody else handles, stay as they are.
    """
    came: list[int] = []

    def check() -> None:
        if came:
            raise Interrupted(came[0])

    before = _hold(lambda signum, _: came.append(signum))
    try:
        yield check
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)
        if came:
            signal.raise_signal(came[0])


def _hold(handler: Callable[[int, Any], None]) -> dict[int, Any]:
    """Let *handler* take the signals, and return who has taken each before."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    there = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    before = {one: signal.getsignal(one) for one in there if signal.getsignal(one) in _DEFAULTS}
    for signum in before:
        signal.signal(signum, handler)
    return before

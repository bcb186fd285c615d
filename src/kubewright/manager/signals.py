"""SIGTERM and SIGINT: the first is a request, the second is an order."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from kubewright.log import get_logger

_log = get_logger(__name__)

SIGNALS: tuple[signal.Signals, ...] = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def stopping_on_signals(
    stop: Callable[[], object],
    *,
    exit: Callable[[int], object] = os._exit,  # noqa: A002
) -> Iterator[None]:
    """Call *stop* at the first signal; at the second, end the process with status 1.

    The second is obeyed even while code of the user blocks the event loop, which then hears
    nothing.

    Args:
        stop: Begins a graceful stop; must not wait.
        exit: Ends the process at once, without cleaning up: that is what hangs.
    """
    loop, asked, sent = asyncio.get_running_loop(), False, 0

    def interrupt(number: int, frame: FrameType | None) -> None:
        """Run at once, in the midst of whatever the event loop does; it hears the signal later."""
        nonlocal sent
        sent += 1
        if sent > 1 and not asked:
            with suppress(Exception):  # the midst of writing a line, maybe
                name = signal.Signals(number).name
                _log.error("second signal, and the event loop is blocked: exiting", signal=name)
            exit(1)

    def hear(number: signal.Signals) -> None:
        nonlocal asked
        if asked:
            _log.error("second signal, exiting at once", signal=number.name)
            exit(1)
            return
        asked = True
        _log.info("signal received, stopping", signal=number.name)
        stop()

    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number in SIGNALS:
        loop.add_signal_handler(number, hear, number)
        signal.signal(number, interrupt)  # in the place of one that does nothing
        signal.siginterrupt(number, False)  # as it was: nothing that waits for the system fails
    try:
        yield
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)  # asyncio.run has one of its own for Ctrl-C

"""SIGTERM and SIGINT: the first is a request, the second is an order."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

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

    Args:
        stop: Begins a graceful stop; must not wait.
        exit: Ends the process at once, without cleaning up: that is what hangs.
    """
    loop, asked = asyncio.get_running_loop(), False

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
    try:
        yield
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)  # asyncio.run has one of its own for Ctrl-C

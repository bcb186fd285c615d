import signal
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from kubewright.cli.interruption import Interrupted, held_signals


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Handle signals as a command does at its start; uvloop leaves handlers of closed loops."""
    usual: dict[int, Any] = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGTERM: signal.SIG_DFL,
        signal.SIGHUP: signal.SIG_DFL,
    }
    before = {signum: signal.signal(signum, handler) for signum, handler in usual.items()}
    yield
    for signum, handler in before.items():
        signal.signal(signum, handler)


def test_a_signal_waits_for_a_good_moment_and_for_the_end_of_the_block() -> None:
    """In between, a second one cannot disturb who puts things in order."""
    seen: list[str] = []
    interrupted: list[Interrupted] = []

    def work() -> None:
        with held_signals() as check:
            check()
            signal.raise_signal(signal.SIGINT)
            seen.append("still here")
            try:
                check()
            except Interrupted as error:
                interrupted.append(error)
            signal.raise_signal(signal.SIGINT)
            seen.append("put in order")

    with pytest.raises(KeyboardInterrupt):
        work()

    assert seen == ["still here", "put in order"]
    assert [(one.name, one.code) for one in interrupted] == [("SIGINT", 130)]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_signal_that_is_ignored_stays_ignored() -> None:
    """`nohup kubewright ...` is there to survive the terminal."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with held_signals() as check:
            signal.raise_signal(signal.SIGHUP)
            check()
    finally:
        signal.signal(signal.SIGHUP, before)


def test_other_threads_hold_nothing() -> None:
    """Python lets only the main one set handlers."""
    held = []

    def hold() -> None:
        with held_signals() as check:
            check()
            held.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=hold)
    thread.start()
    thread.join()

    assert held == [signal.SIG_DFL]

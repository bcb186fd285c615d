import asyncio
import os
import signal

import pytest

from kubewright.manager.signals import SIGNALS, stopping_on_signals


@pytest.mark.parametrize("number", SIGNALS)
async def test_the_first_is_polite_and_the_second_is_final(number: signal.Signals) -> None:
    """Who sends it twice does not want to wait."""
    stops, exits = asyncio.Queue[str](), asyncio.Queue[int]()

    with stopping_on_signals(lambda: stops.put_nowait("stop"), exit=exits.put_nowait):
        os.kill(os.getpid(), number)
        await stops.get()
        polite = exits.empty()
        os.kill(os.getpid(), signal.SIGTERM)
        status = await exits.get()

    assert polite
    assert (stops.empty(), status) == (True, 1)


async def test_the_second_is_final_even_if_the_event_loop_is_blocked() -> None:
    """A reconciler that never awaits anything can be ended with Ctrl-C, too."""
    exits: list[int] = []

    with stopping_on_signals(lambda: None, exit=exits.append):
        for expected in ([], [1]):
            signal.raise_signal(signal.SIGINT)

            assert exits == expected


async def test_afterwards_signals_mean_what_they_meant_before() -> None:
    """Ctrl-C must not be swallowed by a manager that is gone."""
    before = [signal.getsignal(number) for number in SIGNALS]

    with stopping_on_signals(lambda: None):
        pass

    assert [signal.getsignal(number) for number in SIGNALS] == before

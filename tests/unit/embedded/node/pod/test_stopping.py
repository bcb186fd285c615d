import asyncio
import signal

import pytest

from kubewright._aio import VirtualClock
from kubewright.embedded.node.pod.live import LiveContainer
from kubewright.embedded.node.pod.stopping import stop_all, stop_one, stop_signal
from kubewright.kinds.core.v1 import (
    Container,
    ExecAction,
    Lifecycle,
    LifecycleHandler,
    SleepAction,
)
from tests.unit.embedded.node.doubles import AContainer, target


class Ending(AContainer):
    """A container that ends some time after a signal."""

    def __init__(self, clock: VirtualClock, takes: float | None, code: int = 0) -> None:
        super().__init__(code=code)
        self._clock, self._takes = clock, takes
        self.live: LiveContainer

    def signal(self, number: int) -> None:
        super().signal(number)
        if number == signal.SIGKILL or self._takes == 0:
            self.live.end()
        elif self._takes is not None:
            self._clock.call_later(self._takes, self.live.end)


def ending(
    clock: VirtualClock, takes: float | None, *, hook: LifecycleHandler | None = None, code: int = 0
) -> tuple[LiveContainer, Ending]:
    """Return a container that takes so long to end; ``None`` for one that does not."""
    handle = Ending(clock, takes, code)
    container = Container(name="a", lifecycle=Lifecycle(pre_stop=hook) if hook else None)
    handle.live = LiveContainer("a", target(container, handle=handle))
    return handle.live, handle


@pytest.mark.parametrize(
    ("takes", "grace", "signals", "ends_at"),
    [
        (0, 30, [signal.SIGTERM], 0),
        (5, 30, [signal.SIGTERM], 5),
        (None, 30, [signal.SIGTERM, signal.SIGKILL], 30),
        (0, 0, [signal.SIGTERM], 0),
        (None, 0, [signal.SIGTERM, signal.SIGKILL], 2),
    ],
)
async def test_a_container_is_asked_and_then_killed(
    takes: float | None, grace: float, signals: list[int], ends_at: float
) -> None:
    """However short the time is, it is asked first, and gets two seconds."""
    clock = VirtualClock()
    live, handle = ending(clock, takes)

    await clock.run(stop_one(live, grace, hooks=True, clock=clock, report=_fail))

    assert handle.signals == signals
    assert clock.monotonic() == ends_at


async def test_a_hook_comes_first_and_its_time_counts() -> None:
    """After it there are at least two seconds."""
    clock = VirtualClock()
    hook = LifecycleHandler(sleep=SleepAction(seconds=8))
    live, handle = ending(clock, None, hook=hook)

    await clock.run(stop_one(live, 10, hooks=True, clock=clock, report=_fail))

    assert handle.signals == [signal.SIGTERM, signal.SIGKILL]
    assert clock.monotonic() == 10


@pytest.mark.parametrize(
    "hook",
    [
        LifecycleHandler(sleep=SleepAction(seconds=99)),
        LifecycleHandler(exec=ExecAction(command=["x"])),
    ],
)
async def test_a_hook_that_fails_is_reported_and_holds_up_nothing(hook: LifecycleHandler) -> None:
    """The container is ended all the same, and nobody learns what the hook wrote."""
    clock, reported = VirtualClock(), []
    live, handle = ending(clock, 0, hook=hook, code=1)

    await clock.run(
        stop_one(
            live,
            5,
            hooks=True,
            clock=clock,
            report=lambda name, text: reported.append((name, text)),
        )
    )

    assert handle.signals == [signal.SIGTERM]
    assert reported == [("a", "PreStopHook failed")]


async def test_groups_end_one_after_the_other_within_the_same_time() -> None:
    """Sidecars last; the last ones get at least two seconds."""
    clock = VirtualClock()
    pairs = [ending(clock, takes) for takes in (None, 3, None)]
    groups = [[live for live, _ in pairs[:2]], [pairs[2][0]]]

    stopping = asyncio.create_task(stop_all(groups, 10, hooks=True, clock=clock, report=_fail))
    await clock.advance(9)
    before = pairs[2][1].signals[:]
    await clock.run(stopping)

    assert before == []
    assert [handle.signals[-1] for _, handle in pairs] == [9, 15, 9]
    assert clock.monotonic() == 12


async def test_all_hooks_begin_at_once_though_sidecars_end_last() -> None:
    """Time is short; only the signals are in order."""
    clock = VirtualClock()
    hook = LifecycleHandler(sleep=SleepAction(seconds=3))
    work, sidecar = ending(clock, 5), ending(clock, 0, hook=hook)

    stopping = stop_all([[work[0]], [sidecar[0]]], 30, hooks=True, clock=clock, report=_fail)
    await clock.run(stopping)

    assert clock.monotonic() == 5
    assert sidecar[1].signals == [signal.SIGTERM]


@pytest.mark.parametrize(
    ("name", "number"), [(None, 15), ("SIGQUIT", signal.SIGQUIT), ("SIGRTMIN+3", 15)]
)
def test_a_container_may_name_its_own_signal(name: str | None, number: int) -> None:
    """Nginx wants SIGQUIT."""
    container = Container(name="a", lifecycle=Lifecycle(stop_signal=name))

    assert stop_signal(container) == number
    assert stop_signal(Container(name="a")) == signal.SIGTERM


def _fail(name: str, message: str) -> None:
    raise AssertionError(message)

"""How containers are ended: a preStop hook, a signal, and SIGKILL after the grace period."""

import asyncio
import signal
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

from kubewright._aio import Clock
from kubewright.embedded.node.pod.actions import Outcome, perform
from kubewright.embedded.node.pod.live import LiveContainer
from kubewright.kinds.core.v1 import Container

__all__ = ["stop_all", "stop_one", "stop_signal"]

LEAST: float = 1.0
"""The least number of seconds for a stop, even without a grace period."""
LEAST_AFTER_SIGNAL: float = 2.0
"""Seconds that a container gets to end by itself, however long its preStop hook took."""

HookFailed = Callable[[str, str], None]


async def stop_all(
    groups: Iterable[Sequence[LiveContainer]],
    grace: float,
    *,
    hooks: bool,
    clock: Clock,
    report: HookFailed,
) -> None:
    """End groups of containers, one group after the other, all within *grace* seconds.

    Their preStop hooks begin at once; only the signals are in order.

    Args:
        groups: Those of one group end together.
        grace: How long all of it may take before containers are killed.
        hooks: Whether preStop hooks are run.
        clock: Where time comes from.
        report: Called with the container and the problem when a hook fails.
    """
    before: list[LiveContainer] = []
    async with asyncio.TaskGroup() as tasks:
        for group in groups:
            for live in group:
                stop = stop_one(
                    live, grace, hooks=hooks, clock=clock, report=report, after=tuple(before)
                )
                tasks.create_task(stop)
            before += group


async def stop_one(
    live: LiveContainer,
    grace: float,
    *,
    hooks: bool,
    clock: Clock,
    report: HookFailed,
    after: Sequence[LiveContainer] = (),
) -> None:
    """End one container, after others have ended if there is time; return when it has ended."""
    end = clock.monotonic() + max(grace, LEAST)
    if hooks:
        await _pre_stop(live, end - clock.monotonic(), clock=clock, report=report)
    with suppress(TimeoutError):
        async with clock.timeout(max(end - clock.monotonic(), 0.0)):
            for other in after:
                await other.wait()
    live.target.handle.signal(stop_signal(live.target.container))
    try:
        async with clock.timeout(max(end - clock.monotonic(), LEAST_AFTER_SIGNAL)):
            await live.wait()
    except TimeoutError:
        live.target.handle.signal(signal.SIGKILL)
        await live.wait()


def stop_signal(container: Container) -> int:
    """Return the signal that asks a container to end; SIGTERM unless it names one we know."""
    wanted = container.lifecycle.stop_signal if container.lifecycle else None
    return signal.Signals.__members__.get(wanted or "", signal.SIGTERM)


async def _pre_stop(live: LiveContainer, grace: float, *, clock: Clock, report: HookFailed) -> None:
    lifecycle = live.target.container.lifecycle
    if lifecycle is None or lifecycle.pre_stop is None:
        return
    try:
        async with clock.timeout(grace):
            outcome = await perform(lifecycle.pre_stop, live.target, clock=clock)
    except TimeoutError:
        outcome = Outcome(False)
    if not outcome.ok:
        # Not what it wrote: that may hold a secret, and events are read by many.
        report(live.name, "PreStopHook failed")

"""How containers are ended: a hook, a polite signal, and after the grace period a rude one."""

import asyncio
import signal
from collections.abc import Callable, Iterable, Sequence

from kubewright._aio import Clock
from kubewright.embedded.node.actions import Outcome, perform
from kubewright.embedded.node.live import LiveContainer
from kubewright.kinds.core.v1 import Container

__all__ = ["stop_all", "stop_one", "stop_signal"]

LEAST_AFTER_HOOK: float = 2.0
"""Seconds that a container gets after its preStop hook, however long that took."""

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

    Args:
        groups: Those of one group end together.
        grace: How long all of it may take before containers are killed.
        hooks: Whether preStop hooks are run.
        clock: Where time comes from.
        report: Called with the container and the problem when a hook fails.
    """
    end = clock.monotonic() + grace
    for group in groups:
        left = max(end - clock.monotonic(), LEAST_AFTER_HOOK if grace > 0 else 0.0)
        async with asyncio.TaskGroup() as tasks:
            for live in group:
                tasks.create_task(stop_one(live, left, hooks=hooks, clock=clock, report=report))


async def stop_one(
    live: LiveContainer, grace: float, *, hooks: bool, clock: Clock, report: HookFailed
) -> None:
    """End one container; return when it has ended."""
    began = clock.monotonic()
    if hooks and grace > 0:
        await _pre_stop(live, grace, clock=clock, report=report)
    if grace > 0:
        left = max(grace - (clock.monotonic() - began), LEAST_AFTER_HOOK)
        live.target.handle.signal(stop_signal(live.target.container))
        try:
            async with clock.timeout(left):
                await live.wait()
        except TimeoutError:
            pass
        else:
            return
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

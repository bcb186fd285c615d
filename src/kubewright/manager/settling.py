"""`wait_settled`: waits until no runnable of a manager has anything to do."""

import asyncio
from collections.abc import Coroutine, Iterator
from typing import Any

from kubewright._aio import Clock, TaskSet
from kubewright.errors import LifecycleError
from kubewright.manager.member import Member
from kubewright.manager.stages import Stages
from kubewright.runnable import Settling

__all__ = ["wait_settled"]

_MOST = 5  # of what is busy, in a message


async def wait_settled(
    stages: Stages,
    *,
    started: asyncio.Event,
    ended: asyncio.Event,
    timeout: float | None,
    clock: Clock,
) -> None:
    """Return once no runnable of *stages* is busy, all seen in one moment.

    Args:
        stages: The runnables to ask.
        started: Set when all have been started.
        ended: Set when the manager begins to stop.
        timeout: How many seconds to wait at most.
        clock: Whose seconds.

    Raises:
        TimeoutError: It took longer; the message names what is busy.
        LifecycleError: The manager has ended.
    """
    try:
        async with clock.timeout(timeout):
            await _first_of(started.wait(), ended=ended)
            # After each wait all are asked again: what one finished may be work for another.
            while (busy := next(_busy(stages), None)) is not None:
                member, runnable = busy
                await _first_of(runnable.wait_idle(), ended=ended, task=member.task)
    except TimeoutError:
        raise TimeoutError(_late(stages, timeout, is_started=started.is_set())) from None


async def _first_of(
    work: Coroutine[Any, Any, object],
    *,
    ended: asyncio.Event,
    task: "asyncio.Task[None] | None" = None,
) -> None:
    """Wait for *work*, or until it cannot come to its end."""
    async with TaskSet() as tasks:
        waited: set[asyncio.Task[Any]] = {tasks.start(work), tasks.start(ended.wait())}
        if task is not None:
            waited.add(task)
        await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
    if ended.is_set():
        raise LifecycleError("the manager has stopped, so it does not settle any more")


def _busy(stages: Stages) -> Iterator[tuple[Member, Settling]]:
    for member in stages.running:
        runnable = member.runnable
        if isinstance(runnable, Settling) and any(runnable.busy()):
            yield member, runnable


def _late(stages: Stages, timeout: float | None, *, is_started: bool) -> str:
    if not is_started:
        return f"the manager has not started within {timeout:g} seconds"
    texts = [what for _, runnable in _busy(stages) for what in runnable.busy()]
    more = f"; and {len(texts) - _MOST} more" if len(texts) > _MOST else ""
    named = "; ".join(texts[:_MOST])
    return f"the manager has not settled within {timeout:g} seconds: {named}{more}"

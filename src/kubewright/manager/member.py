"""One runnable of a manager."""

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

from kubewright._aio import TaskSet
from kubewright.client.witness import OPERATOR
from kubewright.errors import LifecycleError
from kubewright.runnable import Readying, Runnable, Stage

Failed = Callable[[str, Exception], None]


class Member:
    """One runnable, and the task that it runs in.

    The task has the manager as its parent, which waits for it as long as the grace period lasts: a
    `TaskSet` would wait for ever for a runnable that does not end.
    """

    def __init__(self, runnable: Runnable, stage: Stage) -> None:
        self.runnable: Runnable = runnable
        self.stage: Stage = stage
        self.name: str = name_of(runnable)
        self.ready: bool = False
        self.task: asyncio.Task[None] | None = None
        self.is_cancelled: bool = False

    def start(self, failed: Failed) -> asyncio.Task[None]:
        """Run it."""
        self.task = asyncio.create_task(self._run(failed), name=self.name)
        return self.task

    def cancel(self) -> None:
        """Ask it to end."""
        self.is_cancelled = True
        if self.task is not None:
            self.task.cancel()

    async def wait_ready(self, failed: Failed) -> None:
        """Return once others can build on it, or it is over."""
        if isinstance(self.runnable, Readying) and self.task is not None:
            async with TaskSet() as tasks:
                waiting = tasks.start(self._when_ready(self.runnable, failed))
                await asyncio.wait({waiting, self.task}, return_when=asyncio.FIRST_COMPLETED)
        self.ready = True

    async def _run(self, failed: Failed) -> None:
        OPERATOR.set(True)  # in this task only: whoever has added it may be a test
        try:
            await self.runnable.run()
        except asyncio.CancelledError:
            if self.is_cancelled:
                raise
            failed(self.name, LifecycleError(f"{self.name} was cancelled, but not by its manager"))
        except Exception as error:  # noqa: BLE001  # the manager raises it when all has stopped
            failed(self.name, error)
        except (SystemExit, KeyboardInterrupt, GeneratorExit):
            raise  # the event loop ends with these
        except BaseException as error:  # noqa: BLE001  # or it would end unheard, and all look well
            failed(self.name, LifecycleError(f"{self.name} raised {error!r}"))

    async def _when_ready(self, runnable: Readying, failed: Failed) -> None:
        try:
            await runnable.wait_ready()
        except Exception as error:  # noqa: BLE001  # as above
            failed(self.name, error)


def name_of(runnable: object) -> str:
    """Return what to call *runnable* to people: its type, and its name if it has one."""
    kind, name = type(runnable).__name__, getattr(runnable, "name", "")
    return f"{kind} {name}" if isinstance(name, str) and name else kind


def check_name(runnable: object) -> str:
    """Return what to call *runnable* on a health page, such as ``controller/shop``."""
    kind, name = type(runnable).__name__.lower(), getattr(runnable, "name", "")
    return f"{kind}/{name}" if isinstance(name, str) and name else kind


def place_of(member: Member) -> str:
    """Return where *member* waits, such as ``shop.py:42 in reconcile``; empty if unknown."""
    inner: Any = member.task.get_coro() if member.task else None
    while inspect.iscoroutine(awaited := getattr(inner, "cr_await", None)):
        inner = awaited
    frame = getattr(inner, "cr_frame", None)
    if frame is None:
        return ""
    return f"{frame.f_code.co_filename}:{frame.f_lineno} in {frame.f_code.co_name}"

"""Tasks with a parent that waits for them."""

import asyncio
from collections.abc import Coroutine
from contextvars import Context, copy_context
from types import TracebackType
from typing import Any, Self, TypeVar

T = TypeVar("T")


class TaskSet:
    """Tasks that do not outlive a block: on its exit they are cancelled and waited for.

    Unlike `asyncio.TaskGroup`, leaving the block does not wait for the tasks to finish by
    themselves. Like it, a task that fails cancels the others and the block, and its error comes
    out of the block in an `ExceptionGroup`.

    Args:
        own_context: Whether tasks begin with the context variables of the block, and not with those
            of whoever starts them. A task that serves all must not work for the first who asks.

    Example:
        >>> async def main():
        ...     async with TaskSet() as tasks:
        ...         forever = tasks.start(asyncio.Event().wait())
        ...     return forever.cancelled()
        >>> asyncio.run(main())
        True
    """

    def __init__(self, *, own_context: bool = False) -> None:
        self._group = asyncio.TaskGroup()
        self._context = copy_context() if own_context else None
        self._tasks: set[asyncio.Task[Any]] = set()

    def __len__(self) -> int:
        return len(self._tasks)

    def start(
        self,
        work: Coroutine[Any, Any, T],
        *,
        name: str | None = None,
        context: Context | None = None,
    ) -> asyncio.Task[T]:
        """Run *work* until it ends, fails, or the block is left.

        Args:
            work: What to run.
            name: What the task is called.
            context: The context variables it begins with; a copy of the caller's unless given, or
                of the block's if it has a context of its own.
        """
        if context is None and self._context is not None:
            context = self._context.copy()
        task = self._group.create_task(work, name=name, context=context)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def cancel(self) -> None:
        """Ask every task to stop; the block goes on."""
        for task in list(self._tasks):
            task.cancel()

    async def wait(self) -> None:
        """Wait until no task is left, including tasks that are started meanwhile."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.cancel()
        await self._group.__aexit__(kind, error, traceback)

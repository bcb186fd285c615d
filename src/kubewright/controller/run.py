"""`Run`: what a reconciler is told about the call it is in."""

import asyncio
import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial
from typing import Any, ParamSpec, TypeVar

import msgspec

from kubewright.controller.request import Reason, Request
from kubewright.log import Logger

__all__ = ["Run"]

P = ParamSpec("P")
T = TypeVar("T")


class Run(msgspec.Struct, eq=False):
    """One call of a reconciler.

    Attributes:
        id: Tells this call from all others; every log line of it carries it.
        request: What to reconcile.
        reasons: Why: what was seen since the last call began. A hint for people, not for code: a
            few may be left out, and after a restart they are others.
        attempt: 1, and one more after each failure in a row.
        controller: The name of the controller.
        kind: The kind that it reconciles; empty if there is none.
        log: A logger whose lines say all of this.
        changed: Set it to true when the call has changed something; its log line is then shown
            at level INFO, not DEBUG.
        held: What must end before the same object is reconciled again; see `hold`.
        thread: The id of the thread that works for the call, while one does.
    """

    id: str
    request: Request
    reasons: tuple[Reason, ...]
    attempt: int
    controller: str
    log: Logger
    kind: str = ""
    changed: bool = False
    held: tuple[asyncio.Future[Any], ...] = ()
    thread: int = 0

    def fields(self) -> dict[str, str]:
        """Return what every line says that is logged during the call."""
        return {
            "controller": self.controller,
            "kind": self.kind,
            "namespace": self.request.namespace,
            "name": self.request.name,
            "reconcile_id": self.id,
        }

    def hold(self, work: "asyncio.Future[Any]") -> None:
        """Keep the object from being reconciled again until *work* is done.

        For work that goes on when the call is cancelled, as a thread does. The worker is free
        meanwhile.
        """
        self.held = (*self.held, work)

    async def in_thread(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call *function* in a thread, and return what it returns.

        A thread cannot be stopped. When the deadline passes, this call ends and the thread goes
        on; the object stays untouched by others until it has ended, too.
        """
        return await self.in_executor(None, partial(function, *args, **kwargs))

    async def in_executor(self, executor: Executor | None, function: Callable[[], T]) -> T:
        """Call *function* in a thread of *executor*; otherwise as `in_thread`."""
        context = contextvars.copy_context()  # so that its log lines carry the same fields
        loop = asyncio.get_running_loop()
        work = loop.run_in_executor(executor, partial(context.run, self.noting_thread, function))
        self.hold(work)
        return await asyncio.shield(work)

    def noting_thread(self, function: Callable[[], T]) -> T:
        """Call *function*, and say meanwhile that it is this thread that works for the call."""
        self.thread = threading.get_ident()
        try:
            return function()
        finally:
            self.thread = 0

"""`Run`: one call of a reconciler, as the reconciler sees it."""

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
        id: Identifies this call; all its log lines carry it as ``reconcile_id``.
        request: What to reconcile.
        reasons: Why: the changes since the last call began. A hint for people, not for code: some
            may be left out, and after a restart they differ.
        attempt: 1, and one more after each failure in a row.
        controller: The name of the controller.
        kind: The kind that it reconciles; empty if there is none.
        log: A logger whose lines carry all of this.
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
        """Return the fields of every line that is logged during the call."""
        return {
            "controller": self.controller,
            "kind": self.kind,
            "namespace": self.request.namespace,
            "name": self.request.name,
            "reconcile_id": self.id,
        }

    def hold(self, work: "asyncio.Future[Any]") -> None:
        """Keep the object from being reconciled again until *work* is done.

        It is for work that goes on after the call is cancelled, such as a thread. The worker takes
        other requests in the meantime.
        """
        self.held = (*self.held, work)
        work.add_done_callback(self._let_go)

    def _let_go(self, work: "asyncio.Future[Any]") -> None:
        # Its error has a traceback, with all that was in hand there; and a run may be kept long.
        self.held = tuple(one for one in self.held if one is not work)

    async def in_thread(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call *function* in a thread, and return what it returns.

        A thread cannot be stopped. When the deadline passes, this call ends and the thread goes
        on; the object is not reconciled again before the thread has ended.
        """
        return await self.in_executor(None, partial(function, *args, **kwargs))

    async def in_executor(self, executor: Executor | None, function: Callable[[], T]) -> T:
        """Call *function* in a thread of *executor*; otherwise like `in_thread`."""
        context = contextvars.copy_context()  # so that its log lines carry the same fields
        loop = asyncio.get_running_loop()
        work = loop.run_in_executor(executor, partial(context.run, self.noting_thread, function))
        self.hold(work)
        return await asyncio.shield(work)

    def noting_thread(self, function: Callable[[], T]) -> T:
        """Call *function*, and note the id of this thread while it runs."""
        self.thread = threading.get_ident()
        try:
            return function()
        finally:
            self.thread = 0

"""Answer requests from a thread, also while code of the user blocks the event loop.

`Relay` is for probes, and `PrivateRelay` for pages that are not for everybody.
"""

import asyncio
from collections.abc import Callable

from kubewright._serve.messages import Answer, Handler, Request, Response
from kubewright.manager.health import TEXT

DEAD_AFTER: float = 60.0
"""Seconds for which the event loop may stand still. After that only a restart can help: liveness
fails, and the lease is not renewed any more."""

_MOST = 100  # requests that wait for the event loop at a time; more say nothing new
_PATIENCE = 0.5  # seconds to wait for the event loop; the kubelet waits for one
_PRIVATE_PATIENCE = 25.0  # as long as both questions about a caller may take, and some more
_BUSY = Response(503, b"503 service unavailable\n", TEXT)


class Relay:
    """Asks the event loop of the manager, and says what it said last while that is busy.

    A loop that is blocked for a while does not justify killing a process, and one that never turns
    again is: `DEAD_AFTER` tells them apart.

    Args:
        pages: What answers.
        home: The event loop that they answer in.
        silence: Returns for how many seconds that loop has not turned.
    """

    def __init__(
        self, pages: Handler, *, home: asyncio.AbstractEventLoop, silence: Callable[[], float]
    ) -> None:
        self._pages = pages
        self._silence = silence
        self._home = home
        self._last: dict[str, Answer] = {}
        self._waiting = 0

    async def handle(self, request: Request) -> Answer:
        """Answer *request*; called in the thread."""
        name = request.path.lstrip("/").partition("/")[0]
        if self._waiting >= _MOST:
            return self._stand_in(name)
        self._waiting += 1
        answer = asyncio.run_coroutine_threadsafe(self._ask(request, name), self._home)
        asked = asyncio.wrap_future(answer)
        asked.add_done_callback(self._let_go)
        try:
            async with asyncio.timeout(_PATIENCE):
                # It is not taken back: a late answer is still the best that the next one can get.
                return await asyncio.shield(asked)
        except TimeoutError:
            return self._stand_in(name)

    async def _ask(self, request: Request, name: str) -> Answer:
        """Answer in the event loop of the manager, and keep what is said of the whole."""
        answer = await self._pages.handle(request)
        if not request.query and request.path == f"/{name}":
            self._last[name] = answer
        return answer

    def _let_go(self, asked: "asyncio.Future[Answer]") -> None:
        self._waiting -= 1
        _ = asked.cancelled() or asked.exception()  # of one that nobody waits for any longer

    def _stand_in(self, name: str) -> Answer:
        silence = self._silence()
        if silence >= DEAD_AFTER:
            text = f"[-]loop failed: the event loop has not turned for {silence:.0f} seconds\n"
            return Response(500, text.encode(), TEXT)
        if name == "healthz":
            return self._last.get(name) or Response(200, b"ok", TEXT)
        busy = b"the event loop is busy, and has not answered this before\n"
        return self._last.get(name) or Response(503, busy, TEXT)


class PrivateRelay:
    """Asks the event loop of the manager, and remembers nothing: an answer is for its caller only.

    Args:
        pages: What answers, after it has asked who the caller is.
        home: The event loop that they answer in.
    """

    def __init__(self, pages: Handler, *, home: asyncio.AbstractEventLoop) -> None:
        self._pages = pages
        self._home = home
        self._waiting = 0

    async def handle(self, request: Request) -> Answer:
        """Answer *request*; called in the thread. It is given up with whoever waits for it."""
        if self._waiting >= _MOST:
            return _BUSY
        self._waiting += 1
        try:
            asked = asyncio.run_coroutine_threadsafe(self._pages.handle(request), self._home)
            async with asyncio.timeout(_PRIVATE_PATIENCE):
                return await asyncio.wrap_future(asked)
        except TimeoutError:
            return _BUSY
        finally:
            self._waiting -= 1

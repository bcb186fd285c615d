"""The log of a container as an answer: an error if there is none, a stream otherwise."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Self

from kubewright._aio import Clock
from kubewright._serve.messages import Stream
from kubewright.embedded.node.access import ContainerAccess, LogOptions

TEXT: str = "text/plain"

_SETTLING = 0.5  # seconds after which the answer begins even without a line


class LogStream:
    """The pieces of a log; the first is read ahead, which shows whether there is a log."""

    def __init__(self, pieces: AsyncIterator[bytes]) -> None:
        self._pieces = pieces
        self._first: asyncio.Task[bytes | None] | None = asyncio.ensure_future(self._next())

    async def settle(self, clock: Clock) -> None:
        """Wait briefly for the first piece: a log that is followed may be silent for hours.

        Raises:
            AccessError: There is no such log.
        """
        first = self._first
        assert first is not None
        with suppress(TimeoutError):
            async with clock.timeout(_SETTLING):
                await asyncio.wait({first})
        if first.done():
            first.result()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        if self._first is None:
            piece = await self._next()
        else:
            piece = await asyncio.shield(self._first)
            self._first = None
        if piece is None:
            raise StopAsyncIteration
        return piece

    async def aclose(self) -> None:
        """Stop reading."""
        if self._first is not None:
            self._first.cancel()
            await asyncio.wait({self._first})
            if not self._first.cancelled():
                self._first.exception()  # the caller has seen it: asyncio need not report it
        close = getattr(self._pieces, "aclose", None)
        if close is not None:
            await close()

    async def _next(self) -> bytes | None:
        return await anext(self._pieces, None)


async def answer(
    access: ContainerAccess, key: tuple[str, str, str], options: LogOptions, *, clock: Clock
) -> Stream:
    """Answer with the log of a container.

    Args:
        access: The containers of the node.
        key: The namespace, the pod, the container.
        options: Which part of it.
        clock: Where time-outs come from.

    Raises:
        AccessError: There is no such log.
    """
    namespace, pod, container = key
    stream = LogStream(access.logs(namespace, pod, container, options))
    try:
        await stream.settle(clock)
    except BaseException:
        await stream.aclose()
        raise
    return Stream(stream, content_type=TEXT)

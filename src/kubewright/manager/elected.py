"""Waiting for leadership."""

import asyncio
from collections.abc import Generator
from typing import Any

from kubewright.errors import LifecycleError

CHECK: str = "leader-election"
"""The name of the election on ``/readyz``, and of the reporter of its events."""


class Elected:
    """Awaitable: ``await manager.elected`` returns once the manager leads.

    Without leader election that is when the last stage starts. As a bool it says whether that has
    ever happened; `Manager.leading` says whether it is so at the moment.
    """

    def __init__(self) -> None:
        self._settled = asyncio.Event()
        self._won = False

    def __bool__(self) -> bool:
        return self._won

    def __await__(self) -> Generator[Any, Any, None]:
        return self._wait().__await__()

    async def _wait(self) -> None:
        await self._settled.wait()
        if not self._won:
            raise LifecycleError("the manager stopped before it was elected")

    def win(self) -> None:
        """Let all waiters go on."""
        self._won = True
        self._settled.set()

    def close(self) -> None:
        """End it: those still waiting get an error instead of waiting for ever."""
        self._settled.set()

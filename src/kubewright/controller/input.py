"""`Input`: one of the things that a controller listens to."""

import asyncio
from typing import Any

from kubewright.controller.kind_source import KindSource
from kubewright.controller.sources import Source
from kubewright.controller.watches import KindWatch
from kubewright.runnable import Releasing

__all__ = ["Input"]


class Input:
    """One of the things that a controller listens to.

    Attributes:
        declared: What the user gave.
        source: What it was made into.
        is_ready: Whether workers need not wait for it.
    """

    def __init__(self, declared: KindWatch[Any] | Source, source: Source) -> None:
        self.declared: KindWatch[Any] | Source = declared
        self.source: Source = source
        self.is_ready: bool = False
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def waits_for(self) -> str:
        """What workers wait for, in words; empty if nothing."""
        if self.is_ready:
            return ""
        return self.source.waits_for if isinstance(self.source, KindSource) else self.source.name

    def busy(self) -> str:
        """Return what the source has under way, in words; empty if nothing, or it does not say."""
        source: Any = self.source
        return str(source.busy() or "") if hasattr(source, "wait_idle") else ""

    async def wait_idle(self) -> None:
        """Wait for what `busy` names."""
        source: Any = self.source
        await source.wait_idle()

    def keep(self, task: "asyncio.Task[None]") -> None:
        """Remember *task*, which `stop` cancels."""
        self._tasks.append(task)

    def stop(self) -> None:
        """Stop listening at once."""
        if isinstance(self.source, Releasing):
            self.source.release()
        for task in self._tasks:
            task.cancel()

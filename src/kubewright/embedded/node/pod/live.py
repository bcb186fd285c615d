"""A container that runs, with what watches over it."""

import asyncio
from collections.abc import Callable

from kubewright._aio import Clock
from kubewright.embedded.node.pod.actions import ActionTarget
from kubewright.embedded.node.pod.probes import Prober, Spawn
from kubewright.embedded.node.runtime import ProbeKind

__all__ = ["LiveContainer"]


class LiveContainer:
    """A container that runs.

    Args:
        name: Its name.
        target: What probes and hooks need of it.
    """

    def __init__(self, name: str, target: ActionTarget) -> None:
        self.name: str = name
        self.target: ActionTarget = target
        self.stopping: bool = False
        """Whether it was told to end."""
        self._gone = asyncio.Event()
        self._prober: Prober | None = None

    def probe(
        self,
        *,
        on_verdict: Callable[[ProbeKind, bool], None],
        on_failure: Callable[[ProbeKind, str], None],
        clock: Clock,
        spawn: Spawn,
    ) -> None:
        """Begin to probe it, if it has probes."""
        container = self.target.container
        if container.startup_probe or container.liveness_probe or container.readiness_probe:
            self._prober = Prober(
                self.target, on_verdict=on_verdict, on_failure=on_failure, clock=clock, spawn=spawn
            )
            self._prober.start()

    def stop_restarting(self) -> None:
        """Note that it was told to end: only whether it is ready still counts."""
        self.stopping = True
        if self._prober is not None:
            self._prober.stop_restarting()

    def end(self) -> None:
        """Note that it has ended."""
        self.stopping = True
        if self._prober is not None:
            self._prober.stop()
        self._gone.set()

    async def wait(self) -> None:
        """Return when it has ended."""
        await self._gone.wait()

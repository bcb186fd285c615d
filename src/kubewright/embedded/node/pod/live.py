"""A container that runs, with what watches over it, and its last words when it has ended."""

import asyncio
from collections.abc import Callable

from kubewright._aio import Clock
from kubewright.embedded.node.logs import Log
from kubewright.embedded.node.pod.actions import ActionTarget
from kubewright.embedded.node.pod.probes import Prober, Spawn
from kubewright.embedded.node.runtime import Exit, ProbeKind
from kubewright.kinds.core.v1 import Container

__all__ = ["LiveContainer", "termination_message"]

LONGEST_MESSAGE: int = 4096
LOG_LINES: int = 80
LOG_BYTES: int = 2048


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
        """Start its probes, if it has any."""
        container = self.target.container
        if container.startup_probe or container.liveness_probe or container.readiness_probe:
            self._prober = Prober(
                self.target, on_verdict=on_verdict, on_failure=on_failure, clock=clock, spawn=spawn
            )
            self._prober.start()

    def stop_restarting(self) -> None:
        """Note that it was told to end: only its readiness probe goes on."""
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


def termination_message(container: Container, how: Exit, log: Log | None) -> str:
    """Return the termination message: its file, or the end of its log if the policy says so."""
    if how.message:
        return how.message[:LONGEST_MESSAGE]
    falls_back = container.termination_message_policy == "FallbackToLogsOnError"
    if not falls_back or how.code == 0 or log is None:
        return ""
    lines = next(log.lines())[-LOG_LINES:]
    text = b"".join(line.text for line in lines)[-LOG_BYTES:]
    return text.decode("utf-8", "replace")

"""The probes of a container: when they run, and the verdict from their results."""

from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias

from msgspec import Struct

from kubewright._aio import Clock
from kubewright._aio.clock import Timer
from kubewright.embedded.node.pod.actions import ActionTarget, Outcome, perform, timeout_message
from kubewright.embedded.node.runtime import ProbeKind
from kubewright.kinds.core.v1 import Probe

__all__ = ["Prober", "Tally", "counted"]

Spawn: TypeAlias = Callable[[Coroutine[Any, Any, None]], object]


class Tally(Struct, frozen=True):
    """The results of a probe so far.

    Attributes:
        verdict: The verdict from them; ``None`` before there is one.
        last: The last result.
        run: How many results in a row were the same.
    """

    verdict: bool | None
    last: bool | None = None
    run: int = 0


def counted(tally: Tally, probe: Probe, *, ok: bool) -> Tally:
    """Return *tally* with one more result."""
    run = tally.run + 1 if tally.last is ok else 1
    needed = (probe.success_threshold or 1) if ok else (probe.failure_threshold or 3)
    verdict = ok if run >= needed else tally.verdict
    return Tally(verdict, ok, run)


class Prober:
    """Runs the probes of one container, from its start until `stop`.

    The others do not run before the startup probe has succeeded.

    Args:
        target: The container.
        on_verdict: Called with each change of a verdict.
        on_failure: Called with the Event message of each failure.
        clock: Where time comes from.
        spawn: Starts a task that somebody waits for.
    """

    def __init__(
        self,
        target: ActionTarget,
        *,
        on_verdict: Callable[[ProbeKind, bool], None],
        on_failure: Callable[[ProbeKind, str], None],
        clock: Clock,
        spawn: Spawn,
    ) -> None:
        self._target = target
        self._on_verdict = on_verdict
        self._on_failure = on_failure
        self._clock = clock
        self._spawn = spawn
        self._began = clock.monotonic()
        self._timers: dict[ProbeKind, Timer] = {}
        self._stopped = False
        container = target.container
        given: dict[ProbeKind, Probe | None] = {
            "startup": container.startup_probe,
            "liveness": container.liveness_probe,
            "readiness": container.readiness_probe,
        }
        self._probes: dict[ProbeKind, Probe] = {kind: p for kind, p in given.items() if p}
        self._tallies: dict[ProbeKind, Tally] = {
            "startup": Tally(None),
            "liveness": Tally(True),
            "readiness": Tally(False),
        }

    def start(self) -> None:
        """Start probing."""
        if "startup" in self._probes:
            self._schedule("startup")
        else:
            self._start_others()

    def stop(self) -> None:
        """Stop probing."""
        self._stopped = True
        for timer in self._timers.values():
            timer.cancel()

    def stop_restarting(self) -> None:
        """Stop the probes that can end the container, which is about to end anyway."""
        for kind in ("startup", "liveness"):
            if kind in self._timers:
                self._timers.pop(kind).cancel()
            self._probes.pop(kind, None)

    def _start_others(self) -> None:
        for kind in self._probes:
            if kind != "startup":
                self._schedule(kind)

    def _schedule(self, kind: ProbeKind) -> None:
        delay = self._probes[kind].initial_delay_seconds or 0
        since = self._clock.monotonic() - self._began
        if delay > since:
            self._timers[kind] = self._clock.call_later(delay - since, lambda: self._tick(kind))
        else:
            self._tick(kind)

    def _tick(self, kind: ProbeKind) -> None:
        if not self._stopped and kind in self._probes:
            self._spawn(self._probe_once(kind))

    async def _probe_once(self, kind: ProbeKind) -> None:
        began = self._clock.monotonic()
        probe = self._probes[kind]
        outcome = await self._ask(kind, probe)
        if self._stopped or kind not in self._probes:
            return
        self._note(kind, probe, outcome)
        if kind == "startup" and self._tallies[kind].verdict is not None:
            return  # a startup probe ends with its verdict
        left = (probe.period_seconds or 10) - (self._clock.monotonic() - began)
        self._timers[kind] = self._clock.call_later(max(0.0, left), lambda: self._tick(kind))

    async def _ask(self, kind: ProbeKind, probe: Probe) -> Outcome:
        answer = self._target.handle.probe_answer(kind)
        if answer is not None:
            return Outcome(answer, "" if answer else "simulated")
        seconds = probe.timeout_seconds or 1
        try:
            async with self._clock.timeout(seconds):
                return await perform(probe, self._target, clock=self._clock)
        except TimeoutError:
            return Outcome(False, timeout_message(probe, self._target, seconds))

    def _note(self, kind: ProbeKind, probe: Probe, outcome: Outcome) -> None:
        name = f"{kind.capitalize()} probe"
        if outcome.errored:
            message = f"{name} errored and resulted in unknown state: {outcome.message}"
            self._on_failure(kind, message)
            return
        before = self._tallies[kind]
        self._tallies[kind] = after = counted(before, probe, ok=outcome.ok)
        if not outcome.ok:
            self._on_failure(kind, f"{name} failed: {outcome.message}")
        if after.verdict is not None and after.verdict != before.verdict:
            self._on_verdict(kind, after.verdict)
        if kind == "startup" and after.verdict and not self._stopped:
            self._start_others()

"""The liveness and readiness of a manager, as pages."""

from collections.abc import Iterator, Mapping

from kubewright._serve.messages import Request, Response
from kubewright.manager.health import PING, Check, HealthPage, checks_of
from kubewright.manager.metrics_server import Page
from kubewright.manager.probes import Probes


class ProbePages:
    """Shows what the probes know.

    ``/healthz`` fails if only a restart can help; ``/readyz`` fails with every problem that a
    runnable knows of, before all stages have started, and as soon as the process is stopping. A
    standby is ready: it is as warm as a standby can be.
    """

    def __init__(self, probes: Probes) -> None:
        self._probes = probes
        self._healthz, self._readyz = HealthPage("healthz"), HealthPage("readyz")

    @property
    def pages(self) -> Mapping[str, Page]:
        """Each page by its path."""
        return {"healthz": self._answer_healthz, "readyz": self._answer_readyz}

    def _answer_healthz(self, request: Request) -> Response:
        return self._healthz.answer(request, [PING, *self._checks(only_fatal=True)])

    def _answer_readyz(self, request: Request) -> Response:
        own = [PING, self._stage_check(), self._stop_check()]
        return self._readyz.answer(request, [*own, *self._checks(only_fatal=False)])

    def _checks(self, *, only_fatal: bool) -> Iterator[Check]:
        for name, runnable in self._probes.running:
            yield from checks_of(name, runnable, only_fatal=only_fatal)

    def _stage_check(self) -> Check:
        if self._probes.started:
            return Check("stages")
        waiting = self._probes.stages.waiting
        if not waiting:
            return Check("stages", "not all stages have started")
        names = ", ".join(member.name for member in waiting)
        return Check("stages", f"stage {waiting[0].stage.name} waits for {names}")

    def _stop_check(self) -> Check:
        stopping = self._probes.stopping
        return Check("shutdown", "the process is shutting down" if stopping else "")

"""The liveness and readiness of a manager."""

from collections.abc import Iterator, Mapping

from kubewright._serve.messages import Request, Response
from kubewright.manager.health import PING, Check, HealthPage, checks_of
from kubewright.manager.leaderelection import CHECK, LeaderElector
from kubewright.manager.member import check_name
from kubewright.manager.metrics_server import Page
from kubewright.manager.stages import Stages


class Probes:
    """Tells the truth about what runs.

    ``/healthz`` fails if only a restart can help; ``/readyz`` fails with every problem that a
    runnable knows of, before all stages have started, and as soon as the process is stopping. A
    standby is ready: it is as warm as a standby can be.
    """

    def __init__(self, stages: Stages, elector: LeaderElector | None) -> None:
        self.started: bool = False
        self.stopping: bool = False
        self._stages = stages
        self._elector = elector
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
        if self._elector is not None:
            yield from checks_of(CHECK, self._elector, only_fatal=only_fatal)
        for member in self._stages.running:
            name = check_name(member.runnable)
            yield from checks_of(name, member.runnable, only_fatal=only_fatal)

    def _stage_check(self) -> Check:
        if self.started:
            return Check("stages")
        waiting = self._stages.waiting
        if not waiting:
            return Check("stages", "not all stages have started")
        names = ", ".join(member.name for member in waiting)
        return Check("stages", f"stage {waiting[0].stage.name} waits for {names}")

    def _stop_check(self) -> Check:
        return Check("shutdown", "the process is shutting down" if self.stopping else "")

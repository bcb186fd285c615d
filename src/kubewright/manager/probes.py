"""The liveness and readiness of a manager."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from kubewright._serve.messages import Request, Response
from kubewright.manager.elected import CHECK
from kubewright.manager.health import PING, Check, HealthPage, checks_of
from kubewright.manager.member import check_name
from kubewright.manager.metrics_server import Page
from kubewright.manager.problems import problems_of
from kubewright.manager.stages import Stages
from kubewright.runnable import Problem

if TYPE_CHECKING:
    from kubewright.manager.leaderelection import LeaderElector


class Probes:
    """Tells the truth about what runs.

    ``/healthz`` fails if only a restart can help; ``/readyz`` fails with every problem that a
    runnable knows of, before all stages have started, and as soon as the process is stopping. A
    standby is ready: it is as warm as a standby can be.
    """

    def __init__(self, stages: Stages, elector: "LeaderElector | None") -> None:
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

    @property
    def problems(self) -> Iterator[Problem]:
        """What is wrong at the moment, in the words of who runs."""
        for name, runnable in self._running:
            yield from problems_of(name, runnable)

    def _checks(self, *, only_fatal: bool) -> Iterator[Check]:
        for name, runnable in self._running:
            yield from checks_of(name, runnable, only_fatal=only_fatal)

    @property
    def _running(self) -> Iterator[tuple[str, object]]:
        if self._elector is not None:
            yield CHECK, self._elector
        for member in self._stages.running:
            yield check_name(member.runnable), member.runnable

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

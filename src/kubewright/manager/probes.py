"""What is known of the life and the problems of all that a manager runs."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kubewright.manager.elected import CHECK
from kubewright.manager.member import check_name
from kubewright.manager.problems import problems_of
from kubewright.manager.stages import Stages
from kubewright.runnable import Problem

if TYPE_CHECKING:
    from kubewright.manager.leaderelection import LeaderElector


class Probes:
    """Tells the truth about what runs; `ProbePages` shows it.

    Attributes:
        stages: All that can run.
        started: Whether all stages have started.
        stopping: Whether the process is about to end.
    """

    def __init__(self, stages: Stages, elector: "LeaderElector | None") -> None:
        self.stages: Stages = stages
        self.started: bool = False
        self.stopping: bool = False
        self._elector = elector

    @property
    def problems(self) -> Iterator[Problem]:
        """What is wrong at the moment, as the runnables say it."""
        for name, runnable in self.running:
            yield from problems_of(name, runnable)

    @property
    def running(self) -> Iterator[tuple[str, object]]:
        """What runs, each with its name on a page."""
        if self._elector is not None:
            yield CHECK, self._elector
        for member in self.stages.running:
            yield check_name(member.runnable), member.runnable

"""`Probes`: who runs, and what is wrong."""

from kubewright.manager.member import Member
from kubewright.manager.probes import Probes
from kubewright.manager.stages import Stages
from kubewright.runnable import Problem, Stage
from tests.unit.manager.runnables import Ailing


def ignore(name: str, error: Exception) -> None:
    """Nothing fails here."""
    raise AssertionError(name) from error


async def test_only_who_runs_is_asked() -> None:
    """One that has not started, or is over, is no problem."""
    stages = Stages(ignore)
    stages[Stage.ALWAYS].add(Member(Ailing(Problem("informer/pods", "403")), Stage.ALWAYS))
    probes = Probes(stages, None)
    before = list(probes.problems)
    await stages.start(Stage.ALWAYS)

    during = list(probes.problems), [name for name, _ in probes.running]
    stages.cancel()
    await stages.wait()

    assert not before
    assert during == ([Problem("informer/pods", "403")], ["ailing/ailing"])
    assert not list(probes.problems)

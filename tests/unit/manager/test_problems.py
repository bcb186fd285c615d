"""Problems reach the log, each once."""

import pytest

from kubewright._aio import VirtualClock
from kubewright.manager import Manager
from kubewright.manager.problems import ProblemLog
from kubewright.runnable import Problem
from tests.unit.manager.runnables import Worker


class Patient:
    """Has the problems that a test gives it; each look is ten seconds after the last one."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.clock = VirtualClock()
        self.log = ProblemLog(lambda: self.problems, clock=self.clock)

    async def look(self, *problems: Problem, times: int = 1) -> None:
        self.problems = list(problems)
        for _ in range(times):
            await self.clock.advance(10)
            self.log.look()


PROBLEM = Problem("disk", "it is full")


def lines(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    return [(record.levelname, record.getMessage()) for record in caplog.records]


@pytest.fixture(autouse=True)
def everything(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "kubewright.manager.problems")


async def test_a_problem_is_said_when_it_comes_and_when_it_is_gone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Not with each look: it may last for weeks."""
    patient = Patient()

    await patient.look(PROBLEM, times=100)
    await patient.look(times=100)

    assert lines(caplog) == [
        ("WARNING", "problem found check='disk' problem='it is full'"),
        ("INFO", "problem is gone check='disk' age=990"),
    ]


async def test_one_that_comes_and_goes_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    """A storm of lines would hide what else is wrong."""
    patient = Patient()

    for _ in range(50):
        await patient.look(PROBLEM)
        await patient.look()

    assert len(lines(caplog)) == 1


async def test_a_number_that_grows_is_no_other_problem(caplog: pytest.LogCaptureFixture) -> None:
    """Many texts have an age in them."""
    patient = Patient()

    for age in range(50):
        await patient.look(Problem("controller/at", f"a reconcile runs for {age} seconds"))

    assert len(lines(caplog)) == 1


async def test_a_check_that_never_says_the_same_is_bounded(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Five lines at a time, and five ends: the page has them all."""
    patient = Patient()

    await patient.look(*[Problem("many", letter) for letter in "abcdefghij"])
    await patient.look(times=10)

    levels = [level for level, _ in lines(caplog)]
    assert (levels.count("WARNING"), levels.count("INFO")) == (5, 5)


async def test_what_was_logged_by_who_found_it_is_not_said_twice(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """An informer logs its refusals itself; that it is well again, it does not."""
    patient = Patient()

    await patient.look(Problem("informer/pods", "forbidden", logged=True))
    await patient.look(times=6)

    assert lines(caplog) == [("INFO", "problem is gone check='informer/pods' age=0")]


async def test_a_manager_looks_at_what_it_runs(caplog: pytest.LogCaptureFixture) -> None:
    """Whoever added it, and whatever it says: a bad answer must not end the manager."""
    clock = VirtualClock()

    class Ailing(Worker):
        def health(self) -> list[Problem]:
            return [PROBLEM, "hungry"]  # type: ignore[list-item]  # as a beginner writes it

    manager = Manager(clock=clock)
    manager.add(Ailing([], "a"))
    async with manager:
        await clock.advance(30)

    first, second = lines(caplog)
    assert first == ("WARNING", "problem found check='disk' problem='it is full'")
    assert "check='ailing/a' problem=\"its health() returned 'hungry'" in second[1]

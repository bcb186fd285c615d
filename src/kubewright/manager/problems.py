"""What ``health()`` says; it goes to the log, too, since few look at the page."""

import re
from collections.abc import Callable, Iterable

import msgspec

from kubewright._aio import Clock
from kubewright.log import get_logger
from kubewright.runnable import Checked, Problem

_log = get_logger(__name__)

_EVERY = 10.0  # seconds between two looks
_SURELY_GONE = 60.0  # seconds without it, after which a problem is over: some come and go
_MOST = 5  # lines for one check at a time: the page has them all

_Key = tuple[str, str]


class _Known(msgspec.Struct):
    since: float
    seen: float
    told: bool


class ProblemLog:
    """Logs each problem once when it appears, and once when it is gone for good.

    A text that differs in its numbers only, such as an age, is the same problem. One that comes and
    goes is logged once, and is over when it has not been seen for a minute.

    Args:
        problems: Returns what is wrong at the moment.
        clock: Where time comes from.
    """

    def __init__(self, problems: Callable[[], Iterable[Problem]], *, clock: Clock) -> None:
        self._problems = problems
        self._clock = clock
        self._known: dict[_Key, _Known] = {}

    async def run(self) -> None:
        """Look again and again, until cancelled."""
        while True:
            await self._clock.sleep(_EVERY)
            self.look()

    def look(self) -> None:
        """Log what has appeared since the last look, and what is gone."""
        now = self._clock.monotonic()
        for problem in self._problems():
            key = problem.check, re.sub(r"\d+", "#", str(problem.text))
            known = self._known.get(key)
            if known is None:
                self._known[key] = _Known(now, now, self._tell(problem))
            else:
                known.seen = now
        for key, known in list(self._known.items()):
            if now - known.seen >= _SURELY_GONE:
                del self._known[key]
                if known.told:
                    _log.info("problem is gone", check=key[0], age=round(known.seen - known.since))

    def _tell(self, problem: Problem) -> bool:
        """Log *problem*; return whether its end is worth a line, too."""
        told = sum(known.told for key, known in self._known.items() if key[0] == problem.check)
        if told >= _MOST:
            return False
        if not problem.logged:
            _log.warning("problem found", check=problem.check, problem=problem.text)
        return True


def problems_of(name: str, runnable: object) -> list[Problem]:
    """Return what *runnable* says is wrong; nothing for one that is not `Checked`."""
    if not isinstance(runnable, Checked):
        return []
    try:
        return [_checked(name, problem) for problem in runnable.health()]
    except Exception as error:  # noqa: BLE001  # that we cannot know how it is, is a problem, too
        return [Problem(name, f"its health() raised {type(error).__name__}: {error}")]


def _checked(name: str, problem: object) -> Problem:
    if isinstance(problem, Problem):
        return problem
    return Problem(name, f"its health() returned {problem!r:.80}, which is not a Problem")

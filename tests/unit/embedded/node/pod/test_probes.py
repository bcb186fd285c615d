import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from kubewright._aio import VirtualClock
from kubewright.embedded.node.pod.probes import Prober, Tally, counted
from kubewright.embedded.node.runtime import ContainerError, ProbeKind
from kubewright.kinds.core.v1 import Container, ExecAction, Probe
from tests.unit.embedded.node.doubles import AContainer, target

COMMAND = ExecAction(command=["x"])


@pytest.mark.parametrize(
    ("answers", "verdicts"),
    [
        ("++", [True, True]),
        ("-", [None]),
        ("---", [None, None, False]),
        ("--+--", [None, None, True, True, True]),
        ("+---", [True, True, True, False]),
        ("---+", [None, None, False, True]),
    ],
)
def test_three_failures_in_a_row_count_and_one_success(
    answers: str, verdicts: list[bool | None]
) -> None:
    """The default thresholds of Kubernetes."""
    tally, found = Tally(None), []
    for answer in answers:
        tally = counted(tally, Probe(), ok=answer == "+")
        found.append(tally.verdict)

    assert found == verdicts


def test_thresholds_are_those_of_the_probe() -> None:
    """Two successes are needed here, and one failure is enough."""
    probe = Probe(success_threshold=2, failure_threshold=1)

    once = counted(Tally(False), probe, ok=True)
    twice = counted(once, probe, ok=True)

    assert (once.verdict, twice.verdict) == (False, True)
    assert counted(twice, probe, ok=False).verdict is False


class Story:
    """What a prober has found out, and when."""

    def __init__(self, container: Container, handle: AContainer) -> None:
        self.clock = VirtualClock()
        self.verdicts: list[tuple[float, ProbeKind, bool]] = []
        self.failures: list[tuple[float, ProbeKind]] = []
        self.messages: list[str] = []
        self.tasks: set[asyncio.Task[None]] = set()
        self.prober = Prober(
            target(container, handle=handle),
            on_verdict=lambda kind, holds: self.verdicts.append((self.now, kind, holds)),
            on_failure=self._failed,
            clock=self.clock,
            spawn=self._spawn,
        )
        self.prober.start()

    @property
    def now(self) -> float:
        return self.clock.monotonic()

    def _failed(self, kind: ProbeKind, message: str) -> None:
        self.failures.append((self.now, kind))
        self.messages.append(message)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)


async def test_probes_are_made_at_once_and_then_every_period() -> None:
    """Ten seconds unless the probe says otherwise."""
    handle = AContainer(code=1)
    story = Story(Container(name="a", liveness_probe=Probe(exec=COMMAND)), handle)

    await story.clock.advance(25)
    story.prober.stop()
    await story.clock.advance(100)

    assert [at for at, _ in story.failures] == [0, 10, 20]
    assert story.verdicts == [(20, "liveness", False)]
    assert story.messages[0] == "Liveness probe failed: "


async def test_a_probe_that_cannot_be_made_counts_for_nothing() -> None:
    """A container is not killed for a typing error in its probe."""

    class Empty(AContainer):
        async def execute(self, *args: Any, **kwargs: Any) -> Any:
            raise ContainerError("StartError", "no such command")

    story = Story(Container(name="a", liveness_probe=Probe(exec=COMMAND)), Empty())

    await story.clock.advance(100)
    story.prober.stop()

    assert story.verdicts == []
    message = "Liveness probe errored and resulted in unknown state: no such command"
    assert set(story.messages) == {message}


async def test_readiness_is_probed_to_the_end() -> None:
    """A server that drains tells by it that it takes no more; a restart is out of question."""
    handle = AContainer()
    probe = Probe(exec=COMMAND, failure_threshold=1)
    story = Story(Container(name="a", liveness_probe=probe, readiness_probe=probe), handle)
    await story.clock.advance(5)

    story.prober.stop_restarting()
    handle.answers = {"readiness": False, "liveness": False}
    await story.clock.advance(10)

    assert story.verdicts == [(0, "readiness", True), (10, "readiness", False)]
    story.prober.stop()


async def test_others_begin_when_the_startup_probe_has_succeeded() -> None:
    """And it is not made again."""
    handle = AContainer()
    handle.answers = {"startup": False, "readiness": True}
    probe = Probe(exec=COMMAND, period_seconds=5)
    container = Container(name="a", startup_probe=probe, readiness_probe=probe)
    story = Story(container, handle)

    await story.clock.advance(6)
    handle.answers["startup"] = True
    await story.clock.advance(10)

    assert story.verdicts == [(10, "startup", True), (10, "readiness", True)]
    story.prober.stop()


async def test_a_probe_that_takes_too_long_has_failed() -> None:
    """One second unless the probe says otherwise."""

    class Slow(AContainer):
        async def execute(self, *args: Any, **kwargs: Any) -> Any:
            await asyncio.Event().wait()

    story = Story(Container(name="a", readiness_probe=Probe(exec=COMMAND)), Slow())

    await story.clock.advance(2)

    assert story.failures == [(1, "readiness")]
    story.prober.stop()


async def test_a_probe_waits_for_its_initial_delay() -> None:
    """Counted from the start of the container."""
    probe = Probe(exec=COMMAND, initial_delay_seconds=15)
    story = Story(Container(name="a", readiness_probe=probe), AContainer())

    await story.clock.advance(20)

    assert story.verdicts == [(15, "readiness", True)]
    story.prober.stop()

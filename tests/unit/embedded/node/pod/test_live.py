import asyncio

import pytest

from kubewright._aio import VirtualClock
from kubewright.embedded.node.logs import MemoryLog
from kubewright.embedded.node.pod.live import LiveContainer, termination_message
from kubewright.embedded.node.runtime import Exit
from kubewright.kinds.core.v1 import Container, ExecAction, Probe
from tests.unit.embedded.node.doubles import AContainer, target

FALLBACK = "FallbackToLogsOnError"


async def test_who_waits_for_its_end_hears_of_it() -> None:
    """Whoever stops it waits for that."""
    live = LiveContainer("a", target())
    waiting = asyncio.create_task(live.wait())

    live.end()
    await waiting

    assert live.stopping


async def test_liveness_does_not_count_any_more_once_it_was_told_to_end() -> None:
    """It may answer badly while it shuts down."""
    clock, found = VirtualClock(), []
    probe = Probe(exec=ExecAction(command=["x"]), period_seconds=1, failure_threshold=1)
    container = Container(name="a", liveness_probe=probe)
    live = LiveContainer("a", target(container, handle=AContainer(code=1)))
    live.probe(
        on_verdict=lambda *seen: found.append(seen),
        on_failure=lambda *seen: None,
        clock=clock,
        spawn=asyncio.create_task,
    )

    live.stop_restarting()
    await clock.advance(10)

    assert found == []
    assert clock.sleepers == 0


@pytest.mark.parametrize(
    ("policy", "how", "message"),
    [
        ("File", Exit(1, message="words"), "words"),
        ("File", Exit(1), ""),
        (FALLBACK, Exit(1), "a\nb\n"),
        (FALLBACK, Exit(0), ""),
        (FALLBACK, Exit(1, message="words"), "words"),
    ],
)
def test_last_words_come_from_the_file_or_from_the_log(
    policy: str, how: Exit, message: str
) -> None:
    """The log counts only after an error, and only if the author wants it."""
    log = MemoryLog(clock=VirtualClock())
    log.write("stdout", b"a\nb\n")
    container = Container(name="c", termination_message_policy=policy)

    assert termination_message(container, how, log) == message


def test_last_words_are_short() -> None:
    """The status of a pod must stay small."""
    log = MemoryLog(clock=VirtualClock())
    log.write("stdout", b"".join(b"%05d\n" % number for number in range(1000)))
    container = Container(name="c", termination_message_policy=FALLBACK)

    assert len(termination_message(container, Exit(1, message="x" * 9999), log)) == 4096
    assert termination_message(container, Exit(1), log).endswith("00999\n")
    assert len(termination_message(container, Exit(1), log)) <= 2048
    assert termination_message(container, Exit(1), None) == ""

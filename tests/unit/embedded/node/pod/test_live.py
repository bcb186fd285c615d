import asyncio

from kubewright._aio import VirtualClock
from kubewright.embedded.node.pod.live import LiveContainer
from kubewright.kinds.core.v1 import Container, ExecAction, Probe
from tests.unit.embedded.node.doubles import AContainer, target


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

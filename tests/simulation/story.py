"""What the user does in the short simulations, and what each of them must come to."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from kubewright.api.requests import Request
from kubewright.testing import Faults
from kubewright.testing.faults import Fault
from tests.simulation.process import Process
from tests.simulation.world import Remains, Traced, World, world

STEP = 3.0
"""Virtual seconds between two steps: enough without faults, and not enough with most of them."""


Between = Callable[[int], Awaitable[None]]
"""Called after each step, with its number."""
STEPS = 5


async def nothing(step: int) -> None:
    """Let the next step come."""


async def tell(w: World, between: Between = nothing) -> None:
    """Create, change, scale, delete, and create again under the same name."""
    for number, step in enumerate((_open, _change, _shrink, _disturb, _open_again)):
        await step(w)
        await between(number)
        await w.pass_time(STEP)


async def _open(w: World) -> None:
    await w.set_price("10")
    await w.build("a")
    await w.build("b", size=2, signs=2)


async def _change(w: World) -> None:
    await w.change("a", size=5, signs=3)
    await w.set_price("11")


async def _shrink(w: World) -> None:
    await w.change("a", size=5, signs=1)
    await w.close("b")
    await w.build("c", signs=2)


async def _disturb(w: World) -> None:
    await w.steal("c-0")
    await w.deface("a-0")
    await w.close("a")


async def _open_again(w: World) -> None:
    await w.build("a", size=7)
    await w.change("c", size=1, signs=1)


class NthFault:
    """One fault, which happens to the request of a given number."""

    def __init__(self, number: int, fault: Fault) -> None:
        self._number = number
        self._fault = fault
        self._seen = 0

    def choose(self, request: Request) -> Fault | None:
        """Return the fault if it is its turn."""
        self._seen += 1
        return self._fault if self._seen == self._number + 1 else None


@dataclass
class Told:
    """What came of one telling."""

    requests: list[str]
    times: list[float]
    wrongs: list[str]
    left: list[str]
    took: float
    asked: list[int]
    """How often the landlord was asked to end each contract."""
    events: list[int] = field(default_factory=list)
    """How often it was reported for each shop that its contract was signed."""


async def told(faults: Faults | None = None) -> Told:
    """Tell the story once with *faults*; it must come out right, and leave nothing behind."""
    async with world() as w:
        before = w.remains()
        traced = Traced(w.clock, faults)
        process = w.process("one", traced)
        await w.pass_time(STEP)
        await tell(w)
        took = await w.converge(process)
        await w.stop(process)
        trace = traced.trace or []
        return Told(
            [said for _, said, _ in trace],
            [at for at, _, _ in trace],
            w.wrongs,
            left_behind(w, process, before),
            took,
            [w.landlord.asked["end", uid] for uid in w.landlord.ended],
            signed_events(w),
        )


def left_behind(w: World, process: Process, before: Remains) -> list[str]:
    """Return what a process has left behind, which should be nothing."""
    after = w.remains()
    found = [f"{before} became {after}"] if after != before else []
    if process.wire.streams or process.wire.under_way:
        found.append(f"{process.wire.streams} streams, {process.wire.under_way} requests")
    return found


def signed_events(w: World) -> list[int]:
    """Return how often it was reported for each shop that its contract was signed."""
    counts = dict.fromkeys(w.landlord.signed, 0)
    for event in w.site.objects("events"):
        if event["reason"] == "Signed":
            counts[event["involvedObject"]["uid"]] += event.get("count") or 1
    return list(counts.values())

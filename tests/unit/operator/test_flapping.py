"""Two writers who undo one another are noticed, once."""

from kubewright._aio import VirtualClock
from kubewright.operator.flapping import LIMIT, WINDOW, Flapping


async def changes(flapping: Flapping, clock: VirtualClock, *, every: float) -> list[list[str]]:
    """Return what is said of twice as many changes as are allowed."""
    said = []
    for _ in range(2 * LIMIT):
        if (fields := flapping.note_change({"size": 1}, {"size": 2})) is not None:
            said.append(fields)
        await clock.advance(every)
    return said


async def test_too_many_changes_are_said_once_with_the_fields() -> None:
    """A line for each would fill the log."""
    clock = VirtualClock()

    said = await changes(Flapping(clock), clock, every=1.0)

    assert said == [["size: 1 -> 2"]]


async def test_changes_now_and_then_are_fine() -> None:
    """Somebody edits by hand."""
    clock = VirtualClock()

    assert await changes(Flapping(clock), clock, every=WINDOW / LIMIT + 1) == []


async def test_after_a_quiet_minute_it_is_said_again() -> None:
    """It is another quarrel then."""
    clock = VirtualClock()
    flapping = Flapping(clock)
    await changes(flapping, clock, every=1.0)
    await clock.advance(WINDOW + 1)

    assert await changes(flapping, clock, every=1.0) == [["size: 1 -> 2"]]


def test_it_is_said_even_if_the_fields_are_not_known() -> None:
    """A kind that is not cached flaps all the same."""
    flapping = Flapping(VirtualClock())

    said = [flapping.note_change(None, {"size": 2}) for _ in range(LIMIT + 1)]

    assert said[-1] == []
    assert said[:-1] == [None] * LIMIT


def test_what_is_in_a_secret_is_not_said() -> None:
    """It goes into the log, and into the record of the run."""
    flapping = Flapping(VirtualClock())
    theirs, ours = (
        {"apiVersion": "v1", "kind": "Secret", "data": {"admin": one}} for one in ("b2xk", "bmV3")
    )

    *_, said = [flapping.note_change(theirs, ours) for _ in range(LIMIT + 1)]

    assert said is not None
    assert said[0].startswith("data.admin: '[hidden: 4 bytes, #")
    assert "b2xk" not in said[0]
    assert "bmV3" not in said[0]

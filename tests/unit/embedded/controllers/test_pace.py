from kubewright._aio import VirtualClock
from kubewright.embedded.controllers.pace import Pace


async def test_the_first_write_is_at_once_and_the_next_waits() -> None:
    """Each key for itself."""
    clock = VirtualClock()
    pace: Pace[str] = Pace(0.5, clock)
    first = pace.wait("a")
    pace.note_write("a")
    await clock.advance(0.2)

    again, other = pace.wait("a"), pace.wait("b")

    assert (first, other) == (0.0, 0.0)
    assert round(again, 6) == 0.3
    await clock.advance(0.4)
    assert pace.wait("a") == 0.0


def test_what_is_forgotten_need_not_wait() -> None:
    """A service of the same name is another one."""
    pace: Pace[str] = Pace(0.5, VirtualClock())
    pace.note_write("a")

    pace.forget("a")

    assert pace.wait("a") == 0.0

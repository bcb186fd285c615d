from kubewright._aio import VirtualClock
from kubewright.log.sparing import Sparing


async def test_only_so_many_lines_are_written_in_a_time() -> None:
    """Who provokes them by the thousand does not fill the disk."""
    sparing = Sparing(VirtualClock(), most=3)

    admitted = [sparing.admit() for _ in range(1000)]

    assert admitted == [{}] * 3 + [None] * 997


async def test_the_next_line_says_how_many_were_left_out() -> None:
    """Nobody takes the silence for peace."""
    clock = VirtualClock()
    sparing = Sparing(clock, most=1, period=60)
    for _ in range(5):
        sparing.admit()

    await clock.advance(60)

    assert sparing.admit() == {"dropped": 4}
    await clock.advance(60)
    assert sparing.admit() == {}

"""Work that would hold up others."""

import threading

from kubewright.apiserver.effort import LIGHT, Effort
from kubewright.apiserver.slow_lane import LARGE, SlowLane


async def test_small_work_is_done_at_once_and_large_in_a_thread() -> None:
    """Most requests would lose more than they gain."""
    lane = SlowLane()

    assert await lane.run(LARGE - 1, threading.get_ident) == threading.get_ident()
    assert await lane.run(LARGE, threading.get_ident) != threading.get_ident()


async def test_what_turns_out_to_be_much_is_done_again_in_a_thread() -> None:
    """A small object can be a lot of work, which only the work itself finds out."""
    seen: list[bool] = []

    def check(effort: Effort) -> int:
        seen.append(effort.light)
        effort.spend(LIGHT + 1)
        return threading.get_ident()

    assert await SlowLane().judge(0, check) != threading.get_ident()
    assert seen == [True, False]

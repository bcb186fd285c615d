import asyncio

import pytest

from kubewright._aio import FENCE, Fence, VirtualClock, check_fence, fenced
from kubewright.errors import NotLeadingError


async def test_a_fence_is_closed_until_it_is_opened_and_after_its_time() -> None:
    """Who does not lead yet, or no longer, sends nothing."""
    clock = VirtualClock()
    fence = Fence("lease default/shops", clock=clock)

    with pytest.raises(NotLeadingError):
        fence.check()
    fence.until = 10.0
    fence.check()
    await clock.advance(10.0)

    with pytest.raises(NotLeadingError) as caught:
        fence.check()
    assert str(caught.value).startswith(
        "not sent: this process does not hold lease default/shops any longer"
    )


async def test_all_that_is_started_behind_a_fence_is_behind_it() -> None:
    """A reconciler that starts tasks and threads does not get around it."""
    fence = Fence("lease", clock=VirtualClock())
    loop, later = asyncio.get_running_loop(), asyncio.get_running_loop().create_future()

    async def look() -> Fence | None:
        return FENCE.get()

    with fenced(fence):
        task = asyncio.create_task(look())
        loop.call_soon(lambda: later.set_result(FENCE.get()))
        thread = asyncio.create_task(asyncio.to_thread(FENCE.get))

    assert [await task, await later, await thread] == [fence, fence, fence]
    assert FENCE.get() is None


def test_who_is_behind_no_fence_may_always_pass() -> None:
    """Caches, servers and all that does not wait for leadership."""
    check_fence()
    with fenced(Fence("lease", clock=VirtualClock())), pytest.raises(NotLeadingError):
        check_fence()

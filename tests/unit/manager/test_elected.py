import asyncio

import pytest

from kubewright.errors import LifecycleError
from kubewright.manager import Elected


async def test_all_who_wait_go_on_when_it_is_won() -> None:
    """Also those who come later."""
    elected = Elected()

    async def waiting() -> bool:
        await elected
        return bool(elected)

    early = asyncio.create_task(waiting())
    await asyncio.sleep(0)
    elected.win()

    assert await early
    assert await waiting()


async def test_one_who_gives_up_takes_nothing_from_the_others() -> None:
    """A future would be cancelled for all of them."""
    elected = Elected()

    async def waiting() -> None:
        await elected

    impatient, patient = asyncio.create_task(waiting()), asyncio.create_task(waiting())
    await asyncio.sleep(0)
    impatient.cancel()
    await asyncio.wait([impatient])
    elected.win()

    await patient


async def test_nobody_waits_for_a_manager_that_has_stopped() -> None:
    """A program that waits for ever cannot be ended in good order."""
    elected = Elected()

    elected.close()

    assert not elected
    with pytest.raises(LifecycleError, match="stopped before it was elected"):
        await elected

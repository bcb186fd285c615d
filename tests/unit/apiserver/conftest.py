"""A server in this process, and its time."""

from collections.abc import AsyncIterator

import pytest

from kubewright._aio.virtual import VirtualClock
from kubewright.apiserver.server import APIServer


@pytest.fixture
def clock() -> VirtualClock:
    """The clock of `server`: it stands still until a test moves it."""
    return VirtualClock()


@pytest.fixture
async def server(clock: VirtualClock) -> AsyncIterator[APIServer]:
    """A server whose controllers work, in memory."""
    async with APIServer(clock=clock) as running:
        yield running

"""A server whose time is real, since the other one is asked by a network."""

from collections.abc import AsyncIterator

import pytest

from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.aggregation.orchard import Orchard, orchard


@pytest.fixture
async def server() -> AsyncIterator[APIServer]:
    """A server in this process, with a way to speak for users."""
    async with APIServer() as running:
        yield running


@pytest.fixture
async def other() -> AsyncIterator[Orchard]:
    """An aggregated API server that nobody has registered yet."""
    async with orchard() as found:
        yield found

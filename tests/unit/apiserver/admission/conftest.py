from collections.abc import AsyncIterator

import pytest

from tests.unit.apiserver.admission.webhook_world import World, running_world


@pytest.fixture
async def world() -> AsyncIterator[World]:
    """Webhooks to be called."""
    async with running_world() as found:
        yield found

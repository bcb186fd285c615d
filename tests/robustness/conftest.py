"""A server on a socket, without TLS so that tests can put any bytes on the wire."""

import logging
from collections.abc import AsyncIterator

import pytest

from kubewright.apiserver.server import APIServer
from kubewright.apiserver.wire.http import HTTPServer
from tests.robustness.wire import Wire


@pytest.fixture
async def api(caplog: pytest.LogCaptureFixture) -> AsyncIterator[APIServer]:
    """Return a server in which nothing may go wrong unnoticed."""
    async with APIServer() as server:
        yield server
    assert [one.getMessage() for one in caplog.records if one.levelno >= logging.ERROR] == []


@pytest.fixture
async def front(api: APIServer) -> AsyncIterator[HTTPServer]:
    """Return its socket."""
    async with HTTPServer(api) as front:
        yield front


@pytest.fixture
async def wire(api: APIServer, front: HTTPServer) -> AsyncIterator[Wire]:
    """Return its administrator."""
    wire = Wire(front.url, token=api.users.add_user("admin", groups=["system:masters"]))
    yield wire
    await wire.close()

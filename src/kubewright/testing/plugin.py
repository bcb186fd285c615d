"""Fixtures for pytest: a server for the whole run; a client, a namespace, a cluster for each test.

pytest loads this by itself where Kubewright is installed. Nothing else is loaded before a test
asks for a fixture.
"""

import os
import secrets
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from kubewright.client import Client
    from kubewright.testing.embedded_cluster import EmbeddedCluster
    from kubewright.testing.server import Server

__all__ = [
    "kube_client",
    "kube_cluster",
    "kube_namespace",
    "kube_server",
    "pytest_addoption",
    "pytest_configure",
]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that chooses the server."""
    parser.getgroup("kubewright").addoption(
        "--kube-server",
        default=None,
        metavar="SERVER",
        help="the server of the fixture kube_server: embedded (the default), real, real-crd or"
        " kubeconfig; overrides $KUBEWRIGHT_SERVER",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Record the calls of operators, if ``kubewright rbac audit`` runs the tests."""
    folder = os.environ.get("KUBEWRIGHT_RECORD_CALLS")
    if folder:
        from kubewright.testing.recorder import Recorder

        recorder = Recorder()
        recorder.start()
        config.add_cleanup(lambda: recorder.write(Path(folder)))
        config.add_cleanup(recorder.stop)


@pytest.fixture(scope="session")
def kube_server(pytestconfig: pytest.Config) -> "Iterator[Server]":
    """An API server for all tests of the run; ``--kube-server`` or the environment says which."""
    from kubewright.errors import ConfigError
    from kubewright.testing.choice import open_server

    try:
        with open_server(pytestconfig.getoption("--kube-server")) as server:
            _require_answer(server)
            yield server
    except ConfigError as error:
        # Every other test would fail with the same message, inside a traceback.
        pytest.exit(str(error), returncode=pytest.ExitCode.USAGE_ERROR)


def _require_answer(server: "Server") -> None:
    """End the run if the server does not answer, as one from a kubeconfig may not."""
    from http.client import HTTPException

    from kubewright.errors import ConfigError
    from kubewright.testing import probe

    try:
        probe.ask(server, "GET", "/version")
    except (OSError, HTTPException) as error:
        raise ConfigError(
            f"cannot test against {server.url}: {error}. Start that cluster, or choose another"
            " server with --kube-server."
        ) from error


@pytest.fixture
def kube_cluster() -> "Iterator[EmbeddedCluster]":
    """A cluster for this test alone: controllers, a scheduler, and a simulated node.

    It runs in a thread of its own; ``kube_cluster.client()`` is an ordinary client of it.
    """
    from kubewright.testing.embedded_cluster import EmbeddedCluster

    with EmbeddedCluster() as cluster:
        yield cluster


@pytest.fixture
def kube_namespace(kube_server: "Server") -> Iterator[str]:
    """The name of a new namespace, which is deleted after the test."""
    from kubewright.testing import probe

    name = f"test-{secrets.token_hex(4)}"
    body = {"metadata": {"name": name}}
    made = probe.ask(kube_server, "POST", "/api/v1/namespaces", body=body)
    if made.status != 201:  # noqa: PLR2004  # Created
        pytest.fail(f"cannot make the namespace {name}: {made.body.decode(errors='replace')}")
    yield name
    probe.ask(kube_server, "DELETE", f"/api/v1/namespaces/{name}")


async def _client(kube_server: "Server", kube_namespace: str) -> "AsyncIterator[Client]":
    """An administrator's client, whose default is the namespace of the test."""
    from kubewright.client import Client, Config

    config = Config.from_kubeconfig(kube_server.kubeconfig_file).replace(namespace=kube_namespace)
    async with Client(config, field_owner="test") as client:
        yield client


def _missing(request: pytest.FixtureRequest) -> None:
    """Fail: an asynchronous fixture needs pytest-asyncio."""
    raise pytest.UsageError(
        "the fixture kube_client needs pytest-asyncio: pip install pytest-asyncio"
    )


def _async_fixture() -> Any:
    try:
        import pytest_asyncio
    except ImportError:
        return pytest.fixture(name="kube_client")(_missing)
    return pytest_asyncio.fixture(name="kube_client")(_client)


kube_client: Any = _async_fixture()

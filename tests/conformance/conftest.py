"""One server for all conformance tests: ``--server=real`` or ``--server=kubeconfig``."""

import contextlib
import os
import re
import secrets
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from kubewright.client import Client, Config
from kubewright.errors import ConfigError
from kubewright.testing import KubeconfigServer, RealServer, Server, probe
from kubewright.testing.assets import find_folder, get_program

CHOICES = ("real", "kubeconfig")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that choose the server."""
    group = parser.getgroup("conformance")
    group.addoption(
        "--server",
        choices=CHOICES,
        default=None,
        help="real: start etcd and kube-apiserver from $KUBEBUILDER_ASSETS (the default if it is"
        " set); kubeconfig: the current context of --kubeconfig",
    )
    group.addoption(
        "--kubeconfig",
        type=Path,
        default=None,
        help="the file for --server=kubeconfig; default $KUBECONFIG, then ~/.kube/config",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marks that a conformance test may carry."""
    config.addinivalue_line(
        "markers",
        "since(version, *, reason): skip on servers older than version, such as '1.25'",
    )
    config.addinivalue_line(
        "markers",
        "controllers: the test needs kube-controller-manager (garbage collection, namespaces, …)",
    )


class Servers:
    """Starts each kind of server when the first test asks for it, and keeps it for the rest.

    Tests with and without controllers have a server each: in one shared server, what a test sees
    would depend on which tests ran before it.
    """

    def __init__(self, choice: str, kubeconfig: Path) -> None:
        self._choice = choice
        self._kubeconfig = kubeconfig
        self._started: dict[bool, Server] = {}
        self._stack = contextlib.ExitStack()

    def get(self, *, controllers: bool) -> Server:
        """Return the server, started if it was not yet."""
        if self._choice == "kubeconfig":
            return KubeconfigServer.load(self._kubeconfig)
        if controllers not in self._started:
            server = self._stack.enter_context(RealServer(controllers=controllers))
            self._started[controllers] = server
        return self._started[controllers]

    def close(self) -> None:
        """Stop what was started."""
        self._stack.close()


def _choice(config: pytest.Config) -> str:
    """Return which server to use; a suite that silently tested nothing would be a lie."""
    chosen: str | None = config.getoption("--server", None)
    if chosen is None and find_folder() is None:
        raise pytest.UsageError(
            "conformance tests need a server: run `make real-apiserver` and set KUBEBUILDER_ASSETS"
            " to the folder that it prints, or pass --server=kubeconfig [--kubeconfig=FILE]"
        )
    return chosen or "real"


def _kubeconfig(config: pytest.Config) -> Path:
    given: Path | None = config.getoption("--kubeconfig", None)
    if given is not None:
        return given
    first = next(filter(None, os.environ.get("KUBECONFIG", "").split(os.pathsep)), None)
    return Path(first) if first else Path.home() / ".kube" / "config"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give the first test of a server the time to start it."""
    for item in items:
        if "servers" in getattr(item, "fixturenames", ()) and not item.get_closest_marker(
            "timeout"
        ):
            item.add_marker(pytest.mark.timeout(120))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Refuse to begin without a server, before the first test rather than in each of them."""
    if session.config.option.collectonly or not any(
        "servers" in getattr(item, "fixturenames", ()) for item in session.items
    ):
        return
    try:
        if _choice(session.config) == "kubeconfig":
            KubeconfigServer.load(_kubeconfig(session.config))
        else:
            for program in ("etcd", "kube-apiserver"):
                get_program(program)
    except ConfigError as error:
        raise pytest.UsageError(str(error)) from None


@pytest.fixture(scope="session")
def servers(pytestconfig: pytest.Config) -> Iterator[Servers]:
    """Every server of this run."""
    servers = Servers(_choice(pytestconfig), _kubeconfig(pytestconfig))
    yield servers
    servers.close()


@pytest.fixture
def server(servers: Servers, request: pytest.FixtureRequest) -> Server:
    """The server under test; with controllers if the test is marked so."""
    return servers.get(controllers=request.node.get_closest_marker("controllers") is not None)


@pytest.fixture
def version(server: Server) -> tuple[int, int]:
    """Major and minor version of the server, such as ``(1, 20)``."""
    return _version(server)


def _version(server: Server) -> tuple[int, int]:
    answer = probe.ask(server, "GET", "/version").json()
    return int(answer["major"]), int(re.sub(r"\D.*", "", answer["minor"]))  # minor may be "27+"


@pytest.fixture(autouse=True)
def _since(request: pytest.FixtureRequest) -> None:
    """Skip what the server is too old for, and say why."""
    mark = request.node.get_closest_marker("since")
    if mark is None:
        return
    (wanted,), reason = mark.args, mark.kwargs["reason"]
    major, minor = (int(part) for part in wanted.split("."))
    found = _version(request.getfixturevalue("server"))
    if found < (major, minor):
        pytest.skip(f"{reason} (since {wanted}; the server is {found[0]}.{found[1]})")


@pytest.fixture
def namespace(server: Server) -> Iterator[str]:
    """A new namespace, deleted after the test."""
    name = f"test-{secrets.token_hex(4)}"
    made = probe.ask(server, "POST", "/api/v1/namespaces", body={"metadata": {"name": name}})
    assert made.status == 201, made.body
    yield name
    # Not waited for: without controllers a namespace stays in Terminating for ever.
    probe.ask(server, "DELETE", f"/api/v1/namespaces/{name}")


@pytest.fixture
async def client(server: Server, namespace: str) -> AsyncIterator[Client]:
    """A client of the administrator, at home in the test's own namespace."""
    config = Config.from_kubeconfig(server.kubeconfig_file).replace(namespace=namespace)
    async with Client(config, field_owner="test") as client:
        yield client

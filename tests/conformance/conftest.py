"""One server for all conformance tests: ``--server=embedded``, real, real-crd or kubeconfig."""

import contextlib
import os
import re
import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import cast

import pytest

from kubewright.client import Client, Config
from kubewright.errors import ConfigError
from kubewright.testing import EmbeddedServer, KubeconfigServer, RealServer, Server, probe
from kubewright.testing.assets import get_program
from kubewright.testing.crd_server import PROGRAM, RealCRDServer
from tests.conformance.crds import Installer, Things, things_in
from tests.conformance.wire import OwnServer, Wire

CHOICES = ("embedded", "real", "real-crd", "kubeconfig")
PROGRAMS = {"real": ("etcd", "kube-apiserver"), "real-crd": ("etcd", "kube-apiserver", PROGRAM)}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that choose the server."""
    group = parser.getgroup("conformance")
    group.addoption(
        "--server",
        choices=CHOICES,
        default="embedded",
        help="embedded: our own (the default); real: start etcd and kube-apiserver from"
        " $KUBEBUILDER_ASSETS; real-crd: only the tests about custom resources, against"
        " apiextensions-apiserver; kubeconfig: the current context of --kubeconfig",
    )
    group.addoption(
        "--kubeconfig",
        type=Path,
        default=None,
        help="the file for --server=kubeconfig; default $KUBECONFIG, then ~/.kube/config",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marks that a conformance test may carry."""
    for line in (
        "since(version, *, reason): skip on servers older than version, such as '1.25'",
        "until(version, *, reason): skip on servers of that version and newer",
        "controllers: the test needs kube-controller-manager (garbage collection, namespaces, …)",
        "crd: the test is about custom resources, and so also runs with --server=real-crd",
    ):
        config.addinivalue_line("markers", line)


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

    def get(self, *, controllers: bool = False) -> Server:
        """Return the server, started if it was not yet."""
        if self._choice == "kubeconfig":
            return KubeconfigServer.load(self._kubeconfig)
        if controllers not in self._started:
            server = self._stack.enter_context(self._make(controllers=controllers))
            self._started[controllers] = server
        return self._started[controllers]

    def _make(self, *, controllers: bool) -> AbstractContextManager[Server]:
        if self._choice == "real":
            return RealServer(controllers=controllers)
        if self._choice == "real-crd":
            return RealCRDServer()
        return EmbeddedServer(controllers=controllers)

    def close(self) -> None:
        """Stop what was started."""
        self._stack.close()


def _choice(config: pytest.Config) -> str:
    return cast("str", config.getoption("--server"))


def _kubeconfig(config: pytest.Config) -> Path:
    given: Path | None = config.getoption("--kubeconfig", None)
    if given is not None:
        return given
    first = next(filter(None, os.environ.get("KUBECONFIG", "").split(os.pathsep)), None)
    return Path(first) if first else Path.home() / ".kube" / "config"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Choose the tests that the server is there for, and give each the time to start one."""
    items_of_ours = [item for item in items if "servers" in getattr(item, "fixturenames", ())]
    if _choice(config) == "real-crd":
        dropped = {item for item in items_of_ours if item.get_closest_marker("crd") is None}
        config.hook.pytest_deselected(items=list(dropped))
        items[:] = [item for item in items if item not in dropped]
    for item in items_of_ours:
        if not item.get_closest_marker("timeout"):
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
        for program in PROGRAMS.get(_choice(session.config), ()):
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


def _parsed(version: str) -> tuple[int, int]:
    major, minor = version.split(".")
    return int(major), int(minor)


@pytest.fixture(autouse=True)
def _versions(request: pytest.FixtureRequest) -> None:
    """Skip what the server is too old or too new for, and say why."""
    for name in ("since", "until"):
        mark = request.node.get_closest_marker(name)
        if mark is None:
            continue
        (wanted,), reason = mark.args, mark.kwargs["reason"]
        found = _version(request.getfixturevalue("server"))
        if (found >= _parsed(wanted)) is not (name == "since"):
            pytest.skip(f"{reason} ({name} {wanted}; the server is {found[0]}.{found[1]})")


@pytest.fixture
def own_server(server: Server) -> OwnServer:
    """The server under test, if it is one that we started."""
    if isinstance(server, KubeconfigServer):
        pytest.skip("the users and the history are those of a server that we started")
    return cast("OwnServer", server)


@pytest.fixture
def api(server: Server) -> Iterator[Wire]:
    """Raw requests of the administrator."""
    wire = Wire(server, server.admin)
    yield wire
    wire.close()


@pytest.fixture
def configmaps(namespace: str) -> str:
    """The path of the ConfigMaps in the test's own namespace."""
    return f"/api/v1/namespaces/{namespace}/configmaps"


@pytest.fixture(params=["configmaps", pytest.param("custom", marks=pytest.mark.crd)])
def things(api: Wire, namespace: str, request: pytest.FixtureRequest) -> Things:
    """A collection of small objects: once a built-in kind, once custom resources."""
    return things_in(api, namespace, custom=request.param == "custom")


@pytest.fixture
def pods(namespace: str) -> str:
    """The path of the Pods in the test's own namespace."""
    return f"/api/v1/namespaces/{namespace}/pods"


@pytest.fixture
def deployments(namespace: str) -> str:
    """The path of the Deployments in the test's own namespace."""
    return f"/apis/apps/v1/namespaces/{namespace}/deployments"


@pytest.fixture
def install(api: Wire, namespace: str) -> Iterator[Installer]:
    """Install CRDs for one test; they are deleted after it."""
    installer = Installer(api, namespace)
    yield installer
    installer.clean()


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

"""A cluster for the sample operators: ``--server=embedded`` (ours) or ``real`` (Kubernetes')."""

import secrets
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import cast

import pytest

import kubewright as kw
from kubewright.errors import ConfigError
from kubewright.kinds.core.v1 import Namespace
from kubewright.testing.assets import get_program
from tests.e2e.cluster import PROGRAMS, EndToEndCluster
from tests.e2e.kubectl import Kubectl
from tests.e2e.program import EXAMPLES, Program, command_of

Start = Callable[..., Program]

TIMEOUT = 120


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that chooses the server."""
    with suppress(ValueError):  # the conformance tests have it, too, and may be loaded already
        parser.getgroup("e2e").addoption(
            "--server",
            choices=("embedded", "real"),
            default="embedded",
            help="embedded: our own cluster (the default); real: etcd, kube-apiserver and"
            " kube-controller-manager from $KUBEBUILDER_ASSETS, with our node attached",
        )


def _choice(config: pytest.Config) -> str:
    return cast("str", config.getoption("--server"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give each test the time that processes take."""
    for item in items:
        if "cluster" in getattr(item, "fixturenames", ()) and not item.get_closest_marker(
            "timeout"
        ):
            item.add_marker(pytest.mark.timeout(TIMEOUT))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Refuse to begin without the programs, before the first test rather than in each of them."""
    needed = any("cluster" in getattr(item, "fixturenames", ()) for item in session.items)
    if not needed or session.config.option.collectonly or _choice(session.config) != "real":
        return
    try:
        for program in PROGRAMS:
            get_program(program)
    except ConfigError as error:
        raise pytest.UsageError(str(error)) from None


@pytest.fixture(scope="session")
def cluster(pytestconfig: pytest.Config) -> Iterator[EndToEndCluster]:
    """The cluster of this run, with controllers, a scheduler and a node."""
    with EndToEndCluster(_choice(pytestconfig)) as running:
        yield running


@pytest.fixture
async def client(cluster: EndToEndCluster) -> AsyncIterator[kw.Client]:
    """An administrator's client, whose default namespace belongs to the test."""
    name = f"e2e-{secrets.token_hex(4)}"
    config = cluster.config().replace(namespace=name)
    async with kw.Client(config, field_owner="e2e") as client:
        await client.create(Namespace(metadata=kw.ObjectMeta(name=name)))
        yield client
        await client.delete(Namespace, name)


@pytest.fixture
def kubectl(cluster: EndToEndCluster, client: kw.Client, tmp_path: Path) -> Kubectl:
    """The real kubectl, in the test's own namespace: ``kubectl("get", "pods")``."""
    return Kubectl(cluster.kubeconfig_file, namespace=client.namespace, home=tmp_path)


@pytest.fixture
def start(cluster: EndToEndCluster, client: kw.Client) -> Iterator[Start]:
    """Start a sample as a process: ``start("helloworld")``; what still runs is killed at the end.

    It looks after the test's own namespace, and is the administrator, who installs CRDs; with
    ``kubeconfig=`` it is somebody else, who does not. More arguments are more flags of the program,
    and ``environment=`` holds more variables. What it prints is shown when the test fails.
    """
    with ExitStack() as stack:

        def begin(
            sample: str,
            *flags: str,
            environment: dict[str, str] | None = None,
            kubeconfig: Path | None = None,
        ) -> Program:
            program = Program(
                [*command_of(sample, install=kubeconfig is None), *flags],
                kubeconfig=kubeconfig or cluster.kubeconfig_file,
                namespace=client.namespace,
                environment=environment,
                folder=EXAMPLES / sample,
            )
            return stack.enter_context(program)

        yield begin

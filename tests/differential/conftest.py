"""Pairs of servers, and how long to search: ``--hypothesis-profile=deep`` for a long time."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, settings

from kubewright.testing import EmbeddedServer, RealCRDServer, RealServer
from tests.conformance.wire import Wire
from tests.differential import known
from tests.differential.pair import Pair

# The same examples in every run of CI; others, and more of them, in a deep one.
settings.register_profile(
    "differential",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=20,
    stateful_step_count=15,
    suppress_health_check=list(HealthCheck),
    phases=[phase for phase in Phase if phase is not Phase.explain],
)
settings.register_profile(
    "deep",
    settings.get_profile("differential"),
    derandomize=False,
    max_examples=500,
    stateful_step_count=25,
)


def pytest_configure(config: pytest.Config) -> None:
    """Search briefly unless told otherwise; other folders have profiles of their own."""
    if not config.getoption("--hypothesis-profile"):
        settings.load_profile("differential")


@pytest.fixture(scope="session")
def embedded() -> Iterator[Wire]:
    """The embedded server; without controllers, as the real ones."""
    with EmbeddedServer(controllers=False) as server:
        wire = Wire(server, server.admin)
        yield wire
        wire.close()


@pytest.fixture(scope="session")
def builtin(embedded: Wire) -> Iterator[Pair]:
    """The embedded server beside kube-apiserver."""
    with RealServer() as server:
        wire = Wire(server, server.admin)
        yield Pair(embedded, wire, known.BUILTIN)
        wire.close()


@pytest.fixture(scope="session")
def custom(embedded: Wire) -> Iterator[Pair]:
    """The embedded server beside Kubernetes' own code for custom resources."""
    with RealCRDServer() as server:
        wire = Wire(server, server.admin)
        yield Pair(embedded, wire, known.CUSTOM)
        wire.close()

"""Servers to test against: our own, a real kube-apiserver on this machine, or one you have.

Every server here is a `Server`: it has an address, an administrator, and a kubeconfig file. A test
that asks for no more than that runs against any of them. `open_server` starts the one that an
argument or the environment names.
"""

from typing import TYPE_CHECKING

from kubewright._lazy import lazy_names

if TYPE_CHECKING:
    from kubewright._aio import VirtualClock
    from kubewright.client.witness import as_operator
    from kubewright.testing.choice import open_server
    from kubewright.testing.conversion import check_round_trips
    from kubewright.testing.crd_server import RealCRDServer
    from kubewright.testing.embedded import EmbeddedServer
    from kubewright.testing.embedded_cluster import EmbeddedCluster
    from kubewright.testing.envtest import RealServer
    from kubewright.testing.faults import (
        Cut,
        Faults,
        FaultyTransport,
        Hanging,
        Lost,
        NextFaults,
        RandomFaults,
        Refused,
        Silent,
        Slow,
        Unreachable,
    )
    from kubewright.testing.harness import OperatorTest, operator_test
    from kubewright.testing.running import operator_on
    from kubewright.testing.server import KubeconfigServer, Server, User

__all__ = [
    "Cut",
    "EmbeddedCluster",
    "EmbeddedServer",
    "Faults",
    "FaultyTransport",
    "Hanging",
    "KubeconfigServer",
    "Lost",
    "NextFaults",
    "OperatorTest",
    "RandomFaults",
    "RealCRDServer",
    "RealServer",
    "Refused",
    "Server",
    "Silent",
    "Slow",
    "Unreachable",
    "User",
    "VirtualClock",
    "as_operator",
    "check_round_trips",
    "open_server",
    "operator_on",
    "operator_test",
]

_MODULES = {
    "Cut": "faults",
    "EmbeddedCluster": "embedded_cluster",
    "EmbeddedServer": "embedded",
    "Faults": "faults",
    "FaultyTransport": "faults",
    "Hanging": "faults",
    "KubeconfigServer": "server",
    "Lost": "faults",
    "NextFaults": "faults",
    "OperatorTest": "harness",
    "RandomFaults": "faults",
    "RealCRDServer": "crd_server",
    "RealServer": "envtest",
    "Refused": "faults",
    "Server": "server",
    "Silent": "faults",
    "Slow": "faults",
    "Unreachable": "faults",
    "User": "server",
    "VirtualClock": "embedded",
    "as_operator": "recorder",
    "check_round_trips": "conversion",
    "open_server": "choice",
    "operator_on": "running",
    "operator_test": "harness",
}

# Loaded when first used: every run of pytest loads our plugin, and most of them need no server.
# Hidden from type checkers, which know the names from above.
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _MODULES)

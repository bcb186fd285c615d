"""Servers to test against: a real kube-apiserver on this machine, or one you have already.

Every server here is a `Server`: it has an address, an administrator, and a kubeconfig file. A test
that asks for no more than that runs against any of them.
"""

from kubewright.testing.envtest import RealServer
from kubewright.testing.server import KubeconfigServer, Server, User

__all__ = ["KubeconfigServer", "RealServer", "Server", "User"]

"""Kubernetes inside this process: a whole cluster, or only its API server.

`LocalCluster` has everything: API server, controllers, scheduler and nodes. `LocalServer` puts an
API server at a local address, and `InProcessTransport` joins one to a client without a network.

Example:
    async with LocalCluster() as cluster, cluster.client() as client:
        await client.create(deployment)
"""

from typing import TYPE_CHECKING

from kubewright._lazy import lazy_names

if TYPE_CHECKING:
    from kubewright.embedded.cluster import ClusterOptions, LocalCluster
    from kubewright.embedded.local import LocalServer, Served
    from kubewright.embedded.transport import InProcessTransport

__all__ = ["ClusterOptions", "InProcessTransport", "LocalCluster", "LocalServer", "Served"]

_MODULES = {
    "ClusterOptions": "cluster",
    "LocalCluster": "cluster",
    "InProcessTransport": "transport",
    "LocalServer": "local",
    "Served": "local",
}

# Loaded when first used: a server needs no client. Hidden from type checkers, which know the names
# from above.
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _MODULES)

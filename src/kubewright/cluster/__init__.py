"""One API server as a program sees it: a client that reads from a cache what is declared there.

A `Cluster` holds both. Declare the kinds that you read often with ``cluster.cache.informer(Pod)``;
from then on ``cluster.client.get(Pod, "web-0")`` costs no request. What is not declared is read
from the server each time, so nothing is watched that nobody asked for.
"""

from kubewright.cluster.cached_client import CachedClient
from kubewright.cluster.cluster import Cluster

__all__ = ["CachedClient", "Cluster"]

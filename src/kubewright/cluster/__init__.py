"""One API server as a program sees it: a client, and a cache from which it reads declared kinds.

Declare the kinds that you read often with ``cluster.cache.informer(Pod)``; from then on
``cluster.client.get(Pod, "web-0")`` costs no request. Other kinds are read from the server each
time, so nothing is watched unless you asked for it.
"""

from kubewright.cluster.cached_client import CachedClient
from kubewright.cluster.cluster import Cluster

__all__ = ["CachedClient", "Cluster"]

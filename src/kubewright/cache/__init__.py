"""Objects of a cluster in memory, kept up to date by watches.

A `Cache` holds one `Informer` for each kind and selection that was declared. An informer mirrors
its part of the server into a `Store`, which hands out private copies, and tells handlers about
each change as an `Event`. Reads see what this process wrote at once.

Most programs reach it through a `kubewright.cluster.Cluster`, whose client reads from it.
"""

from kubewright.cache.cache import Cache
from kubewright.cache.entry import Entry, Event
from kubewright.cache.handlers import Registration
from kubewright.cache.informer import Informer
from kubewright.cache.selection import Selection
from kubewright.cache.shard import Shard
from kubewright.cache.store import Store
from kubewright.cache.transform import Transform, without
from kubewright.cache.view import CacheView

__all__ = [
    "Cache",
    "CacheView",
    "Entry",
    "Event",
    "Informer",
    "Registration",
    "Selection",
    "Shard",
    "Store",
    "Transform",
    "without",
]

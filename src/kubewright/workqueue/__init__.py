"""A queue of keys that need work: ordered, deduplicated, delayed, prioritised, rate limited.

It is what a controller keeps between "something changed" and "look at it", and it can be used
without one. Its promises are those of client-go's queue and of controller-runtime's priority
queue.
"""

from kubewright.workqueue.limiters import (
    Bucket,
    ExponentialBackoff,
    FastSlow,
    MaxOf,
    MaxWait,
    RateLimiter,
)
from kubewright.workqueue.queue import LOW, QueueShutDown, WorkQueue

__all__ = [
    "LOW",
    "Bucket",
    "ExponentialBackoff",
    "FastSlow",
    "MaxOf",
    "MaxWait",
    "QueueShutDown",
    "RateLimiter",
    "WorkQueue",
]

"""A queue of keys that need work: ordered, deduplicated, delayed, prioritised, rate limited.

A controller keeps one between the events and its workers; it also works without a controller. It
makes the same promises as client-go's queue and controller-runtime's priority queue.
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

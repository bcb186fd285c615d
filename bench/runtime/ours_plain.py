"""Kubewright's runtime with a cache that is never compressed."""

from bench.measure import Numbers, Work
from bench.runtime import ours


def list_pods(work: Work) -> Numbers:
    """Measure an informer until it holds every pod and has told its handler so."""
    return ours.list_pods(work, compress=False)


def watch_pods(work: Work) -> Numbers:
    """Measure changes through cache, handler and queue to a reconciler that does nothing."""
    return ours.watch_pods(work, compress=False)

"""Kubewright's runtime while every run is recorded."""

from bench.measure import Numbers, Work
from bench.runtime import ours


def watch_pods(work: Work) -> Numbers:
    """Measure changes through cache, handler and queue to a reconciler that does nothing."""
    return ours.watch_pods(work, recorded=True)

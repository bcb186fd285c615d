"""The metrics of runs, under the names of operator-sdk; and how many runs were not needed."""

from kubewright.metrics import Counter, Gauge, Histogram

__all__ = ["Instruments"]

TIME: Histogram = Histogram(
    "ansible_operator_reconciles", "How long in seconds a reconcile takes.", ("GVK",)
)
RESULT: Gauge = Gauge(
    "ansible_operator_reconcile_result", "Gauge of reconciles and their results.", ("GVK", "result")
)
SPARED: Counter = Counter(
    "ansible_operator_spared_runs_total",
    "Number of reconciles that needed no run, since nothing had changed.",
    ("GVK",),
)


class Instruments:
    """The metrics of one kind.

    Args:
        kind: The kind, as metrics name it.
    """

    def __init__(self, kind: str) -> None:
        self._time = TIME.labels(kind)
        self._succeeded = RESULT.labels(kind, "succeeded")
        self._failed = RESULT.labels(kind, "failed")
        self._spared = SPARED.labels(kind)

    def note_run(self, seconds: float, *, failed: bool) -> None:
        """Note a run."""
        self._time.observe(seconds)
        (self._failed if failed else self._succeeded).inc()

    def note_spared(self) -> None:
        """Note a reconcile without one."""
        self._spared.inc()

"""Times changes from the first that a handler hears of to the last that is reconciled."""

import time

from bench.measure import Numbers


class Changes:
    """Counts changes where they come in: a queue may make one reconcile of several.

    Args:
        expected: How many will come.
    """

    def __init__(self, expected: int) -> None:
        self.reconciles = 0
        self._expected = expected
        self._seen = 0
        self._first = self._last = (0.0, 0.0)

    def seen(self) -> None:
        """Count one change."""
        if not self._seen:
            self._first = (time.perf_counter(), time.process_time())
        self._seen += 1

    def reconciled(self, left: int) -> bool:
        """Note a reconcile, with *left* more in the queue; return whether it was the last."""
        self.reconciles += 1 if self._seen else 0
        if self._seen < self._expected or left:
            return False
        self._last = (time.perf_counter(), time.process_time())
        return True

    def result(self) -> Numbers:
        """Return the cost of one change, how many a second came through, and their reconciles."""
        wall, cpu = (last - first for first, last in zip(self._first, self._last, strict=True))
        return {
            "cpu_us": cpu / self._expected * 1e6,
            "per_second": self._expected / wall,
            "reconciles": self.reconciles / self._expected,
        }

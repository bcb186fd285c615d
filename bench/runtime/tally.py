"""Counts the Widgets that an operator has done, and prints the numbers when all are.

It imports little, because what it imports the operator under test need not.
"""

import os
import sys
import time


class Tally:
    """Measures from the first reconcile to the last Widget that is done.

    Args:
        expected: How many Widgets there are.
    """

    def __init__(self, expected: int) -> None:
        self._expected = expected
        self._seen: set[str] = set()
        self._first = 0
        self._cpu = 0.0

    def began(self) -> None:
        """Say that a reconcile begins."""
        if not self._first:
            self._first, self._cpu = time.monotonic_ns(), time.process_time()

    def done(self, name: str) -> None:
        """Say that the child and the status of Widget *name* are written."""
        self._seen.add(name)
        if len(self._seen) == self._expected:
            self._print()

    def _print(self) -> None:
        seconds = (time.monotonic_ns() - self._first) / 1e9
        numbers = {
            "first_ms": (self._first - int(os.environ["BENCH_STARTED"])) / 1e6,
            "per_second": self._expected / seconds,
            "cpu_us": (time.process_time() - self._cpu) / self._expected * 1e6,
        }
        print("{%s}" % ", ".join(f'"{name}": {value}' for name, value in numbers.items()))  # noqa: UP031  # braces
        sys.stdout.flush()
        os._exit(0)  # an orderly end is no part of this

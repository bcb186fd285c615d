"""When the reconciler of a contender has seen each change of the ConfigMap; see `latency.py`."""

import time

from bench.measure import Numbers


class Seen:
    """Notes the time of each change, and says READY at the first state.

    Args:
        last: The number of the last change.
    """

    def __init__(self, last: int) -> None:
        self.times: Numbers = {}
        self._last = str(last)

    def note(self, number: str) -> bool:
        """Note that change *number* was read now; return whether it was the last."""
        self.times[number] = float(time.monotonic_ns())
        if number == "0":
            print("READY", flush=True)
        return number == self._last

"""`Failures`: when a step that has failed is tried again.

The queue of a controller has delays of its own. But each try writes release Secrets, which is a
change, and a change leads to a reconcile at once: without this, a chart that the server refuses
would be upgraded and rolled back without a pause.
"""

import msgspec

from kubewright._aio import Clock
from kubewright.controller.request import Request

__all__ = ["Failures"]

_FIRST, _LONGEST = 5.0, 600.0


class _Failure(msgspec.Struct, frozen=True):
    inputs: str
    attempts: int
    until: float


class Failures:
    """What has failed, and for which inputs.

    Args:
        clock: Where time comes from.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._known: dict[Request, _Failure] = {}

    def note(self, request: Request, inputs: str) -> float:
        """Note one more failure, and return the seconds until the next try."""
        before = self._known.get(request)
        attempts = 1 if before is None or before.inputs != inputs else before.attempts + 1
        delay = min(_LONGEST, _FIRST * 2.0 ** (attempts - 1))
        self._known[request] = _Failure(inputs, attempts, self._clock.monotonic() + delay)
        return delay

    def wait(self, request: Request, inputs: str) -> float:
        """Return the seconds for which the same is not tried again."""
        failure = self._known.get(request)
        if failure is None or failure.inputs != inputs:
            return 0.0
        return max(0.0, failure.until - self._clock.monotonic())

    def forget(self, request: Request) -> None:
        """Note that all is well, or gone."""
        self._known.pop(request, None)

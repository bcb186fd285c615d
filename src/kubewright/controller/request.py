"""`Request`, `Result` and `Reason`: the input of a reconciler, its output, and why it runs."""

from datetime import timedelta
from typing import NamedTuple

import msgspec

from kubewright.api.kind import ObjectKey
from kubewright.errors import seconds_of
from kubewright.runs.reason import Reason

__all__ = ["Reason", "Request", "Result"]


class Request(NamedTuple):
    """Which object to reconcile; controllers queue these.

    A tuple, not a struct: it is hashed several times on its way through the queue.
    """

    namespace: str
    name: str
    cluster: str = ""

    @property
    def key(self) -> ObjectKey:
        """The namespace and name as the client and the cache take them."""
        return ObjectKey(self.namespace, self.name)

    def __str__(self) -> str:
        name = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.cluster}:{name}" if self.cluster else name


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """Returned by a reconciler that wants to be called again; others return ``None``.

    Attributes:
        requeue_after: Call again in so many seconds. 0 does not ask for a call, as in Go: a
            reconciler that is called again at once would never rest.
        requeue: Call again with the backoff of a failure, without counting as one.
        priority: In which order among others; as before unless given.

    Raises:
        TypeError: One of them is not a number.
        ValueError: Nobody can wait for `requeue_after`: it is negative, infinite or NaN.
    """

    requeue_after: float | timedelta | None = None
    requeue: bool = False
    priority: int | None = None

    def __post_init__(self) -> None:
        # Here, where the reconciler fails and is tried again: the queue would stumble over it.
        if self.requeue_after is not None:
            seconds_of("requeue_after", self.requeue_after)
        if self.priority is not None and not isinstance(self.priority, int):
            raise TypeError(f"a priority is a whole number, not {self.priority!r:.80}")

    @property
    def delay(self) -> float | None:
        """`requeue_after` in seconds; ``None`` if it does not ask for a call."""
        after = self.requeue_after
        seconds = after.total_seconds() if isinstance(after, timedelta) else after
        return seconds or None

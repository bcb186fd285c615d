"""`Reason`: why a reconcile runs."""

from typing import NamedTuple

from kubewright.api.kind import ObjectKey

__all__ = ["Reason"]


class Reason(NamedTuple):
    """Why a reconcile runs: a change that was seen, or what else put its key into the queue.

    Attributes:
        source: What was watched: a kind such as ``Pod``, or the name of a source; ``retry`` and
            ``requeue`` for what the last reconcile asked for, and ``timer`` for what a timer does.
        event: ``ADDED``, ``MODIFIED``, ``DELETED``, or empty.
        object: The object that changed.
        detail: What else the sender said, such as the number of a payment.
    """

    source: str
    event: str = ""
    object: ObjectKey | None = None
    detail: str = ""

    def __str__(self) -> str:
        return " ".join(str(part) for part in self if part)

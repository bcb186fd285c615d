"""`RunRecord`: what is known of one call of a reconciler after it has ended."""

from datetime import datetime, timedelta
from typing import Any, Literal, TypeAlias

import msgspec

from kubewright.api.kind import ObjectKey
from kubewright.runs.call import APICall
from kubewright.runs.reason import Reason

__all__ = ["LogLine", "Outcome", "RunFailure", "RunRecord"]

Outcome: TypeAlias = Literal[
    "success", "requeue", "requeue_after", "postponed", "error", "deadline", "cancelled"
]
"""How a run ended:

- ``success``: the reconciler returned ``None``, or a `Result` that asks for nothing
- ``requeue``, ``requeue_after``: it returned a `Result` that asks for another call
- ``postponed``: it raised `RetryAfter`, which is not a failure
- ``error``: it raised something else
- ``deadline``: it took longer than its deadline and was cancelled
- ``cancelled``: it was cancelled because its controller stopped
"""


class LogLine(msgspec.Struct, frozen=True):
    """A line that was logged during a run.

    Attributes:
        at: When, in seconds after the run began.
        level: ``debug``, ``info``, ``warning`` or ``error``.
        event: The message.
        fields: Its other fields, without those that every line of the run has.
    """

    at: float
    level: str
    event: str
    fields: dict[str, Any]

    def __str__(self) -> str:
        return " ".join([self.event, *(f"{name}={one!r}" for name, one in self.fields.items())])


class RunFailure(msgspec.Struct, frozen=True):
    """What a run raised.

    Attributes:
        type: The name of the exception's class.
        text: Its message.
        place: Where in the user's code, such as ``shop.py:42 in reconcile``; empty if unknown.
        traceback: The traceback as Python prints it, beginning with the user's code.
    """

    type: str
    text: str
    place: str = ""
    traceback: str = ""


class RunRecord(msgspec.Struct, frozen=True, eq=False):
    """One call of a reconciler, from the queue to its end.

    Attributes:
        id: Identifies the run. Its log lines and its span carry it as ``reconcile_id``.
        controller: The name of the controller.
        kind: The kind that it reconciles; empty if there is none.
        key: The namespace and name of the object.
        cluster: The name of the object's cluster, where there are several.
        reasons: Why it ran, at most 8 of them: which event of which object, which timer, which
            request from outside.
        attempt: 1, and one more after each failure in a row.
        began: When its reconciler was called.
        waited: How many seconds it had been due by then; 0 for a queue without a name.
        took: How many seconds the call took.
        outcome: How it ended.
        delay: In how many seconds the object is reconciled again, as far as was known at the end:
            0 if it was due by then, ``None`` if nothing asked for it.
        next_reasons: Why it is reconciled again, as far as was known at the end.
        failure: What it raised; ``None`` if nothing.
        changed: Whether the reconciler set `Run.changed`.
        calls: The requests that it sent to the server; at most 100.
        calls_left_out: How many more there were.
        logs: The lines that it logged through `kubewright.log`, from level INFO on, and DEBUG lines
            if they are printed; at most 100.
        logs_left_out: How many more there were.
    """

    id: str
    controller: str
    kind: str
    key: ObjectKey
    cluster: str
    reasons: tuple[Reason, ...]
    attempt: int
    began: datetime
    waited: float
    took: float
    outcome: Outcome
    delay: float | None = None
    next_reasons: tuple[Reason, ...] = ()
    failure: RunFailure | None = None
    changed: bool = False
    calls: tuple[APICall, ...] = ()
    calls_left_out: int = 0
    logs: tuple[LogLine, ...] = ()
    logs_left_out: int = 0

    @property
    def writes(self) -> tuple[APICall, ...]:
        """The calls that wrote, or tried to."""
        return tuple(call for call in self.calls if call.is_write)

    @property
    def comes_again(self) -> bool:
        """Whether the object will be reconciled again, as far as was known at the end."""
        return self.delay is not None

    @property
    def next_at(self) -> datetime | None:
        """When the object will be reconciled again, as far as was known at the end."""
        if self.delay is None:
            return None
        return self.began + timedelta(seconds=self.took + self.delay)

    def __str__(self) -> str:
        again = "" if self.delay is None else f", again in {self.delay:g} s"
        what = f"{self.kind or self.controller} {self.key}"
        why = ", ".join(map(str, self.reasons))
        return f"{self.id} {what}: {self.outcome} in {self.took:.3f} s{again} ({why})"

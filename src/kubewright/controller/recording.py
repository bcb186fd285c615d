"""Notes how each run of a controller ended, while `Runs` records."""

import traceback
from typing import TYPE_CHECKING

from kubewright._loop import place_of_error, users_traceback
from kubewright.controller.deadlines import Call
from kubewright.controller.lines import described
from kubewright.log.values import text

if TYPE_CHECKING:
    from kubewright.runs.record import Outcome, RunFailure

__all__ = ["note_end"]

_MOST_TRACEBACK = 32 * 1024  # characters; the end of it says what went wrong


def note_end(call: Call, outcome: "Outcome", error: BaseException | None = None) -> None:
    """Note how *call* ended, if it is recorded."""
    notes = call.notes
    if notes is not None:
        notes.outcome = outcome
        if error is not None:
            notes.fail(_failure(error, call.place))


def _failure(error: BaseException, place: str) -> "RunFailure":
    from kubewright.runs.record import RunFailure

    lines = "".join(traceback.format_exception(type(error), error, users_traceback(error)))
    shown = text(lines, most=len(lines))  # before it is cut: half a secret is one, too
    return RunFailure(
        type(error).__name__,
        text(described(error)),
        place or place_of_error(error),
        shown if len(shown) <= _MOST_TRACEBACK else "…" + shown[-_MOST_TRACEBACK:],
    )

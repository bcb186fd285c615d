"""Records of runs: why each call of a reconciler happened, what it did, and how it ended.

`Runs` keeps the last records in memory and tells listeners of new ones; ``manager.runs`` is one.
While nobody listens and nothing is kept, no record is made.
"""

from typing import TYPE_CHECKING

from kubewright._lazy import lazy_names

if TYPE_CHECKING:
    from kubewright.runs.call import APICall
    from kubewright.runs.change import Change
    from kubewright.runs.following import Following
    from kubewright.runs.reason import Reason
    from kubewright.runs.record import LogLine, Outcome, RunFailure, RunRecord
    from kubewright.runs.runs import Recorded, Runs

__all__ = [
    "APICall",
    "Change",
    "Following",
    "LogLine",
    "Outcome",
    "Reason",
    "Recorded",
    "RunFailure",
    "RunRecord",
    "Runs",
]

_WHERE = {
    "APICall": "call",
    "Change": "change",
    "Following": "following",
    "LogLine": "record",
    "Outcome": "record",
    "Reason": "reason",
    "Recorded": "runs",
    "RunFailure": "record",
    "RunRecord": "record",
    "Runs": "runs",
}

# Loaded when first used: a program that is only a client has no runs. Hidden from type checkers,
# which know the names from above.
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _WHERE)

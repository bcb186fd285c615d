"""The status of jobs."""

from typing import Any

import pytest

from tests.unit.apiserver.builtin.batch.test_jobs import a_job
from tests.unit.apiserver.builtin.workload_samples import NOW, status_refusals

EARLIER = "2026-01-01T11:00:00Z"
HERE = "status.conditions: Invalid value:"


def holding(*kinds: str, **more: Any) -> dict[str, Any]:
    return {"conditions": [{"type": kind, "status": "True"} for kind in kinds], **more}


DONE = holding("SuccessCriteriaMet", "Complete", startTime=EARLIER, completionTime=NOW)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({}, {"active": 1, "ready": 1}, []),
        ({}, DONE, []),
        (
            {},
            {"active": -1},
            ["status.active: Invalid value: -1: must be greater than or equal to 0"],
        ),
        (
            {},
            {"ready": 1},
            ["status.ready: Invalid value: 1: cannot set more ready pods than active"],
        ),
        (
            {},
            {**DONE, "active": 1},
            ["status.active: Invalid value: 1: active>0 is invalid for finished job"],
        ),
        (
            {},
            {**DONE, "completionTime": "2026-01-01T10:00:00Z"},
            [
                (
                    'status.completionTime: Invalid value: "2026-01-01T10:00:00Z": must be equal '
                    "to or after `startTime`"
                )
            ],
        ),
        (
            {},
            holding("SuccessCriteriaMet", "Complete", startTime=EARLIER),
            ["status.completionTime: Required value: completionTime is required for Complete jobs"],
        ),
        (
            {},
            holding("Complete", startTime=EARLIER, completionTime=NOW),
            [
                (
                    f"{HERE} cannot set Complete=True condition without the "
                    "SuccessCriteriaMet=true condition"
                )
            ],
        ),
        (
            {},
            holding("Failed", startTime=EARLIER),
            [f"{HERE} cannot set Failed=True condition without the FailureTarget=true condition"],
        ),
        (
            {},
            holding("Failed", "FailureTarget"),
            ["status.startTime: Required value: startTime is required for finished job"],
        ),
        (
            DONE,
            {"startTime": EARLIER},
            [
                f"{HERE} cannot disable the terminal Complete=True condition",
                f"{HERE} cannot disable the SuccessCriteriaMet=True condition",
            ],
        ),
        (
            {"failed": 2},
            {"failed": 1},
            ["status.failed: Invalid value: 1: cannot decrease the failed counter"],
        ),
        (
            {"startTime": EARLIER},
            {"startTime": NOW},
            [
                (
                    f'status.startTime: Invalid value: "{NOW}": field is immutable for unsuspended'
                    " job once set"
                )
            ],
        ),
        (
            {},
            {"completedIndexes": "0"},
            [
                (
                    'status.completedIndexes: Invalid value: "0": cannot set non-empty '
                    "completedIndexes when non-indexed completion mode"
                )
            ],
        ),
        (
            {},
            {"uncountedTerminatedPods": {"succeeded": ["a"], "failed": ["a"]}},
            ['status.uncountedTerminatedPods.failed[0]: Duplicate value: "a"'],
        ),
    ],
)
def test_a_job_ends_once_and_says_so_fully(old: Any, new: Any, expected: list[str]) -> None:
    """Others wait for exactly these conditions."""
    assert status_refusals("batch", "jobs", a_job(), old, new) == expected

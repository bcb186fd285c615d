from typing import Any

import pytest

from tests.unit.apiserver.table.rows import row


@pytest.mark.parametrize(
    ("content", "status", "completions", "duration"),
    [
        ({}, "Running", "0/1", ""),
        ({"spec": {"parallelism": 3}}, "Running", "0/1 of 3", ""),
        (
            {
                "spec": {"completions": 2},
                "status": {
                    "succeeded": 2,
                    "startTime": "2026-01-01T10:00:00Z",
                    "completionTime": "2026-01-01T10:05:30Z",
                    "conditions": [{"type": "Complete", "status": "True"}],
                },
            },
            "Complete",
            "2/2",
            "5m30s",
        ),
        (
            {"status": {"conditions": [{"type": "Suspended", "status": "True"}]}},
            "Suspended",
            "0/1",
            "",
        ),
    ],
)
def test_a_job_shows_how_far_it_is(
    content: dict[str, Any], status: str, completions: str, duration: str
) -> None:
    """The row has the completions and the duration."""
    found = row("batch", "jobs", content)

    assert (found["Status"], found["Completions"]) == (status, completions)
    assert found["Duration"] == duration


def test_a_cron_job_shows_when_it_ran() -> None:
    """Booleans are written with a capital here."""
    spec = {"schedule": "* * * * *", "suspend": False}
    status = {"active": [{}], "lastScheduleTime": "2026-01-01T11:59:00Z"}

    found = row("batch", "cronjobs", {"spec": spec, "status": status})

    assert (found["Timezone"], found["Suspend"], found["Active"]) == ("<none>", "False", 1)
    assert found["Last Schedule"] == "60s"
    assert row("batch", "cronjobs")["Last Schedule"] == "<none>"

"""CronJobs."""

from typing import Any

import pytest

from tests.unit.apiserver.builtin.batch.test_jobs import TEMPLATE
from tests.unit.apiserver.builtin.workload_samples import Obj, an_object, created, refusals

JOB = "spec.jobTemplate.spec"


def a_cron_job(**spec: Any) -> Obj:
    content = {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": TEMPLATE}}, **spec}
    return an_object({"spec": content})


def test_a_minimal_cron_job_lets_jobs_overlap() -> None:
    """Users see these defaults in kubectl; the job template gets its own only in the Job."""
    spec = created("batch", "cronjobs", a_cron_job())["spec"]

    job = spec.pop("jobTemplate")
    assert spec == {
        "schedule": "* * * * *",
        "concurrencyPolicy": "Allow",
        "suspend": False,
        "successfulJobsHistoryLimit": 3,
        "failedJobsHistoryLimit": 1,
    }
    assert set(job["spec"]) == {"template"}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"schedule": ""}, ["spec.schedule: Required value"]),
        (
            {"schedule": "a b"},
            ['spec.schedule: Invalid value: "a b": expected exactly 5 fields, found 2: [a b]'],
        ),
        (
            {"schedule": "TZ=UTC * * * * *"},
            [
                (
                    'spec.schedule: Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ '
                    "in schedule, use timeZone field instead"
                )
            ],
        ),
        (
            {"timeZone": "Nowhere/-x"},
            ['spec.timeZone: Invalid value: "Nowhere/-x": unknown time zone Nowhere/-x'],
        ),
        (
            {"timeZone": "local"},
            [
                (
                    'spec.timeZone: Invalid value: "local": timeZone must be an explicit time '
                    "zone as defined in https://www.iana.org/time-zones"
                )
            ],
        ),
        (
            {"concurrencyPolicy": "X"},
            [
                (
                    'spec.concurrencyPolicy: Unsupported value: "X": supported values: "Allow", '
                    '"Forbid", "Replace"'
                )
            ],
        ),
        (
            {"startingDeadlineSeconds": -1},
            ["spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0"],
        ),
        (
            {
                "jobTemplate": {
                    "spec": {"template": TEMPLATE, "selector": {}, "manualSelector": True}
                }
            },
            [
                f"{JOB}.selector: Invalid value: {{}}: `selector` will be auto-generated",
                f'{JOB}.manualSelector: Unsupported value: true: supported values: "nil", "false"',
            ],
        ),
    ],
)
def test_a_wrong_cron_job_is_refused(spec: Any, expected: list[str]) -> None:
    """The texts and their order are Kubernetes'."""
    assert refusals("batch", "cronjobs", a_cron_job(**spec)) == expected


def test_a_name_leaves_room_for_the_time() -> None:
    """The names of the jobs are made from it."""
    job = {**a_cron_job(), "metadata": {"name": "a" * 53}}

    [text] = refusals("batch", "cronjobs", job)

    assert text.endswith(": must be no more than 52 characters")

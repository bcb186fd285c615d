"""Jobs."""

from typing import Any

import pytest

from kubewright.apiserver.builtin import strategy_for
from tests.unit.apiserver.builtin.workload_samples import (
    CONTAINER,
    UID,
    Obj,
    an_object,
    created,
    refusals,
    update_refusals,
)

TEMPLATE: Obj = {"spec": {"containers": [CONTAINER], "restartPolicy": "Never"}}
GENERATED = {
    "batch.kubernetes.io/controller-uid": UID,
    "batch.kubernetes.io/job-name": "x",
    "controller-uid": UID,
    "job-name": "x",
}
POLICY = "spec.podFailurePolicy.rules[0]"


def a_job(**spec: Any) -> Obj:
    return an_object({"spec": {"template": TEMPLATE, **spec}})


def test_a_minimal_job_runs_one_pod_once() -> None:
    """Users see these defaults in kubectl after creating a minimal Job."""
    stored = created("batch", "jobs", a_job())

    spec = {key: value for key, value in stored["spec"].items() if key != "template"}
    assert spec == {
        "backoffLimit": 6,
        "completionMode": "NonIndexed",
        "completions": 1,
        "manualSelector": False,
        "parallelism": 1,
        "podReplacementPolicy": "TerminatingOrFailed",
        "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": UID}},
        "suspend": False,
    }
    assert stored["spec"]["template"]["metadata"]["labels"] == GENERATED
    assert stored["metadata"]["labels"] == GENERATED
    assert stored["status"] == {}


def test_a_parallel_job_has_no_number_to_reach() -> None:
    """It ends when one pod does."""
    assert "completions" not in created("batch", "jobs", a_job(parallelism=3))["spec"]


def test_labels_of_a_job_that_has_some_are_left_alone() -> None:
    """Only a job without labels gets those of its template."""
    job = a_job()
    job["metadata"]["labels"] = {"mine": "1"}

    assert created("batch", "jobs", job)["metadata"]["labels"] == {"mine": "1"}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (
            {"template": {"spec": {"containers": [CONTAINER]}}},
            [
                (
                    'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure",'
                    ' "Never"'
                )
            ],
        ),
        (
            {"parallelism": -1, "backoffLimit": -1},
            [
                "spec.parallelism: Invalid value: -1: must be greater than or equal to 0",
                "spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0",
            ],
        ),
        (
            {"manualSelector": True},
            [
                "spec.selector: Required value",
                (
                    "spec.template.metadata.labels: Invalid value: null: `selector` does not "
                    "match template `labels`"
                ),
            ],
        ),
        (
            {"completionMode": "X"},
            [
                (
                    'spec.completionMode: Unsupported value: "X": supported values: "NonIndexed",'
                    ' "Indexed"'
                )
            ],
        ),
        (
            {"completionMode": "Indexed", "parallelism": 1},
            ["spec.completions: Required value: when completion mode is Indexed"],
        ),
        (
            {"backoffLimitPerIndex": 1},
            ["spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode"],
        ),
        (
            {"podReplacementPolicy": "X"},
            [
                (
                    'spec.podReplacementPolicy: Unsupported value: "X": supported values: '
                    '"Failed", "TerminatingOrFailed"'
                )
            ],
        ),
        (
            {"podFailurePolicy": {"rules": [{}]}},
            [
                (
                    f'{POLICY}.action: Required value: valid values: ["Count" "FailIndex" '
                    '"FailJob" "Ignore"]'
                ),
                (
                    f"{POLICY}: Invalid value: specifying one of OnExitCodes and OnPodConditions "
                    "is required"
                ),
            ],
        ),
        (
            {
                "podFailurePolicy": {
                    "rules": [
                        {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [2, 0]}}
                    ]
                }
            },
            [
                (
                    f"{POLICY}.onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In "
                    "operator"
                ),
                f"{POLICY}.onExitCodes.values: Invalid value: [2,0]: must be ordered",
            ],
        ),
        (
            {
                "completionMode": "Indexed",
                "completions": 3,
                "successPolicy": {"rules": [{"succeededIndexes": "0,2-1", "succeededCount": 9}]},
            },
            [
                (
                    'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "0,2-1": error '
                    "parsing succeededIndexes: non-increasing order, previous: 2, current: 1"
                ),
                (
                    "spec.successPolicy.rules[0].succeededCount: Invalid value: 9: must be less "
                    "than or equal to 3 (the number of specified completions)"
                ),
                (
                    "spec.successPolicy.rules[0].succeededCount: Invalid value: 9: must be less "
                    "than or equal to 0 (the number of indexes in the specified succeededIndexes "
                    "field)"
                ),
            ],
        ),
    ],
)
def test_a_wrong_job_is_refused(spec: Any, expected: list[str]) -> None:
    """The texts and their order are Kubernetes'."""
    assert refusals("batch", "jobs", a_job(**spec)) == expected


def test_a_selector_of_ones_own_needs_to_be_asked_for() -> None:
    """It could take the pods of another job."""
    texts = refusals("batch", "jobs", a_job(selector={"matchLabels": {"a": "b"}}))

    assert texts[0].endswith("`selector` not auto-generated")
    assert texts[1].endswith("`selector` does not match template `labels`")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({}, {"parallelism": 5, "suspend": True, "backoffLimit": 1}, []),
        ({}, {"completions": 5}, ["spec.completions: Invalid value: 5: field is immutable"]),
        (
            {"completionMode": "Indexed", "completions": 2, "parallelism": 2},
            {"completions": 3, "parallelism": 3},
            [],
        ),
        (
            {"completionMode": "Indexed", "completions": 2, "parallelism": 2},
            {"completions": 3},
            [
                (
                    "spec.completions: Invalid value: 3: can only be modified in tandem with "
                    "spec.parallelism"
                )
            ],
        ),
        (
            {},
            {"managedBy": "a.b/c"},
            ['spec.managedBy: Invalid value: "a.b/c": field is immutable'],
        ),
    ],
)
def test_little_of_a_job_may_change(before: Any, after: Any, expected: list[str]) -> None:
    """Its pods were made from it."""
    assert update_refusals("batch", "jobs", a_job(**before), **after) == expected


def changed_template(job: Obj, **spec: Any) -> list[str]:
    stored = created("batch", "jobs", job)
    pattern = stored["spec"]["template"]
    return update_refusals(
        "batch", "jobs", job, template={**pattern, "spec": {**pattern["spec"], **spec}}
    )


def test_the_template_of_a_job_changes_only_while_it_waits() -> None:
    """A queue decides where a suspended job goes before it starts."""
    other = [{**CONTAINER, "image": "other", "imagePullPolicy": "Always"}]

    assert not changed_template(a_job(suspend=True), nodeSelector={"zone": "a"})
    [running] = changed_template(a_job(), nodeSelector={"zone": "a"})
    [image] = changed_template(a_job(suspend=True), containers=other)

    assert running.startswith('spec.template: Invalid value: {"labels":{"batch.kubernetes.io/')
    assert running.endswith(": field is immutable")
    assert image.startswith("spec.template.spec: Invalid value:")


def test_jobs_are_selected_by_what_succeeded() -> None:
    """The field has another name than the status."""
    fields = strategy_for("batch", "jobs").selectable_fields({"status": {"succeeded": 2}})

    assert fields == {"status.successful": "2"}


def test_an_indexed_job_needs_a_name_that_leaves_room_for_the_index() -> None:
    """Each pod's host name is the job's with its index."""
    job = an_object(
        {"spec": {"template": TEMPLATE, "completionMode": "Indexed", "completions": 10}},
        name="a" * 62,
    )

    [text] = refusals("batch", "jobs", job)

    assert text.endswith(f"will not able to create pod with invalid DNS label: {'a' * 62}-9")

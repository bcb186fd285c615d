from datetime import UTC, datetime, timedelta

import pytest

from kubewright.embedded.controllers.job.policy import Backoff, delay_after, judge, met
from kubewright.kinds.batch.v1 import (
    Job,
    PodFailurePolicy,
    PodFailurePolicyOnExitCodesRequirement,
    PodFailurePolicyOnPodConditionsPattern,
    PodFailurePolicyRule,
    SuccessPolicy,
    SuccessPolicyRule,
)
from tests.unit.embedded.controllers.job.samples import failed, indexed, job

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def on_codes(action: str, operator: str, *codes: int, container: str | None = None) -> Job:
    rule = PodFailurePolicyOnExitCodesRequirement(
        container_name=container, operator=operator, values=list(codes)
    )
    policy = PodFailurePolicy(rules=[PodFailurePolicyRule(action=action, on_exit_codes=rule)])
    return job(pod_failure_policy=policy)


@pytest.mark.parametrize(
    ("operator", "code", "counts"), [("In", 1, False), ("In", 2, True), ("NotIn", 2, False)]
)
def test_exit_codes_are_in_the_rule_or_not(operator: str, code: int, counts: bool) -> None:
    """A rule that does not fit leaves the failure as it is: it counts."""
    assert judge(on_codes("Ignore", operator, 1), failed(code=code)).counts is counts


def test_a_rule_can_be_about_one_container_only() -> None:
    """A sidecar ends as it likes."""
    assert judge(on_codes("Ignore", "In", 1, container="other"), failed()).counts
    assert not judge(on_codes("Ignore", "In", 1, container="main"), failed()).counts


def test_a_rule_can_be_about_a_condition() -> None:
    """DisruptionTarget is set on pods that are evicted."""
    pattern = PodFailurePolicyOnPodConditionsPattern(type="DisruptionTarget", status="True")
    rule = PodFailurePolicyRule(action="FailJob", on_pod_conditions=[pattern])
    one = job(pod_failure_policy=PodFailurePolicy(rules=[rule]))

    said = judge(one, failed(condition="DisruptionTarget"))

    assert said.fails_job == (
        "Pod default/a has condition DisruptionTarget matching FailJob rule at index 0"
    )
    assert judge(one, failed()).fails_job == ""


@pytest.mark.parametrize(
    ("indexes", "count", "done", "holds"),
    [
        ("0-2", None, {0, 1}, False),
        ("0-2", None, {0, 1, 2}, True),
        ("0-2", 2, {0, 2}, True),
        (None, 2, {4, 3}, True),
        (None, 2, {4}, False),
    ],
)
def test_a_success_policy_names_indexes_a_number_or_both(
    indexes: str | None, count: int | None, done: set[int], holds: bool
) -> None:
    """The number is of those that are named, where any are."""
    rule = SuccessPolicyRule(succeeded_indexes=indexes, succeeded_count=count)
    one = indexed(5, success_policy=SuccessPolicy(rules=[rule]))

    assert met(one, done) == ("Matched rules at index 0" if holds else "")


@pytest.mark.parametrize(("failures", "seconds"), [(0, 0), (1, 10), (2, 20), (6, 320), (99, 600)])
def test_the_wait_doubles_up_to_ten_minutes(failures: int, seconds: float) -> None:
    """Ten seconds after the first failure."""
    assert delay_after(failures, NOON, NOON) == seconds


def test_a_success_forgets_the_failures_before_it() -> None:
    """In the order in which the pods ended, not in which we saw that."""
    minute = timedelta(minutes=1)

    found = Backoff(3, NOON).after([(NOON + 2 * minute, False), (NOON + minute, True)])

    assert found == Backoff(1, NOON + 2 * minute)
    assert found.remaining(NOON + 2 * minute + timedelta(seconds=4)) == 6

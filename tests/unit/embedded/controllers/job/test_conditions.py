from datetime import UTC, datetime

from kubewright.embedded.controllers.job.conditions import (
    CRITERIA_MET,
    FAILURE_TARGET,
    SUSPENDED,
    end_of,
    is_finished,
    target_of,
    verdict,
    with_condition,
)
from tests.unit.embedded.controllers.job.samples import job

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_what_is_decided_becomes_the_end() -> None:
    """With the same reason and message."""
    one = job()
    one.status.conditions = [verdict(FAILURE_TARGET, "Why", "because", NOON)]
    target = target_of(one)
    assert target is not None

    end = end_of(target, NOON)

    assert (end.type, end.reason, end.message) == ("Failed", "Why", "because")
    assert end_of(verdict(CRITERIA_MET, "A", "b", NOON), NOON).type == "Complete"
    assert not is_finished(one)
    one.status.conditions.append(end)
    assert is_finished(one)


def test_a_condition_that_says_the_same_changes_nothing() -> None:
    """So there is nothing to write, and its time stays."""
    old = verdict(SUSPENDED, "JobSuspended", "Job suspended", NOON)

    assert with_condition([old], verdict(SUSPENDED, "JobSuspended", "Job suspended", NOON)) is None
    assert with_condition([], old) == [old]


def test_a_false_condition_is_not_added() -> None:
    """A Job that was never suspended does not say that it was resumed."""
    new = verdict(SUSPENDED, "JobResumed", "Job resumed", NOON)
    new.status = "False"

    assert with_condition([], new) is None
    assert with_condition([verdict(SUSPENDED, "x", "y", NOON)], new) == [new]

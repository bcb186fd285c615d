from datetime import timedelta

import pytest

from kubewright.application.diagnosis.failure import REASON
from kubewright.operator.reconciler import FAILED
from tests.unit.application.diagnosis.failing import event, failures
from tests.unit.application.diagnosis.ward import NOW


def test_the_reason_is_that_of_the_operator() -> None:
    """The one who writes it is in a layer above, and cannot be asked."""
    assert REASON == FAILED


def test_the_last_failure_of_each_object_counts() -> None:
    """Several messages of one object are one thing that does not work."""
    first, last = "2026-11-01T11:30:00Z", "2026-11-01T11:59:30Z"
    before, after = event("one", first=first), event("(combined from similar events): b", last=last)

    (found,) = failures(after, before)

    assert (found.message, found.subject) == ("b", "configmaps/a in namespace x")
    assert (found.first, found.last) == (before.first_timestamp, after.last_timestamp)


@pytest.mark.parametrize(
    "more",
    [
        {"component": "another"},
        {"kind": "Secret"},
        {"reason": "Late"},
        {"last": "2026-11-01T10:30:00Z"},
    ],
)
def test_what_others_say_and_what_was_long_ago_does_not_count(more: dict[str, str]) -> None:
    """Another operator may reconcile the same kinds, and has its own doctor."""
    assert failures(event(**more)) == []


def test_retries_that_are_far_apart_are_waited_for() -> None:
    """The delay doubles, up to a thousand seconds: silence says nothing before that."""
    (found,) = failures(event(first="2026-11-01T11:15:00Z", last="2026-11-01T11:45:00Z"))

    assert not found.is_due(NOW)
    assert found.is_due(NOW + timedelta(minutes=10))

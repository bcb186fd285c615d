import copy
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from kubewright import _json
from kubewright.api.conditions import (
    check_condition,
    find_condition,
    is_condition_false,
    is_condition_true,
    remove_condition,
    set_condition,
)
from kubewright.api.meta import Condition
from kubewright.kinds.apps.v1 import DeploymentCondition

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
LATER = NOON + timedelta(minutes=10)
READY = Condition(type="Ready", status="True", reason="AllReplicasUp")
BROKEN = Condition(type="Ready", status="False", reason="CrashLoop", message="web-0 restarts")


def test_a_new_condition_goes_last_with_the_time_of_now() -> None:
    """Others keep their place, so that diffs stay small."""
    first = set_condition([], Condition(type="Available", status="True", reason="Up"), now=NOON)

    both = set_condition(first, READY, now=LATER)

    assert [one.type for one in both] == ["Available", "Ready"]
    assert [one.last_transition_time for one in both] == [NOON, LATER]


def test_the_transition_time_moves_only_when_the_status_flips() -> None:
    """An alert on "not Ready for ten minutes" must not start anew with every message."""
    conditions = set_condition([], BROKEN, now=NOON)
    reworded = msgspec.structs.replace(BROKEN, message="web-1 restarts")

    same_status = set_condition(conditions, reworded, now=LATER)
    flipped = set_condition(same_status, READY, now=LATER)

    assert same_status[0].last_transition_time == NOON
    assert same_status[0].message == "web-1 restarts"
    assert flipped[0].last_transition_time == LATER


def test_setting_the_same_again_gives_an_equal_list() -> None:
    """So that a reconcile at rest writes nothing."""
    conditions = set_condition([], READY, now=NOON)

    assert set_condition(conditions, READY, now=LATER) == conditions


def test_the_input_is_not_modified() -> None:
    """The list may belong to an object that is still compared with the server's."""
    conditions = set_condition([], READY, now=NOON)
    before = copy.deepcopy(conditions)

    set_condition(conditions, BROKEN, now=LATER)
    remove_condition(conditions, "Ready")

    assert conditions == before
    assert READY.last_transition_time is None


def test_the_time_is_cut_to_seconds() -> None:
    """The server drops the rest; keeping it would look like a change after every read."""
    now = datetime(2026, 1, 1, 12, 0, 0, 999_999, tzinfo=UTC)

    [condition] = set_condition([], READY, now=now)

    assert condition.last_transition_time == NOON
    assert b'"lastTransitionTime":"2026-01-01T12:00:00Z"' in _json.encode(condition)


def test_a_condition_without_a_time_gets_one() -> None:
    """Hand-written status may lack it, and the server insists on it."""
    [condition] = set_condition([READY], READY, now=NOON)

    assert condition.last_transition_time == NOON


def test_duplicates_of_the_type_are_dropped() -> None:
    """The list is a map for the server, which refuses the same key twice."""
    other = Condition(type="Available", status="True", reason="Up")

    result = set_condition([READY, other, BROKEN], BROKEN, now=NOON)

    assert [one.type for one in result] == ["Ready", "Available"]


def test_the_observed_generation_is_that_of_the_new_condition() -> None:
    """It says which spec the statement is about."""
    conditions = set_condition([], READY, now=NOON)
    newer = msgspec.structs.replace(READY, observed_generation=2)

    result = set_condition(conditions, newer, now=LATER)

    assert result[0].observed_generation == 2
    assert result[0].last_transition_time == NOON


def test_conditions_are_found_asked_and_removed_by_type() -> None:
    """An absent condition is neither true nor false."""
    conditions = set_condition([], READY, now=NOON)

    assert find_condition(conditions, "Ready") is conditions[0]
    assert find_condition(conditions, "ready") is None
    assert is_condition_true(conditions, "Ready")
    assert not is_condition_false(conditions, "Ready")
    assert is_condition_false([BROKEN], "Ready")
    assert not is_condition_true(conditions, "Available")
    assert not is_condition_false(conditions, "Available")
    assert remove_condition(conditions, "Ready") == []
    assert remove_condition(conditions, "Available") == conditions


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"type": ""}, "the type of a condition is wrong: .* it is empty"),
        ({"type": "not ready"}, "the type of a condition is wrong"),
        ({"status": "true"}, "has status 'true'; write one of 'True', 'False', 'Unknown'"),
        ({"reason": ""}, "condition 'Ready' needs a reason, such as 'AllReplicasUp'"),
        ({"reason": "all replicas up"}, "has reason 'all replicas up'; write one word"),
        ({"reason": "1st"}, "has reason '1st'"),
        ({"reason": "Up:"}, "has reason 'Up:'"),
        ({"reason": "Up\n"}, "has reason"),
        ({"reason": "A" * 1025}, "has a reason of 1025 characters"),
        ({"message": "ü" * 16385}, "has a message of 32770 bytes; at most 32768"),
        ({"observed_generation": -1}, "it is never negative"),
    ],
)
def test_what_the_server_would_refuse_is_refused_here(
    change: dict[str, object], problem: str
) -> None:
    """A 422 on the status hides the real trouble that the condition was to tell of."""
    wrong = msgspec.structs.replace(READY, **change)

    with pytest.raises(ValueError, match=problem):
        set_condition([], wrong, now=NOON)


@pytest.mark.parametrize("reason", ["A", "a_b", "Up,Down", "A:B", "A" * 1024])
def test_reasons_that_the_server_takes_are_taken(reason: str) -> None:
    """Colons and commas may stand inside."""
    check_condition(msgspec.structs.replace(READY, reason=reason, type="example.com/Ready"))


def test_a_time_without_a_zone_is_refused() -> None:
    """It would be written without an offset, which the server refuses."""
    with pytest.raises(ValueError, match="has no time zone"):
        set_condition([], READY, now=datetime(2026, 1, 1))  # noqa: DTZ001  # that is the point


def test_conditions_of_every_class_can_be_asked() -> None:
    """Deployments, pods and nodes have condition classes of their own."""
    up = DeploymentCondition(type="Available", status="True")
    stuck = DeploymentCondition(type="Progressing", status="False")

    assert find_condition([up, stuck], "Progressing") is stuck
    assert is_condition_true([up, stuck], "Available")
    assert is_condition_false([up, stuck], "Progressing")
    assert remove_condition([up, stuck], "Available") == [stuck]

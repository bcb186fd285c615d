"""How a status is changed."""

import sys
from typing import Any

import pytest

from kubewright.ansible.folder import COLLECTIONS

sys.path.append(str(COLLECTIONS))
from ansible_collections.operator_sdk.util.plugins.modules.k8s_status import (  # type: ignore[import-not-found]
    checked,
    wanted,
)

OLD = {
    "a": {"b": 1, "c": 2},
    "conditions": [{"type": "A", "status": "True", "lastTransitionTime": "t0"}],
}


def status(**params: Any) -> Any:
    """Return the status that a task asks for."""
    given = {"status": None, "conditions": None, "force": False, **params}
    return wanted(given, OLD, "now")


def test_fields_are_merged_or_replaced() -> None:
    """As a JSON merge patch does it; null takes one away."""
    assert status(status={"a": {"b": 5, "c": None}}) == {**OLD, "a": {"b": 5}}
    assert status(status={"x": 1}, force=True) == {"x": 1}


def test_conditions_take_the_place_of_their_type() -> None:
    """Their time moves only if their status does."""
    same = status(conditions=[{"type": "A", "status": True, "reason": "Fine"}])
    other = status(conditions=[{"type": "A", "status": "False"}, {"type": "B", "status": "True"}])

    assert same["conditions"] == [
        {"type": "A", "status": "True", "reason": "Fine", "lastTransitionTime": "t0"}
    ]
    assert [one["lastTransitionTime"] for one in other["conditions"]] == ["now", "now"]


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ({"type": "A", "status": "Maybe"}, "is not True, False or Unknown"),
        ({"status": "True"}, "needs a type"),
        ({"type": "A", "status": "True", "reason": "two words"}, "is not one word"),
        ({"type": "A", "status": "True", "colour": "red"}, "a condition has no colour"),
    ],
)
def test_condition_that_is_none_is_refused(condition: dict[str, Any], message: str) -> None:
    """The API server would take it, and other programs would stumble."""
    with pytest.raises(ValueError, match=message):
        checked(condition)


def test_conditions_stand_in_one_place() -> None:
    """Nobody could say which count."""
    with pytest.raises(ValueError, match="write them once"):
        status(status={"conditions": [{}]}, conditions=[{"type": "A", "status": "True"}])

from typing import Any

import pytest

from kubewright.apiserver.admission.policy import Failure, Policy

VALUES = {"object": {"a": 1}, "oldObject": None}


def policy(**spec: Any) -> Policy:
    return Policy({"metadata": {"name": "p"}, "spec": spec})


def test_each_validation_that_is_not_true_is_a_failure() -> None:
    """With its place, its words and its reason."""
    found = policy(
        validations=[
            {"expression": "object.a == 1"},
            {"expression": "object.a == 2", "message": "two", "reason": "Forbidden"},
            {"expression": "object.b == 2"},
        ]
    ).evaluate(VALUES)

    assert found is not None
    assert found.failures == [
        Failure("two", "Forbidden", 1),
        Failure("expression 'object.b == 2' resulted in error: no such key: b", index=2),
    ]


def test_a_variable_is_computed_once_and_only_if_it_is_used() -> None:
    """It may be costly, and may fail."""
    variables = [
        {"name": "bad", "expression": "object.nix"},
        {"name": "good", "expression": "object.a + 1"},
    ]
    used = [{"expression": "variables.good == 2 && variables.good == 2"}]

    found = policy(variables=variables, validations=used).evaluate(VALUES)

    assert found is not None
    assert found.failures == []


@pytest.mark.parametrize(
    ("value", "notes", "broken"),
    [("'  text '", {"k": "text"}, 0), ("''", {}, 0), ("null", {}, 0), ("1", {}, 1)],
)
def test_a_note_is_text_or_nothing(value: str, notes: dict[str, str], broken: int) -> None:
    """Anything else is a mistake of the policy."""
    found = policy(auditAnnotations=[{"key": "k", "valueExpression": value}]).evaluate(VALUES)

    assert found is not None
    assert found.notes == notes
    assert len(found.broken) == broken


def test_a_policy_whose_conditions_do_not_hold_says_nothing() -> None:
    """That is not the same as finding nothing."""
    never = [{"name": "never", "expression": "false"}]

    assert policy(matchConditions=never, validations=[{"expression": "false"}]).evaluate({}) is None

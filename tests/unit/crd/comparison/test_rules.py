"""CEL rules: new ones break, but those about updates break no stored object."""

from typing import Any

import pytest

from kubewright.crd.comparison.rules import compared_rules


def schema(*rules: dict[str, Any]) -> dict[str, Any]:
    """Return a schema with these rules."""
    return {"x-kubernetes-validations": list(rules)}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (schema(), schema({"rule": "self > 1"}), ["breaks rule-added"]),
        (schema(), schema({"rule": "self == oldSelf"}), ["risky rule-added"]),
        (
            schema(),
            schema({"rule": "!oldSelf.hasValue()", "optionalOldSelf": True}),
            ["breaks rule-added"],
        ),
        (schema({"rule": "self > 1"}), schema(), ["safe rule-removed"]),
        (
            schema({"rule": "self > 1"}),
            schema({"rule": "self > 2"}),
            ["breaks rule-added", "safe rule-removed"],
        ),
        (schema({"rule": "a"}, {"rule": "b"}), schema({"rule": "b"}, {"rule": "a"}), []),
        (schema({"rule": "a", "message": "x"}), schema({"rule": "a", "message": "y"}), []),
        ({}, {}, []),
    ],
)
def test_a_rule_is_new_or_gone(old: Any, new: Any, expected: list[str]) -> None:
    """The order and the messages do not matter to an object."""
    found = [f"{one.severity} {one.rule}" for one in compared_rules(old, new, ".a")]

    assert found == expected


def test_a_rule_is_called_by_its_message() -> None:
    """An expression of ten lines says less to people."""
    rule = {"rule": "self.a ||\n  self.b", "message": "a or b is\nneeded"}

    (change,) = compared_rules({}, schema(rule), ".spec")

    assert change.text == 'a new rule, "a or b is needed": objects that break it are refused'

"""Rules in CEL are evaluated where their schema puts them."""

from typing import Any

import pytest

from kubewright.apiserver.schema.ratchet import Correlated
from kubewright.apiserver.schema.rules import rules_of
from kubewright.apiserver.schema.tree import parse

Json = dict[str, Any]


def with_rules(source: Json, *rules: Json) -> Json:
    """Return a schema with rules."""
    return {**source, "x-kubernetes-validations": list(rules)}


def broken(source: Json, new: Any, old: Any = None, *, ratchet: bool = False) -> list[str]:
    """Return the rules of a field ``x`` that are broken, and those that are only warned of."""
    schema = parse({"type": "object", "properties": {"x": source}})
    rules = rules_of(schema, root=True)
    assert rules is not None
    before = None if old is None else {"x": old}
    pair = Correlated({"x": new}, before, schema) if ratchet else None
    warnings: list[str] = []
    errors = rules.validate({"x": new}, before, correlated=pair, warn=warnings.append)
    return [str(error) for error in errors] + [f"warning: {text}" for text in warnings]


INT: Json = {"type": "integer"}


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ({"rule": "self > 5"}, "x: Invalid value: 3: failed rule: self > 5"),
        ({"rule": "self > 5", "message": " big "}, "x: Invalid value: 3: big"),
        (
            {"rule": "self > 5", "messageExpression": "'got ' + string(self)", "message": "m"},
            "x: Invalid value: 3: got 3",
        ),
        (
            {"rule": "self > 5", "messageExpression": "''", "message": "fallback"},
            "x: Invalid value: 3: fallback",
        ),
        (
            {"rule": "self > 5", "messageExpression": "'a\\nb'"},
            "x: Invalid value: 3: failed rule: self > 5",
        ),
        ({"rule": "false", "reason": "FieldValueForbidden"}, "x: Forbidden: failed rule: false"),
        (
            {"rule": "false", "reason": "FieldValueRequired"},
            "x: Required value: failed rule: false",
        ),
        ({"rule": "false", "reason": "FieldValueDuplicate"}, "x: Duplicate value: 3"),
        (
            {"rule": "[1][self] == 1"},
            'x: Invalid value: "integer": index out of bounds: 3 evaluating rule: [1][self] == 1',
        ),
        (
            {"rule": "self.foo"},
            (
                'x: Invalid value: "integer": rule compile error: compilation failed: ERROR:'
                " <input>:1:5: type 'int' does not support field selection\n | self.foo\n | ....^"
            ),
        ),
    ],
)
def test_broken_rules_are_told_with_their_message(rule: Json, text: str) -> None:
    """The reason decides what sort of error it is."""
    assert broken(with_rules(INT, rule), 3) == [text]


def test_objects_are_not_shown_and_the_path_can_be_that_of_a_field() -> None:
    """Whole objects would drown the message."""
    source = {"type": "object", "properties": {"a": INT}}
    rules = ({"rule": "false", "message": "no"}, {"rule": "self.a > 3", "fieldPath": ".a"})

    assert broken(with_rules(source, *rules), {"a": 1}) == [
        "x: Invalid value: no",
        "x.a: Invalid value: failed rule: self.a > 3",
    ]


def test_rules_apply_to_elements_and_values() -> None:
    """Each element and each value of a map has its own path."""
    positive = with_rules(INT, {"rule": "self > 0", "message": "p"})
    source = {"type": "object", "additionalProperties": {"type": "array", "items": positive}}

    assert broken(source, {"k": [1, 0]}) == ["x[k][1]: Invalid value: 0: p"]


@pytest.mark.parametrize(
    ("rule", "new", "old", "texts"),
    [
        ({"rule": "self == oldSelf", "message": "m"}, 2, 1, ["x: Invalid value: 2: m"]),
        ({"rule": "self == oldSelf"}, 2, None, []),
        ({"rule": "self == oldSelf"}, 1, 1, []),
        (
            {"rule": "oldSelf.hasValue()", "optionalOldSelf": True, "message": "m"},
            2,
            None,
            ["x: Invalid value: 2: m"],
        ),
        ({"rule": "oldSelf.value() == 1", "optionalOldSelf": True}, 2, 1, []),
    ],
)
def test_transition_rules_compare_with_the_old_value(
    rule: Json, new: Any, old: Any, texts: list[str]
) -> None:
    """Without an old value they run only with optionalOldSelf."""
    assert broken(with_rules(INT, rule), new, old) == texts


def test_old_elements_are_found_by_key() -> None:
    """An element that moved is compared with itself."""
    grows = with_rules(INT, {"rule": "self >= oldSelf", "message": "grows"})
    source = {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
        "items": {"type": "object", "properties": {"k": {"type": "string"}, "v": grows}},
    }
    old = [{"k": "a", "v": 5}, {"k": "b", "v": 1}]
    new = [{"k": "b", "v": 2}, {"k": "a", "v": 4}, {"k": "c", "v": 0}]

    assert broken(source, new, old) == ["x[1].v: Invalid value: 4: grows"]


def test_broken_rules_about_unchanged_values_only_warn() -> None:
    """An object can be changed elsewhere without being repaired first."""
    rule = {"rule": "self > 5", "message": "big"}

    assert broken(with_rules(INT, rule), 3, 3, ratchet=True) == [
        "warning: x: Invalid value: 3: big"
    ]
    assert broken(with_rules(INT, rule), 4, 3, ratchet=True) == ["x: Invalid value: 4: big"]


def test_one_rule_may_not_run_too_long() -> None:
    """No further rules are run then."""
    source = {"type": "array", "items": INT}
    slow = {"rule": "self.all(a, self.all(b, self.all(c, a + b + c >= 0)))"}

    (text,) = broken(with_rules(source, slow, {"rule": "false"}), list(range(300)))

    assert text == (
        "x: Invalid value: \"array\": 'operation cancelled: actual cost limit exceeded': no further"
        " validation rules will be run due to call cost exceeds limit for rule:"
        f" {slow['rule']}"
    )


def test_all_rules_share_a_budget() -> None:
    """When it is spent, the rest is not checked."""
    # What looking for a text costs depends on its length alone.
    item = with_rules({"type": "string"}, {"rule": "self.contains(self)"})

    (text,) = broken({"type": "array", "items": item}, ["a" * 9000] * 13)

    assert text.endswith(
        "validation failed due to running out of cost budget, no further validation rules will be"
        " run"
    )


def test_schemas_without_rules_have_none() -> None:
    """Objects of such schemas skip rule validation altogether."""
    assert rules_of(parse({"type": "object", "properties": {"a": INT}}), root=True) is None

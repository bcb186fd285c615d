"""Rules in CEL of definitions."""

from typing import Any

import pytest

from kubewright.apiserver.customresource import definition
from tests.unit.apiserver.customresource.samples import crd_of, established, schema_of

Json = dict[str, Any]

SPEC = "spec.validation.openAPIV3Schema.properties[spec].properties"
COSTS = (
    "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays,"
    " maps, and strings are declared)"
)


def problems(source: Json, **rule: Any) -> list[str]:
    """Return what is wrong with a rule of a field ``a``."""
    crd = crd_of(schema_of(a={**source, "x-kubernetes-validations": [rule]}))
    return [str(error) for error in definition.validate(crd)]


@pytest.mark.parametrize(
    ("rule", "field", "detail"),
    [
        (
            {"rule": "self < '<'"},
            "rule",
            (
                "compilation failed: ERROR: <input>:1:6: found no matching overload for '_<_'"
                " applied to '(int, string)'\n | self < '<'\n | .....^"
            ),
        ),
        ({"rule": "self"}, "rule", "cel expression must evaluate to a bool"),
        (
            {"rule": "true", "messageExpression": "1"},
            "messageExpression",
            "messageExpression must evaluate to a string",
        ),
    ],
)
def test_rules_must_compile(rule: Json, field: str, detail: str) -> None:
    """The rule is shown as the server has it, signs of HTML escaped."""
    (text,) = problems({"type": "integer"}, **rule)

    where = f"{SPEC}[a].x-kubernetes-validations[0].{field}"
    assert text.startswith(f'{where}: Invalid value: {{"Rule":"')
    assert text.endswith(f'"OptionalOldSelf":null}}: {detail}')
    assert "<" not in text.partition("}")[0]


def test_old_values_are_not_known_inside_of_plain_lists() -> None:
    """Elements without keys cannot be found again."""
    inner = {"type": "string", "maxLength": 5}
    rule = {"rule": "self == oldSelf"}
    source = {
        "type": "array",
        "maxItems": 5,
        "items": {**inner, "x-kubernetes-validations": [rule]},
    }

    (error,) = definition.validate(crd_of(schema_of(a=source)))

    assert error.text == (
        'Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of'
        f" the schema within {SPEC}[a]"
    )


def test_optional_old_self_needs_an_old_self() -> None:
    """The setting has no effect on a rule that does not use oldSelf."""
    (text,) = problems({"type": "integer"}, rule="true", optionalOldSelf=True)

    assert text.endswith(
        "optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule"
    )


def test_rules_that_can_become_too_dear_are_refused() -> None:
    """One by one, and all together; limits on sizes help."""
    source = {"type": "array", "items": {"type": "string"}}
    rule = "self.all(x, self.all(y, x == y))"

    where = f"{SPEC}[a].x-kubernetes-validations[0].rule"
    assert problems(source, rule=rule) == [
        (
            f"{where}: Forbidden: estimated rule cost exceeds budget by factor of more than 100x"
            f" {COSTS}"
        ),
        (
            f"{where}: Forbidden: contributed to estimated rule cost total exceeding cost limit for"
            " entire OpenAPIv3 schema"
        ),
        (
            "spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule"
            f" cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x"
            f" {COSTS}"
        ),
    ]
    small = {**source, "maxItems": 100, "items": {"type": "string", "maxLength": 10}}
    assert problems(small, rule=rule) == []


def test_a_rule_is_paid_for_each_element() -> None:
    """A cheap rule in a list without limits is dear."""
    rule = {"rule": "self.contains('a')"}
    item = {"type": "string", "maxLength": 1000, "x-kubernetes-validations": [rule]}

    errors = definition.validate(crd_of(schema_of(a={"type": "array", "items": item})))
    limited = {"type": "array", "items": item, "maxItems": 10}

    assert "estimated rule cost exceeds budget" in errors[0].text
    assert definition.validate(crd_of(schema_of(a=limited))) == []


def test_costs_that_were_accepted_before_stay_accepted() -> None:
    """An update elsewhere must not fail because estimates changed."""
    rule = {"rule": "self.all(x, x.contains('a'))"}
    source = {"type": "array", "items": {"type": "string"}, "x-kubernetes-validations": [rule]}
    old = established(crd_of(schema_of(a=source)))
    new = {**old, "spec": {**old["spec"], "names": {**old["spec"]["names"], "shortNames": ["f"]}}}

    errors = definition.validate_update(new, old)

    assert not [error for error in errors if "estimated rule cost exceeds" in error.text]

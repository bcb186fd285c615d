"""Defaults that come, go and change, and who may mind."""

from typing import Any

import pytest

from kubewright.crd.comparison.default import compared_defaults, find_judging

RULES = "x-kubernetes-validations"


@pytest.mark.parametrize(
    ("schema", "keyword"),
    [
        ({RULES: [{"rule": "has(self.a)"}]}, "a rule"),
        ({RULES: [{"rule": "self == oldSelf"}]}, ""),
        ({RULES: [{"rule": "oldSelf.hasValue()", "optionalOldSelf": True}]}, "a rule"),
        ({"oneOf": []}, "oneOf"),
        ({"not": {}}, "not"),
        ({"enum": [{}]}, "enum"),
        ({"x-kubernetes-list-type": "set"}, "the list type"),
        ({"x-kubernetes-list-type": "map"}, ""),
        ({"x-kubernetes-int-or-string": True, "anyOf": []}, ""),
        ({"maxProperties": 1}, ""),
        ({}, ""),
    ],
)
def test_some_keywords_look_at_all_that_is_inside(schema: dict[str, Any], keyword: str) -> None:
    """A field that is filled in deep below can offend them."""
    assert find_judging(schema) == keyword


def said(old: Any, new: Any, owner: dict[str, Any], *, around: str = "") -> list[str]:
    """Return what is said of a change of a default."""
    changes = compared_defaults(old, new, owner, ".a", name="a", around=around)
    return [f"{one.severity} {one.rule}: {one.text}" for one in changes]


def test_the_text_names_who_may_mind() -> None:
    """People look there next."""
    assert said({}, {"default": 1}, {}, around="a rule") == [
        (
            "breaks default-added: it is filled in now, with 1, and a rule of the object around it"
            " may then refuse it"
        )
    ]
    assert said({"default": 1}, {"default": 2}, {}, around="oneOf") == [
        (
            "breaks default-changed: its default is 2 now, and was 1: objects that do not set it"
            " mean something else, and oneOf of the object around it may then refuse it"
        )
    ]


def test_the_number_of_fields_counts_in_one_direction() -> None:
    """One field more offends a maximum, and one less a minimum, of this object alone."""
    limits = [{"maxProperties": 1}, {"minProperties": 1}]

    added = [said({}, {"default": 1}, owner)[0].split(":")[0] for owner in limits]
    gone = [said({"default": 1}, {}, owner)[0].split(":")[0] for owner in limits]

    assert added == ["breaks default-added", "risky default-added"]
    assert gone == ["risky default-removed", "breaks default-removed"]


def test_a_new_field_with_a_default_is_safe() -> None:
    """Nobody has set it yet."""
    assert said(None, {"default": 1}, {}) == [
        "safe default-added: it is filled in where it is missing, with 1"
    ]
    assert said({}, {}, {}) == []

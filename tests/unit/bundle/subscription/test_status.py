"""What OLM's objects say."""

from typing import Any

import pytest

from kubewright.bundle.subscription.status import (
    csv_text,
    missing_of,
    phase_of,
    plan_name,
    plan_problem,
    subscription_problem,
    targets_of,
)

FAILED = {"type": "ResolutionFailed", "status": "True", "reason": "X", "message": "no such channel"}


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ({}, ""),
        ({"conditions": [FAILED]}, "ResolutionFailed: no such channel"),
        ({"conditions": [{**FAILED, "message": ""}]}, "ResolutionFailed: X"),
        ({"conditions": [{**FAILED, "status": "False"}]}, ""),
        ({"conditions": [{"type": "CatalogSourcesUnhealthy", "status": "True"}]},
         "CatalogSourcesUnhealthy"),
        ({"conditions": "broken"}, ""),
    ],
)  # fmt: skip
def test_a_subscription_says_why_it_does_not_get_on(status: Any, said: str) -> None:
    """In a condition, of which there are some that are no trouble."""
    assert subscription_problem({"status": status}) == said


def test_the_plan_of_a_subscription_is_in_either_place() -> None:
    """Older versions of OLM have the second."""
    assert plan_name(None) == ""
    assert plan_name({"status": {"installPlanRef": {"name": "a"}}}) == "a"
    assert plan_name({"status": {"installplan": {"name": "b"}}}) == "b"


def test_a_plan_says_why_it_failed() -> None:
    """In its own conditions, or in those of the images that it unpacks."""
    lookup = {
        "conditions": [{"type": "BundleLookupFailed", "status": "True", "message": "no pull"}]
    }
    status = {
        "phase": "Failed",
        "conditions": [
            {"type": "Installed", "status": "False", "message": "crd is refused"},
            {"type": "Resolved", "status": "True", "message": "fine"},
        ],
        "bundleLookups": [lookup],
    }

    assert plan_problem({"status": status}) == "crd is refused; no pull"
    assert phase_of({"status": status}) == "Failed"
    assert plan_problem(None) == ""


def test_a_version_says_how_far_it_is() -> None:
    """In a line."""
    status = {"phase": "Pending", "reason": "RequirementsNotMet", "message": "one is missing"}

    assert csv_text({"status": status}) == "Pending (RequirementsNotMet: one is missing)"
    assert csv_text({}) == "no phase yet"
    assert csv_text(None) == "OLM has not made it yet"


def test_what_is_missing_is_listed_with_its_details() -> None:
    """Rights are listed below their service account."""
    rule = {"kind": "PolicyRule", "status": "NotSatisfied", "message": "cluster rule: pods"}
    status = {
        "requirementStatus": [
            {"kind": "CustomResourceDefinition", "name": "a", "status": "Present"},
            {"kind": "CustomResourceDefinition", "name": "b", "status": "NotPresent"},
            {"kind": "ServiceAccount", "name": "c", "status": "PresentNotSatisfied",
             "dependents": [rule, {"kind": "PolicyRule", "status": "Satisfied"}]},
        ]
    }  # fmt: skip

    assert missing_of({"status": status}) == [
        "CustomResourceDefinition b: NotPresent",
        "ServiceAccount c: PresentNotSatisfied",
        "  PolicyRule: cluster rule: pods",
    ]


def test_a_group_says_for_which_namespaces_it_is() -> None:
    """As OLM has found them, if it selects them by labels."""
    assert targets_of({"spec": {"targetNamespaces": ["a"]}}) == ("a",)
    assert targets_of({"spec": {"selector": {}}, "status": {"namespaces": ["a", "b"]}}) == (
        "a",
        "b",
    )
    assert targets_of({"status": {"namespaces": [""]}}) == ()

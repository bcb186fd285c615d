from typing import Any

import pytest

from tests.unit.apiserver.table.rows import row

REGISTRATION = "admissionregistration.k8s.io"
SELECTED = (
    "&LabelSelector{MatchLabels:map[string]string{a: b,},"
    "MatchExpressions:[]LabelSelectorRequirement{},}"
)


def test_admission_is_counted() -> None:
    """Tables show the number of webhooks, validations and mutations."""
    kind = {"paramKind": {"apiVersion": "v1", "kind": "ConfigMap"}}
    policy = row(
        REGISTRATION, "validatingadmissionpolicies", {"spec": {"validations": [{}], **kind}}
    )
    mutating = row(REGISTRATION, "mutatingadmissionpolicies", {"spec": {"mutations": [{}, {}]}})

    hooks = row(REGISTRATION, "mutatingwebhookconfigurations", {"webhooks": [{}, {}]})
    assert hooks["Webhooks"] == 2
    assert (policy["Validations"], policy["ParamKind"]) == (1, "v1/ConfigMap")
    assert (mutating["Mutations"], mutating["ParamKind"]) == (2, "<unset>")


@pytest.mark.parametrize(
    ("reference", "shown"),
    [
        (None, "<unset>"),
        ({"name": "a"}, "*/a"),
        ({"name": "a", "namespace": "n"}, "n/a"),
        (
            {"selector": {"matchLabels": {"a": "b"}}},
            SELECTED,
        ),
    ],
)
def test_a_binding_of_a_policy_shows_its_parameters(
    reference: dict[str, Any] | None, shown: str
) -> None:
    """Parameters are shown by name, or as a selector in Go's form."""
    spec = {"policyName": "p"} | ({"paramRef": reference} if reference else {})

    found = row(REGISTRATION, "validatingadmissionpolicybindings", {"spec": spec})

    assert (found["PolicyName"], found["ParamRef"]) == ("p", shown)

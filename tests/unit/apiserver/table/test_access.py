from typing import Any

import pytest

from tests.unit.apiserver.table.rows import Kind, named, row, table

RBAC = "rbac.authorization.k8s.io"
REGISTRATION = "admissionregistration.k8s.io"
FLOW = "flowcontrol.apiserver.k8s.io"
SELECTED = (
    "&LabelSelector{MatchLabels:map[string]string{a: b,},"
    "MatchExpressions:[]LabelSelectorRequirement{},}"
)


def test_a_binding_shows_who_gets_what() -> None:
    """Service accounts with their namespace."""
    subjects = [
        {"kind": "User", "name": "u"},
        {"kind": "Group", "name": "g"},
        {"kind": "Group", "name": "h"},
        {"kind": "ServiceAccount", "name": "s", "namespace": "n"},
    ]
    content = {"roleRef": {"kind": "Role", "name": "r"}, "subjects": subjects}

    found = row(RBAC, "rolebindings", content)

    assert found["Role"] == "Role/r"
    assert (found["Users"], found["Groups"], found["ServiceAccounts"]) == ("u", "g, h", "n/s")


def test_admission_is_counted() -> None:
    """Webhooks, validations, mutations."""
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
    """By name, or by a selector as Go prints it."""
    spec = {"policyName": "p"} | ({"paramRef": reference} if reference else {})

    found = row(REGISTRATION, "validatingadmissionpolicybindings", {"spec": spec})

    assert (found["PolicyName"], found["ParamRef"]) == ("p", shown)


@pytest.mark.parametrize(
    ("status", "shown"),
    [
        ({}, "Pending"),
        ({"conditions": [{"type": "Approved"}], "certificate": "eA=="}, "Approved,Issued"),
        ({"conditions": [{"type": "Approved"}, {"type": "Failed"}]}, "Approved,Failed"),
        ({"conditions": [{"type": "Denied"}, {"type": "Approved"}]}, "Denied"),
    ],
)
def test_a_signing_request_shows_what_was_decided(status: dict[str, Any], shown: str) -> None:
    """And whether there is a certificate."""
    spec = {"signerName": "a/b", "username": "u", "expirationSeconds": 3600}

    found = row(
        "certificates.k8s.io", "certificatesigningrequests", {"spec": spec, "status": status}
    )

    assert (found["Condition"], found["RequestedDuration"]) == (shown, "60m")


def test_an_api_service_shows_whether_it_answers() -> None:
    """With the reason if it does not."""
    down = {"type": "Available", "status": "False", "reason": "MissingEndpoints"}
    content = {
        "spec": {"service": {"name": "s", "namespace": "n"}},
        "status": {"conditions": [down]},
    }

    found = row("apiregistration.k8s.io", "apiservices", content)

    assert (found["Service"], found["Available"]) == ("n/s", "False (MissingEndpoints)")
    local = row("apiregistration.k8s.io", "apiservices")
    assert (local["Service"], local["Available"]) == ("Local", "Unknown")


def test_flow_schemas_are_in_the_order_in_which_they_are_asked() -> None:
    """By precedence, then by name."""
    made = table(
        Kind(FLOW, "flowschemas"),
        named({"spec": {"matchingPrecedence": 9}}, name="c"),
        named({"spec": {"matchingPrecedence": 1}}, name="b"),
        named({"spec": {"matchingPrecedence": 1}}, name="a"),
    )

    assert [item["cells"][0] for item in made["rows"]] == ["a", "b", "c"]
    assert made["rows"][0]["cells"][3:] == ["<none>", "5m", "?"]


def test_a_priority_level_shows_its_queues() -> None:
    """If it has any."""
    limited = {
        "nominalConcurrencyShares": 30,
        "limitResponse": {"queuing": {"queues": 64, "handSize": 8, "queueLengthLimit": 50}},
    }

    found = row(FLOW, "prioritylevelconfigurations", {"spec": {"limited": limited}})

    assert list(found.values())[2:6] == [30, 64, 8, 50]
    assert list(row(FLOW, "prioritylevelconfigurations").values())[2:6] == ["<none>"] * 4


def test_certificates_of_pods_and_bundles() -> None:
    """The small kinds of the group."""
    spec = {"podName": "p", "nodeName": "n", "signerName": "a/b", "serviceAccountName": "s"}
    status = {"conditions": [{"type": "Issued"}]}
    content = {"spec": spec, "status": status}

    found = row("certificates.k8s.io", "podcertificaterequests", content)

    assert (found["PodName"], found["State"]) == ("p", "Issued")
    bundle = row("certificates.k8s.io", "clustertrustbundles")
    assert bundle["SignerName"] == "<none>"

import copy
from base64 import b64decode, b64encode
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from kubewright.apiserver.builtin.certificates.certificatesigningrequests import (
    CertificateSigningRequestStrategy,
)
from tests.unit.apiserver.builtin.kind_server import NOW, KindServer

APPROVED = {"type": "Approved", "status": "True"}


def request() -> str:
    key = ec.generate_private_key(ec.SECP256R1())
    builder = x509.CertificateSigningRequestBuilder().subject_name(x509.Name([]))
    made = builder.sign(key, hashes.SHA256())
    return b64encode(made.public_bytes(serialization.Encoding.PEM)).decode()


def spec(**change: Any) -> dict[str, Any]:
    content = {"request": request(), "signerName": "example.com/a", "usages": ["client auth"]}
    return {"spec": content | change}


def requests() -> KindServer:
    return KindServer("certificates.k8s.io", "certificatesigningrequests")


def test_a_request_says_who_asks_whatever_they_say() -> None:
    """Approvers decide by the user, so clients must not be able to choose it."""
    found = requests().create(spec(username="root", groups=["system:masters"]))

    assert found["spec"]["username"] == "alice"
    assert found["spec"]["groups"] == ["devs"]
    assert found["status"] == {}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"request": "Zm9v"}, "PEM block type must be CERTIFICATE REQUEST"),
        ({"usages": []}, "spec.usages: Required value"),
        ({"usages": ["x"]}, 'spec.usages[0]: Unsupported value: "x": supported values: "any"'),
        ({"usages": ["any", "any"]}, 'spec.usages[1]: Duplicate value: "any"'),
        ({"signerName": ""}, "spec.signerName: Required value"),
        ({"signerName": "a"}, "must be a fully qualified domain and path of the form 'example.c"),
        ({"signerName": "a/b"}, "should be a domain with at least two segments separated by dots"),
        ({"signerName": "A.b/c"}, 'validating label "A": a lowercase RFC 1123 label'),
        ({"signerName": "kubernetes.io/legacy-unknown"}, "the legacy signerName is not allowed"),
        (
            {"expirationSeconds": 60},
            "may not specify a duration less than 600 seconds (10 minutes)",
        ),
    ],
)
def test_a_request_can_be_signed(change: dict[str, Any], problem: str) -> None:
    """The texts are Kubernetes'."""
    assert problem in requests().refusal(spec(**change))


def test_a_request_whose_signature_is_wrong_is_refused() -> None:
    """The signature proves that the client has the private key."""
    good = requests().create(spec())["spec"]["request"]
    flipped = b64encode(_damaged(good)).decode()

    assert "spec.request: Invalid value" in requests().refusal(spec(request=flipped))


def _damaged(encoded: str) -> bytes:
    lines = b64decode(encoded).split(b"\n")
    der = bytearray(b64decode(b"".join(lines[1:-2])))
    der[-1] ^= 1
    return b"\n".join([lines[0], b64encode(der), lines[-2], b""])


def test_approval_changes_the_conditions_only_and_dates_them() -> None:
    """``kubectl certificate approve`` must not change anything else."""
    server = requests()
    strategy = server.strategy
    assert isinstance(strategy, CertificateSigningRequestStrategy)
    old = server.create(spec())
    status = {"conditions": [dict(APPROVED)], "certificate": "eA=="}
    new = copy.deepcopy(old) | {"spec": {}, "status": status}

    strategy.prepare_approval(new, old, server.write())

    assert not strategy.validate_approval(new, old, server.write())
    assert new["spec"] == old["spec"]
    assert new["status"] == {
        "conditions": [{**APPROVED, "lastUpdateTime": NOW, "lastTransitionTime": NOW}]
    }


def test_a_signer_cannot_approve() -> None:
    """The status is for the certificate."""
    server = requests()
    old = server.create(spec())
    new = {**old, "status": {"conditions": [dict(APPROVED)]}}

    (error,) = server.strategy.validate_status_update(new, old, server.write())

    assert error.text == 'Forbidden: updates may not add a condition of type "Approved"'


def test_a_decision_and_a_certificate_are_final() -> None:
    """Others have acted on them already."""
    server = requests()
    old = server.create(spec()) | {"status": {"conditions": [APPROVED], "certificate": "eA=="}}
    new = {**old, "status": {"conditions": [], "certificate": "eQ=="}}

    found = server.strategy.validate_status_update(new, old, server.write())

    assert [error.text for error in found] == [
        'Forbidden: updates may not remove a condition of type "Approved"',
        "Forbidden: updates may not modify existing certificate content",
    ]


@pytest.mark.parametrize(
    ("conditions", "problem"),
    [
        ([{"type": "Approved", "status": "False"}], 'supported values: "True"'),
        ([APPROVED, {"type": "Denied", "status": "True"}], "mutually exclusive"),
        ([APPROVED, APPROVED], 'Duplicate value: "Approved"'),
        ([{"status": "True"}], "status.conditions[0].type: Required value"),
    ],
)
def test_a_request_is_approved_or_denied(conditions: list[dict[str, str]], problem: str) -> None:
    """The two conditions exclude one another, and must be True."""
    server = requests()
    strategy = server.strategy
    assert isinstance(strategy, CertificateSigningRequestStrategy)
    old = server.create(spec())
    new = {**old, "status": {"conditions": conditions}}

    found = strategy.validate_approval(new, old, server.write())

    assert problem in "; ".join(map(str, found))


def test_an_update_keeps_the_request() -> None:
    """Only metadata can be updated."""
    server = requests()
    old = server.create(spec())

    assert server.update(old, spec={})["spec"] == old["spec"]

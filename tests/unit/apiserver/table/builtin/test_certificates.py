from typing import Any

import pytest

from tests.unit.apiserver.table.rows import row


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
    """The condition tells whether the request was approved and a certificate issued."""
    spec = {"signerName": "a/b", "username": "u", "expirationSeconds": 3600}

    found = row(
        "certificates.k8s.io", "certificatesigningrequests", {"spec": spec, "status": status}
    )

    assert (found["Condition"], found["RequestedDuration"]) == (shown, "60m")


def test_certificates_of_pods_and_bundles() -> None:
    """The small kinds of the group."""
    spec = {"podName": "p", "nodeName": "n", "signerName": "a/b", "serviceAccountName": "s"}
    status = {"conditions": [{"type": "Issued"}]}
    content = {"spec": spec, "status": status}

    found = row("certificates.k8s.io", "podcertificaterequests", content)

    assert (found["PodName"], found["State"]) == ("p", "Issued")
    bundle = row("certificates.k8s.io", "clustertrustbundles")
    assert bundle["SignerName"] == "<none>"

from typing import Any

import pytest

from tests.unit.apiserver.builtin.kind_server import KindServer

SPEC: dict[str, Any] = {
    "signerName": "example.com/a",
    "podName": "web",
    "podUID": "1",
    "serviceAccountName": "default",
    "serviceAccountUID": "2",
    "nodeName": "node-1",
    "nodeUID": "3",
}


def requests() -> KindServer:
    return KindServer("certificates.k8s.io", "podcertificaterequests")


def test_a_request_lasts_a_day_unless_it_says_otherwise() -> None:
    """Kubelets leave the duration out."""
    found = requests().create({"spec": SPEC})

    assert found["spec"]["maxExpirationSeconds"] == 86400


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({}, ""),
        ({"signerName": ""}, "spec.signerName: Required value"),
        ({"podName": "A"}, 'spec.podName: Invalid value: "A"'),
        ({"nodeUID": ""}, "spec.nodeUID: Required value: must not be empty"),
    ],
)
def test_a_request_names_signer_pod_and_node(change: dict[str, str], problem: str) -> None:
    """A signer has to check all three."""
    found = requests().refusal({"spec": SPEC | change})

    assert bool(found) is bool(problem)
    assert problem in found


def test_a_request_stays_and_is_selected_by_pod() -> None:
    """A kubelet watches the requests for its own pods."""
    server = requests()
    found = server.create({"spec": SPEC})

    assert "field is immutable" in server.refused_change(found, spec={**SPEC, "podName": "other"})
    assert server.strategy.selectable_fields(found) == {
        "spec.signerName": "example.com/a",
        "spec.podName": "web",
        "spec.nodeName": "node-1",
    }

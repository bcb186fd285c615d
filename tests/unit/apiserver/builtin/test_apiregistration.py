from typing import Any

import pytest

from tests.unit.apiserver.builtin.kind_server import NOW, KindServer

SPEC: dict[str, Any] = {
    "group": "a.b",
    "version": "v1",
    "groupPriorityMinimum": 100,
    "versionPriority": 10,
}


def services() -> KindServer:
    return KindServer("apiregistration.k8s.io", "apiservices")


def test_what_we_serve_ourselves_is_available() -> None:
    """kubectl waits for it before it goes on."""  # noqa: D403  # the command's name
    found = services().create({"spec": SPEC}, name="v1.a.b")

    assert found["status"]["conditions"] == [
        {
            "type": "Available",
            "status": "True",
            "lastTransitionTime": NOW,
            "reason": "Local",
            "message": "Local APIServices are always available",
        }
    ]


def test_a_service_is_reached_by_https() -> None:
    """The service is not available until the server has reached it."""
    service = {"name": "s", "namespace": "n"}

    found = services().create({"spec": {**SPEC, "service": service}}, name="v1.a.b")

    assert found["spec"]["service"] == {**service, "port": 443}
    assert found["status"] == {}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"version": "v2"}, 'must be `spec.version+"."+spec.group`: "v2.a.b"'),
        ({"version": "V"}, "spec.version: Invalid value"),
        ({"group": ""}, "only v1 may have an empty group and it better be legacy kube"),
        ({"groupPriorityMinimum": 0}, "must be positive and less than 20000"),
        ({"versionPriority": 1001}, "must be positive and less than 1000"),
        ({"insecureSkipTLSVerify": True}, "local APIServices may not have insecureSkipTLSVerify"),
        ({"caBundle": "YWI="}, '"2 bytes": local APIServices may not have a caBundle'),
        ({"service": {"name": "s"}}, "spec.service.namespace: Required value"),
        ({"service": {"name": "s", "namespace": "n", "port": 0}}, "port is not valid: must be bet"),
    ],
)
def test_an_api_service_is_checked(change: dict[str, Any], problem: str) -> None:
    """A broken APIService would break discovery for all clients."""
    if change.get("group") == "":
        change = {**change, "version": "v2"}

    assert problem in services().refusal({"spec": {**SPEC, **change}}, name="v1.a.b")

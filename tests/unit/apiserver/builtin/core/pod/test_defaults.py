"""What is filled into the spec of pods and templates."""

from typing import Any

import pytest

from kubewright.apiserver.builtin.core.pod.defaults import default_pod_resources, default_template
from tests.unit.apiserver.builtin.workload_samples import (
    CONTAINER,
    Obj,
    a_pod,
    created,
    pod_with,
    template,
)


def stored_container(**content: Any) -> Obj:
    found: Obj = created("", "pods", pod_with(**content))["spec"]["containers"][0]
    return found


def test_probes_and_hooks_get_their_numbers() -> None:
    """Zero means unset for Go, so it is filled in as well."""
    found = stored_container(
        livenessProbe={
            "httpGet": {"port": 80, "httpHeaders": [{"name": "X"}]},
            "timeoutSeconds": 0,
        },
        readinessProbe={"grpc": {"port": 80}, "periodSeconds": 7},
        lifecycle={"preStop": {"httpGet": {"port": 80}}},
    )

    numbers = {
        "timeoutSeconds": 1,
        "periodSeconds": 10,
        "successThreshold": 1,
        "failureThreshold": 3,
    }
    http = {"port": 80, "path": "/", "scheme": "HTTP"}
    headers = {"httpHeaders": [{"name": "X", "value": ""}]}
    assert found["livenessProbe"] == {"httpGet": {**http, **headers}, **numbers}
    assert found["readinessProbe"] == {
        "grpc": {"port": 80, "service": ""},
        **numbers,
        "periodSeconds": 7,
    }
    assert found["lifecycle"] == {"preStop": {"httpGet": http}}


def test_a_pod_requests_what_it_limits_and_a_template_does_not() -> None:
    """A template must stay what its author wrote, or every apply would see a difference."""
    resources = {"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "500m"}}
    pattern = template(containers=[{**CONTAINER, "resources": {"limits": {"cpu": "1"}}}])

    default_template(pattern)

    assert stored_container(resources=resources)["resources"]["requests"] == {
        "cpu": "500m",
        "memory": "1Gi",
    }
    assert pattern["spec"]["containers"][0]["resources"] == {"limits": {"cpu": "1"}}
    assert "enableServiceLinks" not in pattern["spec"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [("100u", "1m"), ("1n", "1m"), ("1500u", "2m"), ("100m", "100m"), ("1e-6", "1e-3")],
)
def test_amounts_are_kept_to_a_thousandth(given: str, expected: str) -> None:
    """Resource lists keep no more, and round up so that something stays something."""
    assert (
        stored_container(resources={"requests": {"cpu": given}})["resources"]["requests"]["cpu"]
        == expected
    )


def test_ports_and_sources_of_variables_are_completed() -> None:
    """The protocol, the host port of a host's pod, the version of a field, the divisor."""
    variables = [
        {"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        {"name": "B", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}},
    ]
    container = {**CONTAINER, "ports": [{"containerPort": 80}], "env": variables}

    pod = created("", "pods", a_pod(hostNetwork=True, containers=[container]))

    [found] = pod["spec"]["containers"]
    assert found["ports"] == [{"containerPort": 80, "protocol": "TCP", "hostPort": 80}]
    assert found["env"][0]["valueFrom"]["fieldRef"]["apiVersion"] == "v1"
    assert found["env"][1]["valueFrom"]["resourceFieldRef"]["divisor"] == "0"


def test_both_names_of_the_service_account_agree() -> None:
    """Old clients read the old one."""
    spec = created("", "pods", a_pod(serviceAccount="robot"))["spec"]

    assert spec["serviceAccountName"] == spec["serviceAccount"] == "robot"


def test_a_negative_grace_period_becomes_one_second_in_a_pod() -> None:
    """Old pods have it, and kubelets took it so."""
    spec = created("", "pods", a_pod(terminationGracePeriodSeconds=-3))["spec"]

    assert spec["terminationGracePeriodSeconds"] == 1


def test_what_is_off_by_default_is_dropped() -> None:
    """A default server of this version knows the fields and forgets them."""
    mount = {"name": "v", "mountPath": "/v", "bindMountOptions": ["noexec"]}
    container = {
        **CONTAINER,
        "lifecycle": {"stopSignal": "SIGTERM"},
        "livenessProbe": {"grpc": {"port": 80, "mode": "TLS"}},
        "volumeMounts": [mount],
    }
    volume = {"name": "v", "secret": {"secretName": "s", "defaultUser": 1}}
    pod = a_pod(containers=[container], volumes=[volume], evictionResponders=[{"name": "a.b"}])

    spec = created("", "pods", pod)["spec"]

    assert "evictionResponders" not in spec
    assert "lifecycle" not in spec["containers"][0]
    assert "mode" not in spec["containers"][0]["livenessProbe"]["grpc"]
    assert spec["containers"][0]["volumeMounts"] == [{"name": "v", "mountPath": "/v"}]
    assert spec["volumes"][0]["secret"] == {"secretName": "s", "defaultMode": 420}


@pytest.mark.parametrize(
    ("container", "given", "expected"),
    [
        ({"requests": {"cpu": "1"}}, {}, {}),
        (
            {"requests": {"cpu": "1"}},
            {"limits": {"cpu": "2"}},
            {"limits": {"cpu": "2"}, "requests": {"cpu": "1"}},
        ),
        ({}, {"limits": {"cpu": "2"}}, {"limits": {"cpu": "2"}, "requests": {"cpu": "2"}}),
        (
            {"limits": {"hugepages-2Mi": "4Mi"}},
            {"limits": {"cpu": "1"}},
            {
                "limits": {"cpu": "1", "hugepages-2Mi": "4Mi"},
                "requests": {"cpu": "1", "hugepages-2Mi": "4Mi"},
            },
        ),
    ],
)
def test_what_is_left_out_follows_from_the_containers(
    container: Any, given: Any, expected: Any
) -> None:
    """Pod-level resources are filled in only if the pod sets some of them."""
    spec = {"containers": [{"resources": container}], "resources": given}

    default_pod_resources(spec)

    assert spec["resources"] == expected

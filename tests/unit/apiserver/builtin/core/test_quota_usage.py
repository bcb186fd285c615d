"""What objects take of a quota."""

from datetime import UTC, datetime
from typing import Any

import pytest

from kubewright.apiserver.builtin.core.quota_usage import (
    CLAIMS,
    PODS,
    SERVICES,
    in_scope,
    measures,
    missing,
    usage_of,
)
from kubewright.apiserver.meta.names import GroupResource

Obj = dict[str, Any]
NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
ENDED = {"deletionTimestamp": "2026-01-01T11:59:00Z", "deletionGracePeriodSeconds": 30}


def container(name: str = "c", **resources: Obj) -> Obj:
    return {"name": name, "image": "i", "resources": resources}


def pod(*containers: Obj, **spec: Any) -> Obj:
    return {"metadata": {"name": "p"}, "spec": {"containers": list(containers), **spec}}


def shown(resource: GroupResource, obj: Obj) -> dict[str, str]:
    return {name: str(amount) for name, amount in usage_of(resource, obj, NOW).items()}


def test_a_pod_takes_what_its_containers_ask_for() -> None:
    """Requests count by both of their names, limits by one, and things from elsewhere by one."""
    asked = {"cpu": "500m", "memory": "64Mi", "example.com/gpu": "2", "hugepages-2Mi": "4Mi"}

    found = shown(PODS, pod(container(requests=asked), container("d", limits={"cpu": "2"})))

    assert found == {
        "count/pods": "1",
        "pods": "1",
        "cpu": "500m",
        "requests.cpu": "500m",
        "memory": "64Mi",
        "requests.memory": "64Mi",
        "requests.example.com/gpu": "2",
        "hugepages-2Mi": "4Mi",
        "requests.hugepages-2Mi": "4Mi",
        "limits.cpu": "2",
    }


@pytest.mark.parametrize(
    "change", [{"status": {"phase": "Succeeded"}}, {"metadata": {"name": "p", **ENDED}}]
)
def test_a_pod_that_is_over_takes_only_its_place_in_the_storage(change: Obj) -> None:
    """One that ended, and one whose node does not answer any more."""
    found = shown(PODS, {**pod(container(requests={"cpu": "1"})), **change})

    assert found == {"count/pods": "1"}


@pytest.mark.parametrize(
    ("spec", "ports", "balancers"),
    [
        ({"type": "ClusterIP"}, "0", "0"),
        ({"type": "NodePort"}, "2", "0"),
        ({"type": "LoadBalancer"}, "2", "1"),
        ({"type": "LoadBalancer", "allocateLoadBalancerNodePorts": False}, "1", "1"),
    ],
)
def test_a_service_takes_ports_of_nodes(spec: Obj, ports: str, balancers: str) -> None:
    """The ports that it asks for count, since they are allocated later."""
    found = shown(SERVICES, {"spec": {**spec, "ports": [{"port": 1}, {"port": 2, "nodePort": 3}]}})

    assert (found["services.nodeports"], found["services.loadbalancers"]) == (ports, balancers)


def test_a_claim_takes_storage_of_its_class() -> None:
    """It counts for its class and in total; allocated storage counts if it is larger."""
    spec = {"storageClassName": "fast", "resources": {"requests": {"storage": "1Gi"}}}
    state = {"allocatedResources": {"storage": "2Gi"}}

    found = shown(CLAIMS, {"metadata": {}, "spec": spec, "status": state})

    assert found["requests.storage"] == "2Gi"
    assert found["fast.storageclass.storage.k8s.io/requests.storage"] == "2Gi"
    assert found["fast.storageclass.storage.k8s.io/persistentvolumeclaims"] == "1"


@pytest.mark.parametrize(
    ("resource", "name", "expected"),
    [
        (GroupResource("apps", "deployments"), "count/deployments.apps", True),
        (GroupResource("apps", "deployments"), "count/deployments", False),
        (GroupResource("", "configmaps"), "configmaps", True),
        (GroupResource("", "endpoints"), "endpoints", False),
        (PODS, "requests.example.com/gpu", True),
        (PODS, "requests.storage", False),
        (CLAIMS, "fast.storageclass.storage.k8s.io/requests.storage", True),
        (SERVICES, "services.nodeports", True),
    ],
)
def test_each_name_is_about_one_resource(
    resource: GroupResource, name: str, expected: bool
) -> None:
    """Everything can be counted, and some things by a name of their own."""
    assert measures(resource, name) is expected


def test_a_quota_of_cpu_wants_every_container_to_ask() -> None:
    """Otherwise the pod could not be counted, unless it has pod-level resources."""
    asking, silent = container("a", requests={"cpu": "1"}), container("b")
    names = ["cpu", "limits.memory", "pods"]

    assert missing(PODS, pod(asking, silent), names) == (
        "must specify cpu for: b; limits.memory for: a,b"
    )
    assert missing(PODS, pod(silent, resources={"requests": {"cpu": "1"}}), names) == ""


AFFINITY = {
    "podAffinity": {
        "preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 1, "podAffinityTerm": {"namespaceSelector": {}, "topologyKey": "x"}}
        ]
    }
}


@pytest.mark.parametrize(
    ("scope", "spec", "expected"),
    [
        ("Terminating", {"activeDeadlineSeconds": 1}, True),
        ("NotTerminating", {"activeDeadlineSeconds": 1}, False),
        ("BestEffort", {}, True),
        ("NotBestEffort", {}, False),
        ("PriorityClass", {"priorityClassName": "high"}, True),
        ("PriorityClass", {}, False),
        ("CrossNamespacePodAffinity", {"affinity": AFFINITY}, True),
        ("CrossNamespacePodAffinity", {}, False),
    ],
)
def test_a_scope_chooses_pods(scope: str, spec: Obj, expected: bool) -> None:
    """A quota with a scope is about no other pods, and about nothing but pods."""
    assert in_scope(PODS, pod(container(), **spec), {"scopes": [scope]}) is expected
    assert not in_scope(SERVICES, {}, {"scopes": [scope]})


@pytest.mark.parametrize(
    ("operator", "values", "chosen"),
    [
        ("In", ["high"], [True, False]),
        ("NotIn", ["high"], [False, True]),
        ("Exists", None, [True, False]),
        ("DoesNotExist", None, [False, True]),
    ],
)
def test_a_scope_selector_chooses_by_priority(
    operator: str, values: list[str] | None, chosen: list[bool]
) -> None:
    """The operators are those of label selectors."""
    term = {"scopeName": "PriorityClass", "operator": operator, "values": values}
    quota = {"scopeSelector": {"matchExpressions": [term]}}

    pods = [pod(container(), priorityClassName="high"), pod(container())]

    assert [in_scope(PODS, one, quota) for one in pods] == chosen

import pytest

import kubewright as kw
from kubewright.embedded.node.volumes.downward import HostFacts, field_value, resource_value
from kubewright.kinds.core.v1 import (
    Container,
    Pod,
    PodSpec,
    ResourceFieldSelector,
    ResourceRequirements,
)

FACTS = HostFacts("127.1.0.1", "127.0.0.1", {"cpu": "4", "memory": "8Gi"})
SMALL = Container(
    name="small",
    resources=ResourceRequirements(requests={"cpu": "250m"}, limits={"memory": "64Mi"}),
)
POD = Pod(
    metadata=kw.ObjectMeta(
        name="web",
        namespace="shop",
        uid="1-2",
        labels={"b": "2", "a": 'x"y'},
        annotations={"n": "v"},
    ),
    spec=PodSpec(containers=[SMALL], node_name="node-1", service_account_name="robot"),
)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("metadata.name", "web"),
        ("metadata.namespace", "shop"),
        ("metadata.uid", "1-2"),
        ("metadata.labels['b']", "2"),
        ("metadata.labels['none']", ""),
        ("metadata.annotations['n']", "v"),
        ("metadata.labels", 'a="x\\"y"\nb="2"'),
        ("spec.nodeName", "node-1"),
        ("spec.serviceAccountName", "robot"),
        ("status.podIP", "127.1.0.1"),
        ("status.hostIP", "127.0.0.1"),
    ],
)
def test_a_container_may_know_these_fields_of_its_pod(path: str, value: str) -> None:
    """Programs learn their own name this way."""
    assert field_value(path, POD, FACTS) == value


def test_other_fields_are_refused() -> None:
    """With the words of the kubelet."""
    with pytest.raises(ValueError, match="unsupported fieldPath: spec"):
        field_value("spec.containers", POD, FACTS)


@pytest.mark.parametrize(
    ("resource", "divisor", "value"),
    [
        ("requests.cpu", "1m", "250"),
        ("requests.cpu", None, "1"),
        ("limits.memory", "1Mi", "64"),
        ("limits.cpu", None, "4"),
        ("requests.memory", None, "0"),
    ],
)
def test_resources_are_counted_in_units_of_the_divisor(
    resource: str, divisor: str | None, value: str
) -> None:
    """Rounded up; without a limit it is what the node has."""
    wanted = ResourceFieldSelector(resource=resource, divisor=divisor)

    assert resource_value(wanted, SMALL, POD, FACTS) == value


def test_another_container_can_be_named() -> None:
    """Volumes have no container of their own."""
    wanted = ResourceFieldSelector(resource="limits.memory", container_name="small", divisor="1Mi")

    assert resource_value(wanted, Container(name=""), POD, FACTS) == "64"


@pytest.mark.parametrize(
    ("resource", "container"), [("memory", "small"), ("limits.memory", "nobody")]
)
def test_resources_that_are_not_there_are_refused(resource: str, container: str) -> None:
    """The container says so instead of starting with nonsense."""
    wanted = ResourceFieldSelector(resource=resource, container_name=container)

    with pytest.raises(ValueError, match=r"unsupported|not found"):
        resource_value(wanted, Container(name=""), POD, FACTS)

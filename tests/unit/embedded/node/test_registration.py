from datetime import UTC, datetime, timedelta

from kubewright.embedded.node.registration import (
    NodeFacts,
    default_capacity,
    node_labels,
    node_object,
    node_patch,
    node_status,
)

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
FACTS = NodeFacts(
    "node-1",
    "127.0.0.1",
    {"cpu": "2", "pods": "110"},
    {"zone": "a"},
    "simulated://1",
    10250,
    "127.1.0.0/16",
)


def test_a_node_says_what_it_is() -> None:
    """What ``kubectl get nodes -o wide`` and schedulers read."""
    node = node_object(FACTS, now=NOON)

    assert node.spec.pod_cidr == "127.1.0.0/16"
    assert node.status.capacity == node.status.allocatable == {"cpu": "2", "pods": "110"}
    assert [(one.type, one.address) for one in node.status.addresses] == [
        ("InternalIP", "127.0.0.1"),
        ("Hostname", "node-1"),
    ]
    assert {one.type: one.status for one in node.status.conditions} == {
        "MemoryPressure": "False",
        "DiskPressure": "False",
        "PIDPressure": "False",
        "Ready": "True",
    }
    assert node.status.node_info is not None
    assert node.status.node_info.container_runtime_version == "simulated://1"
    assert node.status.node_info.kube_proxy_version == ""
    annotation = "volumes.kubernetes.io/controller-managed-attach-detach"
    assert node.metadata.annotations == {annotation: "true"}
    assert node.status.daemon_endpoints is not None


def test_a_node_without_a_kubelet_port_names_none() -> None:
    """Who would connect to it finds nobody."""
    facts = NodeFacts("n", "127.0.0.1", {}, {}, "x")

    assert node_status(facts, None, now=NOON).daemon_endpoints is None


def test_a_node_is_found_by_its_labels() -> None:
    """Node selectors use these three all the time."""
    labels = node_labels(FACTS)

    assert labels["kubernetes.io/hostname"] == "node-1"
    assert {"kubernetes.io/os", "kubernetes.io/arch", "zone"} <= labels.keys()


def test_a_heartbeat_alone_is_sent_every_five_minutes() -> None:
    """The Lease says more often that the node lives."""
    before = node_status(FACTS, None, now=NOON)
    soon, late = NOON + timedelta(seconds=299), NOON + timedelta(seconds=300)

    assert node_patch(node_status(FACTS, before, now=soon), before, now=soon) == {}
    patch = node_patch(node_status(FACTS, before, now=late), before, now=late)
    assert list(patch) == ["conditions"]
    kept = node_status(FACTS, before, now=late).conditions[0]
    assert (kept.last_transition_time, kept.last_heartbeat_time) == (NOON, late)


def test_a_change_is_sent_at_once() -> None:
    """Somebody, or a former life, has said something else."""
    before = node_status(FACTS, None, now=NOON)
    before.capacity = {"cpu": "1"}
    before.conditions[-1].status = "Unknown"

    patch = node_patch(node_status(FACTS, before, now=NOON), before, now=NOON)

    assert patch.keys() == {"capacity", "conditions"}


def test_a_machine_has_something_to_give() -> None:
    """A scheduler needs numbers."""
    capacity = default_capacity(pods=7)

    assert capacity["pods"] == "7"
    assert int(capacity["cpu"]) >= 1
    assert capacity["memory"].endswith("Ki")

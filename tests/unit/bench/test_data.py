"""The pods that the benchmark plays."""

import json

from bench import data


def test_pods_are_the_same_every_time() -> None:
    """Two runs are comparable only if they decode the same bytes."""
    first, second = (list(data.pods(20)) for _ in range(2))

    assert first == second
    assert len({pod.at(1) for pod in first}) == 20


def test_a_pod_is_as_large_as_a_real_one() -> None:
    """A pod on a real server has about 6.9 kB, managedFields included."""
    sizes = [len(pod.at(data.LIST_VERSION)) for pod in data.pods(50)]

    assert 6_600 < sum(sizes) / len(sizes) < 7_200


def test_a_pod_carries_the_version_it_is_asked_for() -> None:
    """Each event shows a change: a new version and a new generation of the same pod."""
    pod = next(data.pods(1))

    metadata = json.loads(pod.at(42, 3))["metadata"]

    assert (metadata["resourceVersion"], metadata["generation"]) == ("42", 3)
    assert [entry["manager"] for entry in metadata["managedFields"]] == [
        "kube-controller-manager",
        "kubelet",
    ]


def test_an_event_is_one_line_that_names_the_kind() -> None:
    """Items of a list leave out their kind; events do not."""
    item = next(data.pods(1)).at(42)

    line = data.event("MODIFIED", item)

    event = json.loads(line)
    assert line.endswith(b"}\n")
    assert line.count(b"\n") == 1
    assert event["type"] == "MODIFIED"
    assert event["object"] == {"kind": "Pod", "apiVersion": "v1", **json.loads(item)}


def test_the_last_initial_event_is_the_bookmark_that_clients_wait_for() -> None:
    """A streaming list ends at the annotation, not at a count."""
    event = json.loads(data.initial_events_end(42))

    assert event["type"] == "BOOKMARK"
    assert event["object"]["metadata"]["resourceVersion"] == "42"
    assert event["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}

"""Pods: what is filled in, refused, and selected by."""

from typing import Any

import pytest

from kubewright.apiserver.builtin import strategy_for
from kubewright.apiserver.builtin.core.pod.pods import DELETION_COST
from kubewright.apiserver.builtin.core.pod.subresource_fields import MIRROR
from tests.unit.apiserver.builtin.workload_samples import (
    CONTAINER,
    SELECTOR,
    Obj,
    Written,
    a_pod,
    an_object,
    created,
    judged,
    pod_with,
    refusals,
    update_refusals,
)

PODS = strategy_for("", "pods")


def test_a_minimal_pod_gets_what_kubectl_shows() -> None:
    """People compare manifests with what the server returns, so every default is visible."""
    pod = created("", "pods", a_pod())

    assert pod["spec"] == {
        "containers": [
            {
                "name": "c",
                "image": "nginx",
                "imagePullPolicy": "Always",
                "resources": {},
                "terminationMessagePath": "/dev/termination-log",
                "terminationMessagePolicy": "File",
            }
        ],
        "dnsPolicy": "ClusterFirst",
        "enableServiceLinks": True,
        "restartPolicy": "Always",
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "terminationGracePeriodSeconds": 30,
    }
    assert pod["status"] == {"phase": "Pending", "qosClass": "BestEffort"}


def test_the_status_of_a_new_pod_is_the_servers() -> None:
    """A copied manifest carries the status of another pod."""
    pod = {**a_pod(), "status": {"phase": "Running", "podIP": "10.0.0.1"}}

    assert created("", "pods", pod)["status"] == {"phase": "Pending", "qosClass": "BestEffort"}


def test_a_gated_pod_says_why_it_waits() -> None:
    """The scheduler ignores gated pods, so the server has to set the condition."""
    pod = created("", "pods", a_pod(schedulingGates=[{"name": "a.b/c"}]))

    assert pod["status"]["conditions"][0]["reason"] == "SchedulingGated"


def test_label_keys_become_expressions_of_the_selector() -> None:
    """A rollout spreads each revision on its own by naming the label, not its value."""
    constraint: Obj = {
        "maxSkew": 1,
        "topologyKey": "zone",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": SELECTOR,
        "matchLabelKeys": ["hash"],
    }
    pod = a_pod(topologySpreadConstraints=[constraint])
    pod["metadata"]["labels"] = {"hash": "1"}

    stored = created("", "pods", pod)

    [spread] = stored["spec"]["topologySpreadConstraints"]
    expected = [{"key": "hash", "operator": "In", "values": ["1"]}]
    assert spread["labelSelector"]["matchExpressions"] == expected


@pytest.mark.parametrize(
    ("pod", "expected"),
    [
        (an_object({"spec": {}}), ["spec.containers: Required value"]),
        (
            a_pod(ephemeralContainers=[{"name": "e", "image": "x"}]),
            ["spec.ephemeralContainers: Forbidden: cannot be set on create"],
        ),
        (
            a_pod(nodeName="n", schedulingGates=[{"name": "a"}]),
            ["spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared"],
        ),
        (
            pod_with(image=" nginx"),
            [
                (
                    'spec.containers[0].image: Invalid value: " nginx": must not have leading or '
                    "trailing whitespace"
                )
            ],
        ),
        (
            a_pod(
                volumes=[
                    {
                        "name": "v",
                        "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]},
                    }
                ]
            ),
            [
                (
                    "spec.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: must "
                    "not be specified when serviceAccountName is not set"
                )
            ],
        ),
        (
            {
                **a_pod(),
                "metadata": {"name": "x", "annotations": {MIRROR: "1", DELETION_COST: "010"}},
            },
            [
                (
                    f'metadata.annotations[{MIRROR}]: Invalid value: "1": must set spec.nodeName '
                    "if mirror pod annotation is set"
                ),
                (
                    f'metadata.annotations[{DELETION_COST}]: Invalid value: "010": must be a 32bit'
                    " integer"
                ),
            ],
        ),
    ],
)
def test_a_wrong_pod_is_refused(pod: Obj, expected: list[str]) -> None:
    """The texts are what people search for."""
    assert refusals("", "pods", pod) == expected


@pytest.mark.parametrize(
    ("spec", "status", "asked", "expected"),
    [
        ({"nodeName": "n", "terminationGracePeriodSeconds": 7}, {"phase": "Running"}, None, 7),
        ({"nodeName": "n", "terminationGracePeriodSeconds": 7}, {"phase": "Running"}, 3, 3),
        ({"nodeName": "n", "terminationGracePeriodSeconds": 7}, {"phase": "Running"}, 0, 0),
        ({"nodeName": "n", "terminationGracePeriodSeconds": -5}, {}, None, 1),
        ({"terminationGracePeriodSeconds": 7}, {"phase": "Pending"}, None, 0),
        ({"nodeName": "n", "terminationGracePeriodSeconds": 7}, {"phase": "Failed"}, 5, 0),
    ],
)
def test_only_a_pod_that_may_run_gets_time_to_stop(
    spec: Obj, status: Obj, asked: int | None, expected: int
) -> None:
    """No kubelet would finish the deletion of a pod without a node."""
    assert PODS.grace_period({"spec": spec, "status": status}, asked) == expected


def test_pods_are_selected_by_node_and_phase() -> None:
    """Kubelets list the pods of their node only."""
    pod = {
        "spec": {"nodeName": "n", "hostNetwork": True},
        "status": {"podIPs": [{"ip": "10.1.2.3"}]},
    }

    fields = PODS.selectable_fields(pod)

    assert fields["spec.nodeName"] == "n"
    assert fields["spec.hostNetwork"] == "true"
    assert fields["status.podIP"] == "10.1.2.3"
    assert fields["status.phase"] == ""
    assert set(fields) == PODS.field_names


def test_a_valid_pod_with_a_strange_name_is_taken_with_a_warning() -> None:
    """The name becomes a host name, where dots mean something else."""
    write = Written()

    _, errors = judged("", "pods", {**a_pod(), "metadata": {"name": "a.b"}}, write)

    assert not errors
    assert write.warnings == [
        (
            "metadata.name: this is used in the Pod's hostname, which can result in surprising"
            " behavior; a DNS label is recommended: [must not contain dots]"
        )
    ]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"containers": [{**CONTAINER, "image": "nginx:2", "imagePullPolicy": "Always"}]}, []),
        ({"activeDeadlineSeconds": 5}, []),
        ({"tolerations": [{"key": "a", "operator": "Exists"}]}, []),
        (
            {"containers": [CONTAINER, {"name": "d", "image": "x"}]},
            ["spec.containers: Forbidden: pod updates may not add or remove containers"],
        ),
    ],
)
def test_a_pod_takes_few_changes(change: Any, expected: list[str]) -> None:
    """Pods are replaced, not changed."""
    assert update_refusals("", "pods", a_pod(), **change) == expected

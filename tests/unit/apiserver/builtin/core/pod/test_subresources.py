"""Binding, ephemeral containers, resizing."""

import copy
from typing import Any

import pytest

from kubewright.apiserver.builtin.core.pod.subresources import (
    bind,
    check_binding,
    resize,
    set_ephemeral_containers,
)
from kubewright.apiserver.meta.status import StatusError
from tests.unit.apiserver.builtin.workload_samples import NOW, Obj, a_pod, created, pod_with

BINDING: Obj = {"metadata": {"labels": {"zone": "a"}}, "target": {"kind": "Node", "name": "n1"}}


def test_a_bound_pod_has_a_node_and_says_so() -> None:
    """That is all a scheduler does to a pod."""
    pod = created("", "pods", a_pod())

    bind(pod, BINDING, now=NOW)

    assert pod["spec"]["nodeName"] == "n1"
    assert pod["metadata"]["labels"] == {"zone": "a"}
    assert pod["status"]["conditions"] == [
        {"type": "PodScheduled", "status": "True", "lastProbeTime": None, "lastTransitionTime": NOW}
    ]


@pytest.mark.parametrize(
    ("spec", "metadata", "why"),
    [
        ({"nodeName": "n0"}, {}, 'pod x is already assigned to node "n0"'),
        ({"schedulingGates": [{"name": "a"}]}, {}, "pod x has non-empty .spec.schedulingGates"),
        ({}, {"deletionTimestamp": NOW}, "pod x is being deleted, cannot be assigned to a host"),
    ],
)
def test_a_pod_is_bound_once_and_only_if_it_waits(spec: Any, metadata: Any, why: str) -> None:
    """Two schedulers may run at the same time."""
    pod = created("", "pods", a_pod(**spec))
    pod["metadata"] |= metadata

    with pytest.raises(StatusError) as caught:
        bind(pod, BINDING, now=NOW)

    assert caught.value.code == 409
    assert caught.value.message == f'Operation cannot be fulfilled on pods/binding "x": {why}'


def test_a_binding_without_a_node_is_an_error_of_the_server() -> None:
    """Kubernetes forgot to make it anything else, and clients may depend on it."""
    with pytest.raises(StatusError) as caught:
        check_binding({"target": {"kind": "X"}})

    assert caught.value.code == 500
    assert caught.value.message == (
        '[target.kind: Unsupported value: "X": supported values: "Node", "<empty>",'
        " target.name: Required value]"
    )


def late(**content: Any) -> Obj:
    return {"name": "debug", "image": "busybox", **content}


def test_ephemeral_containers_come_and_stay() -> None:
    """They cannot be removed, because what they did cannot be undone."""
    old = created("", "pods", a_pod())
    new = copy.deepcopy(old)
    new["spec"]["ephemeralContainers"] = [late(targetContainerName="c")]
    new["spec"]["nodeName"] = "ignored"

    assert not set_ephemeral_containers(new, old)
    assert "nodeName" not in new["spec"]
    [error] = set_ephemeral_containers(copy.deepcopy(old), new)
    assert error.text == 'Forbidden: existing ephemeral containers "debug" may not be removed\n'


@pytest.mark.parametrize(
    ("container", "expected"),
    [
        (
            late(ports=[{"containerPort": 1}]),
            (
                "spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral "
                "Container"
            ),
        ),
        (
            late(targetContainerName="z"),
            'spec.ephemeralContainers[0].targetContainerName: Not found: "z"',
        ),
        ({**late(), "name": "c"}, 'spec.ephemeralContainers[0].name: Duplicate value: "c"'),
    ],
)
def test_an_ephemeral_container_may_do_little(container: Obj, expected: str) -> None:
    """It has no guarantees, so it may promise nothing."""
    old = created("", "pods", a_pod())
    new = copy.deepcopy(old)
    new["spec"]["ephemeralContainers"] = [container]

    assert [str(error) for error in set_ephemeral_containers(new, old)] == [expected]


def resized(old: Obj, **container: Any) -> list[str]:
    new = copy.deepcopy(old)
    new["spec"]["containers"][0] |= container
    return [str(error) for error in resize(new, old)]


def test_a_resize_changes_amounts_and_nothing_else() -> None:
    """The pod keeps running, so it must stay the same pod."""
    amounts = {"requests": {"cpu": "1", "memory": "1Gi"}}
    old = created("", "pods", pod_with(resources=amounts))

    assert not resized(old, resources={"requests": {"cpu": "2", "memory": "1Gi"}}, image="other")
    assert resized(old, resources={"requests": {"cpu": "1"}}) == [
        "spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed"
    ]
    assert resized(old, name="z") == [
        "spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize"
    ]
    assert resized(old, resources={"limits": {"cpu": "1", "memory": "1Gi"}, **amounts})[0] == (
        'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing'
    )

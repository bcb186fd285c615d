"""How far a workload is, from its status."""

from typing import Any

import pytest

from kubewright.applyset.rollout import Rollout, rollout_of


def workload(kind: str, spec: dict[str, Any], **status: Any) -> dict[str, Any]:
    status.setdefault("observedGeneration", 2)
    return {"kind": kind, "metadata": {"generation": 2}, "spec": spec, "status": status}


@pytest.mark.parametrize(
    ("spec", "status", "text"),
    [
        ({}, {"observedGeneration": 1}, "its controller has not seen it yet"),
        ({"replicas": 2}, {}, "0 of 2 replicas ready"),
        (
            {"replicas": 2},
            {"replicas": 2, "updatedReplicas": 2, "availableReplicas": 1},
            "1 of 2 replicas ready",
        ),
        (
            {"replicas": 1},
            {"replicas": 2, "updatedReplicas": 1, "availableReplicas": 2},
            "1 of 1 replicas ready, 1 of before still there",
        ),
    ],
)
def test_a_deployment_on_its_way_says_how_far(
    spec: dict[str, Any], status: dict[str, Any], text: str
) -> None:
    """One that is seen too early, or whose old pods still work, is not done."""
    assert rollout_of(workload("Deployment", spec, **status)) == Rollout(is_done=False, text=text)


@pytest.mark.parametrize(
    "one",
    [
        workload("Deployment", {}, replicas=1, updatedReplicas=1, availableReplicas=1),
        workload("Deployment", {"replicas": 0}),
        workload("StatefulSet", {"replicas": 2}, readyReplicas=2, updatedReplicas=2),
        workload(
            "StatefulSet",
            {"replicas": 2, "updateStrategy": {"rollingUpdate": {"partition": 1}}},
            readyReplicas=2,
            updatedReplicas=1,
        ),
        workload(
            "DaemonSet",
            {},
            desiredNumberScheduled=3,
            updatedNumberScheduled=3,
            numberAvailable=3,
        ),
        workload("Job", {}, observedGeneration=0),
    ],
)
def test_what_runs_as_it_was_applied_is_done(one: dict[str, Any]) -> None:
    """Also a Deployment that shall have no pods; and what has no rollout at all."""
    assert rollout_of(one).is_done


def test_others_on_their_way() -> None:
    """In their own words."""
    stateful = rollout_of(workload("StatefulSet", {"replicas": 2}, readyReplicas=2))
    daemon = rollout_of(workload("DaemonSet", {}, desiredNumberScheduled=3, numberAvailable=3))

    assert (stateful.is_done, stateful.text) == (False, "0 of 2 replicas ready")
    assert (daemon.is_done, daemon.text) == (False, "0 of 3 nodes ready")


def test_pods_that_cannot_be_made_are_said() -> None:
    """A quota, a missing account, or a webhook that refuses."""
    refused = {"type": "ReplicaFailure", "status": "True", "message": "exceeded quota: small"}
    late = {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}

    found = rollout_of(workload("Deployment", {}, conditions=[refused, late]))

    assert found.problem == "exceeded quota: small"
    assert found.is_stuck

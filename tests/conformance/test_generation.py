"""metadata.generation counts the changes of the desired state, and nothing else."""

from typing import Any

import pytest

from tests.conformance.bodies import deployment
from tests.conformance.wire import Wire


@pytest.fixture
def path(api: Wire, deployments: str) -> str:
    """The path of a new Deployment."""
    made = api.post(deployments, deployment("a", replicas=1)).ok(201)
    assert made["metadata"]["generation"] == 1
    return f"{deployments}/a"


def test_a_change_of_the_spec_counts_up(api: Wire, path: str) -> None:
    """Controllers compare it with status.observedGeneration."""
    assert api.patch(path, {"spec": {"replicas": 2}}).ok()["metadata"]["generation"] == 2
    assert api.patch(path, {"spec": {"paused": True}}).ok()["metadata"]["generation"] == 3


@pytest.mark.parametrize(
    "patch",
    [
        {"metadata": {"labels": {"a": "b"}}},
        {"metadata": {"finalizers": ["example.com/a"]}},
        {"spec": {"replicas": 1}},
        {"status": {"replicas": 5}},
    ],
    ids=["labels", "finalizers", "same spec", "status"],
)
def test_other_changes_do_not_count(api: Wire, path: str, patch: dict[str, Any]) -> None:
    """Only what a controller must act on counts."""
    patched = api.patch(path, patch).ok()
    api.patch(path, {"metadata": {"finalizers": None}}).ok()

    assert patched["metadata"]["generation"] == 1


def test_the_status_subresource_does_not_count(api: Wire, path: str) -> None:
    """Nor does it write anything but the status."""
    patch = {"status": {"replicas": 5, "observedGeneration": 1}, "spec": {"replicas": 9}}

    patched = api.patch(f"{path}/status", patch).ok()

    assert patched["metadata"]["generation"] == 1
    assert patched["spec"]["replicas"] == 1
    assert patched["status"]["replicas"] == 5


def test_the_status_is_not_written_with_the_rest(api: Wire, path: str) -> None:
    """Whoever may edit the spec cannot forge what the controller reports."""
    found = api.get(path).ok()
    found["status"] = {"replicas": 7}

    assert "replicas" not in api.put(path, found).ok()["status"]


def test_it_cannot_be_set(api: Wire, path: str, deployments: str) -> None:
    """The server keeps the count, whatever a client sends."""
    body = deployment("b")
    body["metadata"]["generation"] = 7

    made = api.post(deployments, body).ok(201)
    patched = api.patch(path, {"metadata": {"generation": 9}}).ok()

    assert made["metadata"]["generation"] == 1
    assert patched["metadata"]["generation"] == 1


def test_scaling_counts(api: Wire, path: str) -> None:
    """The scale subresource writes the spec."""
    api.patch(f"{path}/scale", {"spec": {"replicas": 3}}).ok()

    found = api.get(path).ok()
    assert (found["spec"]["replicas"], found["metadata"]["generation"]) == (3, 2)


def test_kinds_without_a_spec_have_none(api: Wire, configmaps: str) -> None:
    """A ConfigMap has no desired state apart from itself."""
    made = api.post(configmaps, {"metadata": {"name": "a"}}).ok(201)

    assert "generation" not in made["metadata"]

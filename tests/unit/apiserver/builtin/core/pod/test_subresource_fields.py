"""The parts of a pod that subresources change."""

import copy

from kubewright.apiserver.builtin import strategy_for
from kubewright.apiserver.builtin.core.pod.subresource_fields import (
    keep_ephemeral_containers,
    keep_resources,
)
from tests.unit.apiserver.builtin.workload_samples import a_pod, created, pod_with

AMOUNTS = {"requests": {"cpu": "1"}}


def test_only_ephemeral_containers_are_taken() -> None:
    """Kubectl debug sends the whole pod."""
    old = created("", "pods", a_pod())
    new = copy.deepcopy(old)
    new["spec"] |= {"nodeName": "n", "ephemeralContainers": [{"name": "e", "image": "x"}]}

    keep_ephemeral_containers(new, old)

    assert "nodeName" not in new["spec"]
    assert new["spec"]["ephemeralContainers"][0]["terminationMessagePolicy"] == "File"


def test_only_resources_are_taken() -> None:
    """A resize must not bypass the rules for updates."""
    old = created("", "pods", pod_with(resources=AMOUNTS))
    new = copy.deepcopy(old)
    new["spec"]["containers"][0] |= {"image": "other", "resources": {"requests": {"cpu": "2"}}}

    keep_resources(new, old)

    assert new["spec"]["containers"][0]["image"] == "nginx"
    assert new["spec"]["containers"][0]["resources"] == {"requests": {"cpu": "2"}}


def test_the_stored_pod_is_not_changed_by_either() -> None:
    """It is compared with the new one afterwards."""
    old = created("", "pods", pod_with(resources={"limits": {"cpu": "1"}}))
    before = copy.deepcopy(old)
    new = copy.deepcopy(old)
    new["spec"]["containers"][0]["resources"] = {"limits": {"cpu": "3"}}

    keep_ephemeral_containers(copy.deepcopy(new), old)
    keep_resources(new, old)

    assert old == before


def test_the_strategy_of_pods_offers_both() -> None:
    """The pipeline asks for them by the name of the subresource."""
    pods = strategy_for("", "pods")

    assert callable(getattr(pods, "prepare_resize", None))
    assert callable(getattr(pods, "prepare_ephemeralcontainers", None))

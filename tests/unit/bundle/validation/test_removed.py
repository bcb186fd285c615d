"""What newer Kubernetes does not know."""

import pytest

from kubewright.bundle.validation.removed import check_removed, parse_release
from tests.unit.bundle.sample import CSV_PATH, bundle, changed
from tests.unit.bundle.validation.saying import said

BUDGET = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\n"
SCALER = "apiVersion: autoscaling/v2beta2\nkind: HorizontalPodAutoscaler\nmetadata: {name: a}\n"
WHERE = ("spec", "customresourcedefinitions", "owned", 0, "resources")


def test_nothing_old_is_fine() -> None:
    """Most bundles are."""
    assert said(check_removed(bundle(), {})) == []


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        (BUDGET, {}, "error"),  # the sample needs 1.25
        (SCALER, {}, "warning"),
        (SCALER, {"k8s-version": "1.26"}, "error"),
        (SCALER, {"k8s-version": "1.25"}, "warning"),
    ],
)
def test_it_is_an_error_where_it_is_gone(text: str, options: dict[str, str], expected: str) -> None:
    """On clusters that are older, it still works."""
    [found] = said(check_removed(bundle(**{"manifests/x.yaml": text}), options))

    assert found.startswith(f"{expected}: manifests/x.yaml, line 1: Kubernetes 1.2")


def test_a_resource_of_an_old_kind_is_told() -> None:
    """The list in the ClusterServiceVersion goes stale first."""
    value = [{"kind": "CronJob", "version": "batch/v1beta1", "name": ""}]

    [found] = said(check_removed(changed(CSV_PATH, *WHERE, value=value), {}))

    assert found.endswith("Kubernetes 1.25 has no CronJob of batch/v1beta1 any more")


@pytest.mark.parametrize("text", ["1.25", "v1.25", "1.25.0"])
def test_a_release_is_written_in_several_ways(text: str) -> None:
    """Kubectl prints it with a v."""
    assert str(parse_release(text)) == "1.25.0"

"""Deployments."""

from typing import Any

import pytest

from kubewright.apiserver.builtin import strategy_for
from tests.unit.apiserver.builtin.workload_samples import (
    LABELS,
    Obj,
    a_workload,
    an_object,
    created,
    refusals,
    status_refusals,
    template,
    update_refusals,
)

OTHER = {"matchLabels": {"app": "bank"}}
LABELS_PATH = "spec.template.metadata.labels"
MISMATCH = (
    f'{LABELS_PATH}: Invalid value: {{"app":"shop"}}: `selector` does not match template `labels`'
)


def test_a_deployment_rolls_out_by_quarters() -> None:
    """Users see these defaults in kubectl after creating a minimal Deployment."""
    stored = created("apps", "deployments", a_workload())

    spec = {
        key: value for key, value in stored["spec"].items() if key not in ("template", "selector")
    }
    assert spec == {
        "replicas": 1,
        "revisionHistoryLimit": 10,
        "progressDeadlineSeconds": 600,
        "strategy": {
            "type": "RollingUpdate",
            "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"},
        },
    }
    assert stored["status"] == {}


def test_a_deployment_that_recreates_does_not_roll() -> None:
    """The defaults of one strategy must not end up in the other."""
    stored = created("apps", "deployments", a_workload(strategy={"type": "Recreate"}))

    assert stored["spec"]["strategy"] == {"type": "Recreate"}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"selector": OTHER}, [MISMATCH]),
        (
            {"selector": {}},
            ["spec.selector: Invalid value: {}: empty selector is invalid for deployment"],
        ),
        (
            {"selector": {"matchExpressions": [{"key": "app", "operator": "X"}]}},
            [
                (
                    'spec.selector.matchExpressions[0].operator: Invalid value: "X": not a valid '
                    "selector operator"
                ),
                (
                    "spec.selector: Invalid value: "
                    '{"matchExpressions":[{"key":"app","operator":"X"}]}: invalid label selector'
                ),
            ],
        ),
        (
            {"replicas": -1},
            ["spec.replicas: Invalid value: -1: must be greater than or equal to 0"],
        ),
        (
            {"strategy": {"type": "X"}},
            [
                (
                    'spec.strategy: Unsupported value: {"Type":"X","RollingUpdate":null}: '
                    'supported values: "Recreate", "RollingUpdate"'
                )
            ],
        ),
        (
            {"strategy": {"type": "Recreate", "rollingUpdate": {}}},
            [
                (
                    "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy "
                    "`type` is 'Recreate'"
                )
            ],
        ),
        (
            {"strategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": "0%"}}},
            [
                (
                    'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": may not be '
                    "0 when `maxSurge` is 0"
                )
            ],
        ),
        (
            {"strategy": {"rollingUpdate": {"maxUnavailable": "101%"}}},
            [
                (
                    'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not '
                    "be greater than 100%"
                )
            ],
        ),
        (
            {"progressDeadlineSeconds": 5, "minReadySeconds": 5},
            [
                (
                    "spec.progressDeadlineSeconds: Invalid value: 5: must be greater than "
                    "minReadySeconds"
                )
            ],
        ),
        (
            {"template": template(restartPolicy="Never", activeDeadlineSeconds=1)},
            [
                (
                    'spec.template.spec.restartPolicy: Unsupported value: "Never": supported '
                    'values: "Always"'
                ),
                (
                    "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds "
                    "in ReplicaSet is not Supported"
                ),
            ],
        ),
        (
            {"template": {"metadata": {"labels": LABELS}}},
            ["spec.template.spec.containers: Required value"],
        ),
    ],
)
def test_a_wrong_deployment_is_refused(spec: Any, expected: list[str]) -> None:
    """The texts and their order are Kubernetes'."""
    assert refusals("apps", "deployments", a_workload(**spec)) == expected


def test_an_empty_deployment_is_told_all_that_it_lacks() -> None:
    """One answer with everything saves three rounds."""
    assert refusals("apps", "deployments", an_object()) == [
        "spec.selector: Required value",
        f"{LABELS_PATH}: Invalid value: null: `selector` does not match template `labels`",
        "spec.template.spec.containers: Required value",
    ]


@pytest.mark.parametrize("resource", ["deployments", "replicasets"])
def test_a_selector_never_changes(resource: str) -> None:
    """The pods that it selected before would be orphaned."""
    texts = update_refusals(
        "apps",
        resource,
        a_workload(),
        selector=OTHER,
        template={**template(), "metadata": {"labels": OTHER["matchLabels"]}},
    )

    assert texts == [
        'spec.selector: Invalid value: {"matchLabels":{"app":"bank"}}: field is immutable'
    ]


def test_annotations_of_a_deployment_count_as_a_change() -> None:
    """They are copied to its replica sets."""
    strategy = strategy_for("apps", "deployments")
    old = created("apps", "deployments", a_workload())
    noted = {**old, "metadata": {**old["metadata"], "annotations": {"a": "b"}}}
    labelled = {**old, "metadata": {**old["metadata"], "labels": {"a": "b"}}}

    assert strategy.spec_changed(noted, old)
    assert not strategy.spec_changed(labelled, old)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({}, {"replicas": 2, "readyReplicas": 2, "availableReplicas": 1}, []),
        (
            {},
            {"readyReplicas": 1},
            ["status.readyReplicas: Invalid value: 1: cannot be greater than status.replicas"],
        ),
        (
            {},
            {"replicas": 2, "availableReplicas": 1},
            ["status.availableReplicas: Invalid value: 1: cannot be greater than readyReplicas"],
        ),
        (
            {"collisionCount": 2},
            {"collisionCount": 1},
            ["status.collisionCount: Invalid value: 1: cannot be decremented"],
        ),
        (
            {},
            {"observedGeneration": -1},
            ["status.observedGeneration: Invalid value: -1: must be greater than or equal to 0"],
        ),
    ],
)
def test_the_counts_of_a_status_agree(old: Obj, new: Obj, expected: list[str]) -> None:
    """A controller with a bug must not spread it."""
    assert status_refusals("apps", "deployments", a_workload(), old, new) == expected

"""Changes of a pod that exists."""

from typing import Any

import pytest

from tests.unit.apiserver.builtin.workload_samples import CONTAINER, Obj, a_pod, update_refusals

NODES = "requiredDuringSchedulingIgnoredDuringExecution"


def nodes(*keys: str) -> Obj:
    terms = [{"matchExpressions": [{"key": key, "operator": "Exists"} for key in keys]}]
    return {"nodeAffinity": {NODES: {"nodeSelectorTerms": terms}}}


def test_the_refusal_of_any_other_change_shows_the_difference() -> None:
    """A user who applies a changed pod needs to see which field differs."""
    [text] = update_refusals("", "pods", a_pod(), nodeName="n1")

    assert text == (
        "spec: Forbidden: pod updates may not change fields other than"
        " `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
        "`spec.tolerations` (only additions to existing tolerations),"
        "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously"
        " negative)\n"
        "@@ -43,7 +43,7 @@\n"
        '  "ServiceAccountName": "",\n'
        '  "DeprecatedServiceAccount": "",\n'
        '  "AutomountServiceAccountToken": null,\n'
        '- "NodeName": "",\n'
        '+ "NodeName": "n1",\n'
        '  "HostNetwork": false,\n'
        '  "HostPID": false,\n'
        '  "HostIPC": false,\n'
    )


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (
            {"activeDeadlineSeconds": 5},
            {"activeDeadlineSeconds": 9},
            [
                (
                    "spec.activeDeadlineSeconds: Invalid value: 9: must be less than or equal to "
                    "previous value"
                )
            ],
        ),
        (
            {"activeDeadlineSeconds": 5},
            {"activeDeadlineSeconds": None},
            [
                (
                    "spec.activeDeadlineSeconds: Invalid value: null: must not update from a "
                    "positive integer to nil value"
                )
            ],
        ),
        ({"activeDeadlineSeconds": 5}, {"activeDeadlineSeconds": 3}, []),
        (
            {"tolerations": [{"key": "a", "operator": "Exists"}]},
            {"tolerations": []},
            [
                (
                    "spec.tolerations: Forbidden: existing toleration can not be modified except "
                    "its tolerationSeconds"
                )
            ],
        ),
        ({"schedulingGates": [{"name": "a"}]}, {"schedulingGates": None}, []),
        (
            {"schedulingGates": [{"name": "a"}]},
            {"schedulingGates": [{"name": "b"}]},
            [
                (
                    "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found"
                    " new scheduling gate 'b'"
                )
            ],
        ),
        ({"schedulingGates": [{"name": "a"}]}, {"nodeSelector": {"x": "y"}}, []),
        (
            {"schedulingGates": [{"name": "a"}], "nodeSelector": {"x": "y"}},
            {"nodeSelector": {"z": "y"}},
            [
                (
                    'spec.nodeSelector: Invalid value: {"z":"y"}: only additions to '
                    "spec.nodeSelector are allowed (no mutations or deletions)"
                )
            ],
        ),
        ({"schedulingGates": [{"name": "a"}]}, {"affinity": nodes("k")}, []),
        (
            {"schedulingGates": [{"name": "a"}], "affinity": nodes("k")},
            {"affinity": nodes("k", "l")},
            [],
        ),
        (
            {"schedulingGates": [{"name": "a"}], "affinity": nodes("k")},
            {"affinity": nodes("l")},
            [
                (
                    f"spec.affinity.nodeAffinity.{NODES}.nodeSelectorTerms[0]: Invalid value: "
                    f'{{"matchExpressions":[{{"key":"l","operator":"Exists"}}]}}: only additions '
                    "are allowed (no mutations or deletions)"
                )
            ],
        ),
    ],
)
def test_what_may_change_may_change_in_one_direction(
    before: Any, after: Any, expected: list[str]
) -> None:
    """A pod may be stopped earlier and tolerate more; while it is gated it may be narrowed."""
    assert update_refusals("", "pods", a_pod(**before), **after) == expected


def test_an_image_that_is_gone_is_named_twice_as_kubernetes_does() -> None:
    """The container rule and the update rule both look at the image."""
    texts = update_refusals(
        "", "pods", a_pod(), containers=[{**CONTAINER, "imagePullPolicy": "Always", "image": ""}]
    )

    assert texts == ["spec.containers[0].image: Required value"] * 2

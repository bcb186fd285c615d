"""Where pods may run."""

from typing import Any

import pytest

from kubewright.apiserver.builtin.core.pod.placement import (
    merge_label_keys,
    validate_affinity,
    validate_tolerations,
)

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
HERE = f"a.podAffinity.{REQUIRED}[0]"
LABELS = {"matchLabels": {"app": "shop"}}


def near(**term: Any) -> Any:
    return {"podAffinity": {REQUIRED: [{"topologyKey": "zone", **term}]}}


@pytest.mark.parametrize(
    ("affinity", "expected"),
    [
        (near(labelSelector=LABELS, matchLabelKeys=["hash"]), []),
        (
            near(matchLabelKeys=["hash"]),
            [
                (
                    f"{HERE}.matchLabelKeys: Forbidden: must not be specified when labelSelector"
                    " is not set"
                )
            ],
        ),
        (
            near(labelSelector=LABELS, matchLabelKeys=["h"], mismatchLabelKeys=["h"]),
            [
                (
                    f'{HERE}.matchLabelKeys[0]: Invalid value: "h": exists in both matchLabelKeys'
                    " and mismatchLabelKeys"
                )
            ],
        ),
        (
            near(namespaces=["a.b"]),
            [f'{HERE}.namespace: Invalid value: "a.b": must not contain dots'],
        ),
    ],
)
def test_an_affinity_to_pods_says_which(affinity: Any, expected: list[str]) -> None:
    """The scheduler would match nothing, or everything."""
    assert [str(error) for error in validate_affinity(affinity, "a")] == expected


def test_a_label_key_that_a_pod_lacks_changes_nothing() -> None:
    """There is no value to compare with."""
    spec = {"affinity": near(labelSelector={}, matchLabelKeys=["a", "b"], mismatchLabelKeys=["c"])}

    merge_label_keys(spec, {"a": "1", "c": "2"})

    [term] = spec["affinity"]["podAffinity"][REQUIRED]
    assert term["labelSelector"]["matchExpressions"] == [
        {"key": "a", "operator": "In", "values": ["1"]},
        {"key": "c", "operator": "NotIn", "values": ["2"]},
    ]


@pytest.mark.parametrize(
    ("toleration", "expected"),
    [
        ({"operator": "Exists"}, []),
        ({"key": "a", "value": "b"}, []),
        (
            {"key": "a", "operator": "Exists", "value": "b"},
            [
                (
                    't[0].operator: Invalid value: "b": value must be empty when `operator` is'
                    " 'Exists'"
                )
            ],
        ),
        (
            {"key": "a", "tolerationSeconds": 1},
            [
                (
                    "t[0].effect: Invalid value: \"\": effect must be 'NoExecute' when"
                    " `tolerationSeconds` is set"
                )
            ],
        ),
    ],
)
def test_a_toleration_that_cannot_match_is_refused(toleration: Any, expected: list[str]) -> None:
    """It looks as if it did something."""
    assert [str(error) for error in validate_tolerations([toleration], "t")] == expected

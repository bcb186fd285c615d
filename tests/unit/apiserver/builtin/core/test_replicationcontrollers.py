"""ReplicationControllers."""

from typing import Any

import pytest

from tests.unit.apiserver.builtin.workload_samples import (
    CONTAINER,
    LABELS,
    an_object,
    created,
    refusals,
    template,
)

LABELS_PATH = "spec.template.metadata.labels"
MISMATCH = (
    f'{LABELS_PATH}: Invalid value: {{"app":"shop"}}: `selector` does not match template `labels`'
)


def test_a_replication_controller_takes_all_from_its_template() -> None:
    """It is older than the rule that one must say what one selects."""
    stored = created("", "replicationcontrollers", an_object({"spec": {"template": template()}}))

    assert stored["spec"]["selector"] == LABELS
    assert stored["metadata"]["labels"] == LABELS


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, ["spec.selector: Required value", "spec.template: Required value"]),
        ({"selector": {"a": "b"}, "template": template()}, [MISMATCH]),
        ({"template": {"spec": {"containers": [CONTAINER]}}}, ["spec.selector: Required value"]),
    ],
)
def test_a_wrong_replication_controller_is_refused(spec: Any, expected: list[str]) -> None:
    """Its selector is a plain map."""
    assert refusals("", "replicationcontrollers", an_object({"spec": spec})) == expected

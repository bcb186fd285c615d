"""ControllerRevisions."""

from typing import Any

import pytest

from kubewright.apiserver.builtin import strategy_for
from tests.unit.apiserver.builtin.workload_samples import (
    Written,
    an_object,
    refusals,
)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"revision": 1, "data": {}}, []),
        (
            {"revision": -1},
            [
                "revision: Invalid value: -1: must be greater than or equal to 0",
                "data: Required value: data is mandatory",
            ],
        ),
        ({"revision": 1, "data": [1]}, ["data: Required value: data must be a valid JSON object"]),
    ],
)
def test_a_revision_holds_an_object(content: Any, expected: list[str]) -> None:
    """A rollback applies the data as a patch."""
    assert refusals("apps", "controllerrevisions", an_object(content)) == expected


def test_the_data_of_a_revision_never_change() -> None:
    """It says what was, not what is."""
    strategy = strategy_for("apps", "controllerrevisions")
    old, new = an_object({"data": {"a": 1}}), an_object({"data": {"a": 2}})

    assert [str(error) for error in strategy.validate_update(new, old, Written())] == [
        'data: Invalid value: {"a":2}: field is immutable'
    ]

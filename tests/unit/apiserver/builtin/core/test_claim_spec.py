"""Specs of claims in templates."""

from typing import Any

import pytest

from kubewright.apiserver.builtin.core.claim_spec import validate_claim_spec

SIZE = {"requests": {"storage": "1Gi"}}
ONCE = ["ReadWriteOnce"]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"accessModes": ONCE, "resources": SIZE}, []),
        (
            {"resources": SIZE},
            ["s.accessModes: Required value: at least 1 access mode is required"],
        ),
        (
            {"accessModes": [*ONCE, "ReadWriteOncePod"], "resources": SIZE},
            [("s.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes")],
        ),
        (
            {"accessModes": ONCE, "resources": {"requests": {"storage": "0"}}},
            ['s.resources[storage]: Invalid value: "0": must be greater than zero'],
        ),
        (
            {"accessModes": ONCE, "resources": SIZE, "volumeMode": "X"},
            ['s.volumeMode: Unsupported value: "X": supported values: "Block", "Filesystem"'],
        ),
    ],
)
def test_a_claim_says_how_much_and_for_whom(spec: Any, expected: list[str]) -> None:
    """A provisioner needs the size and the access modes."""
    assert [str(error) for error in validate_claim_spec(spec, "s")] == expected

"""Files that volumes are made of."""

from typing import Any

import pytest

from kubewright.apiserver.builtin.core.pod.projections import (
    validate_downward_files,
    validate_projections,
)

NAME = {"apiVersion": "v1", "fieldPath": "metadata.name"}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ({"serviceAccountToken": {"path": "t", "expirationSeconds": 600}}, []),
        (
            {"serviceAccountToken": {"path": "t", "expirationSeconds": 599}},
            [
                (
                    "v.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 599: may"
                    " not specify a duration less than 10 minutes"
                )
            ],
        ),
        ({"serviceAccountToken": {"expirationSeconds": 600}}, ["v.path: Required value"]),
        ({"secret": {}}, ["v.sources[0].secret.name: Required value"]),
    ],
)
def test_a_projection_says_what_and_where(source: Any, expected: list[str]) -> None:
    """A token that ends at once is of no use."""
    texts = [str(error) for error in validate_projections({"sources": [source]}, "v")]

    assert texts == expected


def test_a_downward_file_has_one_source() -> None:
    """The message does not say which file it is; nor does Kubernetes."""
    both = {"path": "a", "fieldRef": NAME, "resourceFieldRef": {"resource": "limits.cpu"}}
    nameless = {"path": "a", "resourceFieldRef": {"resource": "limits.cpu"}}

    assert [str(error) for error in validate_downward_files([both, nameless], "v")] == [
        (
            'v: Invalid value: "resource": fieldRef and resourceFieldRef can not be specified'
            " simultaneously"
        ),
        "v.resourceFieldRef.containerName: Required value",
    ]

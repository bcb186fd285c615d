"""Variables, and where their values come from."""

from typing import Any

import pytest

from tests.unit.apiserver.builtin.workload_samples import pod_with, refusals

HERE = "spec.containers[0].env[0]"
NAME = {"fieldRef": {"fieldPath": "metadata.name"}}


def variable(**source: Any) -> Any:
    return {"env": [{"name": "A", "valueFrom": source}]}


def field(path: str) -> Any:
    return variable(fieldRef={"fieldPath": path})


@pytest.mark.parametrize(
    ("container", "expected"),
    [
        ({"env": [{"name": "a b-./1", "value": "x"}]}, []),
        ({"env": [{"value": "x"}]}, [f"{HERE}.name: Required value"]),
        (
            {"env": [{"name": "ä"}]},
            [
                (
                    f'{HERE}.name: Invalid value: "ä": a valid environment variable name must '
                    "consist only of printable ASCII characters other than '='"
                )
            ],
        ),
        (
            variable(),
            [
                (
                    f'{HERE}.valueFrom: Invalid value: "": must specify one of: `fieldRef`, '
                    "`resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
                )
            ],
        ),
        (
            {"env": [{"name": "A", "value": "x", "valueFrom": NAME}]},
            [
                (
                    f'{HERE}.valueFrom: Invalid value: "": may not be specified when `value` is '
                    "not empty"
                )
            ],
        ),
        (
            variable(**NAME, secretKeyRef={"name": "s", "key": "k"}),
            [
                (
                    f'{HERE}.valueFrom: Invalid value: "": may not have more than one field '
                    "specified at a time"
                )
            ],
        ),
        (field("metadata.labels['app']"), []),
        (
            field("metadata.labels['a b']"),
            [
                (
                    f'{HERE}.valueFrom.fieldRef: Invalid value: "a b": name part must consist of'
                    " alphanumeric characters, '-', '_' or '.', and must start and end with an "
                    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex "
                    "used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
                )
            ],
        ),
        (
            field("spec.x"),
            [
                (
                    f'{HERE}.valueFrom.fieldRef.fieldPath: Invalid value: "spec.x": error '
                    "converting fieldPath: field label not supported: spec.x"
                )
            ],
        ),
        (
            field("spec.nodeName['x']"),
            [
                (
                    f"{HERE}.valueFrom.fieldRef.fieldPath: Invalid value: \"spec.nodeName['x']\": "
                    "error converting fieldPath: field label does not support subscript: "
                    "spec.nodeName['x']"
                )
            ],
        ),
        (field(""), [f"{HERE}.valueFrom.fieldRef.fieldPath: Required value"]),
        (
            variable(resourceFieldRef={"resource": "limits.cpu", "divisor": "2"}),
            [
                (
                    f'{HERE}.valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only'
                    " divisor's values 1m and 1 are supported with the cpu resource"
                )
            ],
        ),
        (variable(resourceFieldRef={"resource": "requests.hugepages-2Mi"}), []),
        (
            variable(secretKeyRef={"name": "s", "key": ".."}),
            [f"{HERE}.valueFrom.secretKeyRef.key: Invalid value: \"..\": must not be '..'"],
        ),
        (
            variable(fileKeyRef={"key": "K", "volumeName": "v", "path": "a"}),
            [f'{HERE}.valueFrom.fileKeyRef.volumeName: Not found: "v"'],
        ),
        (
            {"envFrom": [{"prefix": "=", "secretRef": {}}]},
            [
                (
                    'spec.containers[0].envFrom[0].prefix: Invalid value: "=": a valid '
                    "environment variable name must consist only of printable ASCII characters "
                    "other than '='"
                ),
                "spec.containers[0].envFrom[0].secretRef.name: Required value",
            ],
        ),
        (
            {"envFrom": [{}]},
            [
                (
                    'spec.containers[0].envFrom: Invalid value: "": must specify one of: '
                    "`configMapRef` or `secretRef`"
                )
            ],
        ),
    ],
)
def test_a_variable_has_one_source_that_exists(container: Any, expected: list[str]) -> None:
    """Names are free since 1.34; what they refer to is not."""
    assert refusals("", "pods", pod_with(**container)) == expected

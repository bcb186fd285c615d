"""The parts of a version: subresources, columns, selectable fields, the root of the schema."""

from typing import Any

import pytest

from kubewright.apiserver.customresource import definition
from kubewright.apiserver.customresource.versions import validate_defaults, warning_problems
from tests.unit.apiserver.customresource.samples import crd_of, schema_of

STRING = {"type": "string"}


def problems(schema: dict[str, Any] | None = None, **version: Any) -> list[str]:
    """Return the texts of what is wrong with a version."""
    return [str(error) for error in definition.validate(crd_of(schema, version=version))]


def test_the_paths_of_scale_are_below_spec_and_status() -> None:
    """Other places would not be numbers of replicas."""
    scale = {
        "specReplicasPath": "spec.replicas",
        "statusReplicasPath": ".spec.replicas",
        "labelSelectorPath": ".foo",
    }

    assert problems(subresources={"scale": scale}) == [
        (
            'spec.subresources.scale.specReplicasPath: Invalid value: "spec.replicas": must be a'
            " simple json path starting with ."
        ),
        (
            'spec.subresources.scale.statusReplicasPath: Invalid value: ".spec.replicas": should be'
            " a json path under .status"
        ),
        (
            'spec.subresources.scale.labelSelectorPath: Invalid value: ".foo": should be a json'
            " path under either .spec or .status"
        ),
    ]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".spec.a", None),
        ("spec.a", "is an invalid path: expected [ or . but got: spec"),
        (".spec.zz", "is an invalid path: does not refer to a valid field"),
        (".spec['a']", "is an invalid path: array notation is not allowed"),
        (
            ".spec",
            (
                "must point to a field of type string, boolean or integer. Enum string fields and"
                " strings with formats are allowed."
            ),
        ),
    ],
)
def test_selectable_fields_are_scalars_with_a_schema(path: str, text: str | None) -> None:
    """Their values become text that selectors compare."""
    found = problems(schema_of(a=STRING), selectableFields=[{"jsonPath": path}])

    where = "spec.selectableFields[0].jsonPath"
    assert found == ([f'{where}: Invalid value: "{path}": {text}'] if text else [])


def test_selectable_fields_are_few_and_different() -> None:
    """Every object is indexed by them."""
    fields = [{"jsonPath": f".spec.f{i}"} for i in range(9)]
    source = schema_of(**{f"f{i}": STRING for i in range(9)})

    assert problems(source, selectableFields=fields) == [
        "spec.selectableFields: Too many: 9: must have at most 8 items"
    ]
    assert problems(source, selectableFields=[fields[0], fields[0]]) == [
        'spec.selectableFields[1].jsonPath: Duplicate value: ".spec.f0"'
    ]


def test_a_status_of_its_own_limits_the_root() -> None:
    """Rules across spec and status could not be kept by either."""
    (text,) = problems({"type": "object", "minProperties": 1}, subresources={"status": {}})

    assert text.startswith('spec.validation.openAPIV3Schema: Invalid value: {"ID":"","Schema":"",')
    assert text.endswith(
        "are allowed at the root of the schema if the status subresource is enabled"
    )


@pytest.mark.parametrize(
    ("warning", "found"),
    [
        ("", ["must not be an empty string"]),
        ("x" * 257, ["must be <= 256 characters long"]),
        (
            "\u00e9\n",
            [
                (
                    "must only contain printable UTF-8 characters; non-printable character found at"
                    " index 2"
                )
            ],
        ),
        ("fine", []),
    ],
)
def test_warnings_must_fit_into_a_header(warning: str, found: list[str]) -> None:
    """They are sent with every answer."""
    assert warning_problems({"deprecated": True, "deprecationWarning": warning}) == found


Json = dict[str, Any]


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ({"type": "string", "default": "x"}, []),
        ({"type": "string", "default": None}, []),
        ({"x-kubernetes-int-or-string": True, "default": []}, []),
        (
            {"type": "integer", "default": "x"},
            ['Invalid value: "string":  in body must be of type integer: "string"'],
        ),
        (
            {"type": "object", "default": {"b": 1}},
            ['Invalid value: {"b":1}: must not have unknown fields'],
        ),
        (
            {
                "type": "integer",
                "default": 3,
                "x-kubernetes-validations": [{"rule": "self > 5", "message": "big"}],
            },
            ["Invalid value: 3: big"],
        ),
    ],
)
def test_bad_defaults_are_refused(source: Json, texts: list[str]) -> None:
    """Such defaults would make objects invalid, so that no client could update them."""
    errors = validate_defaults(schema_of(a={"type": "array", "items": source}), "s")

    path = "s.properties[spec].properties[a].items.default"
    assert [str(error) for error in errors] == [f"{path}: {text}" for text in texts]

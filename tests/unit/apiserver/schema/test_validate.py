"""Values are checked against their schema, with the texts of the real server."""

from typing import Any

import pytest

from kubewright.apiserver.effort import OUT_OF_BUDGET, TEXT, Effort, TooMuchError
from kubewright.apiserver.schema.ratchet import Correlated
from kubewright.apiserver.schema.tree import parse
from kubewright.apiserver.schema.validate import validate

Json = dict[str, Any]

AB: Json = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}


def problems(source: Json, value: Any) -> list[str]:
    """Return what is wrong with a field ``x`` of a schema."""
    schema = parse({"type": "object", "properties": {"x": source}})
    return [str(error) for error in validate({"x": value}, schema)]


@pytest.mark.parametrize(
    ("source", "value", "text"),
    [
        ({"type": "integer"}, "a", '"string": x in body must be of type integer: "string"'),
        ({"type": "string"}, None, '"null": x in body must be of type string: "null"'),
        ({"type": "boolean"}, 1, '"integer": x in body must be of type boolean: "integer"'),
        (
            {"x-kubernetes-int-or-string": True},
            True,
            '"boolean": x in body must be of type integer,string: "boolean"',
        ),
        (
            {"type": "string", "format": "date-time"},
            3,
            '"int64": x in body must be of type date-time: "int64"',
        ),
        (
            {"type": "string", "format": "date-time"},
            "no",
            '"no": x in body must be of type date-time: "no"',
        ),
        ({"type": "string", "minLength": 2}, "a", '"a": x in body should be at least 2 chars long'),
        ({"type": "string", "pattern": "^a$"}, "b", "\"b\": x in body should match '^a$'"),
        ({"type": "array", "minItems": 1}, [], "0: x in body should have at least 1 items"),
        (
            {"type": "object", "minProperties": 1},
            {},
            "0: x in body should have at least 1 properties",
        ),
        (
            {"type": "object", "additionalProperties": False},
            {"a": 1},
            '"a": x.a in body is a forbidden property',
        ),
        (
            {"type": "array", "uniqueItems": True},
            [1, 1],
            '"": x in body shouldn\'t contain duplicates',
        ),
    ],
)
def test_invalid_values_are_described(source: Json, value: Any, text: str) -> None:
    """The messages are those of Kubernetes' OpenAPI validation."""
    assert problems(source, value) == [f"x: Invalid value: {text}"]


@pytest.mark.parametrize("value", [1.5, 1e20])
def test_floats_that_are_no_integers_are_told_of_twice(value: float) -> None:
    """Kubernetes reports both the type and the range of integers."""
    assert problems({"type": "integer"}, value) == [
        'x: Invalid value: "number": x in body must be of type integer: "number"',
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in x',
    ]


@pytest.mark.parametrize(
    ("source", "value", "text"),
    [
        ({"type": "string", "maxLength": 1}, "ab", "x: Too long: may not be more than 1 byte"),
        ({"type": "string", "maxLength": 2}, "abc", "x: Too long: may not be more than 2 bytes"),
        (
            {"type": "array", "maxItems": 1},
            [1, 2],
            "x: Too many: 2: must have at most 1 item",
        ),
        (
            {"type": "object", "maxProperties": 0},
            {"a": 1},
            "x: Too many: 1: must have at most 0 items",
        ),
        (
            {"type": "string", "enum": ["b", "a"]},
            "c",
            'x: Unsupported value: "c": supported values: "b", "a"',
        ),
        ({"enum": [1]}, 2, 'x: Unsupported value: 2: supported values: "1"'),
        ({"type": "object", "required": ["a"]}, {}, "x.a: Required value"),
    ],
)
def test_other_kinds_of_errors(source: Json, value: Any, text: str) -> None:
    """Some rules have a sort of error of their own."""
    assert problems(source, value) == [text]


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ({"type": "integer"}, 3.0),
        ({"type": "number"}, 3),
        ({"type": "string", "nullable": True}, None),
        ({"type": "string", "format": "unheard-of"}, "x"),
        ({"type": "number", "enum": [1]}, 1.5),  # Go cuts off the fraction
        ({"type": "string", "pattern": r"\d"}, "a1"),
        ({}, {"anything": []}),
    ],
)
def test_valid_values_pass(source: Json, value: Any) -> None:
    """Kubernetes accepts some values that look wrong."""
    assert problems(source, value) == []


@pytest.mark.parametrize(
    ("parts", "value", "texts"),
    [
        (
            {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
            {},
            [
                (
                    '<nil>: Invalid value: "": "x" must validate one and only one schema (oneOf).'
                    " Found none valid"
                ),
                "x.a: Required value",
            ],
        ),
        (
            {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
            {"a": "", "b": ""},
            [
                (
                    '<nil>: Invalid value: "": "x" must validate one and only one schema (oneOf).'
                    " Found 2 valid alternatives"
                )
            ],
        ),
        (
            {"anyOf": [{"required": ["a"]}, {"properties": {"b": {"minLength": 3}}}]},
            {"b": "x"},
            [
                '<nil>: Invalid value: "": "x" must validate at least one schema (anyOf)',
                'x.b: Invalid value: "x": x.b in body should be at least 3 chars long',
            ],
        ),
        (
            {"allOf": [{"required": ["a"]}]},
            {},
            [
                "x.a: Required value",
                (
                    '<nil>: Invalid value: "": "x" must validate all the schemas (allOf). None'
                    " validated"
                ),
            ],
        ),
        (
            {"not": {"required": ["a"]}},
            {"a": ""},
            ['<nil>: Invalid value: "": "x" must not validate the schema (not)'],
        ),
    ],
)
def test_combined_schemas_show_the_nearest_miss(parts: Json, value: Any, texts: list[str]) -> None:
    """The combination itself has no path."""
    assert problems(AB | parts, value) == texts


def test_paths_go_through_lists_and_maps() -> None:
    """Users know these paths from the real server."""
    source = {"type": "array", "items": {"additionalProperties": {"type": "integer"}}}

    assert problems(source, [{"k": "v"}]) == [
        'x[0].k: Invalid value: "string": x[0].k in body must be of type integer: "string"'
    ]


def test_a_part_has_a_prefix_in_its_paths_but_not_in_its_texts() -> None:
    """That is how the status alone is checked."""
    schema = parse({"type": "object", "properties": {"n": {"type": "integer", "minimum": 0}}})

    errors = validate({"n": -1}, schema, prefix="status")

    assert [str(error) for error in errors] == [
        "status.n: Invalid value: -1: n in body should be greater than or equal to 0"
    ]


def test_what_did_not_change_passes() -> None:
    """A tighter schema does not lock up objects that were stored before."""
    tight = {"type": "string", "maxLength": 1}
    schema = parse({"type": "object", "properties": {"a": tight, "b": tight}})
    old, new = {"a": "long", "b": "long"}, {"a": "long", "b": "longer"}

    errors = validate(new, schema, correlated=Correlated(new, old, schema))

    assert [error.path for error in errors] == ["b"]


def test_what_is_too_much_work_is_refused() -> None:
    """Many alternatives times many values: the answer says that not everything was checked."""
    anything = {"anyOf": [{"enum": [f"v{n}"]} for n in range(3000)]}
    schema = parse({"type": "array", "items": {"type": "string", **anything}})
    values = [f"w{n}" for n in range(20_000)]

    with pytest.raises(TooMuchError):
        validate(values, schema, effort=Effort(light=True))
    *_, last = validate(values, schema)

    assert last.text.endswith(OUT_OF_BUDGET)


def test_errors_that_repeat_a_long_enum_are_bounded() -> None:
    """20,000 values times 20,000 errors would be gigabytes of text."""
    schema = parse({"type": "array", "items": {"enum": [f"v{n}" for n in range(20_000)]}})

    errors = validate([f"w{n}" for n in range(20_000)], schema)

    assert sum(len(error.text) for error in errors) < 2 * TEXT

"""What values a schema refuses, in Kubernetes' words."""

from typing import Any

import pytest

from tests.conformance.crds import Installed, Installer, object_of, version

pytestmark = pytest.mark.crd
TEXT = {"type": "string"}
SPEC = {
    **object_of(
        text={**TEXT, "minLength": 2, "maxLength": 4},
        pattern={**TEXT, "pattern": "^[a-z]+$"},
        choice={**TEXT, "enum": ["a", "b"]},
        number={"type": "integer", "minimum": 1, "maximum": 9},
        above={"type": "number", "minimum": 0, "exclusiveMinimum": True},
        even={"type": "integer", "multipleOf": 2},
        small={"type": "integer", "format": "int32"},
        flag={"type": "boolean"},
        list={"type": "array", "items": TEXT, "minItems": 1, "maxItems": 2},
        set={"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"},
        map={
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["k"],
            "items": {**object_of(k=TEXT, v=TEXT), "required": ["k"]},
        },
        box={**object_of(must=TEXT), "required": ["must"]},
        sized={
            "type": "object",
            "additionalProperties": TEXT,
            "minProperties": 1,
            "maxProperties": 2,
        },
        moment={**TEXT, "format": "date-time"},
        either={"x-kubernetes-int-or-string": True},
        one={
            **object_of(x=TEXT, y=TEXT),
            "oneOf": [{"required": ["x"]}, {"required": ["y"]}],
        },
        none={**object_of(x=TEXT), "not": {"required": ["x"]}},
    )
}

# field, value, reason, field that is named, message; @ stands for "spec.<field> in body"
BAD: list[tuple[str, Any, str, str, str]] = [
    (
        "text",
        "a",
        "FieldValueInvalid",
        "text",
        'Invalid value: "a": @ should be at least 2 chars long',
    ),
    ("text", "abcde", "FieldValueTooLong", "text", "Too long: may not be more than 4 bytes"),
    (
        "text",
        1,
        "FieldValueTypeInvalid",
        "text",
        'Invalid value: "integer": @ must be of type string: "integer"',
    ),
    (
        "pattern",
        "A",
        "FieldValueInvalid",
        "pattern",
        "Invalid value: \"A\": @ should match '^[a-z]+$'",
    ),
    (
        "choice",
        "c",
        "FieldValueNotSupported",
        "choice",
        'Unsupported value: "c": supported values: "a", "b"',
    ),
    (
        "number",
        0,
        "FieldValueInvalid",
        "number",
        "Invalid value: 0: @ should be greater than or equal to 1",
    ),
    (
        "number",
        10,
        "FieldValueInvalid",
        "number",
        "Invalid value: 10: @ should be less than or equal to 9",
    ),
    (
        "number",
        1.5,
        "FieldValueTypeInvalid",
        "number",
        'Invalid value: "number": @ must be of type integer: "number"',
    ),
    (
        "number",
        "1",
        "FieldValueTypeInvalid",
        "number",
        'Invalid value: "string": @ must be of type integer: "string"',
    ),
    (
        "above",
        0,
        "FieldValueInvalid",
        "above",
        "Invalid value: 0: @ should be greater than 0",
    ),
    (
        "even",
        3,
        "FieldValueInvalid",
        "even",
        "Invalid value: 3: @ should be a multiple of 2",
    ),
    (
        "flag",
        "true",
        "FieldValueTypeInvalid",
        "flag",
        'Invalid value: "string": @ must be of type boolean: "string"',
    ),
    (
        "list",
        [],
        "FieldValueInvalid",
        "list",
        "Invalid value: 0: @ should have at least 1 items",
    ),
    (
        "list",
        ["a", "b", "c"],
        "FieldValueTooMany",
        "list",
        "Too many: 3: must have at most 2 items",
    ),
    (
        "list",
        ["a", 1],
        "FieldValueTypeInvalid",
        "list[1]",
        'Invalid value: "integer": @ must be of type string: "integer"',
    ),
    (
        "list",
        "a",
        "FieldValueTypeInvalid",
        "list",
        'Invalid value: "string": @ must be of type array: "string"',
    ),
    ("set", ["a", "a"], "FieldValueDuplicate", "set[1]", 'Duplicate value: "a"'),
    (
        "map",
        [{"k": "a"}, {"k": "a"}],
        "FieldValueDuplicate",
        "map[1]",
        'Duplicate value: {"k":"a"}',
    ),
    ("map", [{"v": "a"}], "FieldValueRequired", "map[0].k", "Required value"),
    ("box", {}, "FieldValueRequired", "box.must", "Required value"),
    (
        "box",
        [],
        "FieldValueTypeInvalid",
        "box",
        'Invalid value: "array": @ must be of type object: "array"',
    ),
    (
        "sized",
        {},
        "FieldValueInvalid",
        "sized",
        "Invalid value: 0: @ should have at least 1 properties",
    ),
    (
        "sized",
        {"a": "", "b": "", "c": ""},
        "FieldValueTooMany",
        "sized",
        "Too many: 3: must have at most 2 items",
    ),
    (
        "moment",
        "noon",
        "FieldValueTypeInvalid",
        "moment",
        'Invalid value: "noon": @ must be of type date-time: "noon"',
    ),
    (
        "either",
        1.5,
        "FieldValueTypeInvalid",
        "either",
        'Invalid value: "number": @ must be of type integer,string: "number"',
    ),
]


@pytest.fixture
def widgets(install: Installer) -> Installed:
    """A kind with one rule for each field."""
    return install.shared(version(schema=SPEC))


@pytest.mark.since("1.35", reason="the texts changed over time; these are the present ones")
@pytest.mark.parametrize(
    ("name", "value", "reason", "field", "message"), BAD, ids=[f"{b[0]}={b[1]}" for b in BAD]
)
def test_a_bad_value_is_refused_in_these_words(
    widgets: Installed, *, name: str, value: Any, reason: str, field: str, message: str
) -> None:
    """Users read them in the output of kubectl."""
    causes = widgets.create(spec={name: value}).causes()

    message = message.replace("@", f"spec.{field} in body")
    assert (reason, f"spec.{field}", message) in causes


@pytest.mark.parametrize(
    ("moment", "status"),
    [
        ("2026-01-01T12:00:00Z", 201),
        ("2026-01-01T12:00:00.5+02:00", 201),
        ("2026-01-01t12:00:00z", 201),
        ("2026-01-01T12:00:00,5Z", 201),
        ("2026-01-01T12:00:00+99:99", 201),
        ("0000-02-29T12:00:00Z", 201),
        ("2026-01-01 12:00:00Z", 422),
        ("2026-01-01T12:00:00", 422),
        ("2026-01-01T12:00:00.Z", 422),
        ("2026-01-01T23:59:60Z", 422),
        ("2026-02-29T12:00:00Z", 422),
    ],
)
def test_a_moment_is_judged_by_its_look(widgets: Installed, moment: str, status: int) -> None:
    """A controller must still be ready for what passes here and means nothing."""
    assert widgets.create(spec={"moment": moment}).status == status


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("one", {}, "must validate one and only one schema (oneOf). Found none valid"),
        ("one", {"x": "", "y": ""}, "validate one and only one schema (oneOf). Found 2 valid"),
        ("none", {"x": ""}, "must not validate the schema (not)"),
    ],
)
def test_a_broken_junctor_is_told_without_a_field(
    widgets: Installed, name: str, value: Any, said: str
) -> None:
    """The field is in the text only."""
    causes = widgets.create(spec={name: value}).causes()

    [message] = [message for _, field, message in causes if field in ("<nil>", "")]
    assert said in message
    assert f"spec.{name}" in message


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("text", "ab"),
        ("text", "äöüß"),
        ("number", 9),
        ("above", 0.1),
        ("above", 1),
        ("even", -2),
        ("list", ["a"]),
        ("set", ["a", "b"]),
        ("map", [{"k": "a"}, {"k": "b", "v": "a"}]),
        ("sized", {"a": ""}),
        ("moment", "2026-01-02T03:04:05Z"),
        ("moment", "2026-01-02T03:04:05.123+01:00"),
        ("either", 1),
        ("either", "1"),
        ("one", {"x": ""}),
        ("none", {}),
    ],
    ids=str,
)
def test_a_good_value_is_kept(widgets: Installed, name: str, value: Any) -> None:
    """As it was sent."""
    assert widgets.create(spec={name: value}).ok(201)["spec"] == {name: value}


def test_all_that_is_wrong_is_told_at_once(widgets: Installed) -> None:
    """One round of corrections is enough."""
    found = widgets.create(spec={"number": 0, "choice": "c", "even": 3}).causes()

    assert {field for _, field, _ in found} == {"spec.number", "spec.choice", "spec.even"}


def test_the_message_names_kind_group_and_object(widgets: Installed) -> None:
    """And lists the causes in brackets."""
    status = widgets.create("bad", spec={"number": 0, "even": 3}).refused(422, "Invalid")

    assert status["message"].startswith(f'Widget.{widgets.group} "bad" is invalid: [spec.')
    assert status["details"]["name"] == "bad"
    assert (status["details"]["group"], status["details"]["kind"]) == (widgets.group, "Widget")

"""What rules see of a value that a schema describes."""

from typing import Any

import pytest

from kubewright.apiserver.cel.celtype import Type, optional_of
from kubewright.apiserver.cel.errors import CompileError, EvaluationError
from kubewright.apiserver.cel.program import compile_rule
from kubewright.apiserver.cel.schematype import escape, type_of
from kubewright.apiserver.cel.values import NONE, Optional
from kubewright.apiserver.schema.tree import parse

PAIRS = {
    "type": "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"],
    "items": {
        "type": "object",
        "properties": {"k": {"type": "string"}, "v": {"type": "integer"}, "n": {"type": "number"}},
    },
}
SCHEMA = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "number": {"type": "number"},
        "time": {"type": "string", "format": "date-time"},
        "day": {"type": "string", "format": "date"},
        "length": {"type": "string", "format": "duration"},
        "data": {"type": "string", "format": "byte"},
        "times": {"type": "array", "items": {"type": "string", "format": "date-time"}},
        "set": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
        "pairs": PAIRS,
        "port": {"x-kubernetes-int-or-string": True},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "odd": {
            "type": "object",
            "properties": {
                "a-b": {"type": "string"},
                "if": {"type": "string"},
                "x.y": {"type": "integer"},
                "1st": {"type": "string"},
            },
        },
        "maybe": {"type": "string", "nullable": True},
        "hidden": {"x-kubernetes-preserve-unknown-fields": True},
        "open": {
            "type": "object",
            "x-kubernetes-preserve-unknown-fields": True,
            "properties": {"known": {"type": "string"}},
        },
        "template": {
            "type": "object",
            "x-kubernetes-embedded-resource": True,
            "x-kubernetes-preserve-unknown-fields": True,
        },
    },
}
VALUE = {
    "text": "abc",
    "number": 2,
    "time": "2020-01-02T03:04:05Z",
    "day": "2020-01-02",
    "length": "1h",
    "data": "aGVsbG8=",
    "times": ["2020-01-02T03:04:05Z"],
    "set": ["x", "y"],
    "pairs": [{"k": "a", "v": 1, "n": 1}, {"k": "b", "v": 2}],
    "port": "50%",
    "labels": {"a": "b"},
    "odd": {"a-b": "q", "if": "w", "x.y": 1},
    "maybe": None,
    "open": {"known": "1", "unknown": 2},
    "template": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}},
}
OLD = {
    **VALUE,
    "set": ["y", "x"],
    "pairs": [{"k": "b", "v": 2}, {"k": "a", "v": 1, "n": 1.0}],
    "number": 2.0,
}


def declared(source: dict[str, Any], *, root: bool = False) -> Type:
    found = type_of(parse(source), root=root)
    assert found is not None
    return found


def check(rule: str) -> Any:
    variables = {"self": declared(SCHEMA), "oldSelf": declared(SCHEMA)}
    return compile_rule(rule, variables).evaluate({"self": VALUE, "oldSelf": OLD})


@pytest.mark.parametrize(
    "rule",
    [
        "self.number / 4.0 == 0.5 && self.number == oldSelf.number",
        "self.time.getFullYear() == 2020 && self.day == timestamp('2020-01-02T00:00:00Z')",
        "self.length == duration('60m') && self.data == b'hello' && self.data.size() == 5",
        "self.times[0] == self.time && self.time in self.times && self.times.max() == self.time",
        "self.times == [self.time] && self.times.all(t, t == self.time)",
        "self.set == oldSelf.set && self.set == ['y', 'x'] && self.set != ['x']",
        "self.set + ['x', 'z'] == ['z', 'y', 'x'] && 'x' in self.set",
        "self.pairs == oldSelf.pairs && self.pairs[0].n == 1.0",
        "self.pairs + [self.pairs[0]] == self.pairs",
        "self.pairs.map(p, p.k) == ['a', 'b'] && self.pairs.exists(p, p.n > 0.5)",
        "type(self.port) == string && self.port == '50%' && self.port != 50",
        "self.labels.a == 'b' && self.labels['a'] == 'b' && !has(self.labels.c)",
        "self.labels.all(k, v, k + v == 'ab') && self.labels == {'a': 'b'}",
        "self.odd.a__dash__b == 'q' && self.odd.__if__ == 'w' && self.odd.x__dot__y == 1",
        "self.odd.if == 'w' && dyn(self.odd).a__dash__b == 'q' && [self.odd][0].x__dot__y == 1",
        "!has(self.maybe) && !self.?maybe.hasValue() && self.?text.orValue('') == 'abc'",
        "self.?time.orValue(timestamp(0)) == self.time && self.?times[0].value() == self.time",
        "self.open.known == '1' && self.open == oldSelf.open",
        "self.template.kind == 'Pod' && self.template.metadata.name == 'web'",
        "self == oldSelf",
    ],
)
def test_values_have_the_types_of_their_schema(rule: str) -> None:
    """Formats, lists with keys and escaped names work on plain JSON; all of these hold."""
    assert check(rule) is True


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("self.missing == 1", "undefined field 'missing'"),
        ("has(self.hidden)", "undefined field 'hidden'"),
        ("self.open.unknown == 2", "undefined field 'unknown'"),
        ("self.odd.x == 1", "undefined field 'x'"),
        ("self.template.metadata.labels == {}", "undefined field 'labels'"),
        ("self.metadata.name == ''", "undefined field 'metadata'"),
    ],
)
def test_fields_without_a_schema_are_hidden(rule: str, text: str) -> None:
    """Rules cannot depend on what the schema does not promise."""
    with pytest.raises(CompileError, match=text):
        check(rule)


def test_a_whole_object_has_its_kind_and_its_names() -> None:
    """Rules at the root may use them although the schema does not mention them."""
    variables = {"self": declared({"type": "object"}, root=True)}
    rule = compile_rule("self.kind + '/' + self.metadata.name == 'Shop/one'", variables)

    assert rule.evaluate({"self": {"kind": "Shop", "metadata": {"name": "one"}}}) is True


def test_a_null_field_is_a_missing_field() -> None:
    """The server treats both alike in objects."""
    with pytest.raises(EvaluationError, match=r"^no such key: maybe$"):
        check("self.maybe == ''")


@pytest.mark.parametrize(
    "source",
    [
        {"x-kubernetes-preserve-unknown-fields": True},
        {"type": "array"},
        {"type": "array", "items": {"x-kubernetes-preserve-unknown-fields": True}},
        {"type": "object", "additionalProperties": {"type": ""}},
    ],
)
def test_values_of_unknown_shape_have_no_type(source: dict[str, Any]) -> None:
    """Neither have lists and maps of them."""
    assert type_of(parse(source)) is None


def test_text_that_is_not_of_its_format_is_an_error_of_evaluation() -> None:
    """Old objects may hold what a newer schema would refuse."""
    rule = compile_rule(
        "self < timestamp('2020-01-01T00:00:00Z')",
        {"self": declared({"type": "string", "format": "date-time"})},
    )

    with pytest.raises(EvaluationError, match=r"^Invalid date-time formatted string soon: "):
        rule.evaluate({"self": "soon"})


def test_the_old_value_can_be_optional() -> None:
    """Rules with optionalOldSelf run on creation, too."""
    found = declared(SCHEMA)
    rule = compile_rule(
        "oldSelf.?time.optMap(t, t <= self.time).orValue(true) && !oldSelf.?set.hasValue()"
        " || oldSelf.set.value() == self.set",
        {"self": found, "oldSelf": optional_of(found)},
    )

    assert rule.evaluate({"self": VALUE, "oldSelf": NONE}) is True
    assert rule.evaluate({"self": VALUE, "oldSelf": Optional(OLD)}) is True


def test_evaluation_leaves_the_object_alone() -> None:
    """The object is stored after its rules ran."""
    before = repr(VALUE)

    check("self == oldSelf && self.set + ['z'] != self.set && dyn(self).time > timestamp(0)")

    assert repr(VALUE) == before


@pytest.mark.parametrize(
    ("name", "spelled"),
    [
        ("plain_1", "plain_1"),
        ("foo-bar", "foo__dash__bar"),
        ("foo.bar/baz", "foo__dot__bar__slash__baz"),
        ("a__b", "a__underscores__b"),
        ("namespace", "__namespace__"),
        ("Namespace", "Namespace"),
        ("$ref", None),
        ("1st", None),
        ("", None),
        ("é", None),
    ],
)
def test_names_are_escaped_as_kubernetes_does(name: str, spelled: str | None) -> None:
    """Fields whose names cannot be spelled are out of reach of rules."""
    assert escape(name) == spelled

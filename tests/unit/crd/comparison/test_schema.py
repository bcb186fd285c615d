"""Changes of schemas: what is said to break does, and what is not said to break does not."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from kubewright.apiserver.schema.default import default
from kubewright.apiserver.schema.listtype import validate_lists
from kubewright.apiserver.schema.prune import drop_nulls, prune
from kubewright.apiserver.schema.tree import parse
from kubewright.apiserver.schema.validate import validate
from kubewright.crd.comparison.change import Severity
from kubewright.crd.comparison.schema import compared_schemas, type_of

Schema = dict[str, Any]

STRING: Schema = {"type": "string"}
INTEGER: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
INT_OR_STRING: Schema = {
    "x-kubernetes-int-or-string": True,
    "anyOf": [{"type": "integer"}, {"type": "string"}],
}
ANYTHING: Schema = {"x-kubernetes-preserve-unknown-fields": True}


def obj(**fields: Schema) -> Schema:
    """Return an object with these fields."""
    return {"type": "object", "properties": fields}


def array(items: Schema, **keywords: Any) -> Schema:
    """Return a list of *items*."""
    return {"type": "array", "items": items} | {
        f"x-kubernetes-{key.replace('_', '-')}": value for key, value in keywords.items()
    }


def mapping(values: Schema) -> Schema:
    """Return a map with these values."""
    return {"type": "object", "additionalProperties": values}


def rules(old: Schema, new: Schema) -> list[str]:
    """Return the severity, the rule and the path of each change."""
    return [
        " ".join(filter(None, (one.severity, one.rule, one.path)))
        for one in compared_schemas(old, new)
    ]


def judged(schema: Schema, rule: str) -> Schema:
    """Return *schema* with a CEL rule."""
    return {**schema, "x-kubernetes-validations": [{"rule": rule}]}


DEFAULTED: Schema = {**STRING, "default": "x"}
RULE = "!(has(self.a) && has(self.b))"
UPDATES = "self.a == oldSelf.a"
CASES: list[tuple[Schema, Schema, list[str]]] = [
    (obj(a=STRING), obj(a=STRING), []),
    (obj(a=STRING), obj(), ["breaks field-removed .a"]),
    (obj(), obj(a=STRING), ["safe field-added .a"]),
    (obj(a=STRING), obj(a=INTEGER), ["breaks type-changed .a"]),
    (obj(a=INTEGER), obj(a=NUMBER), ["risky type-widened .a"]),
    (obj(a=NUMBER), obj(a=INTEGER), ["breaks type-changed .a"]),
    (obj(a=INTEGER), obj(a=INT_OR_STRING), ["risky type-widened .a"]),
    (obj(a=INT_OR_STRING), obj(a=STRING), ["breaks type-changed .a"]),
    (obj(a=STRING), obj(a=ANYTHING), ["risky type-widened .a", "safe unknown-fields-kept .a"]),
    (obj(a=ANYTHING), obj(a=STRING), ["breaks type-changed .a"]),
    (
        obj(a=STRING),
        {**obj(a=STRING), "required": ["a"]},
        ["breaks required-added .a"],
    ),
    (
        obj(),
        {**obj(a=STRING), "required": ["a"]},
        ["safe field-added .a", "breaks required-added .a"],
    ),
    (
        obj(),
        {**obj(a={**STRING, "default": "x"}), "required": ["a"]},
        [
            "safe field-added .a",
            "safe default-added .a",
            "safe required-added-with-default .a",
        ],
    ),
    ({**obj(a=STRING), "required": ["a"]}, obj(a=STRING), ["safe required-removed .a"]),
    (obj(a=STRING), obj(a={**STRING, "default": "x"}), ["risky default-added .a"]),
    (
        obj(a={**STRING, "default": "x"}),
        obj(a={**STRING, "default": "y"}),
        ["risky default-changed .a"],
    ),
    (obj(a={**STRING, "default": "x"}), obj(a=STRING), ["risky default-removed .a"]),
    (
        {**obj(a={**STRING, "default": "x"}), "required": ["a"]},
        {**obj(a=STRING), "required": ["a"]},
        ["breaks default-removed .a"],
    ),
    (
        {**obj(b=STRING), "maxProperties": 1},
        {**obj(a={**STRING, "default": "x"}, b=STRING), "maxProperties": 1},
        ["safe field-added .a", "breaks default-added .a"],
    ),
    (judged(obj(a=STRING), RULE), judged(obj(a=DEFAULTED), RULE), ["breaks default-added .a"]),
    (judged(obj(a=STRING), UPDATES), judged(obj(a=DEFAULTED), UPDATES), ["risky default-added .a"]),
    (
        judged(obj(b=array(obj(a=STRING))), RULE),
        judged(obj(b=array(obj(a=DEFAULTED))), RULE),
        ["breaks default-added .b[].a"],
    ),
    (
        {**obj(b=obj(c=obj(a=STRING))), "oneOf": [{}]},
        {**obj(b=obj(c=obj(a=DEFAULTED))), "oneOf": [{}]},
        ["breaks default-added .b.c.a"],
    ),
    (
        {**obj(b=obj(a=STRING)), "maxProperties": 1},
        {**obj(b=obj(a=DEFAULTED)), "maxProperties": 1},
        ["risky default-added .b.a"],
    ),
    (
        array(obj(a=STRING), list_type="set"),
        array(obj(a=DEFAULTED), list_type="set"),
        ["breaks default-added [].a"],
    ),
    (
        judged(obj(a=DEFAULTED), RULE),
        judged(obj(a={**STRING, "default": "y"}), RULE),
        ["breaks default-changed .a"],
    ),
    (judged(obj(a=DEFAULTED), RULE), judged(obj(a=STRING), RULE), ["breaks default-removed .a"]),
    (
        {**obj(a=DEFAULTED), "minProperties": 1},
        {**obj(a=STRING), "minProperties": 1},
        ["breaks default-removed .a"],
    ),
    (
        {**obj(), "x-kubernetes-embedded-resource": True},
        {**obj(metadata=obj(name={**STRING, "maxLength": 5})),
         "x-kubernetes-embedded-resource": True},
        ["breaks max-length-narrowed .metadata.name"],
    ),
    ({"type": "object"}, {**ANYTHING, "type": "object"}, ["safe unknown-fields-kept"]),
    ({**ANYTHING, "type": "object"}, {"type": "object"}, ["breaks unknown-fields-pruned"]),
    (
        {**ANYTHING, **obj()},
        {**ANYTHING, **obj(a=STRING)},
        ["safe field-added .a", "breaks type-changed .a"],
    ),
    ({**ANYTHING, **obj(a=STRING)}, {**ANYTHING, **obj()}, [
        "risky field-undescribed .a", "risky type-widened .a",
    ]),
    (mapping(STRING), mapping(INTEGER), ["breaks type-changed .*"]),
    (mapping(STRING), obj(a=STRING), [
        "breaks unknown-fields-pruned", "safe field-added .a",
    ]),
    (array(STRING), array(INTEGER), ["breaks type-changed []"]),
    (array(STRING), array(STRING, list_type="set"), ["breaks list-type-changed"]),
    (array(STRING, list_type="atomic"), array(STRING), []),
    (
        array(obj(a=STRING), list_type="map", list_map_keys=["a"]),
        array(obj(a=STRING), list_type="map", list_map_keys=["a", "b"]),
        ["breaks list-map-keys-changed"],
    ),
    (obj(), {**obj(), "x-kubernetes-map-type": "atomic"}, ["breaks map-type-changed"]),
    (obj(), {**obj(), "x-kubernetes-embedded-resource": True}, ["breaks embedded-resource-added"]),
    (
        {**obj(), "x-kubernetes-embedded-resource": True},
        obj(),
        ["breaks embedded-resource-removed"],
    ),
    (obj(a={**STRING, "description": "x"}), obj(a=STRING), ["safe description-changed .a"]),
    (
        obj(a=array(obj(b=STRING))),
        obj(a=array(obj(b={**STRING, "maxLength": 3}))),
        ["breaks max-length-narrowed .a[].b"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "expected"), CASES)
def test_each_change_has_its_rule(old: Schema, new: Schema, expected: list[str]) -> None:
    """A change that is not seen lets a release destroy somebody's data."""
    assert rules(old, new) == expected


def test_the_text_says_what_happens() -> None:
    """Who reads it decides whether to release; the name of a rule does not help them."""
    old, new = obj(size={**INTEGER, "default": 1}), {**obj(size=STRING), "required": ["size"]}

    said = [f"{one.path}: {one.text}" for one in compared_schemas(old, new)]

    assert said == [
        ".size: its default, 1, is gone, and it is required: objects without it are refused",
        (
            ".size: its type is string now, and was integer: stored values are refused, and"
            " clients fail"
        ),
        ".size: it is required now: objects without it are refused",
    ]


def test_a_type_has_a_name_even_if_there_is_none() -> None:
    """The texts say "anything"; an empty word would leave a hole in the sentence."""
    assert [type_of(one) for one in (STRING, INT_OR_STRING, ANYTHING)] == [
        "string",
        "int-or-string",
        "anything",
    ]


# Small sets of everything, so that two schemas often are about the same values.
small = st.integers(0, 4)
words = st.sampled_from(["", "a", "ab", "abc", "1"])


def some(**keywords: st.SearchStrategy[Any]) -> st.SearchStrategy[Schema]:
    """Return any of *keywords*."""
    return st.fixed_dictionaries({}, optional=keywords)


def allowed(schema: Schema) -> Schema:
    """Return *schema* without a default that it refuses itself: no server takes such a CRD."""
    if "default" in schema and validate(schema["default"], parse(schema)):
        return {key: value for key, value in schema.items() if key != "default"}
    return schema


scalars = st.one_of(
    some(minLength=small, maxLength=small, pattern=st.sampled_from(["^a", "b"]),
         nullable=st.booleans(),
         enum=st.lists(words, min_size=1, max_size=3, unique=True),
         format=st.sampled_from(["byte", "ipv4", "password", "strange"]),
         default=words).map(lambda one: STRING | one),
    some(minimum=small, maximum=small, exclusiveMinimum=st.booleans(), default=small,
         exclusiveMaximum=st.booleans(), multipleOf=st.integers(1, 4), nullable=st.booleans(),
         format=st.sampled_from(["int32", "int64"]),
         enum=st.lists(small, min_size=1, max_size=3, unique=True)).map(lambda one: INTEGER | one),
    some(minimum=small, maximum=small,
         format=st.sampled_from(["float", "double"])).map(lambda one: NUMBER | one),
    st.just({"type": "boolean"}), st.just(INT_OR_STRING), st.just(ANYTHING),
).map(allowed)  # fmt: skip
fields = st.sampled_from(["a", "b", "c"])


def composed(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    """Return lists, maps and objects of *inner*."""
    objects = st.builds(
        lambda properties, required, keywords: {
            "type": "object",
            "properties": properties,
            "required": [one for one in required if one in properties],
            **keywords,
        },
        st.dictionaries(fields, inner, max_size=3),
        st.lists(fields, max_size=2, unique=True),
        some(
            maxProperties=small,
            minProperties=st.integers(0, 1),
            **{"x-kubernetes-preserve-unknown-fields": st.just(True)},
        ),
    )
    lists = st.builds(
        lambda items, keywords: {"type": "array", "items": items, **keywords},
        inner,
        some(maxItems=small, minItems=st.integers(0, 1))
        | st.just({"x-kubernetes-list-type": "set"}),
    )
    maps = st.builds(lambda one, more: mapping(one) | more, inner, some(maxProperties=small))
    return objects | lists | maps


schemas = st.recursive(scalars, composed, max_leaves=5)


def changed(schema: Schema) -> st.SearchStrategy[Schema]:
    """Return schemas that differ from *schema* in a place or two, or not at all."""
    if schema.get("properties"):
        inner = st.fixed_dictionaries(
            {key: changed(one) for key, one in schema["properties"].items()}
        )
        return st.builds(
            lambda now, lost, gone, more, keywords: {
                **{key: one for key, one in schema.items() if key not in gone},
                "properties": (kept := {key: now[key] for key in now if key != lost} | more),
                "required": [one for one in schema["required"] if one in kept],
                **keywords,
            },
            inner,
            fields | st.none(),
            st.sets(st.sampled_from(["maxProperties", "minProperties"])),
            st.dictionaries(fields, scalars, max_size=1),
            some(maxProperties=small, required=st.just(sorted(schema.get("properties", {}))[:1])),
        )
    for key in ("items", "additionalProperties"):
        if key in schema:
            return changed(schema[key]).map(lambda one, key=key: {**schema, key: one})  # type: ignore[misc]
    looser = st.sets(st.sampled_from(sorted(schema)), max_size=2).map(
        lambda gone: {key: one for key, one in schema.items() if key not in gone - {"type"}}
    )
    return st.just(schema) | looser | scalars


pairs = schemas.flatmap(lambda old: st.tuples(st.just(old), changed(old) | schemas))


def values(schema: Schema) -> st.SearchStrategy[Any]:
    """Return values of which many are valid."""
    found: st.SearchStrategy[Any]
    if "enum" in schema:
        found = st.sampled_from(schema["enum"])
    elif schema.get("x-kubernetes-int-or-string"):
        found = small | words
    else:
        simple = {
            "string": words,
            "integer": small,
            "number": small | st.sampled_from([0.5, 2e300]),
            "boolean": st.booleans(),
        }
        found = simple.get(schema.get("type", ""), st.none() | small | words | st.just({"a": 1}))
    if schema.get("type") == "array":
        found = st.lists(values(schema["items"]), max_size=3)
    elif schema.get("type") == "object":
        inner = (
            values(schema["additionalProperties"]) if "additionalProperties" in schema else small
        )
        known = {key: values(one) for key, one in schema.get("properties", {}).items()}
        found = st.fixed_dictionaries({}, optional=known)
        if schema.get("x-kubernetes-preserve-unknown-fields") or "additionalProperties" in schema:
            found = st.builds(
                lambda one, more: more | one, found, st.dictionaries(fields, inner, max_size=2)
            )
    return (found | st.none()) if schema.get("nullable") else found


def stored(value: Any, schema: Schema) -> tuple[Any, list[str], list[Any]]:
    """Return *value* as a server stores it, what was pruned, and what is wrong with it."""
    tree, root = parse(obj(spec=schema)), {"spec": deepcopy(value)}
    pruned = prune(root, tree)
    drop_nulls(root, tree)
    default(root, tree)
    return root.get("spec"), pruned, [*validate(root, tree), *validate_lists(root, tree)]


@given(data=st.data())
@settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
def test_what_does_not_break_takes_every_object_that_was_valid(data: st.DataObject) -> None:
    """The promise of the command: without a line under BREAKS, objects stay what they are."""
    old, new = data.draw(pairs)
    before, after = obj(spec=old), obj(spec=new)
    assume(not any(one.severity is Severity.BREAKS for one in compared_schemas(before, after)))
    value, _, problems = stored(data.draw(values(old)), old)
    assume(not problems and value is not None)

    _, pruned, errors = stored(value, new)

    assert not pruned
    assert not errors


@given(old=schemas, new=schemas)
def test_a_schema_is_compared_with_any_other(old: Schema, new: Schema) -> None:
    """Whatever a CRD says, there is an answer; and nothing changes between a schema and itself."""
    assert list(compared_schemas(old, old)) == []
    assert isinstance(list(compared_schemas(old, new)), list)

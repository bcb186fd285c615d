"""Custom objects and definitions when they are written."""

from typing import Any

import pytest

from kubewright.apiserver.customresource.strategy import (
    CustomResourceDefinitionStrategy,
    CustomResourceStrategy,
)
from tests.unit.apiserver.customresource.samples import crd_of, schema_of, write

Json = dict[str, Any]


def strategy(schema: Json | None = None, **version: Any) -> CustomResourceStrategy:
    """Return the strategy of Foos."""
    crd = crd_of(schema, version=version)
    return CustomResourceStrategy(crd, crd["spec"]["versions"][0])


def foo(**parts: Any) -> Json:
    """Return a Foo."""
    return {"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "x"}, **parts}


def test_objects_are_checked_by_schema_lists_and_rules() -> None:
    """All errors come together; rules wait until the shape is right."""
    tags = {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}
    size = {"type": "integer", "x-kubernetes-validations": [{"rule": "self > 5"}]}
    foos = strategy(schema_of(tags=tags, size=size))

    good = foos.validate(foo(spec={"tags": ["a", "a"], "size": 3}), write())
    blocked = foos.validate(foo(spec={"tags": 1, "size": 3}), write())

    assert [error.path for error in good] == ["spec.tags[1]", "spec.size"]
    assert [str(error) for error in blocked][1] == (
        "<nil>: Invalid value: null: some validation rules were not checked because the object was"
        " invalid; correct the existing errors to complete validation"
    )


def test_an_object_of_another_kind_is_refused() -> None:
    """Other errors would be about the wrong schema."""
    errors = strategy().validate(foo() | {"kind": "Bar"}, write())

    assert [str(error) for error in errors] == ['kind: Invalid value: "Bar": must be Foo']


def test_updates_leave_old_sins_alone() -> None:
    """Lists that had duplicates may keep them, values that did not change pass."""
    tags = {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}
    foos = strategy(schema_of(tags=tags, size={"type": "integer", "maximum": 1}))
    old = foo(spec={"tags": ["a", "a"], "size": 5})

    assert foos.validate_update(foo(spec={"tags": ["b", "b"], "size": 5}), old, write()) == []
    errors = foos.validate_update(foo(spec={"tags": ["a"], "size": 6}), old, write())

    assert [error.path for error in errors] == ["spec.size"]


def test_the_status_is_checked_alone_but_rules_see_all() -> None:
    """A spec that became invalid does not stop a controller."""
    source = schema_of(size={"type": "integer", "maximum": 1})
    source["properties"]["status"] = {"type": "object", "properties": {"n": {"type": "integer"}}}
    foos = strategy(source, subresources={"status": {}})
    old = foo(spec={"size": 5})

    good = foos.validate_status_update(foo(spec={"size": 5}, status={"n": 1}), old, write())
    bad = foos.validate_status_update(foo(spec={"size": 5}, status={"n": "x"}), old, write())

    assert good == []
    assert [str(error) for error in bad] == [
        'status.n: Invalid value: "string": n in body must be of type integer: "string"'
    ]


@pytest.mark.parametrize(
    ("new", "with_status", "without_status"),
    [
        (foo(spec={"a": 1}, metadata={"labels": {"a": "b"}}), False, False),
        (foo(spec={"a": 2}), True, True),
        (foo(spec={"a": 1}, status={"n": 1}), False, True),
        (foo(spec={"a": 1}, data=1), True, True),
        (foo(spec={"a": True}), True, True),
    ],
)
def test_generations_count_everything_but_metadata_and_status(
    new: Json, *, with_status: bool, without_status: bool
) -> None:
    """The status counts only if it is not a subresource."""
    old = foo(spec={"a": 1})

    assert strategy(subresources={"status": {}}).spec_changed(new, old) is with_status
    assert strategy().spec_changed(new, old) is without_status


def test_defaults_of_the_status_are_there_from_the_start() -> None:
    """The status that a client sends is dropped, its defaults are not."""
    status = {
        "type": "object",
        "default": {"phase": "New"},
        "properties": {"phase": {"type": "string"}},
    }
    source = {"type": "object", "properties": {"status": status}}
    obj = foo()

    strategy(source, subresources={"status": {}}).prepare_create(obj, write())

    assert obj["status"] == {"phase": "New"}


def test_selectable_fields_are_text() -> None:
    """Missing fields are empty strings."""
    source = schema_of(a={"type": "string"}, b={"type": "boolean"})
    fields = [{"jsonPath": ".spec.a"}, {"jsonPath": ".spec.b"}]
    foos = strategy(source, selectableFields=fields)

    assert foos.selectable_fields(foo(spec={"b": True})) == {"spec.a": "", "spec.b": "true"}
    assert foos.allows_field("spec.a")
    assert not foos.allows_field("spec.c")


def test_numbers_are_stored_as_go_stores_them() -> None:
    """After they were checked as what they were."""
    obj = foo(spec={"n": 2.0})

    assert strategy(schema_of(n={"type": "number", "multipleOf": 0.5})).validate(obj, write()) == []
    assert repr(obj["spec"]) == "{'n': 2}"


def test_finalizers_without_a_domain_are_warned_of() -> None:
    """Only new finalizers cause a warning."""
    warnings: list[str] = []
    old = foo(metadata={"finalizers": ["known"]})
    new = foo(metadata={"finalizers": ["known", "mine", "a.b", "a.b/c"]})

    strategy().validate_update(new, old, write(warnings))

    prefer = "prefer a domain-qualified finalizer name"
    why = "to avoid accidental conflicts with other finalizer writers"
    assert warnings == [
        f'metadata.finalizers: "a.b": {prefer} including a path (/) {why}',
        f'metadata.finalizers: "mine": {prefer} {why}',
    ]


def test_a_new_definition_starts_with_its_stored_version() -> None:
    """The status that a client sends is dropped."""
    crd = crd_of()
    crd["status"] = {"conditions": [{"type": "Established", "status": "True"}]}
    definitions = CustomResourceDefinitionStrategy()

    definitions.prepare_create(crd, write())

    names = {"plural": "", "kind": ""}
    assert crd["status"] == {"conditions": None, "acceptedNames": names, "storedVersions": ["v1"]}
    assert definitions.validate(crd, write()) == []


def test_unheard_of_formats_are_warned_of_once() -> None:
    """A typing error in a format checks nothing."""
    warnings: list[str] = []
    old, new = crd_of(schema_of(a={"type": "string", "format": "foo"})), crd_of()
    definitions = CustomResourceDefinitionStrategy()

    definitions.validate(old, write(warnings))
    definitions.validate_update(old, old, write(warnings))
    definitions.validate_update(old, new, write(warnings))

    assert warnings == ['unrecognized format "foo"'] * 2

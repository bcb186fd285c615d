"""Custom objects are cut to their schema."""

from typing import Any

import pytest

from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.schema.prune import fit, prune, settle_numbers
from kubewright.apiserver.schema.tree import parse

Json = dict[str, Any]

STRING: Json = {"type": "string"}


def shape(**properties: Json) -> Any:
    """Return the schema of objects with these fields in their spec."""
    spec = {"type": "object", "properties": properties}
    return parse({"type": "object", "properties": {"spec": spec}})


def fitted(spec: Json, **properties: Json) -> tuple[Json, list[str]]:
    """Return what is left of a spec, and what was unknown."""
    obj = {"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "x"}, "spec": spec}
    problems = fit(obj, shape(**properties))
    return obj["spec"], problems.unknown  # type: ignore[return-value]  # the spec of an object


def test_unknown_fields_go_and_are_named_sorted() -> None:
    """Everything that the schema does not know is removed, at any depth."""
    inner = {"type": "array", "items": {"type": "object", "properties": {"b": STRING}}}

    kept, unknown = fitted({"z": 1, "a": [{"b": "x", "c": {"d": 1}}]}, a=inner)

    assert kept == {"a": [{"b": "x"}]}
    assert unknown == ["spec.a[0].c", "spec.z"]


def test_what_preserves_unknown_fields_still_cuts_known_ones() -> None:
    """Only fields without a schema are free."""
    known = {"type": "object", "properties": {"a": STRING}}
    free = {
        "type": "object",
        "x-kubernetes-preserve-unknown-fields": True,
        "properties": {"known": known},
    }

    kept, unknown = fitted({"free": {"x": {"y": 1}, "known": {"a": "b", "c": 1}}}, free=free)

    assert kept == {"free": {"x": {"y": 1}, "known": {"a": "b"}}}
    assert unknown == ["spec.free.known.c"]


@pytest.mark.parametrize("additional", [True, False])
def test_boolean_additional_properties_keep_keys_and_empty_objects(*, additional: bool) -> None:
    """It is surprising, but values of such keys lose their fields in Kubernetes, too."""
    source = {"type": "object", "additionalProperties": additional}

    kept, unknown = fitted({"m": {"a": 1, "b": {"c": 1}, "d": [{"e": 1}], "n": None}}, m=source)

    assert kept == {"m": {"a": 1, "b": {}, "d": [{}], "n": None}}
    assert unknown == ["spec.m.b.c", "spec.m.d[0].e"]


def test_nulls_stay_only_where_they_are_allowed_or_have_a_default() -> None:
    """A default replaces the null afterwards."""
    nullable, defaulted = {**STRING, "nullable": True}, {**STRING, "default": "x"}

    kept, _ = fitted({"a": None, "b": None, "c": None}, a=STRING, b=nullable, c=defaulted)

    assert kept == {"b": None, "c": None}


def test_embedded_objects_get_typed_metadata() -> None:
    """Their metadata is that of every object."""
    embedded = {
        "type": "object",
        "x-kubernetes-embedded-resource": True,
        "x-kubernetes-preserve-unknown-fields": True,
    }
    given = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "foo": 1}, "x": 1}

    kept, unknown = fitted({"e": given}, e=embedded)

    assert kept["e"] == {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "x": 1}
    assert unknown == ["spec.e.metadata.foo"]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"apiVersion": 1}, "spec.e.apiVersion: Invalid value: 1: must be a string"),
        (
            {"metadata": {"labels": 3}},
            (
                'spec.e.metadata: Invalid value: {"labels":3}: json: cannot unmarshal number into'
                " Go struct field ObjectMeta.labels of type map[string]string"
            ),
        ),
    ],
)
def test_unreadable_embedded_objects_are_refused(given: Json, text: str) -> None:
    """The message has the path of the embedded object."""
    embedded = {"type": "object", "x-kubernetes-embedded-resource": True}

    with pytest.raises(StatusError) as caught:
        fitted({"e": given}, e=embedded)

    assert str(caught.value) == f'Foo in version "v1" cannot be handled as a Foo: {text}'


def test_metadata_of_the_wrong_type_is_refused() -> None:
    """It is read into the same struct as that of built-in kinds."""
    obj: Json = {"apiVersion": "a/v1", "kind": "Foo", "metadata": {"labels": {"a": 1}}}

    with pytest.raises(StatusError, match=r"Go struct field ObjectMeta\.labels of type string"):
        fit(obj, shape())


def test_numbers_are_settled_as_json_in_go() -> None:
    """Floats without a fraction are stored as integers, and huge integers as floats."""
    value: Json = {"a": 3.0, "b": [2.5, 1e21, {"c": -0.0}], "d": 10**20}
    obj = {"spec": {"n": 10**20}}

    settle_numbers(value)
    fit(obj, shape(n={"type": "number"}))

    assert repr(value) == repr({"a": 3, "b": [2.5, 1e21, {"c": 0}], "d": 10**20})
    assert isinstance(obj["spec"]["n"], float)


def test_only_whole_resources_keep_their_type() -> None:
    """Inside a resource, apiVersion and kind are fields like any other."""
    value: Json = {"kind": "x", "a": 1}

    assert prune(value, parse({"type": "object"}), root=True) == ["a"]
    assert value == {"kind": "x"}
    assert prune({"b": {"kind": "x"}}, parse({"type": "object", "properties": {"b": {}}})) == [
        "b.kind"
    ]

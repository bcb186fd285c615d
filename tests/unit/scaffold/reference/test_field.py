"""Fields as a reader sees them."""

from typing import Any

from kubewright.crd import schema_of
from kubewright.crd.identifiers import Names
from kubewright.kinds.core.v1 import PodTemplateSpec
from kubewright.scaffold.reference.field import Field, anchor_of, fields_of

STRING = {"type": "string"}


def fields(**properties: Any) -> tuple[Field, ...]:
    """Return the fields of a kind with these properties."""
    return fields_of({"type": "object", "properties": properties}, "shop-v1", Names())


def test_required_fields_come_first() -> None:
    """They are what must be written; the rest is in the order of the alphabet."""
    spec = {
        "type": "object",
        "properties": {"a": STRING, "b": STRING, "c": STRING},
        "required": ["c"],
    }

    (found,) = fields(spec=spec)

    assert [(one.name, one.required) for one in found.fields] == [
        ("c", True),
        ("a", False),
        ("b", False),
    ]


def test_every_field_has_an_anchor_of_its_own() -> None:
    """Links into the page are sent around; two fields that differ in case are two fields."""
    item = {"type": "object", "properties": {"proxyURL": STRING, "proxyUrl": STRING}}
    ports = {"type": "array", "items": item}

    (spec,) = fields(spec={"type": "object", "properties": {"ports": ports}})

    assert [(one.path, one.anchor) for one in spec.walk()] == [
        (".spec", "shop-v1-spec"),
        (".spec.ports[]", "shop-v1-spec-ports"),
        (".spec.ports[].proxyURL", "shop-v1-spec-ports-proxyurl"),
        (".spec.ports[].proxyUrl", "shop-v1-spec-ports-proxyurl2"),
    ]


def test_what_all_kinds_have_is_left_out() -> None:
    """It would be the same three lines for each kind."""
    assert fields(apiVersion=STRING, kind=STRING, metadata={"type": "object"}) == ()


def test_types_of_kubernetes_own_are_linked_and_not_copied() -> None:
    """A pod template has a thousand fields, which are described elsewhere."""
    (template,) = fields(template=schema_of(PodTemplateSpec))
    (pods,) = fields(pods={"type": "array", "items": schema_of(PodTemplateSpec)})
    (selector,) = fields(selector=schema_of(PodTemplateSpec)["properties"]["spec"])

    assert template.fields == pods.fields == selector.fields == ()
    assert selector.type == "PodSpec"
    assert selector.link.endswith("/#podspec-v1-core")
    assert pods.type == "list of PodTemplateSpec"


def test_constraints_and_rules_of_items_are_said_at_the_list() -> None:
    """There is no line for an item of its own."""
    item = {**STRING, "maxLength": 3, "x-kubernetes-validations": [{"rule": "self != 'a'"}]}

    (names,) = fields(names={"type": "array", "maxItems": 2, "items": item})

    assert names.constraints == ("at most 2 items", "each item: at most 3 characters")
    assert names.rules == ("`self != 'a'`",)


def test_a_default_is_json_and_not_too_long() -> None:
    """Defaults of whole objects would fill the page."""
    (short,) = fields(a={**STRING, "default": "x"})
    (long,) = fields(a={**STRING, "default": "x" * 300})

    assert short.default == '"x"'
    assert long.default is not None
    assert len(long.default) == 200


def test_an_anchor_has_letters_digits_and_dashes() -> None:
    """Whatever a field is called."""
    assert anchor_of("Shop", "v1", ".spec.x-y.<b>[].$ref") == "shop-v1-spec-x-y-b-ref"

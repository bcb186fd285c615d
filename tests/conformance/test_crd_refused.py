"""CRDs that are refused, each for its reason."""

from copy import deepcopy
from typing import Any

import pytest

from tests.conformance.crds import CRDS, Installer, crd, object_of, version
from tests.conformance.wire import Wire

pytestmark = pytest.mark.crd
SCHEMA = "spec.validation.openAPIV3Schema"  # where it is if all versions have the same
SPEC = f"{SCHEMA}.properties[spec]"


def with_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a CRD whose spec has *schema*."""
    return crd(version(schema=schema))


def with_spec(**changes: Any) -> dict[str, Any]:
    """Return a CRD with *changes* in its spec."""
    body = crd()
    body["spec"].update(changes)
    return body


def renamed(name: str) -> dict[str, Any]:
    """Return a CRD called *name*."""
    body = crd()
    body["metadata"]["name"] = name
    return body


NAMES = {"plural": "widgets", "singular": "widget", "kind": "Widget"}

# what is wrong -> the CRD, the field that is named, and a part of what is said
REFUSED: dict[str, tuple[dict[str, Any], str, str]] = {
    "the name is not plural.group": (
        renamed("widgets.example.com"),
        "metadata.name",
        'must be spec.names.plural+"."+spec.group',
    ),
    "no group": (with_spec(group=""), "spec.group", "Required value"),
    "a group without a dot": (
        with_spec(group="example"),
        "spec.group",
        "should be a domain with at least one dot",
    ),
    "another scope": (
        with_spec(scope="Galaxy"),
        "spec.scope",
        'Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"',
    ),
    "no scope": (with_spec(scope=""), "spec.scope", "Required value"),
    "no kind": (with_spec(names={"plural": "widgets"}), "spec.names.kind", "Required value"),
    "a kind in lower case with a dash at its end": (
        with_spec(names=NAMES | {"kind": "widget-"}),
        "spec.names.kind",
        "a DNS-1035 label must consist of",
    ),
    "a plural in upper case": (
        with_spec(names=NAMES | {"plural": "Widgets"}),
        "spec.names.plural",
        "a DNS-1035 label must consist of",
    ),
    "a short name with a slash": (
        with_spec(names=NAMES | {"shortNames": ["a/b"]}),
        "spec.names.shortNames[0]",
        "a DNS-1035 label must consist of",
    ),
    "no versions": (
        with_spec(versions=[]),
        "spec.versions",
        "must have exactly one version marked as storage version",
    ),
    "two versions that store": (
        with_spec(versions=[version("v1"), version("v2")]),
        "spec.versions",
        "must have exactly one version marked as storage version",
    ),
    "no version that stores": (
        with_spec(versions=[version("v1", storage=False)]),
        "spec.versions",
        "must have exactly one version marked as storage version",
    ),
    "a version twice": (
        with_spec(versions=[version("v1"), version("v1", storage=False)]),
        "spec.versions",
        "must contain unique version names",
    ),
    "a version in upper case": (
        with_spec(versions=[version("V1")]),
        "spec.versions[0].name",
        "a DNS-1035 label must consist of",
    ),
    "no schema": (
        with_spec(versions=[{"name": "v1", "served": True, "storage": True}]),
        "spec.versions[0].schema.openAPIV3Schema",
        "Required value",
    ),
    "conversion by webhook without one": (
        with_spec(conversion={"strategy": "Webhook"}),
        "spec.conversion.webhookClientConfig",
        "required when strategy is set to Webhook",
    ),
    "preserveUnknownFields": (
        with_spec(preserveUnknownFields=True),
        "spec.preserveUnknownFields",
        "cannot set to true, set x-",
    ),
    "a root that is no object": (
        crd(version() | {"schema": {"openAPIV3Schema": {"type": "string"}}}),
        f"{SCHEMA}.type",
        "must be object at the root",
    ),
    "no type": (with_schema({"description": "x"}), f"{SPEC}.type", "must not be empty for"),
    "an unknown type": (
        with_schema({"type": "text"}),
        f"{SPEC}.type",
        (
            'Unsupported value: "text": supported values: "array", "boolean", "integer", "number",'
            ' "object", "string"'
        ),
    ),
    "type null": (
        with_schema({"type": "null"}),
        f"{SPEC}.type",
        "type cannot be set to null, use nullable as an alternative",
    ),
    "an array without items": (
        with_schema({"type": "array"}),
        f"{SPEC}.items",
        "must be specified",
    ),
    "items as a list": (
        with_schema({"type": "array", "items": [{"type": "string"}]}),
        f"{SPEC}.items",
        "items must be a schema object and not an array",
    ),
    "properties and additionalProperties": (
        with_schema(object_of(a={"type": "string"}) | {"additionalProperties": {"type": "string"}}),
        f"{SPEC}.additionalProperties",
        "additionalProperties and properties are mutual exclusive",
    ),
    "uniqueItems": (
        with_schema({"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
        f"{SPEC}.uniqueItems",
        "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
    ),
    "$ref": (with_schema({"$ref": "#/a"}), f"{SPEC}.$ref", "$ref is not supported"),
    "definitions": (
        with_schema({"type": "object", "definitions": {"a": {"type": "string"}}}),
        f"{SPEC}.definitions",
        "definitions is not supported",
    ),
    "a type inside of a junctor": (
        with_schema({"type": "object", "allOf": [object_of(a={"type": "string"})]}),
        f"{SPEC}.allOf[0].type",
        "must be empty to be structural",
    ),
    "a pattern that does not compile": (
        with_schema({"type": "string", "pattern": "("}),
        f"{SPEC}.pattern",
        "must be a valid regular expression",
    ),
    "metadata with a type": (
        crd(
            version()
            | {
                "schema": {
                    "openAPIV3Schema": object_of(
                        metadata=object_of(labels={"type": "object"}), spec={"type": "object"}
                    )
                }
            }
        ),
        f"{SCHEMA}.properties[metadata]",
        (
            "must not specify anything other than name and generateName, but metadata is implicitly"
            " specified"
        ),
    ),
    "a default that does not fit": (
        with_schema(object_of(a={"type": "integer", "default": "x"})),
        f"{SPEC}.properties[a].default",
        'must be of type integer: "string"',
    ),
    "a default that is pruned": (
        with_schema(object_of(a=object_of(b={"type": "string"}) | {"default": {"c": 1}})),
        f"{SPEC}.properties[a].default",
        "must not have unknown fields",
    ),
    "a map key that is no property": (
        with_schema(
            {
                "type": "array",
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["none"],
                "items": object_of(a={"type": "string"}),
            }
        ),
        f"{SPEC}.x-kubernetes-list-map-keys",
        "entries must all be names of item properties",
    ),
    "a map without keys": (
        with_schema(
            {
                "type": "array",
                "x-kubernetes-list-type": "map",
                "items": object_of(a={"type": "string"}),
            }
        ),
        f"{SPEC}.x-kubernetes-list-map-keys",
        "must not be empty if x-kubernetes-list-type is map",
    ),
    "a map key that may be absent": (
        with_schema(
            {
                "type": "array",
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["a"],
                "items": object_of(a={"type": "string"}),
            }
        ),
        f"{SPEC}.items.properties[a].default",
        (
            "this property is in x-kubernetes-list-map-keys, so it must have a default or be a"
            " required property"
        ),
    ),
    "a list type for what is not a list": (
        with_schema({"type": "object", "x-kubernetes-list-type": "atomic"}),
        f"{SPEC}.type",
        "must be array if x-kubernetes-list-type is specified",
    ),
    "a list type that is none": (
        with_schema(
            {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "bag"}
        ),
        f"{SPEC}.x-kubernetes-list-type",
        'Unsupported value: "bag": supported values: "atomic", "set", "map"',
    ),
    "preserve as false": (
        with_schema({"type": "object", "x-kubernetes-preserve-unknown-fields": False}),
        f"{SPEC}.x-kubernetes-preserve-unknown-fields",
        "must be true or undefined",
    ),
    "an embedded resource that keeps nothing": (
        with_schema({"type": "object", "x-kubernetes-embedded-resource": True}),
        f"{SPEC}.properties",
        (
            "must not be empty if x-kubernetes-embedded-resource is true without"
            " x-kubernetes-preserve-unknown-fields"
        ),
    ),
    "a column without a path": (
        crd(version(additionalPrinterColumns=[{"name": "A", "type": "string", "jsonPath": ""}])),
        "spec.additionalPrinterColumns[0].JSONPath",
        "Required value",
    ),
    "a column of an unknown type": (
        crd(version(additionalPrinterColumns=[{"name": "A", "type": "text", "jsonPath": ".a"}])),
        "spec.additionalPrinterColumns[0].type",
        "must be one of boolean,date,integer,number,string",
    ),
    "a scale without replicas": (
        crd(version(subresources={"scale": {"statusReplicasPath": ".status.replicas"}})),
        "spec.subresources.scale.specReplicasPath",
        "Required value",
    ),
    "a scale that writes the status": (
        crd(
            version(
                subresources={
                    "scale": {
                        "specReplicasPath": ".status.a",
                        "statusReplicasPath": ".status.b",
                    }
                }
            )
        ),
        "spec.subresources.scale.specReplicasPath",
        "should be a json path under .spec",
    ),
}


@pytest.mark.parametrize("wrong", REFUSED)
def test_it_is_refused_by_field_and_reason(api: Wire, wrong: str) -> None:
    """A kind that cannot work is not stored."""
    body, field, said = REFUSED[wrong]

    found = api.post(CRDS, deepcopy(body)).causes()

    told = [(name, message) for _, name, message in found]
    assert any(name == field and said in message for name, message in told), told


def test_the_storage_version_cannot_be_dropped(api: Wire, install: Installer) -> None:
    """Objects that are stored in it could not be read any more."""
    widgets = install(version("v1"))
    found = widgets.definition()
    found["spec"]["versions"] = [version("v2")]

    reply = api.put(f"{CRDS}/{widgets.name}", found)

    [message] = [said for _, field, said in reply.causes() if field == "status.storedVersions[0]"]
    assert message.startswith('Invalid value: "v1": ')
    assert "spec.versions" in message  # newer servers explain what a migration is


@pytest.mark.parametrize(
    ("where", "value"),
    [("scope", "Cluster"), ("group", "other.example.com")],
)
def test_scope_and_group_cannot_be_changed(
    api: Wire, install: Installer, where: str, value: str
) -> None:
    """The objects are stored by them."""
    widgets = install()
    found = widgets.definition()
    found["spec"][where] = value

    causes = api.put(f"{CRDS}/{widgets.name}", found).causes()

    assert (f"spec.{where}", f'Invalid value: "{value}": field is immutable') in [
        (field, message) for _, field, message in causes
    ]

"""Definitions are defaulted and refused as the real server does."""

from typing import Any

import pytest

from kubewright.apiserver.customresource import definition
from tests.unit.apiserver.customresource.samples import crd_of, established, version_of

ROOT = "spec.validation.openAPIV3Schema"


def problems(crd: dict[str, Any]) -> list[str]:
    """Return the texts of what is wrong with a new definition."""
    return [str(error) for error in definition.validate(crd)]


def test_names_and_conversion_are_filled_in() -> None:
    """An author gives plural and kind only."""
    spec = crd_of()["spec"]

    assert spec["names"] == {
        "plural": "foos",
        "kind": "Foo",
        "singular": "foo",
        "listKind": "FooList",
    }
    assert spec["conversion"] == {"strategy": "None"}


def test_the_port_of_a_webhook_is_that_of_https() -> None:
    """Webhooks use port 443 unless the service says otherwise."""
    service = {"name": "a", "namespace": "b"}
    webhook = {"clientConfig": {"service": service}}

    crd_of(conversion={"strategy": "Webhook", "webhook": webhook})

    assert service["port"] == 443  # type: ignore[comparison-overlap]  # it was changed


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ({"group": ""}, "spec.group: Required value"),
        (
            {"group": "example"},
            'spec.group: Invalid value: "example": should be a domain with at least one dot',
        ),
        (
            {"scope": "Foo"},
            'spec.scope: Unsupported value: "Foo": supported values: "Cluster", "Namespaced"',
        ),
        ({"scope": ""}, "spec.scope: Required value"),
        ({"names": {"plural": "foos"}}, "spec.names.kind: Required value"),
        (
            {"names": {"plural": "foos", "kind": "Foo", "listKind": "Foo"}},
            'spec.names.listKind: Invalid value: "Foo": kind and listKind may not be the same',
        ),
        (
            {"preserveUnknownFields": True},
            (
                "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set"
                " x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"
            ),
        ),
        (
            {"versions": []},
            (
                "spec.versions: Invalid value: []: must have exactly one version marked as storage"
                " version"
            ),
        ),
        (
            {"versions": [version_of(schema=None) | {"schema": {}}]},
            "spec.versions[0].schema.openAPIV3Schema: Required value",
        ),
        (
            {"versions": [version_of(deprecationWarning="x")]},
            (
                'spec.versions[0].deprecationWarning: Invalid value: "x": can only be set for'
                " deprecated versions"
            ),
        ),
    ],
)
def test_wrong_specs_are_refused(spec: dict[str, Any], text: str) -> None:
    """The messages are those of the real server; one mistake may cause several."""
    assert text in problems(crd_of(**spec))


def test_the_name_is_made_of_plural_and_group() -> None:
    """Clients find a definition by that name."""
    crd = crd_of()
    crd["metadata"]["name"] = "bars.example.com"

    assert problems(crd) == [
        'metadata.name: Invalid value: "bars.example.com": must be spec.names.plural+"."+spec.group'
    ]


def test_versions_are_shown_as_the_servers_structs() -> None:
    """It prints what it has, not what it was given."""
    (text, *_) = problems(crd_of(version={"storage": False}))

    assert text == (
        'spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":false,'
        '"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,'
        '"AdditionalPrinterColumns":null,"SelectableFields":null}]: must have exactly one version'
        " marked as storage version"
    )


def test_what_all_versions_share_is_named_once() -> None:
    """The server keeps it at the top, and the path of errors says so."""
    bad = {"type": "object", "properties": {"a": {}}}
    same = [version_of("v1", bad), version_of("v2", bad)]
    different = [version_of("v1", bad), version_of("v2")]

    assert problems(crd_of(versions=same)) == [
        f"{ROOT}.properties[a].type: Required value: must not be empty for specified object fields"
    ]
    assert [text.partition(":")[0] for text in problems(crd_of(versions=different))] == [
        "spec.versions[0].schema.openAPIV3Schema.properties[a].type"
    ]


@pytest.mark.parametrize(
    ("annotation", "text"),
    [
        (
            None,
            (
                "Required value: protected groups must have approval annotation"
                ' "api-approved.kubernetes.io", see'
                " https://github.com/kubernetes/enhancements/pull/1111"
            ),
        ),
        (
            "abc",
            (
                'Invalid value: "abc": protected groups must have approval annotation'
                ' "api-approved.kubernetes.io" with either a URL or a reason starting with'
                ' "unapproved", see https://github.com/kubernetes/enhancements/pull/1111'
            ),
        ),
        ("unapproved, a test", None),
        ("https://github.com/x", None),
    ],
)
def test_kubernetes_own_groups_need_approval(annotation: str | None, text: str | None) -> None:
    """A vendor must not take a name in Kubernetes' groups by accident."""
    crd = crd_of(group="foo.k8s.io")
    crd["metadata"] = {"name": "foos.foo.k8s.io"}
    if annotation:
        crd["metadata"]["annotations"] = {"api-approved.kubernetes.io": annotation}

    path = "metadata.annotations[api-approved.kubernetes.io]"
    assert problems(crd) == ([f"{path}: {text}"] if text else [])


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"scope": "Cluster"}, "spec.scope"),
        ({"group": "other.com"}, "spec.group"),
        (
            {"names": {"plural": "foos", "kind": "Bar", "listKind": "L", "singular": "foo"}},
            "spec.names.kind",
        ),
    ],
)
def test_established_names_do_not_change(change: dict[str, Any], path: str) -> None:
    """Objects are stored under these names."""
    old = established(crd_of())
    new = {**old, "spec": {**old["spec"], **change}}

    errors = definition.validate_update(new, old)

    assert [(error.path, error.text.rpartition(": ")[2]) for error in errors] == [
        (path, "field is immutable")
    ]


def test_stored_versions_must_stay() -> None:
    """Objects in them could not be read any more."""
    old = established(crd_of())
    new = {**old, "spec": {**old["spec"], "versions": [version_of("v2") | {"storage": True}]}}
    new["status"] = {**old["status"], "storedVersions": ["v1", "v2"]}

    errors = definition.validate_update(new, old)

    assert [str(error) for error in errors] == [
        (
            'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was'
            " previously a storage version, and must remain in spec.versions until a storage"
            " migration ensures no data remains persisted in v1 and removes v1 from"
            " status.storedVersions"
        )
    ]


def test_a_definition_has_a_bounded_number_of_versions() -> None:
    """Discovery repeats all names for each: 5,000 of them took gigabytes and seconds."""
    versions = [version_of(f"v{number}", storage=number == 1) for number in range(1, 300)]

    found = problems(crd_of(versions=versions))

    assert any(text.startswith("spec.versions: Too many: 299") for text in found)

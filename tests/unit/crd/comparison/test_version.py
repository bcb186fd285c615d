"""One version of a kind: what is around its schema."""

from typing import Any

import pytest

from kubewright.crd.comparison.version import compared_versions

Version = dict[str, Any]


def version(**said: Any) -> Version:
    """Return a version that is served."""
    return {"name": "v1", "served": True, **said}


def columns(**paths: str) -> Version:
    """Return a version with these columns."""
    found = [{"name": name, "jsonPath": path} for name, path in paths.items()]
    return version(additionalPrinterColumns=found)


SCALE = {"scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.n"}}
OTHER_SCALE = {"scale": {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n"}}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (version(), version(served=False), ["breaks version-not-served"]),
        (version(served=False), version(), ["safe version-served"]),
        (version(), version(deprecated=True), ["safe version-deprecated"]),
        (version(deprecated=True), version(), ["safe version-not-deprecated"]),
        (version(subresources={"status": {}}), version(), ["breaks status-removed"]),
        (version(), version(subresources={"status": {}}), ["risky status-added"]),
        (version(subresources=SCALE), version(), ["breaks scale-removed"]),
        (version(), version(subresources=SCALE), ["safe scale-added"]),
        (version(subresources=SCALE), version(subresources=OTHER_SCALE), ["risky scale-changed"]),
        (columns(Age=".a"), version(), ["risky column-removed"]),
        (version(), columns(Age=".a"), ["safe column-added"]),
        (columns(Age=".a"), columns(Age=".b"), ["safe column-changed"]),
        (
            version(selectableFields=[{"jsonPath": ".spec.a"}]),
            version(),
            ["breaks selectable-field-removed .spec.a"],
        ),
        (
            version(),
            version(selectableFields=[{"jsonPath": ".spec.a"}]),
            ["safe selectable-field-added .spec.a"],
        ),
        (version(subresources={}), version(), []),
    ],
)
def test_each_change_has_its_rule(old: Version, new: Version, expected: list[str]) -> None:
    """Clients depend on more than fields."""
    found = [
        " ".join(filter(None, (one.severity, one.rule, one.path)))
        for one in compared_versions(old, new)
    ]

    assert found == expected


def test_what_all_objects_have_is_not_compared() -> None:
    """Some CRDs name apiVersion, kind and metadata, others do not, and it means the same."""
    fields = {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string", "description": "The kind."},
        "metadata": {"type": "object"},
    }
    schema = {"openAPIV3Schema": {"type": "object", "properties": fields}}
    other = {"openAPIV3Schema": {"type": "object"}}

    assert list(compared_versions(version(schema=schema), version(schema=other))) == []


@pytest.mark.parametrize(
    "metadata", [{}, {"metadata": {"type": "object", "description": "Its name, and more."}}]
)
def test_a_limit_of_the_name_is_compared_with_no_limit(metadata: dict[str, Any]) -> None:
    """Every object has a name, so a limit of it is not a new field, and without it, none goes."""
    name = {"type": "string", "maxLength": 5}
    limited = {"metadata": {"type": "object", "properties": {"name": name}}}
    free, narrow = (
        version(schema={"openAPIV3Schema": {"type": "object", "properties": fields}})
        for fields in (metadata, limited)
    )

    narrower = [f"{one.severity} {one.path}" for one in compared_versions(free, narrow)]
    wider = [f"{one.severity} {one.path}" for one in compared_versions(narrow, free)]

    assert narrower == ["breaks .metadata.name"]
    assert wider == ["safe .metadata.name"]

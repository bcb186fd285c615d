"""Whole CRDs: names, versions, storage."""

from copy import deepcopy
from typing import Any

import pytest

from kubewright.crd.comparison.change import Severity
from kubewright.crd.comparison.definition import compare, summary_of

CRD = dict[str, Any]
NAME = "shops.example.com"


def schema(*names: str) -> dict[str, Any]:
    """Return a schema with a spec of these fields."""
    fields = {name: {"type": "string"} for name in names}
    spec = {"type": "object", "properties": fields}
    return {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}


def version(name: str, *fields: str, served: bool = True, storage: bool = False) -> dict[str, Any]:
    """Return a version."""
    return {"name": name, "served": served, "storage": storage, "schema": schema(*fields)}


def crd(*versions: dict[str, Any], stored: tuple[str, ...] = (), **spec: Any) -> CRD:
    """Return a CRD; that of a cluster says what is *stored*."""
    names = {"kind": "Shop", "plural": "shops", "shortNames": ["sh"], "categories": ["all"]}
    found: CRD = {
        "spec": {
            "group": "example.com",
            "names": names,
            "scope": "Namespaced",
            "versions": list(versions) or [version("v1", "a", storage=True)],
            **spec,
        }
    }
    if stored:
        found["status"] = {"storedVersions": list(stored)}
    return found


def with_names(**names: Any) -> CRD:
    """Return a CRD with other names."""
    found = crd()
    found["spec"]["names"] |= names
    return found


V1 = version("v1", "a", storage=True)
OLD_V1 = version("v1", "a")
WEBHOOK = {"strategy": "Webhook"}

CASES: list[tuple[CRD, CRD, list[str]]] = [
    (crd(), crd(), []),
    (crd(), crd(scope="Cluster"), ["breaks scope-changed"]),
    (crd(), with_names(kind="Store"), [
        "breaks kind-changed", "breaks list-kind-changed", "risky singular-changed",
    ]),
    (crd(), with_names(listKind="Shops"), ["breaks list-kind-changed"]),
    (crd(), with_names(listKind="ShopList", singular="shop"), []),
    (crd(), with_names(shortNames=[]), ["risky short-names-removed"]),
    (crd(), with_names(shortNames=["sh", "s"]), ["safe short-names-added"]),
    (crd(), with_names(categories=[]), ["risky categories-removed"]),
    (crd(preserveUnknownFields=True), crd(), ["breaks unknown-fields-pruned"]),
    (crd(conversion=WEBHOOK), crd(), ["breaks conversion-removed"]),
    (crd(conversion={"strategy": "None"}), crd(), []),
    (crd(), crd(conversion=WEBHOOK), ["risky conversion-added"]),
    (crd(), crd(version("v1", storage=True)), ["breaks field-removed v1 .spec.a"]),
    (crd(), crd(V1, version("v2", "a")), ["safe version-added v2"]),
    (crd(), crd(V1, version("v2", "b")), ["risky version-differs v2", "safe version-added v2"]),
    (crd(), crd(V1, version("v2", "b"), conversion=WEBHOOK), [
        "risky conversion-added", "safe version-added v2",
    ]),
    (crd(OLD_V1, version("v2", "a", storage=True)), crd(version("v2", "a", storage=True)), [
        "breaks version-removed v1",
    ]),
    (crd(), crd(version("v2", "a", storage=True)), [
        "breaks stored-version-removed v1", "breaks version-removed v1",
        "risky storage-changed", "safe version-added v2",
    ]),
    (crd(V1, version("v0", served=False)), crd(), ["risky version-removed v0"]),
    (crd(V1, version("v0", served=False), stored=("v1",)), crd(), ["safe version-removed v0"]),
    (crd(V1, version("v0", served=False), stored=("v0", "v1")), crd(), [
        "breaks stored-version-removed v0",
    ]),
    (crd(V1, version("v2", "a")), crd(OLD_V1, version("v2", "a", storage=True)), [
        "risky storage-changed",
    ]),
    (crd(V1, version("v2")), crd(OLD_V1, version("v2", storage=True)), [
        "breaks storage-field-removed .spec.a", "risky storage-changed",
    ]),
    (crd(V1, version("v2"), conversion=WEBHOOK),
     crd(OLD_V1, version("v2", storage=True), conversion=WEBHOOK), ["risky storage-changed"]),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "expected"), CASES)
def test_each_change_has_its_rule_and_the_worst_come_first(
    old: CRD, new: CRD, expected: list[str]
) -> None:
    """What a server does with stored objects depends on more than the schema."""
    found = [
        " ".join(filter(None, (one.severity, one.rule, one.version, one.path)))
        for one in compare({NAME: old}, {NAME: new})
    ]

    assert found == expected


def test_a_crd_that_is_gone_takes_its_objects_along() -> None:
    """And a new one harms nobody."""
    changes = compare({NAME: crd()}, {"stores.example.com": crd()})

    assert [(one.severity, one.rule, one.crd) for one in changes] == [
        (Severity.BREAKS, "crd-removed", NAME),
        (Severity.SAFE, "crd-added", "stores.example.com"),
    ]


def test_changes_are_counted() -> None:
    """The last line of the report, and what a pipeline looks at."""
    changes = compare({NAME: crd()}, {NAME: crd(version("v2", "a", storage=True))})

    assert summary_of(changes) == {Severity.BREAKS: 2, Severity.RISKY: 1, Severity.SAFE: 1}


def test_nothing_that_was_given_is_changed() -> None:
    """The caller may go on with both."""
    old, new = crd(), crd(V1, version("v2", "b"))
    copies = deepcopy((old, new))

    compare({NAME: old}, {NAME: new})

    assert (old, new) == copies

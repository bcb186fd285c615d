"""Definitions for tests."""

from typing import Any

from kubewright.apiserver.customresource import definition
from kubewright.apiserver.customresource.status import add_stored_version, settle
from kubewright.apiserver.registry.strategy import Obj, Write

NOW = "2026-01-01T00:00:00Z"


def schema_of(**fields: Obj) -> Obj:
    """Return the schema of objects with these fields in their spec."""
    spec = {"type": "object", "properties": fields}
    return {"type": "object", "properties": {"spec": spec}}


def version_of(name: str = "v1", schema: Obj | None = None, **parts: Any) -> Obj:
    """Return a version, the storage version if it is v1."""
    return {
        "name": name,
        "served": True,
        "storage": name == "v1",
        "schema": {"openAPIV3Schema": schema or {"type": "object"}},
        **parts,
    }


def crd_of(schema: Obj | None = None, *, version: Obj | None = None, **spec: Any) -> Obj:
    """Return a definition of Foos, defaulted, not yet accepted."""
    crd: Obj = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "foos.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"plural": "foos", "kind": "Foo"},
            "scope": "Namespaced",
            "versions": [version_of(schema=schema) | (version or {})],
            **spec,
        },
    }
    definition.default(crd)
    add_stored_version(crd)
    return crd


def established(crd: Obj) -> Obj:
    """Return the definition with all names accepted."""
    settle(crd, [], now=NOW)
    return crd


def write(warnings: list[str] | None = None) -> Write:
    """Return the circumstances of a write, whose warnings are kept."""
    kept = [] if warnings is None else warnings
    reader: Any = None
    return Write(reader=reader, user=None, now=NOW, dry_run=False, warn=kept.append)

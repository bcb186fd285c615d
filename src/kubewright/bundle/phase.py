"""The phases of an installation, as the status of a ClusterServiceVersion tells them."""

from datetime import datetime
from typing import Any, NamedTuple

from kubewright.bundle.collection import Object
from kubewright.bundle.document import at, items

__all__ = ["DIRECT", "KIND", "Phase", "csv_definition", "status_with"]

KIND: str = "clusterserviceversions.operators.coreos.com"
"""The name of the CRD."""
DIRECT: str = "kubewright.dev/without-olm"
"""The label of that CRD where OLM is not there, and we have brought it."""
_COLUMNS = (
    ("Display", ".spec.displayName"),
    ("Version", ".spec.version"),
    ("Replaces", ".spec.replaces"),
    ("Phase", ".status.phase"),
)


class Phase(NamedTuple):
    """How far an installation is.

    Attributes:
        name: The phase, in OLM's word.
        reason: Why, in OLM's word.
        message: Why, for people.
    """

    name: str
    reason: str
    message: str


def status_with(phase: Phase, before: Any, now: datetime) -> Object:
    """Return the status of a ClusterServiceVersion that is in *phase*.

    Args:
        phase: The phase.
        before: The status as it was.
        now: The time.
    """
    time = now.strftime("%Y-%m-%dT%H:%M:%SZ")
    since = at(before, "lastTransitionTime") if at(before, "phase") == phase.name else None
    found = {
        "phase": phase.name,
        "reason": phase.reason,
        "message": phase.message,
        "lastUpdateTime": time,
        "lastTransitionTime": since or time,
    }
    conditions = items(at(before, "conditions"))
    if not conditions or any(conditions[-1].get(key) != found[key] for key in ("phase", "reason")):
        conditions = [*conditions, found]
    return {**found, "conditions": conditions}


def csv_definition() -> Object:
    """Return a CRD for ClusterServiceVersions, for clusters without OLM."""
    schema = {
        "type": "object",
        "properties": {
            key: {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
            for key in ("spec", "status")
        },
    }
    columns = [{"name": name, "type": "string", "jsonPath": path} for name, path in _COLUMNS]
    version = {
        "name": "v1alpha1",
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "additionalPrinterColumns": columns,
        "schema": {"openAPIV3Schema": schema},
    }
    names = {
        "kind": "ClusterServiceVersion",
        "listKind": "ClusterServiceVersionList",
        "plural": "clusterserviceversions",
        "singular": "clusterserviceversion",
        "shortNames": ["csv", "csvs"],
        "categories": ["olm"],
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": KIND, "labels": {DIRECT: "true"}},
        "spec": {
            "group": "operators.coreos.com",
            "scope": "Namespaced",
            "names": names,
            "versions": [version],
        },
    }

"""Claims, volumes and classes to try things with."""

from typing import Any

import kubewright as kw
from kubewright.embedded.storage.annotations import PROVISIONER
from kubewright.kinds.core.v1 import (
    HostPathVolumeSource,
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    ObjectReference,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimSpec,
    PersistentVolumeSpec,
    VolumeNodeAffinity,
    VolumeResourceRequirements,
)
from kubewright.kinds.storage.v1 import StorageClass


def claim(name: str = "data", size: str = "1Gi", **spec: Any) -> PersistentVolumeClaim:
    """Return a claim that wants no class, unless *spec* says otherwise."""
    wanted: dict[str, Any] = {
        "access_modes": ["ReadWriteOnce"],
        "storage_class_name": "",
        "resources": VolumeResourceRequirements(requests={"storage": size}),
        **spec,
    }
    return PersistentVolumeClaim(
        metadata=kw.ObjectMeta(name=name, namespace="default"),
        spec=PersistentVolumeClaimSpec(**wanted),
    )


def volume(name: str = "disk", size: str = "1Gi", *, labels: Any = None, **spec: Any) -> Any:
    """Return a volume that a user has made."""
    wanted: dict[str, Any] = {
        "access_modes": ["ReadWriteOnce"],
        "capacity": {"storage": size},
        "host_path": HostPathVolumeSource(path=f"/srv/{name}"),
        **spec,
    }
    return PersistentVolume(
        metadata=kw.ObjectMeta(name=name, labels=labels or {}), spec=PersistentVolumeSpec(**wanted)
    )


def storage_class(
    name: str = "fast", *, mode: str = "Immediate", provisioner: str = PROVISIONER, **fields: Any
) -> StorageClass:
    """Return a class."""
    return StorageClass(
        metadata=kw.ObjectMeta(name=name, annotations=fields.pop("annotations", {})),
        provisioner=provisioner,
        volume_binding_mode=mode,
        **fields,
    )


def reference(name: str = "data", uid: str | None = None) -> ObjectReference:
    """Return how a volume names a claim."""
    return ObjectReference(
        api_version="v1", kind="PersistentVolumeClaim", namespace="default", name=name, uid=uid
    )


def only_on(node: str) -> VolumeNodeAffinity:
    """Return that a volume is on one node."""
    rule = NodeSelectorRequirement(key="kubernetes.io/hostname", operator="In", values=[node])
    return VolumeNodeAffinity(
        required=NodeSelector(node_selector_terms=[NodeSelectorTerm(match_expressions=[rule])])
    )

"""Rows of the group ``storage.k8s.io``."""

from functools import partial
from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import AGE, NAME, Cells, Printer, column
from kubewright.apiserver.table.text import NONE, UNSET, part

_DEFAULTS = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)


def _is_default(obj: Obj) -> bool:
    notes = obj["metadata"].get("annotations") or {}
    return any(notes.get(name) == "true" for name in _DEFAULTS)


def _with_default(objects: list[Obj]) -> tuple[list[Obj], Cells]:
    """Mark the default class: the newest of those with the annotation."""
    marked = [item["metadata"] for item in objects if _is_default(item)]
    marked.sort(key=lambda meta: meta.get("name", ""))
    marked.sort(key=lambda meta: meta.get("creationTimestamp", ""), reverse=True)
    chosen = marked[0]["name"] if marked else None
    return objects, partial(_storage_class, default=chosen)


def _storage_class(obj: Obj, age: Ages, *, default: str | None = None) -> list[Any]:
    meta = obj["metadata"]
    name = meta.get("name", "")
    return [
        f"{name} (default)" if name == default else name,
        obj.get("provisioner", ""),
        obj.get("reclaimPolicy", "Delete"),
        obj.get("volumeBindingMode", "Immediate"),
        bool(obj.get("allowVolumeExpansion")),
        age(meta.get("creationTimestamp")),
    ]


STORAGE_CLASSES = Printer(
    (
        NAME,
        column("Provisioner", "Who makes the volumes."),
        column("ReclaimPolicy", "What happens to a volume when its claim goes."),
        column("VolumeBindingMode", "When a claim gets its volume."),
        column("AllowVolumeExpansion", "Whether volumes can grow."),
        AGE,
    ),
    _storage_class,
    of_list=_with_default,
)


def _attributes_class(obj: Obj, age: Ages) -> list[Any]:
    meta = obj["metadata"]
    return [meta.get("name", ""), obj.get("driverName", ""), age(meta.get("creationTimestamp"))]


ATTRIBUTES_CLASSES = Printer(
    (NAME, column("DriverName", "Whose attributes these are."), AGE), _attributes_class
)


def _csi_driver(obj: Obj, age: Ages) -> list[Any]:
    meta, spec = obj["metadata"], part(obj, "spec")
    tokens = spec.get("tokenRequests")
    audiences = (item.get("audience", "") for item in tokens or ())
    return [
        meta.get("name", ""),
        spec.get("attachRequired", True),
        spec.get("podInfoOnMount", False),
        spec.get("storageCapacity", False),
        ",".join(audiences) if tokens else UNSET,
        spec.get("requiresRepublish", False),
        ",".join(spec.get("volumeLifecycleModes") or ()) or NONE,
        age(meta.get("creationTimestamp")),
    ]


CSI_DRIVERS = Printer(
    (
        NAME,
        column("AttachRequired", "Whether volumes are attached first.", "boolean"),
        column("PodInfoOnMount", "Whether it is told about the pod.", "boolean"),
        column("StorageCapacity", "Whether it tells how much room there is.", "boolean"),
        column("TokenRequests", "Which tokens of service accounts it wants."),
        column("RequiresRepublish", "Whether it is called again and again.", "boolean"),
        column("Modes", "Which sorts of volumes it makes."),
        AGE,
    ),
    _csi_driver,
)


def _csi_node(obj: Obj, age: Ages) -> list[Any]:
    meta = obj["metadata"]
    count = len(part(obj, "spec").get("drivers") or ())
    return [meta.get("name", ""), count, age(meta.get("creationTimestamp"))]


CSI_NODES = Printer(
    (
        NAME,
        column(
            "Drivers",
            "Drivers indicates the number of CSI drivers registered on the node",
            "integer",
        ),
        AGE,
    ),
    _csi_node,
)


def _attachment(obj: Obj, age: Ages) -> list[Any]:
    meta, spec = obj["metadata"], part(obj, "spec")
    return [
        meta.get("name", ""),
        spec.get("attacher", ""),
        part(spec, "source").get("persistentVolumeName", ""),
        spec.get("nodeName", ""),
        part(obj, "status").get("attached", False),
        age(meta.get("creationTimestamp")),
    ]


ATTACHMENTS = Printer(
    (
        NAME,
        {**column("Attacher", "The driver that attaches."), "format": "name"},
        column("PV", "The volume."),
        column("Node", "The node."),
        column("Attached", "Whether it is attached.", "boolean"),
        AGE,
    ),
    _attachment,
)

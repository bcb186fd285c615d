"""Rows of volumes and what provides them."""

from functools import partial
from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table import text
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import AGE, NAME, Cells, Printer, column
from kubewright.apiserver.table.text import NONE, UNSET, part

_MODES = (
    ("ReadWriteOnce", "RWO"),
    ("ReadOnlyMany", "ROX"),
    ("ReadWriteMany", "RWX"),
    ("ReadWriteOncePod", "RWOP"),
)
_BETA_CLASS = "volume.beta.kubernetes.io/storage-class"
_DEFAULTS = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)
_VOLUME_MODE = column("VolumeMode", "A file system or raw.", wide=True)


def _modes(modes: list[str] | None) -> str:
    return ",".join(short for mode, short in _MODES if mode in (modes or ()))


def _class(obj: Obj) -> str:
    notes = obj["metadata"].get("annotations") or {}
    return str(notes.get(_BETA_CLASS) or part(obj, "spec").get("storageClassName") or "")


def _phase(obj: Obj) -> str:
    if obj["metadata"].get("deletionTimestamp"):
        return "Terminating"
    return str(part(obj, "status").get("phase", ""))


def _volume(obj: Obj, age: Ages) -> list[Any]:
    meta, spec = obj["metadata"], part(obj, "spec")
    claim = spec.get("claimRef")
    return [
        meta.get("name", ""),
        part(spec, "capacity").get("storage", "0"),
        _modes(spec.get("accessModes")),
        spec.get("persistentVolumeReclaimPolicy", ""),
        _phase(obj),
        f"{claim.get('namespace', '')}/{claim.get('name', '')}" if claim else "",
        _class(obj),
        spec.get("volumeAttributesClassName", UNSET),
        part(obj, "status").get("reason", ""),
        age(meta.get("creationTimestamp")),
        spec.get("volumeMode", UNSET),
    ]


VOLUMES = Printer(
    (
        NAME,
        column("Capacity", "The size."),
        column("Access Modes", "How it may be mounted."),
        column("Reclaim Policy", "What happens to it when its claim goes."),
        column("Status", "Whether it is bound."),
        column("Claim", "Who has it."),
        column("StorageClass", "StorageClass of the pv"),
        column("VolumeAttributesClass", "VolumeAttributesClass of the pv"),
        column("Reason", "Why it is in that state."),
        AGE,
        _VOLUME_MODE,
    ),
    _volume,
)


def _claim(obj: Obj, age: Ages) -> list[Any]:
    meta, spec, status = obj["metadata"], part(obj, "spec"), part(obj, "status")
    bound = spec.get("volumeName") or ""
    return [
        meta.get("name", ""),
        _phase(obj),
        bound,
        part(status, "capacity").get("storage", "0") if bound else "",
        _modes(status.get("accessModes")) if bound else "",
        _class(obj),
        spec.get("volumeAttributesClassName", UNSET),
        age(meta.get("creationTimestamp")),
        spec.get("volumeMode", UNSET),
    ]


CLAIMS = Printer(
    (
        NAME,
        column("Status", "Whether it is bound."),
        column("Volume", "The volume that it got."),
        column("Capacity", "The size of that volume."),
        column("Access Modes", "How it may be mounted."),
        column("StorageClass", "StorageClass of the pvc"),
        column("VolumeAttributesClass", "VolumeAttributesClass of the pvc"),
        AGE,
        _VOLUME_MODE,
    ),
    _claim,
)


def _is_default(obj: Obj) -> bool:
    notes = obj["metadata"].get("annotations") or {}
    return any(notes.get(name) == "true" for name in _DEFAULTS)


def _with_default(objects: list[Obj]) -> tuple[list[Obj], Cells]:
    """Mark the class that claims get: of those that say so, the newest."""
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


def _migration(obj: Obj, age: Ages) -> list[Any]:
    resource = part(part(obj, "spec"), "resource")
    group = f".{resource['group']}" if resource.get("group") else ""
    state = "Unknown"
    for kind in ("Running", "Failed", "Succeeded"):
        if text.is_true(part(obj, "status").get("conditions"), kind):
            state = kind
    return [obj["metadata"].get("name", ""), f"{resource.get('resource', '')}{group}", state]


MIGRATIONS = Printer(
    (
        {**NAME, "format": ""},
        column("Resource", "GroupResource to migrate"),
        column("Status", "Status of the migration"),
    ),
    _migration,
)

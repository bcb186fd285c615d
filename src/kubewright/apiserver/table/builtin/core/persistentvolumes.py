"""Rows of PersistentVolumes and PersistentVolumeClaims."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import AGE, NAME, Printer, column
from kubewright.apiserver.table.text import UNSET, part

_MODES = (
    ("ReadWriteOnce", "RWO"),
    ("ReadOnlyMany", "ROX"),
    ("ReadWriteMany", "RWX"),
    ("ReadWriteOncePod", "RWOP"),
)
_BETA_CLASS = "volume.beta.kubernetes.io/storage-class"
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

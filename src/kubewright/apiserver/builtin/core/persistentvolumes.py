"""PersistentVolumes."""

from collections.abc import Callable, Iterator
from typing import Any

from kubewright.apiserver.builtin.core.pod.warnings import OLD_VOLUMES, node_term_warnings
from kubewright.apiserver.builtin.fields.checks import (
    immutable,
    needed,
    one_of,
    problems,
    quantity_not_negative,
    quantity_positive,
)
from kubewright.apiserver.builtin.storage.csidrivers import driver_name
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write

VOLUMES: GroupResource = GroupResource("", "persistentvolumes")
_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
VOLUME_MODES = ("Block", "Filesystem")
_OLD_ANNOTATIONS = {
    "volume.beta.kubernetes.io/storage-class": (
        'deprecated since v1.8; use "storageClassName" attribute instead'
    ),
    "volume.beta.kubernetes.io/mount-options": (
        'deprecated since v1.31; use "mountOptions" attribute instead'
    ),
}
_RECLAIM = ("Delete", "Recycle", "Retain")
# The order in which Kubernetes looks for the source of a volume.
_SOURCES = (
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "flocker",
    "nfs",
    "rbd",
    "quobyte",
    "cephfs",
    "iscsi",
    "cinder",
    "fc",
    "flexVolume",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "scaleIO",
    "local",
    "storageos",
    "csi",
)


class PersistentVolumeStrategy(Strategy):
    """PersistentVolumes."""

    has_status = True

    def default(self, obj: Obj) -> None:
        """Retain the volume when its claim is deleted; use it as a file system."""
        spec = obj.setdefault("spec", {})
        spec.setdefault("persistentVolumeReclaimPolicy", "Retain")
        spec.setdefault("volumeMode", "Filesystem")
        if (host := spec.get("hostPath")) is not None:
            host.setdefault("type", "")
        obj.setdefault("status", {}).setdefault("phase", "Pending")

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Start as Pending."""
        obj["status"] = {"phase": "Pending", "lastPhaseTransitionTime": write.now}

    def prepare_status_update(self, new: Obj, old: Obj, write: Write) -> None:
        """Record when the phase changed."""
        after, before = new.setdefault("status", {}), old.get("status") or {}
        if after.get("phase") == before.get("phase"):
            if _moment(before):
                after.setdefault("lastPhaseTransitionTime", _moment(before))
        elif _moment(after) in (None, _moment(before)):
            after["lastPhaseTransitionTime"] = write.now

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check modes, size, and that there is exactly one source."""
        spec = obj["spec"]
        for warning in _warnings(obj):
            write.warn(warning)
        found = access_modes(spec, "")
        found += needed(spec.get("capacity"), "spec.capacity")
        found += _capacity(spec.get("capacity") or {})
        policy = spec["persistentVolumeReclaimPolicy"]
        found += one_of(policy, _RECLAIM, "spec.persistentVolumeReclaimPolicy")
        found += _sources(spec)
        if spec.get("storageClassName"):
            name = spec["storageClassName"]
            found += problems(naming.dns_subdomain, name, "spec.storageClassName")
        return found + one_of(spec["volumeMode"], VOLUME_MODES, "spec.volumeMode")

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that the source and the mode did not change."""
        spec, before = new["spec"], old["spec"]
        found = self.validate(new, write)
        if _source_of(spec, before) != _source_of(before, before):
            why = "spec.persistentvolumesource is immutable after creation"
            found.append(field.forbidden("spec.persistentvolumesource", why))
        return found + immutable(spec["volumeMode"], before.get("volumeMode"), "volumeMode")


def _warnings(volume: Obj) -> Iterator[str]:
    """Yield the warnings about deprecated fields and annotations."""
    spec, annotations = volume["spec"], volume["metadata"].get("annotations") or {}
    for key, text in _OLD_ANNOTATIONS.items():
        if key in annotations:
            yield f"metadata.annotations[{key}]: {text}"
    if spec.get("persistentVolumeReclaimPolicy") == "Recycle":
        yield (
            "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead,"
            " the recommended approach is to use dynamic provisioning."
        )
    terms = ((spec.get("nodeAffinity") or {}).get("required") or {}).get("nodeSelectorTerms") or ()
    path = "spec.nodeAffinity.required.nodeSelectorTerms"
    yield from node_term_warnings((f"{path}[{i}]", one) for i, one in enumerate(terms))
    for kind in OLD_VOLUMES.keys() & spec.keys():
        yield f"spec.{'storageOS' if kind == 'storageos' else kind}: {OLD_VOLUMES[kind]}"


def _moment(part: Obj) -> Any:
    return part.get("lastPhaseTransitionTime")


def access_modes(spec: Obj, why: str) -> Errors:
    """Return what is wrong with the access modes of a volume or a claim."""
    modes, path = spec.get("accessModes") or [], "spec.accessModes"
    found = needed(modes, path, why)
    for mode in modes:
        found += one_of(mode, _MODES, path)
    if "ReadWriteOncePod" in modes and {*modes} & {*_MODES[:3]}:
        text = "may not use ReadWriteOncePod with other access modes"
        found.append(field.forbidden(path, text))
    return found


def _capacity(capacity: Obj) -> Errors:
    found: Errors = []
    if "storage" not in capacity or len(capacity) > 1:
        found += one_of(capacity or None, ("storage",), "spec.capacity")
    for name, amount in capacity.items():
        path = f"spec.capacity[{name}]"
        found += quantity_not_negative(amount, path) + quantity_positive(amount, path)
    return found


def _sources(spec: Obj) -> Errors:
    names = [name for name in _SOURCES if name in spec]
    if not names:
        return [field.required("spec", "must specify a volume type")]
    name, rest = names[0], names[1:]
    rule = _SOURCE_RULES.get(name)
    found = rule(spec[name], f"spec.{name}", spec) if rule else []
    why = "may not specify more than 1 volume type"
    return found + [field.forbidden(f"spec.{other}", why) for other in rest]


def _nfs(source: Obj, path: str, spec: Obj) -> Errors:
    where = source.get("path") or ""
    found = needed(source.get("server"), f"{path}.server") + needed(where, f"{path}.path")
    if where and not where.startswith("/"):
        found.append(field.invalid(f"{path}.path", where, "must be an absolute path"))
    return found


def _csi(source: Obj, path: str, spec: Obj) -> Errors:
    found = driver_name(source.get("driver") or "", f"{path}.driver")
    return found + needed(source.get("volumeHandle"), f"{path}.volumeHandle")


def _local(source: Obj, path: str, spec: Obj) -> Errors:
    found = needed(source.get("path"), f"{path}.path")
    why = "Local volume requires node affinity"
    return found + needed(spec.get("nodeAffinity"), "spec.nodeAffinity", why)


def _host_path(source: Obj, path: str, spec: Obj) -> Errors:
    where = source.get("path") or ""
    if not where:
        return [field.required(f"{path}.path")]
    if ".." in where.split("/"):
        return [field.invalid(f"{path}.path", where, "must not contain '..'")]
    if not where.strip("/") and spec["persistentVolumeReclaimPolicy"] == "Recycle":
        why = "may not be 'recycle' for a hostPath mount of '/'"
        return [field.forbidden("spec.persistentVolumeReclaimPolicy", why)]
    return []


_SOURCE_RULES: dict[str, Callable[[Obj, str, Obj], Errors]] = {
    "hostPath": _host_path,
    "nfs": _nfs,
    "local": _local,
    "csi": _csi,
}


def _source_of(spec: Obj, before: Obj) -> Obj:
    found = {name: spec[name] for name in _SOURCES if name in spec}
    added = "controllerExpandSecretRef"  # may be added later, but not removed
    if "csi" in found and added not in (before.get("csi") or {}):
        found["csi"] = {name: value for name, value in found["csi"].items() if name != added}
    return found

"""Persistent volumes and claims."""

from collections.abc import Callable, Iterator
from typing import Any

from kubewright.api.quantity import parse_quantity
from kubewright.apiserver.builtin.core.pod.warnings import OLD_VOLUMES, node_term_warnings
from kubewright.apiserver.builtin.fields.differences import difference
from kubewright.apiserver.builtin.fields.rules import (
    immutable,
    named,
    needed,
    one_of,
    quantity_not_negative,
    quantity_positive,
)
from kubewright.apiserver.builtin.fields.selectors import validate_selector
from kubewright.apiserver.builtin.storage import driver_name
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write

BETA_CLASS: str = "volume.beta.kubernetes.io/storage-class"
CLAIMS: GroupResource = GroupResource("", "persistentvolumeclaims")
VOLUMES: GroupResource = GroupResource("", "persistentvolumes")

_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_VOLUME_MODES = ("Block", "Filesystem")
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
    """Persistent volumes."""

    has_status = True

    def default(self, obj: Obj) -> None:
        """Keep the volume when its claim goes, and have a file system on it."""
        spec = obj.setdefault("spec", {})
        spec.setdefault("persistentVolumeReclaimPolicy", "Retain")
        spec.setdefault("volumeMode", "Filesystem")
        if (host := spec.get("hostPath")) is not None:
            host.setdefault("type", "")
        obj.setdefault("status", {}).setdefault("phase", "Pending")

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Begin as Pending."""
        obj["status"] = {"phase": "Pending", "lastPhaseTransitionTime": write.now}

    def prepare_status_update(self, new: Obj, old: Obj, write: Write) -> None:
        """Note when the phase changes."""
        after, before = new.setdefault("status", {}), old.get("status") or {}
        if after.get("phase") == before.get("phase"):
            if _moment(before):
                after.setdefault("lastPhaseTransitionTime", _moment(before))
        elif _moment(after) in (None, _moment(before)):
            after["lastPhaseTransitionTime"] = write.now

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check modes, size and the one source."""
        spec = obj["spec"]
        for warning in _warnings(obj):
            write.warn(warning)
        found = _access_modes(spec, "")
        found += needed(spec.get("capacity"), "spec.capacity")
        found += _capacity(spec.get("capacity") or {})
        policy = spec["persistentVolumeReclaimPolicy"]
        found += one_of(policy, _RECLAIM, "spec.persistentVolumeReclaimPolicy")
        found += _sources(spec)
        if spec.get("storageClassName"):
            name = spec["storageClassName"]
            found += named(naming.dns_subdomain, name, "spec.storageClassName")
        return found + one_of(spec["volumeMode"], _VOLUME_MODES, "spec.volumeMode")

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that the source and the mode stay."""
        spec, before = new["spec"], old["spec"]
        found = self.validate(new, write)
        if _source_of(spec, before) != _source_of(before, before):
            why = "spec.persistentvolumesource is immutable after creation"
            found.append(field.forbidden("spec.persistentvolumesource", why))
        return found + immutable(spec["volumeMode"], before.get("volumeMode"), "volumeMode")


class PersistentVolumeClaimStrategy(Strategy):
    """Claims of volumes."""

    has_status = True

    def default(self, obj: Obj) -> None:
        """Want a file system; show spec and status."""
        spec = obj.setdefault("spec", {})
        spec.setdefault("resources", {})
        spec.setdefault("volumeMode", "Filesystem")
        _same_source(spec)
        obj.setdefault("status", {}).setdefault("phase", "Pending")

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Begin as Pending."""
        obj["status"] = {"phase": "Pending"}

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check modes, size and class."""
        spec = obj["spec"]
        found = _access_modes(spec, "at least 1 access mode is required")
        found += validate_selector(spec.get("selector"), "spec.selector")
        size, path = (spec["resources"].get("requests") or {}).get("storage"), "spec.resources"
        if size is None:
            found.append(field.required(f"{path}[storage]"))
        else:
            found += quantity_positive(size, f"{path}[storage]")
        if spec.get("storageClassName"):
            name = spec["storageClassName"]
            found += named(naming.dns_subdomain, name, "spec.storageClassName")
        found += one_of(spec["volumeMode"], _VOLUME_MODES, "spec.volumeMode")
        for name in ("dataSource", "dataSourceRef"):
            found += _data_source(spec.get(name), f"spec.{name}")
        return found

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that only the size of a bound claim grows."""
        found = self.validate(new, write)
        path, note = "metadata.annotations", BETA_CLASS
        values = [(item["metadata"].get("annotations") or {}).get(note, "") for item in (new, old)]
        found += immutable(values[0], values[1], f"{path}.{note}")
        before, after = _fixed_parts(new, old)
        if before != after:
            why = "spec is immutable after creation except resources.requests and"
            why += " volumeAttributesClassName for bound claims"
            changes = difference(before, after, "PersistentVolumeClaimSpec")
            found.append(field.forbidden("spec", f"{why}\n{changes}"))
        found += _shrunk(new, old)
        return found + immutable(
            new["spec"]["volumeMode"], old["spec"].get("volumeMode"), "volumeMode"
        )


def _warnings(volume: Obj) -> Iterator[str]:
    """Yield the warnings for what works no longer, or soon will not."""
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


def _access_modes(spec: Obj, why: str) -> Errors:
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
    added = "controllerExpandSecretRef"  # may come later, but not go
    if "csi" in found and added not in (before.get("csi") or {}):
        found["csi"] = {name: value for name, value in found["csi"].items() if name != added}
    return found


def _same_source(spec: Obj) -> None:
    """Keep dataSource and dataSourceRef alike, as long as the source is in the same namespace."""
    one, other = spec.get("dataSource"), spec.get("dataSourceRef")
    for reference in (one, other):
        if reference is not None:
            reference.setdefault("apiGroup", None)
    if one is not None and other is None:
        spec["dataSourceRef"] = dict(one)
    elif other is not None and one is None and not other.get("namespace"):
        spec["dataSource"] = {name: value for name, value in other.items() if name != "namespace"}


def _data_source(source: Obj | None, path: str) -> Errors:
    if source is None:
        return []
    found = needed(source.get("name"), f"{path}.name") + needed(source.get("kind"), f"{path}.kind")
    group, kind = source.get("apiGroup") or "", source.get("kind") or ""
    if not group and kind != "PersistentVolumeClaim":
        why = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
        found.append(field.invalid(path, kind, why))
    if group:
        found += named(naming.dns_subdomain, group, f"{path}.apiGroup")
    if source.get("namespace"):
        found += named(naming.dns_label, source["namespace"], f"{path}.namespace")
    return found


def _size(obj: Obj) -> Any:
    requests = ((obj.get("spec") or {}).get("resources") or {}).get("requests") or {}
    return parse_quantity(requests.get("storage", "0"))


def _fixed_parts(new: Obj, old: Obj) -> tuple[Obj, Obj]:
    """Return the old spec and the new one, alike in what may change."""
    before, after = dict(old["spec"]), dict(new["spec"])
    if not before.get("volumeName") and "volumeName" in after:
        before["volumeName"] = after["volumeName"]
    if "storageClassName" not in before:
        after.pop("storageClassName", None)
    if (old.get("status") or {}).get("phase") == "Bound":
        _take(after, before, "volumeAttributesClassName")
        requests = dict((after.get("resources") or {}).get("requests") or {})
        _take(requests, (before.get("resources") or {}).get("requests") or {}, "storage")
        after["resources"] = {**(after.get("resources") or {}), "requests": requests}
    return before, after


def _take(into: Obj, source: Obj, name: str) -> None:
    into.pop(name, None)
    if name in source:
        into[name] = source[name]


def _shrunk(new: Obj, old: Obj) -> Errors:
    if _size(new) >= _size(old):
        return []
    capacity = ((old.get("status") or {}).get("capacity") or {}).get("storage", "0")
    if _size(new) > parse_quantity(capacity):
        return []
    path, why = "spec.resources.requests.storage", "field can not be less than status.capacity"
    return [field.forbidden(path, why)]

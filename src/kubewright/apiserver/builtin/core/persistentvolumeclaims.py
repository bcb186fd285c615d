"""PersistentVolumeClaims."""

from typing import Any

from kubewright.api.quantity import parse_quantity
from kubewright.apiserver.builtin.core.persistentvolumes import (
    VOLUME_MODES,
    access_modes,
)
from kubewright.apiserver.builtin.fields.checks import (
    immutable,
    needed,
    one_of,
    problems,
    quantity_positive,
)
from kubewright.apiserver.builtin.fields.differences import difference
from kubewright.apiserver.builtin.fields.selectors import validate_selector
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write

BETA_CLASS: str = "volume.beta.kubernetes.io/storage-class"
CLAIMS: GroupResource = GroupResource("", "persistentvolumeclaims")


class PersistentVolumeClaimStrategy(Strategy):
    """PersistentVolumeClaims."""

    has_status = True

    def default(self, obj: Obj) -> None:
        """Ask for a file system; include spec and status."""
        spec = obj.setdefault("spec", {})
        spec.setdefault("resources", {})
        spec.setdefault("volumeMode", "Filesystem")
        _mirror_data_source(spec)
        obj.setdefault("status", {}).setdefault("phase", "Pending")

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Start as Pending."""
        obj["status"] = {"phase": "Pending"}

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check modes, size and class."""
        spec = obj["spec"]
        found = access_modes(spec, "at least 1 access mode is required")
        found += validate_selector(spec.get("selector"), "spec.selector")
        size, path = (spec["resources"].get("requests") or {}).get("storage"), "spec.resources"
        if size is None:
            found.append(field.required(f"{path}[storage]"))
        else:
            found += quantity_positive(size, f"{path}[storage]")
        if spec.get("storageClassName"):
            name = spec["storageClassName"]
            found += problems(naming.dns_subdomain, name, "spec.storageClassName")
        found += one_of(spec["volumeMode"], VOLUME_MODES, "spec.volumeMode")
        for name in ("dataSource", "dataSourceRef"):
            found += _data_source(spec.get(name), f"spec.{name}")
        return found

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that nothing changed but the size of a bound claim, which may grow."""
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


def _mirror_data_source(spec: Obj) -> None:
    """Copy dataSource to dataSourceRef and back, if the source is in the same namespace."""
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
        found += problems(naming.dns_subdomain, group, f"{path}.apiGroup")
    if source.get("namespace"):
        found += problems(naming.dns_label, source["namespace"], f"{path}.namespace")
    return found


def _size(obj: Obj) -> Any:
    requests = ((obj.get("spec") or {}).get("resources") or {}).get("requests") or {}
    return parse_quantity(requests.get("storage", "0"))


def _fixed_parts(new: Obj, old: Obj) -> tuple[Obj, Obj]:
    """Return the old spec and the new one with allowed changes taken out."""
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

"""Nodes."""

from typing import Any

from kubewright.apiserver.builtin.fields import addresses
from kubewright.apiserver.builtin.fields.checks import (
    first_indexes,
    one_of,
    problems,
    quantity_not_negative,
)
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors, FieldError
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write

_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_CIDRS_FIXED = 'node updates may not change podCIDR except from "" to valid'
_INFO = (
    "machineID",
    "systemUUID",
    "bootID",
    "kernelVersion",
    "osImage",
    "containerRuntimeVersion",
    "kubeletVersion",
    "kubeProxyVersion",
    "operatingSystem",
    "architecture",
)


class NodeStrategy(Strategy):
    """Nodes. Unlike other kinds, they may be created with a status: kubelets do that.

    So ``has_status`` stays false, and the status is protected here, on updates only.
    """

    field_names: frozenset[str] = frozenset({"spec.unschedulable"})

    def default(self, obj: Obj) -> None:
        """Fill in the parts that a node always shows."""
        spec = obj.setdefault("spec", {})
        if spec.get("podCIDRs"):
            spec.setdefault("podCIDR", spec["podCIDRs"][0])
        elif spec.get("podCIDR"):
            spec["podCIDRs"] = [spec["podCIDR"]]
        _default_status(obj.setdefault("status", {}))

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Remove the field that Kubernetes no longer accepts."""
        obj["spec"].pop("configSource", None)

    def prepare_update(self, new: Obj, old: Obj, write: Write) -> None:
        """Keep the status: only ``/status`` changes it."""
        new["status"] = old.get("status") or {}
        _default_status(new["status"])

    def prepare_status_update(self, new: Obj, old: Obj, write: Write) -> None:
        """Fill in the parts that a status always shows."""
        _default_status(new.setdefault("status", {}))

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check taints, addresses and amounts."""
        spec = obj["spec"]
        found = _taints(spec.get("taints") or []) + _amounts(obj)
        cidrs = spec.get("podCIDRs") or []
        for index, cidr in enumerate(cidrs):
            found += addresses.network(cidr, f"spec.podCIDRs[{index}]")
        families = {":" in cidr for cidr in cidrs}
        if len(cidrs) > len(families):
            why = "may specify no more than one CIDR for each IP family"
            found.append(field.invalid("spec.podCIDRs", cidrs, why))
        if spec.get("externalID"):
            write.warn("spec.externalID: this field is deprecated, and is unused by Kubernetes")
        return found

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that fields which can be set only once did not change."""
        return self.validate(new, write) + _kept(new["spec"], old.get("spec") or {})

    def validate_status_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check amounts and addresses."""
        found = _amounts(new)
        items = new["status"].get("addresses") or []
        pairs = [(item.get("type"), item.get("address")) for item in items]
        first = first_indexes(pairs)
        for index, item in enumerate(items):
            if first[pairs[index]] != index:
                found.append(_duplicate_address(item, f"status.addresses[{index}]"))
        return found

    def selectable_fields(self, obj: Obj) -> dict[str, str]:
        """Return ``spec.unschedulable``."""
        cordoned = (obj.get("spec") or {}).get("unschedulable")
        return {"spec.unschedulable": "true" if cordoned else "false"}


def _default_status(status: Obj) -> None:
    if "allocatable" not in status and status.get("capacity"):
        status["allocatable"] = dict(status["capacity"])
    status.setdefault("daemonEndpoints", {}).setdefault("kubeletEndpoint", {}).setdefault("Port", 0)
    info = status.setdefault("nodeInfo", {})
    for name in _INFO:
        info.setdefault(name, "")


def _pair(taint: Obj) -> tuple[Any, Any]:
    return taint.get("key"), taint.get("effect")


def _taints(taints: list[Obj]) -> Errors:
    found: Errors = []
    seen: set[tuple[Any, Any]] = set()
    for index, taint in enumerate(taints):
        path = f"metadata.taints[{index}]"  # sic: Kubernetes looks for them in the metadata
        found += problems(naming.qualified_name, taint.get("key") or "", f"{path}.key")
        if wrong := naming.label_value(taint.get("value") or ""):
            found.append(field.invalid(f"{path}.value", taint["value"], ";".join(wrong)))
        effect = taint.get("effect")
        if effect:
            found += one_of(effect, _EFFECTS, f"{path}.effect")
        else:
            found.append(field.required(f"{path}.effect"))
        if _pair(taint) in seen:
            found.append(_duplicate(taint, path))
        seen.add(_pair(taint))
    return found


def _duplicate(taint: Obj, path: str) -> FieldError:
    # The server shows its own Go struct, in the order of its fields.
    names = {"Key": "key", "Value": "value", "Effect": "effect"}
    shown = ",".join(f'"{go}":{field.shown(taint.get(name, ""))}' for go, name in names.items())
    added = field.shown(taint.get("timeAdded"))
    text = f'Duplicate value: {{{shown},"TimeAdded":{added}}}'
    why = "taints must be unique by key and effect pair"
    return FieldError("FieldValueDuplicate", path, f"{text}: {why}")


def _duplicate_address(item: Obj, path: str) -> FieldError:
    kind, address = field.shown(item.get("type", "")), field.shown(item.get("address", ""))
    text = f'Duplicate value: {{"Type":{kind},"Address":{address}}}'
    return FieldError("FieldValueDuplicate", path, text)


def _amounts(obj: Obj) -> Errors:
    found: Errors = []
    for part in ("capacity", "allocatable"):
        for name, amount in ((obj.get("status") or {}).get(part) or {}).items():
            found += quantity_not_negative(amount, f"status.{part}.{name}")
    return found


def _kept(spec: Obj, before: Obj) -> Errors:
    found: Errors = []
    if before.get("podCIDRs") and before["podCIDRs"] != (spec.get("podCIDRs") or []):
        found.append(field.forbidden("spec.podCIDRs", _CIDRS_FIXED))
    old, new = before.get("providerID"), spec.get("providerID")
    if old and new != old:
        why = f"field cannot be {'modified' if new else 'cleared'} once set"
        found.append(field.invalid("spec.providerID", None, why))
    if spec.get("externalID") != before.get("externalID"):
        found.append(field.forbidden("spec.externalID", "may not be updated"))
    return found

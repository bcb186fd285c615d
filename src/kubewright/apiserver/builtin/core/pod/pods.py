"""Pods: the strategy that the request pipeline calls."""

from kubewright.apiserver.builtin.core.pod.containers import validate_image_spaces
from kubewright.apiserver.builtin.core.pod.defaults import default_pod, default_pod_resources
from kubewright.apiserver.builtin.core.pod.placement import merge_label_keys
from kubewright.apiserver.builtin.core.pod.resources import quality_of_service
from kubewright.apiserver.builtin.core.pod.spec import validate_pod_spec
from kubewright.apiserver.builtin.core.pod.status import default_pod_status, validate_pod_status
from kubewright.apiserver.builtin.core.pod.subresource_fields import (
    MIRROR,
    keep_ephemeral_containers,
    keep_resources,
)
from kubewright.apiserver.builtin.core.pod.updates import validate_pod_update
from kubewright.apiserver.builtin.core.pod.warnings import pod_warnings
from kubewright.apiserver.builtin.fields.checks import not_negative_fields
from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write

DELETION_COST: str = "controller.kubernetes.io/pod-deletion-cost"

_INT32 = range(-(2**31), 2**31)


class PodStrategy(Strategy):
    """How pods behave."""

    has_generation = True
    has_status = True
    grace = True
    field_names: frozenset[str] = frozenset(
        {
            "spec.host",
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "spec.hostNetwork",
            "status.phase",
            "status.podIP",
            "status.podIPs",
            "status.nominatedNodeName",
        }
    )

    def default(self, obj: Obj) -> None:
        """Fill in the spec, and the parts of the status that Go always writes."""
        default_pod(obj.setdefault("spec", {}))
        default_pod_status(obj.setdefault("status", {}))

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Give the pod its first status."""
        spec = obj["spec"]
        status: Obj = {"phase": "Pending"}
        obj["status"] = status
        if spec.get("schedulingGates"):
            status["conditions"] = [_gated()]
        if labels := obj["metadata"].get("labels"):
            merge_label_keys(spec, labels)
        if spec.get("resources"):
            default_pod_resources(spec)
        status["qosClass"] = quality_of_service(spec)

    def prepare_update(self, new: Obj, old: Obj, write: Write) -> None:
        """Keep fields that the server filled in and the client left out."""
        if "resources" in old["spec"]:
            new["spec"].setdefault("resources", old["spec"]["resources"])

    def prepare_status_update(self, new: Obj, old: Obj, write: Write) -> None:
        """Keep status fields that an older kubelet does not know and would drop."""
        status, before = new.setdefault("status", {}), old.get("status") or {}
        for name in ("qosClass", "resourceClaimStatuses", "extendedResourceClaimStatus"):
            if before.get(name) and not status.get(name):
                status[name] = before[name]
        if before.get("observedGeneration") and not status.get("observedGeneration"):
            status["observedGeneration"] = before["observedGeneration"]
        default_pod_status(status)

    def prepare_ephemeralcontainers(self, new: Obj, old: Obj, write: Write) -> None:
        """Keep everything that ``/ephemeralcontainers`` may not change."""
        keep_ephemeral_containers(new, old)

    def prepare_resize(self, new: Obj, old: Obj, write: Write) -> None:
        """Keep everything that ``/resize`` may not change."""
        keep_resources(new, old)

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Return what is wrong with a new pod."""
        errors = validate_pod(obj)
        spec = obj["spec"]
        if spec.get("ephemeralContainers"):
            errors.append(field.forbidden("spec.ephemeralContainers", "cannot be set on create"))
        if spec.get("nodeName") and spec.get("schedulingGates"):
            text = "cannot be set until all schedulingGates have been cleared"
            errors.append(field.forbidden("spec.nodeName", text))
        if not errors:
            for warning in pod_warnings(obj):
                write.warn(warning)
        return errors

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Return what is wrong with a change: most fields of a pod are immutable."""
        return validate_pod(new) + validate_pod_update(new, old)

    def validate_status_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Return what is wrong with a new status."""
        return validate_pod_status(new, old)

    def grace_period(self, obj: Obj, asked: int | None) -> int:
        """Return how long the pod gets to stop: 0 if it is not running."""
        spec, status = obj.get("spec") or {}, obj.get("status") or {}
        if not spec.get("nodeName") or status.get("phase") in ("Succeeded", "Failed"):
            return 0
        period: int = spec.get("terminationGracePeriodSeconds") or 0 if asked is None else asked
        return 1 if period < 0 else period

    def selectable_fields(self, obj: Obj) -> dict[str, str]:
        """Return the fields that pods can be selected by; kubelets select by node."""
        spec, status = obj.get("spec") or {}, obj.get("status") or {}
        addresses = status.get("podIPs") or ()
        address = addresses[0].get("ip") or "" if addresses else ""
        return {
            "spec.host": spec.get("nodeName") or "",  # the old name of the field
            "spec.nodeName": spec.get("nodeName") or "",
            "spec.restartPolicy": spec.get("restartPolicy") or "",
            "spec.schedulerName": spec.get("schedulerName") or "",
            "spec.serviceAccountName": spec.get("serviceAccountName") or "",
            "spec.hostNetwork": "true" if spec.get("hostNetwork") else "false",
            "status.phase": status.get("phase") or "",
            "status.podIP": address,
            "status.podIPs": "",  # a valid selector, always empty
            "status.nominatedNodeName": status.get("nominatedNodeName") or "",
        }


def _gated() -> Obj:
    return {
        "type": "PodScheduled",
        "status": "False",
        "lastProbeTime": None,
        "lastTransitionTime": None,
        "reason": "SchedulingGated",
        "message": "Scheduling is blocked due to non-empty scheduling gates",
    }


def validate_pod(pod: Obj) -> Errors:
    """Return what is wrong with a pod apart from its metadata, which the pipeline checks."""
    meta, spec = pod["metadata"], pod["spec"]
    errors = _annotations(meta.get("annotations") or {}, spec)
    errors += validate_pod_spec(spec, "spec", pod=meta)
    if not spec.get("serviceAccountName"):
        errors += _tokens(spec.get("volumes") or ())
    errors += not_negative_fields(spec, ("terminationGracePeriodSeconds",), "spec")
    for kind in ("containers", "initContainers"):
        for i, container in enumerate(spec.get(kind) or ()):
            errors += validate_image_spaces(container, f"spec.{kind}[{i}]")
    return errors


def _annotations(notes: dict[str, str], spec: Obj) -> Errors:
    errors: Errors = []
    if MIRROR in notes and not spec.get("nodeName"):
        text = "must set spec.nodeName if mirror pod annotation is set"
        errors.append(field.invalid(f"metadata.annotations[{MIRROR}]", notes[MIRROR], text))
    cost = notes.get(DELETION_COST)
    if cost is not None and not _is_cost(cost):
        here = f"metadata.annotations[{DELETION_COST}]"
        errors.append(field.invalid(here, cost, "must be a 32bit integer"))
    return errors


def _is_cost(text: str) -> bool:
    digits = text.removeprefix("-")
    plain = digits.isascii() and digits.isdigit() and len(digits) <= len(str(_INT32.stop))
    return plain and (digits == "0" or not digits.startswith("0")) and int(text) in _INT32


def _tokens(volumes: list[Obj] | tuple[()]) -> Errors:
    text = "must not be specified when serviceAccountName is not set"
    return [
        field.forbidden(f"spec.volumes[{i}].projected.sources[{j}].serviceAccountToken", text)
        for i, volume in enumerate(volumes)
        for j, source in enumerate((volume.get("projected") or {}).get("sources") or ())
        if source.get("serviceAccountToken") is not None
    ]

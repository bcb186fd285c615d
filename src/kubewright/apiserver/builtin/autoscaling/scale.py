"""The ``scale`` subresource of built-in workloads."""

from kubewright.apiserver.builtin.fields.checks import NOT_NEGATIVE
from kubewright.apiserver.builtin.fields.selectors import selector_text
from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj

_METADATA = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")


def scale_of(obj: Obj) -> Obj:
    """Return the Scale (autoscaling/v1) of a workload."""
    meta, spec, status = obj["metadata"], obj.get("spec") or {}, obj.get("status") or {}
    selector = spec.get("selector")
    if obj.get("kind") == "ReplicationController":
        selector = {"matchLabels": selector or {}}
    replicas = spec.get("replicas") or 0
    state: Obj = {"replicas": status.get("replicas") or 0}
    if text := selector_text(selector):
        state["selector"] = text
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {name: meta[name] for name in _METADATA if name in meta},
        "spec": {"replicas": replicas} if replicas else {},
        "status": state,
    }


def with_scale(obj: Obj, scale: Obj) -> Obj:
    """Return a workload with the replicas and the resource version of *scale*.

    The resource version is the one that the client's change is based on.
    """
    meta = {**obj["metadata"]}
    given = (scale.get("metadata") or {}).get("resourceVersion")
    meta.pop("resourceVersion", None)
    if given:
        meta["resourceVersion"] = given
    replicas = (scale.get("spec") or {}).get("replicas") or 0
    return {**obj, "metadata": meta, "spec": {**(obj.get("spec") or {}), "replicas": replicas}}


def validate_scale(scale: Obj) -> Errors:
    """Return what is wrong with a Scale that a client wrote."""
    replicas = (scale.get("spec") or {}).get("replicas") or 0
    return [field.invalid("spec.replicas", replicas, NOT_NEGATIVE)] if replicas < 0 else []

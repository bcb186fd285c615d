"""The subresources of a pod: ``/binding``, ``/ephemeralcontainers`` and ``/resize``.

Each function changes a private copy of the stored pod in place, or raises the error that the
client gets. The request pipeline stores the result.
"""

from typing import Any

from kubewright.apiserver.builtin.core.pod.pods import validate_pod
from kubewright.apiserver.builtin.core.pod.resources import COMPUTE, quality_of_service
from kubewright.apiserver.builtin.core.pod.subresource_fields import (
    MIRROR,
    keep_ephemeral_containers,
    keep_resources,
)
from kubewright.apiserver.builtin.core.pod.updates import validate_annotation_update
from kubewright.apiserver.builtin.fields.checks import problems, unsupported
from kubewright.apiserver.builtin.fields.differences import difference
from kubewright.apiserver.meta import field, naming, status
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Obj

PODS_BINDING: GroupResource = GroupResource("", "pods/binding")


def bind(pod: Obj, binding: Obj, *, now: str) -> None:
    """Give *pod* the node that *binding* names, with the binding's labels and annotations.

    Raises:
        StatusError: The pod has a node, has gates, or is being deleted (409).
    """
    name = pod["metadata"]["name"]
    if problem := _unbindable(pod):
        raise status.conflict(PODS_BINDING, name, problem)
    pod["spec"]["nodeName"] = binding["target"]["name"]
    state: Obj = pod.setdefault("status", {})
    state.pop("nominatedNodeName", None)
    meta = binding.get("metadata") or {}
    for kind in ("annotations", "labels"):
        if given := meta.get(kind):
            pod["metadata"].setdefault(kind, {}).update(given)
    _set_scheduled(state, now)


def check_binding(binding: Obj) -> None:
    """Check a binding by itself.

    Raises:
        StatusError: It names no node (500, as in Kubernetes).
    """
    target = binding.get("target") or {}
    kind, name = target.get("kind") or "", target.get("name") or ""
    errors: Errors = []
    if kind not in ("", "Node"):
        errors.append(unsupported("target.kind", kind, ("Node", "<empty>")))
    if not name:
        errors.append(field.required("target.name"))
    elif kind in ("", "Node"):
        errors += problems(naming.dns_subdomain, name, "target.name")
    if errors:
        texts = [str(error) for error in errors]
        message = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
        raise status.StatusError(500, "", message)


def _unbindable(pod: Obj) -> str:
    name, spec = pod["metadata"]["name"], pod["spec"]
    if pod["metadata"].get("deletionTimestamp"):
        return f"pod {name} is being deleted, cannot be assigned to a host"
    if node := spec.get("nodeName"):
        return f'pod {name} is already assigned to node "{node}"'
    if spec.get("schedulingGates"):
        return f"pod {name} has non-empty .spec.schedulingGates"
    return ""


def _set_scheduled(state: Obj, now: str) -> None:
    condition = {
        "type": "PodScheduled",
        "status": "True",
        "lastProbeTime": None,
        "lastTransitionTime": now,
    }
    conditions: list[Any] = state.setdefault("conditions", [])
    for i, old in enumerate(conditions):
        if old.get("type") == "PodScheduled":
            if old.get("status") == "True":
                condition["lastTransitionTime"] = old.get("lastTransitionTime")
            conditions[i] = condition
            return
    conditions.append(condition)


def set_ephemeral_containers(new: Obj, old: Obj) -> Errors:
    """Take all but the ephemeral containers from *old*; return what is wrong with them."""
    keep_ephemeral_containers(new, old)
    if MIRROR in (old["metadata"].get("annotations") or {}):
        return [field.forbidden("", "static pods do not support ephemeral containers")]
    errors = validate_pod(new) + validate_annotation_update(new, old)
    now, then = (one["spec"].get("ephemeralContainers") or () for one in (new, old))
    return errors + _kept(now, then)


def _kept(now: Any, then: Any) -> Errors:
    errors: Errors = []
    by_name = {container.get("name"): container for container in now}
    here = "spec.ephemeralContainers"
    for old in then:
        name, new = old.get("name"), by_name.get(old.get("name"))
        what = f'existing ephemeral containers "{name}" may not be'
        if new is None:
            errors.append(field.forbidden(here, f"{what} removed\n"))
        elif new != old:
            text = f"{what} changed\n{difference(old, new, 'EphemeralContainer')}"
            errors.append(field.forbidden(here, text))
    return errors


def resize(new: Obj, old: Obj) -> Errors:
    """Take all but the resources from *old*; return what is wrong with them."""
    keep_resources(new, old)
    if MIRROR in (old["metadata"].get("annotations") or {}):
        return [field.forbidden("", "static pods cannot be resized")]
    if (old["spec"].get("os") or {}).get("name") == "windows":
        return [field.forbidden("", "windows pods cannot be resized")]
    errors = validate_pod(new)
    quality = (old.get("status") or {}).get("qosClass") or quality_of_service(old["spec"])
    if quality != quality_of_service(new["spec"]):
        text = "Pod QOS Class may not change as a result of resizing"
        errors.append(field.invalid("spec", quality, text))
    if found := _order(new["spec"], old["spec"]):
        return errors + found
    return errors + _resized(new["spec"], old["spec"])


def _order(now: Obj, then: Obj) -> Errors:
    errors: Errors = []
    for kind in ("containers", "initContainers"):
        new, old = now.get(kind) or (), then.get(kind) or ()
        if len(new) != len(old):
            text = f"{kind} may not be added or removed on resize"
            errors.append(field.forbidden(f"spec.{kind}", text))
            continue
        for i, container in enumerate(old):
            if new[i].get("name") != container.get("name"):
                text = f"{kind} may not be renamed or reordered on resize"
                errors.append(field.forbidden(f"spec.{kind}[{i}].name", text))
    return errors


def _resized(now: Obj, then: Obj) -> Errors:
    errors: Errors = []
    for kind in ("initContainers", "containers"):
        for i, old in enumerate(then.get(kind) or ()):
            new = now[kind][i].get("resources") or {}
            errors += _removed(new, old.get("resources") or {}, f"spec.{kind}[{i}].resources")
            if _immutable_part(now[kind][i]) != _immutable_part(old):
                where, what = "spec", "only cpu and memory resources are mutable"
                if kind == "initContainers":
                    where = f"spec.{kind}[{i}]"
                    what = (
                        "only cpu and memory resources for init or sidecar containers are mutable"
                    )
                errors.append(field.forbidden(where, what))
    return errors


def _removed(new: Obj, old: Obj, path: str) -> Errors:
    return [
        field.forbidden(f"{path}.{kind}", f"resource {kind} cannot be removed")
        for kind in ("requests", "limits")
        if set(old.get(kind) or ()) - set(new.get(kind) or ())
    ]


def _immutable_part(container: Obj) -> Obj:
    resources = container.get("resources") or {}
    left = {
        kind: {name: amount for name, amount in amounts.items() if name not in COMPUTE}
        for kind in ("requests", "limits")
        if (amounts := resources.get(kind)) is not None
    }
    kept = {kind: amounts for kind, amounts in left.items() if amounts}
    return {**container, "resources": {**resources, "requests": {}, "limits": {}, **kept}}

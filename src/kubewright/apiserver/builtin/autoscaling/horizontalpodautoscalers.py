"""HorizontalPodAutoscalers in autoscaling/v2, the version in which they are stored."""

import copy
from typing import Any

from kubewright.apiserver.builtin.autoscaling.conversion import (
    CPU_UTILIZATION,
    cpu_metric,
    hpa_from_v1,
    hpa_to_v1,
)
from kubewright.apiserver.builtin.core.pod.resources import amount, container_resource_name
from kubewright.apiserver.builtin.fields.checks import (
    NOT_NEGATIVE,
    not_negative_fields,
    problems,
    unsupported,
)
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write

__all__ = ["HorizontalPodAutoscalerStrategy", "hpa_from_v1", "hpa_to_v1"]

_TYPES = ("ContainerResource", "External", "Object", "Pods", "Resource")
_FIELDS = ("object", "external", "pods", "resource", "containerResource")
_SELECT = ("Disabled", "Max", "Min")
_POLICIES = ("Percent", "Pods")
_TARGETS = ("Utilization", "Value", "AverageValue")
_MAX_PERIOD = 1800
_MAX_WINDOW = 3600
_ALL = {"type": "Percent", "value": 100, "periodSeconds": 15}
_UP: Obj = {
    "stabilizationWindowSeconds": 0,
    "selectPolicy": "Max",
    "policies": [{"type": "Pods", "value": 4, "periodSeconds": 15}, _ALL],
}
_DOWN: Obj = {"selectPolicy": "Max", "policies": [_ALL]}


class HorizontalPodAutoscalerStrategy(Strategy):
    """How HorizontalPodAutoscalers behave."""

    has_generation = True
    has_status = True

    def default(self, obj: Obj) -> None:
        """Default to at least one replica and 80% of CPU."""
        spec = obj.setdefault("spec", {})
        spec.setdefault("minReplicas", 1)
        spec.setdefault("maxReplicas", 0)
        spec["metrics"] = spec.get("metrics") or [cpu_metric(CPU_UTILIZATION)]
        if (behavior := spec.get("behavior")) is not None:
            for name, rules in (("scaleUp", _UP), ("scaleDown", _DOWN)):
                given = behavior.get(name) or {}
                behavior[name] = {**copy.deepcopy(rules), **given}
        _default_status(obj.setdefault("status", {}))

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Start with all counts at zero."""
        obj["status"] = {}
        _default_status(obj["status"])

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Return what is wrong with a new autoscaler."""
        return _spec(obj["spec"], None)

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Return what is wrong with a change."""
        return _spec(new["spec"], old["spec"])

    def validate_status_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Return errors for negative counts."""
        status = new.get("status") or {}
        return not_negative_fields(status, ("currentReplicas", "desiredReplicas"), "status")


def _default_status(status: Obj) -> None:
    status.setdefault("desiredReplicas", 0)
    status.setdefault("currentMetrics", None)  # Go writes the list even if it is nil


def _spec(spec: Obj, before: Obj | None) -> Errors:
    least, most = spec.get("minReplicas"), spec.get("maxReplicas") or 0
    errors: Errors = []
    if least is not None and most < least:
        text = "must be greater than or equal to `minReplicas`"
        errors.append(field.invalid("spec.maxReplicas", most, text))
    errors += _target(spec.get("scaleTargetRef") or {}, (before or {}).get("scaleTargetRef"))
    errors += _metrics(spec, "spec.metrics")
    for name, rules in (spec.get("behavior") or {}).items():
        errors += _rules(rules, f"spec.behavior.{name}")
    return errors + _declared(spec)


def _declared(spec: Obj) -> Errors:
    """Return violations of rules that Kubernetes declares in its types; it reports them last."""
    least, most = spec.get("minReplicas"), spec.get("maxReplicas") or 0
    reference = spec.get("scaleTargetRef") or {}
    errors = [
        field.required(f"spec.scaleTargetRef.{name}")
        for name in ("kind", "name")
        if not reference.get(name)
    ]
    if least is not None and least < 0:
        errors.append(field.invalid("spec.minReplicas", least, NOT_NEGATIVE))
    if most == 0:
        errors.append(field.required("spec.maxReplicas"))
    elif most < 0:
        text = "must be greater than or equal to 1"
        errors.append(field.invalid("spec.maxReplicas", most, text))
    return errors


def _target(reference: Obj, before: Obj | None) -> Errors:
    version, kind = reference.get("apiVersion") or "", reference.get("kind") or ""
    here = "spec.scaleTargetRef"
    errors: Errors = []
    for name in ("kind", "name"):
        if value := reference.get(name):
            errors += problems(naming.path_segment, value, f"{here}.{name}")
    same = before is not None and all(
        before.get(name) == reference.get(name) for name in ("apiVersion", "kind")
    )
    return (
        errors if same else errors + _version(version, here, core=kind == "ReplicationController")
    )


def _version(version: str, path: str, *, core: bool) -> Errors:
    here = f"{path}.apiVersion"
    if version.count("/") > 1:
        text = f"unexpected GroupVersion string: {version}"
        return [field.invalid(here, version, text)]
    if not core and not version.partition("/")[1]:
        return [field.invalid(here, version, "apiVersion must specify API group")]
    return []


def _reference(reference: Obj, path: str) -> Errors:
    errors: Errors = []
    for name in ("kind", "name"):
        value, here = reference.get(name), f"{path}.{name}"
        errors += problems(naming.path_segment, value, here) if value else [field.required(here)]
    return errors


def _metrics(spec: Obj, path: str) -> Errors:
    errors: Errors = []
    metrics = spec.get("metrics") or ()
    for i, metric in enumerate(metrics):
        errors += _metric(metric, f"{path}[{i}]")
    counts_outside = any(metric.get("type") in ("Object", "External") for metric in metrics)
    if spec.get("minReplicas") == 0 and not counts_outside:
        text = (
            "must specify at least one Object or External metric to support scaling to zero"
            " replicas"
        )
        errors.append(field.forbidden(path, text))
    return errors


def _metric(metric: Obj, path: str) -> Errors:
    kind = metric.get("type") or ""
    errors: Errors = []
    if not kind:
        errors.append(field.required(f"{path}.type", "must specify a metric source type"))
    if kind not in _TYPES:
        errors.append(unsupported(f"{path}.type", kind, _TYPES))
    present = [name for name in _FIELDS if metric.get(name) is not None]
    if present:
        errors += _source(present[0], metric[present[0]], f"{path}.{present[0]}")
    expected = kind[:1].lower() + kind[1:]
    if kind not in _TYPES:
        errors.append(unsupported(f"{path}.type", kind, _TYPES))
    elif expected not in present:
        text = "must populate information for the given metric source"
        errors.append(field.required(f"{path}.{expected}", text))
    if len(present) != 1:
        text = "must populate the given metric source only"
        errors += [field.forbidden(f"{path}.{name}", text) for name in present if name != expected]
    return errors


def _source(name: str, source: Obj, path: str) -> Errors:
    target = source.get("target") or {}
    errors: Errors = []
    if name == "object":
        described = source.get("describedObject") or {}
        errors += _reference(described, f"{path}.describedObject")
        version = described.get("apiVersion") or ""
        errors += _version(version, f"{path}.describedObject", core=True)
    if name in ("object", "external", "pods"):
        errors += _identifier(source.get("metric") or {}, f"{path}.metric")
    else:
        errors += _resource(name, source, path)
    return errors + _metric_target(target, f"{path}.target") + _aim(name, target, f"{path}.target")


def _identifier(metric: Obj, path: str) -> Errors:
    name = metric.get("name")
    if not name:
        return [field.required(f"{path}.name", "must specify a metric name")]
    return problems(naming.path_segment, name, f"{path}.name")


def _resource(kind: str, source: Obj, path: str) -> Errors:
    errors: Errors = []
    name = source.get("name")
    if not name:
        errors.append(field.required(f"{path}.name", "must specify a resource name"))
    if kind == "containerResource":
        if name:
            errors += container_resource_name(name, f"{path}.name")
        container, here = source.get("container"), f"{path}.container"
        errors += (
            problems(naming.dns_label, container, here)
            if container
            else [field.required(here, "must specify a container")]
        )
    return errors


def _metric_target(target: Obj, path: str) -> Errors:
    kind = target.get("type") or ""
    errors: Errors = []
    if not kind:
        errors.append(field.required(f"{path}.type", "must specify a metric target type"))
    if kind not in _TARGETS:
        text = "must be either Utilization, Value, or AverageValue"
        errors.append(field.invalid(f"{path}.type", kind, text))
    for name in ("value", "averageValue"):
        if (quantity := target.get(name)) is not None and amount(quantity) <= 0:
            errors.append(field.invalid(f"{path}.{name}", quantity, "must be positive"))
    if (share := target.get("averageUtilization")) is not None and share < 1:
        errors.append(field.invalid(f"{path}.averageUtilization", share, "must be greater than 0"))
    return errors


def _aim(name: str, target: Obj, path: str) -> Errors:
    """Return errors for a target that lacks fields of its metric type, or has others."""
    value, average = target.get("value"), target.get("averageValue")
    share = target.get("averageUtilization")
    if name == "pods":
        text = "must specify a positive target averageValue"
        return [] if average is not None else [field.required(f"{path}.averageValue", text)]
    if name in ("object", "external"):
        return _value_aim(name, value, average, path)
    if share is None and average is None:
        text = "must set either a target raw value or a target utilization"
        return [field.required(f"{path}.averageUtilization", text)]
    if share is not None and average is not None:
        text = "may not set both a target raw value and a target utilization"
        return [field.forbidden(f"{path}.averageValue", text)]
    return []


def _value_aim(name: str, value: Any, average: Any, path: str) -> Errors:
    if value is None and average is None:
        text = "must set either a target value or averageValue"
        if name == "external":
            text = "must set either a target value for metric or a per-pod target"
        return [field.required(f"{path}.averageValue", text)]
    if name == "external" and value is not None and average is not None:
        text = "may not set both a target value for metric and a per-pod target"
        return [field.forbidden(f"{path}.value", text)]
    return []


def _rules(rules: Obj, path: str) -> Errors:
    errors: Errors = []
    window, here = rules.get("stabilizationWindowSeconds"), f"{path}.stabilizationWindowSeconds"
    if window is not None and window < 0:
        errors.append(field.invalid(here, window, "must be greater than or equal to zero"))
    if window is not None and window > _MAX_WINDOW:
        errors.append(field.invalid(here, window, f"must be less than or equal to {_MAX_WINDOW}"))
    if (select := rules.get("selectPolicy")) is not None and select not in _SELECT:
        errors.append(unsupported(f"{path}.selectPolicy", select, _SELECT))
    policies = rules.get("policies")
    if not policies:
        errors.append(field.required(f"{path}.policies", "must specify at least one Policy"))
    for i, policy in enumerate(policies or ()):
        errors += _policy(policy, f"{path}.policies[{i}]")
    if (tolerance := rules.get("tolerance")) is not None and amount(tolerance) < 0:
        errors.append(field.invalid(f"{path}.tolerance", tolerance, NOT_NEGATIVE))
    return errors


def _policy(policy: Obj, path: str) -> Errors:
    errors: Errors = []
    if (kind := policy.get("type") or "") not in _POLICIES:
        errors.append(unsupported(f"{path}.type", kind, _POLICIES))
    for name in ("value", "periodSeconds"):
        if (number := policy.get(name) or 0) <= 0:
            errors.append(field.invalid(f"{path}.{name}", number, "must be greater than zero"))
    if (period := policy.get("periodSeconds") or 0) > _MAX_PERIOD:
        text = f"must be less than or equal to {_MAX_PERIOD}"
        errors.append(field.invalid(f"{path}.periodSeconds", period, text))
    return errors

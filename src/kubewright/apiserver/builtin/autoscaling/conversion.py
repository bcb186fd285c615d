"""Converts HorizontalPodAutoscalers between autoscaling/v1 and autoscaling/v2.

The old version has a field for one metric only, CPU utilization. Everything else is carried in
annotations, so that a client of the old version can read and write an object without loss.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from kubewright.apiserver.registry.strategy import Obj

CPU_UTILIZATION: int = 80
"""The default target of CPU utilization, in percent."""
_PREFIX = "autoscaling.alpha.kubernetes.io/"
METRICS: str = f"{_PREFIX}metrics"
CURRENT_METRICS: str = f"{_PREFIX}current-metrics"
CONDITIONS: str = f"{_PREFIX}conditions"
BEHAVIOR: str = f"{_PREFIX}behavior"
_CARRIED = (
    METRICS,
    CURRENT_METRICS,
    CONDITIONS,
    BEHAVIOR,
    f"{_PREFIX}scale-down-tolerance",
    f"{_PREFIX}scale-up-tolerance",
)
_STATUS_FIELDS = ("observedGeneration", "lastScaleTime", "currentReplicas", "desiredReplicas")
# The Go names of the fields of the two scaling rules, which the annotations use.
_RULES = ("StabilizationWindowSeconds", "SelectPolicy", "Policies", "Tolerance")
_POLICY = ("Type", "Value", "PeriodSeconds")


def cpu_metric(percent: int) -> Obj:
    """Return the one metric that autoscaling/v1 knows: CPU utilization."""
    target = {"type": "Utilization", "averageUtilization": percent}
    return {"type": "Resource", "resource": {"name": "cpu", "target": target}}


def hpa_to_v1(obj: Obj) -> Obj:
    """Return a v2 autoscaler as v1; the input is not changed."""
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    metrics = spec.get("metrics") or []
    others = [_metric_to_v1(metric) for metric in metrics if _cpu_share(metric) is None]
    carried: Obj = {}
    if others:
        carried[METRICS] = _text(others)
    if current := status.get("currentMetrics"):
        carried[CURRENT_METRICS] = _text([_status_to_v1(one) for one in current])
    if (behavior := spec.get("behavior")) is not None:
        carried[BEHAVIOR] = _text(_behavior_to_internal(behavior))
    if conditions := status.get("conditions"):
        carried[CONDITIONS] = _text(conditions)
    found = {name: spec[name] for name in ("scaleTargetRef", "minReplicas") if name in spec}
    found["maxReplicas"] = spec.get("maxReplicas") or 0
    share = next(filter(None, map(_cpu_share, metrics)), None)
    if share is not None:
        found["targetCPUUtilizationPercentage"] = share
    return {
        **obj,
        "apiVersion": "autoscaling/v1",
        "metadata": _with_annotations(obj, carried),
        "spec": found,
        "status": _v1_status(status),
    }


def hpa_from_v1(obj: Obj) -> Obj:
    """Return a v1 autoscaler as v2; the input is not changed."""
    notes = (obj.get("metadata") or {}).get("annotations") or {}
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    found = {n: spec[n] for n in ("scaleTargetRef", "minReplicas", "maxReplicas") if n in spec}
    share = spec.get("targetCPUUtilizationPercentage")
    metrics = [_metric_from_v1(one) for one in _read(notes, METRICS) or ()]
    if share is not None:
        metrics.append(cpu_metric(share))
    found["metrics"] = metrics or [cpu_metric(CPU_UTILIZATION)]
    behavior = _read(notes, BEHAVIOR)
    if isinstance(behavior, dict) and (rules := _behavior_from_internal(behavior)):
        found["behavior"] = rules
    return {
        **obj,
        "apiVersion": "autoscaling/v2",
        "metadata": _with_annotations(obj, {}),
        "spec": found,
        "status": _v2_status(status, notes),
    }


def _text(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _read(notes: dict[str, str], key: str) -> Any:
    """Return the decoded value of an annotation; ``None`` if it is absent or malformed."""
    try:
        return msgspec.json.decode(notes[key])
    except (KeyError, msgspec.DecodeError):
        return None


def _with_annotations(obj: Obj, carried: Obj) -> Obj:
    meta = {**(obj.get("metadata") or {})}
    notes = {k: v for k, v in (meta.pop("annotations", None) or {}).items() if k not in _CARRIED}
    if notes or carried:
        meta["annotations"] = {**notes, **carried}
    return meta


def _cpu_share(metric: Obj) -> int | None:
    resource = metric.get("resource") or {}
    if metric.get("type") != "Resource" or resource.get("name") != "cpu":
        return None
    share: int | None = (resource.get("target") or {}).get("averageUtilization")
    return share


def _v1_status(status: Obj) -> Obj:
    found = {name: status[name] for name in _STATUS_FIELDS if name in status}
    found.setdefault("currentReplicas", 0)
    found.setdefault("desiredReplicas", 0)
    for metric in status.get("currentMetrics") or ():
        resource = metric.get("resource") or {}
        share = (resource.get("current") or {}).get("averageUtilization")
        if metric.get("type") == "Resource" and resource.get("name") == "cpu" and share is not None:
            found["currentCPUUtilizationPercentage"] = share
    return found


def _v2_status(status: Obj, notes: dict[str, str]) -> Obj:
    found = {name: status[name] for name in _STATUS_FIELDS if name in status}
    found.setdefault("desiredReplicas", 0)
    share = status.get("currentCPUUtilizationPercentage")
    current = _read(notes, CURRENT_METRICS)
    if isinstance(current, list):
        found["currentMetrics"] = [_status_from_v1(one) for one in current]
    elif share is not None:
        resource = {"name": "cpu", "current": {"averageUtilization": share}}
        found["currentMetrics"] = [{"type": "Resource", "resource": resource}]
    if isinstance(conditions := _read(notes, CONDITIONS), list):
        found["conditions"] = conditions
    return found


def _picked(**fields: Any) -> Obj:
    return {name: value for name, value in fields.items() if value is not None}


def _metric_to_v1(metric: Obj) -> Obj:
    found: Obj = {"type": metric.get("type") or ""}
    for name in ("object", "pods", "resource", "containerResource", "external"):
        if (source := metric.get(name)) is not None:
            found[name] = _source_to_v1(name, source)
    return found


def _source_to_v1(name: str, source: Obj) -> Obj:
    target, metric = source.get("target") or {}, source.get("metric") or {}
    value, average = target.get("value"), target.get("averageValue")
    if name == "object":
        return _picked(
            target=source.get("describedObject") or {},
            metricName=metric.get("name") or "",
            targetValue=value or "0",
            selector=metric.get("selector"),
            averageValue=average,
        )
    if name == "pods":
        return _picked(
            metricName=metric.get("name") or "",
            targetAverageValue=average or "0",
            selector=metric.get("selector"),
        )
    if name == "external":
        return _picked(
            metricName=metric.get("name") or "",
            metricSelector=metric.get("selector"),
            targetValue=value,
            targetAverageValue=average,
        )
    return _picked(
        name=source.get("name") or "",
        targetAverageUtilization=target.get("averageUtilization"),
        targetAverageValue=average,
        container=source.get("container"),
    )


def _metric_from_v1(metric: Obj) -> Obj:
    found: Obj = {"type": metric.get("type") or ""}
    for name in ("object", "pods", "resource", "containerResource", "external"):
        if (source := metric.get(name)) is not None:
            found[name] = _source_from_v1(name, source)
    return found


def _source_from_v1(name: str, source: Obj) -> Obj:
    average = source.get("targetAverageValue")
    if name == "object":
        average, value = source.get("averageValue"), source.get("targetValue") or "0"
        kind = "Value" if average is None else "AverageValue"
        value = None if average is not None and value == "0" else value
        target = _picked(type=kind, value=value, averageValue=average)
        metric = _picked(name=source.get("metricName") or "", selector=source.get("selector"))
        return {"describedObject": source.get("target") or {}, "metric": metric, "target": target}
    if name == "pods":
        metric = _picked(name=source.get("metricName") or "", selector=source.get("selector"))
        target = _picked(type="AverageValue", averageValue=average or "0")
        return {"metric": metric, "target": target}
    if name == "external":
        value = source.get("targetValue")
        metric = _picked(name=source.get("metricName") or "", selector=source.get("metricSelector"))
        kind = "AverageValue" if value is None else "Value"
        return {"metric": metric, "target": _picked(type=kind, value=value, averageValue=average)}
    share = source.get("targetAverageUtilization")
    kind = "AverageValue" if share is None else "Utilization"
    target = _picked(type=kind, averageValue=average, averageUtilization=share)
    return _picked(name=source.get("name") or "", target=target, container=source.get("container"))


def _status_to_v1(metric: Obj) -> Obj:
    found: Obj = {"type": metric.get("type") or ""}
    for name, source in metric.items():
        if name == "type":
            continue
        current, identifier = source.get("current") or {}, source.get("metric") or {}
        average = current.get("averageValue")
        named = "metricSelector" if name == "external" else "selector"
        if name in ("resource", "containerResource"):
            found[name] = _picked(
                name=source.get("name") or "",
                currentAverageUtilization=current.get("averageUtilization"),
                currentAverageValue=average or "0",
                container=source.get("container"),
            )
            continue
        content = _picked(metricName=identifier.get("name") or "")
        content |= _picked(**{named: identifier.get("selector")})
        if name == "object":
            content |= _picked(target=source.get("describedObject") or {}, averageValue=average)
        elif name == "pods":
            content["currentAverageValue"] = average or "0"
        else:
            content |= _picked(currentAverageValue=average)
        if name != "pods":
            content["currentValue"] = current.get("value") or "0"
        found[name] = content
    return found


def _status_from_v1(metric: Obj) -> Obj:
    found: Obj = {"type": metric.get("type") or ""}
    for name, source in metric.items():
        if name == "type":
            continue
        if name in ("resource", "containerResource"):
            current = _picked(
                averageValue=source.get("currentAverageValue"),
                averageUtilization=source.get("currentAverageUtilization"),
            )
            found[name] = _picked(
                name=source.get("name") or "", current=current, container=source.get("container")
            )
            continue
        selector = source.get("metricSelector" if name == "external" else "selector")
        average = source.get("averageValue" if name == "object" else "currentAverageValue")
        found[name] = _picked(
            metric=_picked(name=source.get("metricName") or "", selector=selector),
            current=_picked(value=source.get("currentValue"), averageValue=average),
            describedObject=source.get("target") if name == "object" else None,
        )
    return found


def _json_name(go: str) -> str:
    return go[0].lower() + go[1:]


def _go_struct(value: Obj, names: Iterable[str]) -> Obj:
    return {name: value.get(_json_name(name)) for name in names}


def _behavior_to_internal(behavior: Obj) -> Obj:
    found: Obj = {}
    for name in ("ScaleUp", "ScaleDown"):
        rules = behavior.get(_json_name(name))
        found[name] = None if rules is None else _go_struct(rules, _RULES)
        if rules is not None and rules.get("policies"):
            found[name]["Policies"] = [_go_struct(one, _POLICY) for one in rules["policies"]]
    return found


def _behavior_from_internal(behavior: Obj) -> Obj:
    # Go matches names case-insensitively, and people write these annotations by hand.
    return {
        name: rules
        for name in ("scaleUp", "scaleDown")
        if isinstance(rules := _lower_names(behavior).get(name), dict)
    }


def _lower_names(value: Any) -> Any:
    if isinstance(value, list):
        return [_lower_names(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        _json_name(key): _lower_names(one) for key, one in value.items() if key and one is not None
    }

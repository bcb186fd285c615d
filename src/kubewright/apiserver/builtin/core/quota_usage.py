"""How much of a ResourceQuota an object uses, and which quotas apply to it."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from kubewright.api.quantity import ParsedQuantity, parse_quantity
from kubewright.api.times import parse_time
from kubewright.apiserver.builtin.core.pod.resources import CONTAINER, effective, quality_of_service
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Obj

Usage = dict[str, ParsedQuantity]
"""How much of each resource."""

PODS = GroupResource("", "pods")
CLAIMS = GroupResource("", "persistentvolumeclaims")
SERVICES = GroupResource("", "services")
IGNORED: frozenset[GroupResource] = frozenset(
    {GroupResource("", "events"), GroupResource("events.k8s.io", "events")}
)
ONE: ParsedQuantity = parse_quantity(1)
ZERO: ParsedQuantity = parse_quantity(0)

_ALIASES = frozenset({"configmaps", "resourcequotas", "replicationcontrollers", "secrets"})
_OF_PODS = frozenset(
    {"pods", *(f"{kind}{name}" for kind in ("", "requests.", "limits.") for name in CONTAINER)}
)
_OF_SERVICES = frozenset({"services", "services.nodeports", "services.loadbalancers"})
_OF_CLAIMS = ("persistentvolumeclaims", "requests.storage")
_BY_CLASS = ".storageclass.storage.k8s.io/"
_HUGE = "hugepages-"
_REQUIRED = frozenset(name for name in _OF_PODS if name.endswith(("cpu", "memory")))
_FINISHED = ("Succeeded", "Failed")
_KINDS = ("requests", "limits")
_AFFINITY = "DuringSchedulingIgnoredDuringExecution"


def count_name(resource: GroupResource) -> str:
    """Return the name under which a quota counts objects of a resource."""
    return f"count/{resource}"


def measures(resource: GroupResource, name: str) -> bool:
    """Return whether *name*, a key of a quota's ``hard``, counts objects of *resource*."""
    if name == count_name(resource):
        return True
    if resource == PODS:
        return name in _OF_PODS or name.startswith((_HUGE, f"requests.{_HUGE}")) or _extended(name)
    if resource == SERVICES:
        return name in _OF_SERVICES
    if resource == CLAIMS:
        return name in _OF_CLAIMS or name.endswith(tuple(_BY_CLASS + one for one in _OF_CLAIMS))
    return not resource.group and name == resource.resource and name in _ALIASES


def _extended(name: str) -> bool:
    """Return whether a quota limits an extended resource, such as a GPU."""
    rest = name.removeprefix("requests.")
    return rest != name and "/" in rest and "kubernetes.io/" not in rest and _BY_CLASS not in rest


def usage_of(resource: GroupResource, obj: Obj, now: datetime) -> Usage:
    """Return everything that an object uses."""
    found: Usage = {count_name(resource): ONE}
    if resource == PODS:
        if not _is_over(obj, now):
            found |= _pod(obj["spec"])
    elif resource == SERVICES:
        found |= _service(obj["spec"])
    elif resource == CLAIMS:
        found |= _claim(obj)
    elif not resource.group and resource.resource in _ALIASES:
        found[resource.resource] = ONE
    return found


def _is_over(pod: Obj, now: datetime) -> bool:
    """Return whether a pod has ended, or should have: it counts as an object only."""
    if (pod.get("status") or {}).get("phase") in _FINISHED:
        return True
    meta = pod["metadata"]
    deleted, grace = meta.get("deletionTimestamp"), meta.get("deletionGracePeriodSeconds")
    if not deleted or grace is None:
        return False
    return now > parse_time(deleted) + timedelta(seconds=grace)


def _pod(spec: Obj) -> Usage:
    return {"pods": ONE, **_compute(_needed(spec, "requests"), _needed(spec, "limits"))}


def _needed(spec: Obj, kind: str) -> Usage:
    found = effective(spec, kind)
    whole = (spec.get("resources") or {}).get(kind) or {}
    found |= {name: parse_quantity(amount) for name, amount in whole.items()}
    for name, amount in (spec.get("overhead") or {}).items():
        if kind == "requests" or name in found:
            found[name] = found.get(name, ZERO) + parse_quantity(amount)
    return found


def _compute(requests: Usage, limits: Usage) -> Usage:
    found: Usage = {}
    for name, amount in requests.items():
        if name in CONTAINER or name.startswith(_HUGE):
            found[name] = amount
        found[f"requests.{name}"] = amount
    return found | {f"limits.{name}": limits[name] for name in CONTAINER if name in limits}


def _service(spec: Obj) -> Usage:
    kind, ports = spec.get("type"), spec.get("ports") or ()
    count = len(ports) if kind in ("NodePort", "LoadBalancer") else 0
    if kind == "LoadBalancer" and spec.get("allocateLoadBalancerNodePorts") is False:
        count = sum(1 for port in ports if port.get("nodePort"))
    return {
        "services": ONE,
        "services.nodeports": parse_quantity(count),
        "services.loadbalancers": ONE if kind == "LoadBalancer" else ZERO,
    }


def _claim(claim: Obj) -> Usage:
    spec = claim["spec"]
    found = {"persistentvolumeclaims": ONE}
    asked = ((spec.get("resources") or {}).get("requests") or {}).get("storage")
    if asked is not None:
        given = ((claim.get("status") or {}).get("allocatedResources") or {}).get("storage")
        found["requests.storage"] = max(parse_quantity(asked), parse_quantity(given or 0))
    annotations = claim["metadata"].get("annotations") or {}
    old_form = annotations.get("volume.beta.kubernetes.io/storage-class")
    storage_class = old_form if old_form is not None else spec.get("storageClassName")
    if storage_class:
        found |= {f"{storage_class}{_BY_CLASS}{name}": found[name] for name in [*found]}
    return found


def missing(resource: GroupResource, obj: Obj, names: Iterable[str]) -> str:
    """Return what a pod must set for a quota to count it; empty if nothing is missing.

    A quota of cpu or memory requires every container to set that resource. Kubernetes keeps this
    rule for these two only.
    """
    if resource != PODS:
        return ""
    spec, whole = obj["spec"], obj["spec"].get("resources") or {}
    if whole.get("requests") or whole.get("limits"):
        return ""
    lacking: dict[str, set[str]] = {}
    for container in (*spec["containers"], *(spec.get("initContainers") or ())):
        resources = container.get("resources") or {}
        asked = {kind: dict.fromkeys(resources.get(kind) or (), ONE) for kind in _KINDS}
        for name in _REQUIRED.intersection(names) - _compute(**asked).keys():
            lacking.setdefault(name, set()).add(container["name"])
    parts = [f"{name} for: {','.join(sorted(lacking[name]))}" for name in sorted(lacking)]
    return f"must specify {'; '.join(parts)}" if parts else ""


def in_scope(resource: GroupResource, obj: Obj, spec: Obj) -> bool:
    """Return whether an object is in all scopes of a quota's spec."""
    selectors = [{"scopeName": name, "operator": "Exists"} for name in spec.get("scopes") or ()]
    selectors += (spec.get("scopeSelector") or {}).get("matchExpressions") or ()
    if not selectors:
        return True
    if resource == PODS:
        return all(_pod_within(obj["spec"], one) for one in selectors)
    return resource == CLAIMS and all(_claim_within(obj, one) for one in selectors)


def _pod_within(spec: Obj, selector: Obj) -> bool:
    scope: str = selector["scopeName"]
    if scope == "PriorityClass":
        return _selects(selector, filter(None, [spec.get("priorityClassName")]))
    if scope == "CrossNamespacePodAffinity":
        return _crosses(spec.get("affinity") or {})
    if scope.endswith("BestEffort"):
        found = quality_of_service(spec) == "BestEffort"
    elif scope.endswith("Terminating"):
        found = spec.get("activeDeadlineSeconds") is not None
    else:
        return False
    return found is not scope.startswith("Not")


def _crosses(affinity: Obj) -> bool:
    for kind in ("podAffinity", "podAntiAffinity"):
        found = affinity.get(kind) or {}
        terms = list(found.get(f"required{_AFFINITY}") or ())
        terms += [one["podAffinityTerm"] for one in found.get(f"preferred{_AFFINITY}") or ()]
        if any(one.get("namespaces") or one.get("namespaceSelector") is not None for one in terms):
            return True
    return False


def _claim_within(claim: Obj, selector: Obj) -> bool:
    if selector["scopeName"] != "VolumeAttributesClass":
        return False
    state = claim.get("status") or {}
    names = (
        claim["spec"].get("volumeAttributesClassName"),
        state.get("currentVolumeAttributesClassName"),
        (state.get("modifyVolumeStatus") or {}).get("targetVolumeAttributesClassName"),
    )
    return _selects(selector, filter(None, names))


def _selects(selector: Obj, names: Iterable[str]) -> bool:
    found, wanted = {*names}, {*(selector.get("values") or ())}
    match selector["operator"]:
        case "In":
            return bool(found & wanted)
        case "NotIn":
            return not found & wanted
        case "Exists":
            return bool(found)
    return not found  # DoesNotExist

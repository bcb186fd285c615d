"""Resource quotas and limit ranges: the kinds. `limits` enforces limit ranges on pods."""

from typing import Any

from kubewright.api.quantity import parse_quantity
from kubewright.apiserver.builtin.fields.rules import named, needed, quantity_not_negative
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write

_COMPUTE = frozenset(
    f"{prefix}{name}"
    for prefix in ("", "requests.", "limits.")
    for name in ("cpu", "memory", "ephemeral-storage")
)
_COUNTS = frozenset(
    {
        "pods",
        "resourcequotas",
        "services",
        "replicationcontrollers",
        "secrets",
        "configmaps",
        "persistentvolumeclaims",
        "services.nodeports",
        "services.loadbalancers",
    }
)
_QUOTA = _COMPUTE | _COUNTS | {"requests.storage"}
_STANDARD = _QUOTA | {"storage"}
_CONTAINER = frozenset({"cpu", "memory", "ephemeral-storage"})
_POD_SCOPED = frozenset(
    {"pods", *(name for name in _COMPUTE if not name.endswith("ephemeral-storage"))}
)
_SCOPES = frozenset(
    {
        "Terminating",
        "NotTerminating",
        "BestEffort",
        "NotBestEffort",
        "PriorityClass",
        "VolumeAttributesClass",
        "CrossNamespacePodAffinity",
    }
)
_CONFLICTS = ({"BestEffort", "NotBestEffort"}, {"Terminating", "NotTerminating"})
_MUST_EXIST = (
    "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating,"
    " ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort,"
    " ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
)
_TYPES = frozenset({"Pod", "Container", "PersistentVolumeClaim"})


class ResourceQuotaStrategy(Strategy):
    """Resource quotas."""

    has_status = True

    def default(self, obj: Obj) -> None:
        """Show spec and status, even empty ones."""
        obj.setdefault("spec", {})
        obj.setdefault("status", {})

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Begin without a status."""
        obj["status"] = {}

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check names, amounts and scopes."""
        spec = obj["spec"]
        found = _amounts(spec.get("hard") or {}, "spec.hard") + _scopes(spec)
        return found + _selector(spec)

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that the scopes stay."""
        scopes, before = new["spec"].get("scopes") or [], old["spec"].get("scopes") or []
        found = self.validate(new, write)
        if {*scopes} != {*before}:
            found.append(field.invalid("spec.scopes", scopes or None, "field is immutable"))
        return found

    def validate_status_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check names and amounts."""
        status = new.get("status") or {}
        found = _amounts(status.get("hard") or {}, "status.hard")
        return found + _amounts(status.get("used") or {}, "status.used")


class LimitRangeStrategy(Strategy):
    """Limit ranges."""

    allow_create_on_update = True

    def default(self, obj: Obj) -> None:
        """Derive defaults of containers from the limits, and requests from both."""
        spec = obj.setdefault("spec", {})
        spec.setdefault("limits", None)
        for item in spec["limits"] or ():
            if item.get("type") == "Container":
                _default_item(item)

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check each range and how its amounts fit together."""
        found: Errors = []
        types: set[str] = set()
        for index, item in enumerate(obj["spec"].get("limits") or ()):
            path, kind = f"spec.limits[{index}]", item.get("type") or ""
            found += _type_name(kind, f"{path}.type")
            if kind in types:
                found.append(field.duplicate(f"{path}.type", kind))
            types.add(kind)
            found += _item(item, path, kind)
        return found


def _default_item(item: Obj) -> None:
    limits = {**(item.get("max") or {}), **(item.get("default") or {})}
    if limits:
        item["default"] = limits
    requests = {**(item.get("min") or {}), **limits, **(item.get("defaultRequest") or {})}
    if requests:
        item["defaultRequest"] = requests


def _resource_name(name: str, path: str) -> Errors:
    if found := named(naming.qualified_name, name, path):
        return found
    if "/" in name or name in _STANDARD or _is_huge_page(name):
        return []
    return [field.invalid(path, name, "must be a standard resource type or fully qualified")]


def _is_huge_page(name: str) -> bool:
    return name.removeprefix("requests.").startswith("hugepages-")


def _is_integer(name: str) -> bool:
    extended = "/" in name and "kubernetes.io/" not in name and not name.startswith("requests.")
    return name in _COUNTS or extended


def _amounts(amounts: Obj, path: str) -> Errors:
    found: Errors = []
    for name, amount in amounts.items():
        where = f"{path}[{name}]"
        found += _resource_name(name, where)
        if "/" not in name and name not in _QUOTA and not _is_huge_page(name):
            found.append(field.invalid(where, name, "must be a standard resource for quota"))
        found += quantity_not_negative(amount, where)
        if _is_integer(name) and parse_quantity(amount).milli_value() % 1000:
            found.append(field.invalid(where, str(amount), "must be an integer"))
    return found


def _fits_scope(scope: str, name: str) -> bool:
    if scope == "BestEffort":
        return name == "pods"
    if scope == "VolumeAttributesClass":
        return name in ("persistentvolumeclaims", "requests.storage")
    return scope not in _SCOPES or name in _POD_SCOPED


def _scopes(spec: Obj) -> Errors:
    scopes, path = spec.get("scopes") or [], "spec.scopes"
    found: Errors = []
    for scope in scopes:
        if scope not in _SCOPES:
            found.append(field.invalid(path, scopes, "unsupported scope"))
        found += _unfit(scope, spec, path, scopes)
    return found + _conflicts(scopes, path, scopes)


def _unfit(scope: str, spec: Obj, path: str, shown: Any) -> Errors:
    return [
        field.invalid(path, shown, "unsupported scope applied to resource")
        for name in sorted(spec.get("hard") or ())
        if name in _QUOTA and not _fits_scope(scope, name)
    ]


def _conflicts(scopes: list[str], path: str, shown: Any) -> Errors:
    return [
        field.invalid(path, shown, "conflicting scopes") for pair in _CONFLICTS if pair <= {*scopes}
    ]


def _selector(spec: Obj) -> Errors:
    items = (spec.get("scopeSelector") or {}).get("matchExpressions") or []
    path = "spec.scopeSelector.matchExpressions"
    found: Errors = []
    for item in items:
        scope, operator = item.get("scopeName") or "", item.get("operator") or ""
        values = item.get("values") or []
        if scope not in _SCOPES:
            found.append(field.invalid(f"{path}.scopeName", scope, "unsupported scope"))
        found += _unfit(scope, spec, path, spec["scopeSelector"])
        free = ("PriorityClass", "VolumeAttributesClass")
        if scope in _SCOPES and scope not in free and operator != "Exists":
            found.append(field.invalid(f"{path}.operator", operator, _MUST_EXIST))
        found += _operator(operator, values, path)
    scopes = [item.get("scopeName") or "" for item in items]
    return found + _conflicts(scopes, path, spec.get("scopes"))


def _operator(operator: str, values: list[str], path: str) -> Errors:
    if operator in ("In", "NotIn"):
        why = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
        return needed(values, f"{path}.values", why)
    if operator in ("Exists", "DoesNotExist"):
        why = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
        return [field.invalid(f"{path}.values", values, why)] if values else []
    return [field.invalid(f"{path}.operator", operator, "not a valid selector operator")]


def _type_name(kind: str, path: str) -> Errors:
    if found := named(naming.qualified_name, kind, path):
        return found
    if "/" in kind or kind in _TYPES:
        return []
    return [field.invalid(path, kind, "must be a standard limit type or fully qualified")]


def _item(item: Obj, path: str, kind: str) -> Errors:
    found: Errors = []
    parts = ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")
    for part in parts:
        if kind == "Pod" and part.startswith("default"):
            if item.get(part):
                why = "may not be specified when `type` is 'Pod'"
                found.append(field.forbidden(f"{path}.{part}", why))
            continue
        for name in item.get(part) or ():
            found += _limit_name(kind, name, f"{path}.{part}[{name}]")
    if kind == "PersistentVolumeClaim" and not any(
        "storage" in (item.get(part) or {}) for part in ("min", "max")
    ):
        why = "either minimum or maximum storage value is required, but neither was provided"
        found.append(field.required(f"{path}.limits", why))
    names = dict.fromkeys(name for part in parts for name in item.get(part) or ())
    for name in names:
        found += _fit_together(item, name, path)
    return found


def _limit_name(kind: str, name: str, path: str) -> Errors:
    found = _resource_name(name, path)
    if kind not in ("Pod", "Container") or "/" in name:
        return found
    if name not in _CONTAINER and not name.startswith("hugepages-"):
        found.append(field.invalid(path, name, "must be a standard resource for containers"))
    return found


_ORDER: tuple[tuple[str, str, str, str, str], ...] = (
    # smaller, larger, where the error is, which value it shows, and how the two are called
    ("min", "max", "min", "min", "min value {} is greater than max value {}"),
    (
        "min",
        "defaultRequest",
        "defaultRequest",
        "defaultRequest",
        "min value {} is greater than default request value {}",
    ),
    (
        "defaultRequest",
        "max",
        "defaultRequest",
        "defaultRequest",
        "default request value {} is greater than max value {}",
    ),
    (
        "defaultRequest",
        "default",
        "defaultRequest",
        "defaultRequest",
        "default request value {} is greater than default limit value {}",
    ),
    ("min", "default", "default", "min", "min value {} is greater than default value {}"),
    ("default", "max", "default", "max", "default value {} is greater than max value {}"),
)


def _fit_together(item: Obj, name: str, path: str) -> Errors:
    found: Errors = []
    for small, large, where, shown, text in _ORDER:
        low, high = (item.get(small) or {}).get(name), (item.get(large) or {}).get(name)
        if low is None or high is None or parse_quantity(low) <= parse_quantity(high):
            continue
        value = str(item[shown][name])
        found.append(field.invalid(f"{path}.{where}[{name}]", value, text.format(low, high)))
    return found + _ratio(item, name, f"{path}.maxLimitRequestRatio[{name}]")


def _ratio(item: Obj, name: str, path: str) -> Errors:
    ratio = (item.get("maxLimitRequestRatio") or {}).get(name)
    if ratio is None:
        return []
    if parse_quantity(ratio) < parse_quantity("1"):
        return [field.invalid(path, str(ratio), f"ratio {ratio} is less than 1")]
    low, high = (item.get("min") or {}).get(name), (item.get("max") or {}).get(name)
    if low is None or high is None or not parse_quantity(low):
        return []
    most = parse_quantity(high).milli_value() / parse_quantity(low).milli_value()
    if parse_quantity(ratio).milli_value() / 1000 <= most:
        return []
    why = f"ratio {ratio} is greater than max/min = {most:f}"
    return [field.invalid(path, str(ratio), why)]

"""ResourceQuotas: how much the objects of a namespace may use together."""

from typing import Any

from kubewright.api.quantity import parse_quantity
from kubewright.apiserver.builtin.core.pod.resources import COUNTED, resource_name
from kubewright.apiserver.builtin.fields.checks import needed, quantity_not_negative
from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write

_COMPUTE = frozenset(
    f"{prefix}{name}"
    for prefix in ("", "requests.", "limits.")
    for name in ("cpu", "memory", "ephemeral-storage")
)
_QUOTA = _COMPUTE | COUNTED | {"requests.storage"}
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


class ResourceQuotaStrategy(Strategy):
    """ResourceQuotas."""

    has_status = True

    def default(self, obj: Obj) -> None:
        """Include spec and status even if they are empty."""
        obj.setdefault("spec", {})
        obj.setdefault("status", {})

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Start with an empty status."""
        obj["status"] = {}

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check names, amounts and scopes."""
        spec = obj["spec"]
        found = _amounts(spec.get("hard") or {}, "spec.hard") + _scopes(spec)
        return found + _selector(spec)

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that the scopes did not change."""
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


def _is_huge_page(name: str) -> bool:
    return name.removeprefix("requests.").startswith("hugepages-")


def _is_integer(name: str) -> bool:
    extended = "/" in name and "kubernetes.io/" not in name and not name.startswith("requests.")
    return name in COUNTED or extended


def _amounts(amounts: Obj, path: str) -> Errors:
    found: Errors = []
    for name, amount in amounts.items():
        where = f"{path}[{name}]"
        found += resource_name(name, where)
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

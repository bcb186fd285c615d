"""LimitRanges: how much one pod, container or claim of a namespace may ask for."""

from kubewright.api.quantity import parse_quantity
from kubewright.apiserver.builtin.core.pod.resources import resource_name
from kubewright.apiserver.builtin.fields.checks import problems
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write

_CONTAINER = frozenset({"cpu", "memory", "ephemeral-storage"})
_TYPES = frozenset({"Pod", "Container", "PersistentVolumeClaim"})


class LimitRangeStrategy(Strategy):
    """LimitRanges."""

    allow_create_on_update = True

    def default(self, obj: Obj) -> None:
        """Derive the default limits of containers from the maximum, and requests from both."""
        spec = obj.setdefault("spec", {})
        spec.setdefault("limits", None)
        for item in spec["limits"] or ():
            if item.get("type") == "Container":
                _default_item(item)

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check each range, and that its amounts do not contradict one another."""
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


def _type_name(kind: str, path: str) -> Errors:
    if found := problems(naming.qualified_name, kind, path):
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
    found = resource_name(name, path)
    if kind not in ("Pod", "Container") or "/" in name:
        return found
    if name not in _CONTAINER and not name.startswith("hugepages-"):
        found.append(field.invalid(path, name, "must be a standard resource for containers"))
    return found


_ORDER: tuple[tuple[str, str, str, str, str], ...] = (
    # the smaller, the larger, where the error is reported, which value it shows, its text
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

"""Parts of objects as short texts for cells."""

from collections.abc import Iterable
from typing import Any

from kubewright.apiserver.builtin.fields.selectors import compiled
from kubewright.apiserver.registry.strategy import Obj

NONE, UNSET, UNKNOWN = "<none>", "<unset>", "<unknown>"
_NOTHING: Obj = {}


def part(obj: Obj, name: str) -> Obj:
    """Return a part of an object, such as its spec; empty if it has none."""
    found: Obj = obj.get(name) or _NOTHING
    return found


def main_parts(obj: Obj) -> tuple[Obj, Obj, Obj]:
    """Return the metadata, the spec and the status of an object."""
    return obj["metadata"], part(obj, "spec"), part(obj, "status")


def template_spec(spec: Obj) -> Obj:
    """Return the pod spec in the template of a workload's spec."""
    return part(part(spec, "template"), "spec")


def labels(found: dict[str, str] | None) -> str:
    """Return labels as ``key=value``, sorted by key."""
    if not found:
        return NONE
    return ",".join(f"{key}={value}" for key, value in sorted(found.items()))


def selector(found: Obj | None, *, nothing: str = NONE, broken: str = "<error>") -> str:
    """Return a label selector as text."""
    made = compiled(found)
    if made is None:
        return broken
    return nothing if made.selects_nothing else str(made) or nothing


def containers(spec: Obj) -> tuple[str, str]:
    """Return the names and the images of the containers of a pod spec."""
    found = spec.get("containers") or ()
    names = ",".join(item.get("name", "") for item in found)
    return names, ",".join(item.get("image", "") for item in found)


def with_more(items: list[str], most: int = 3) -> str:
    """Return the first items, and how many more there are."""
    if len(items) > most:
        return f"{','.join(items[:most])} + {len(items) - most} more..."
    return ",".join(items) or UNSET


def condition(conditions: Iterable[Obj] | None, kind: str) -> Obj | None:
    """Return the condition of the type *kind*, or ``None``."""
    return next((item for item in conditions or () if item.get("type") == kind), None)


def is_true(conditions: Iterable[Obj] | None, kind: str) -> bool:
    """Return whether a condition holds."""
    found = condition(conditions, kind)
    return found is not None and found.get("status") == "True"


def go_bool(value: Any) -> str:
    """Return a boolean as Kubernetes' tables print it."""
    if value is None:
        return UNSET
    return "True" if value else "False"


def load_balancer_points(status: Obj) -> list[str]:
    """Return the addresses or names at which a load balancer is reached."""
    found = part(status, "loadBalancer").get("ingress") or ()
    return sorted({item.get("ip") or item.get("hostname") or "" for item in found} - {""})

"""Requests and limits: names and amounts of resources, and the QoS class that they lead to."""

from collections.abc import Callable, Iterable
from functools import lru_cache

from kubewright.api.quantity import ParsedQuantity, parse_quantity
from kubewright.apiserver.builtin.fields.checks import NOT_NEGATIVE, problems, unsupported
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors, FieldError
from kubewright.apiserver.registry.strategy import Obj

HUGE_PAGES: str = "hugepages-"
COMPUTE: tuple[str, ...] = ("cpu", "memory")
CONTAINER: frozenset[str] = frozenset({"cpu", "memory", "ephemeral-storage"})
POD_LEVEL: tuple[str, ...] = ("cpu", "hugepages-", "memory")
COUNTED: frozenset[str] = frozenset(
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
STANDARD: frozenset[str] = frozenset(
    {
        *CONTAINER,
        *COUNTED,
        *(f"{kind}.{name}" for kind in ("requests", "limits") for name in CONTAINER),
        "storage",
        "requests.storage",
    }
)
_NANO = 10**9


@lru_cache(maxsize=8192)
def amount(quantity: str | float) -> int:
    """Return a quantity in billionths."""
    return parse_quantity(quantity).nanos


def is_native(name: str) -> bool:
    """Return whether Kubernetes itself defines a resource."""
    return "/" not in name or "kubernetes.io/" in name


def is_extended(name: str) -> bool:
    """Return whether a resource is an extended one, such as ``example.com/gpu``."""
    if is_native(name) or name.startswith("requests."):
        return False
    return not naming.qualified_name(f"requests.{name}")


def may_overcommit(name: str) -> bool:
    """Return whether a resource can be overcommitted."""
    return is_native(name) and not name.startswith(HUGE_PAGES)


def resource_name(name: str, path: str) -> Errors:
    """Return what is wrong with the name of any resource."""
    errors = problems(naming.qualified_name, name, path)
    if errors or "/" in name or name in STANDARD:
        return errors
    if name.startswith((HUGE_PAGES, "requests.hugepages-")):
        return []
    return [field.invalid(path, name, "must be a standard resource type or fully qualified")]


def container_resource_name(name: str, path: str) -> Errors:
    """Return what is wrong with the name of a resource that a container asks for."""
    if name in CONTAINER:
        return []
    errors = resource_name(name, path)
    if "/" not in name:
        if not name.startswith(HUGE_PAGES):
            errors.append(field.invalid(path, name, "must be a standard resource for containers"))
    elif not is_native(name) and not is_extended(name):
        text = "doesn't follow extended resource name standard"
        errors.append(field.invalid(path, name, text))
    return errors


def pod_resource_name(name: str, path: str) -> Errors:
    """Return what is wrong with the name of a resource that a pod as a whole asks for."""
    errors = resource_name(name, path)
    if not errors and name not in COMPUTE and not name.startswith(HUGE_PAGES):
        errors.append(unsupported(path, name, POD_LEVEL))
    return errors


def resource_amount(name: str, quantity: str, path: str) -> Errors:
    """Return what is wrong with an amount."""
    errors: Errors = []
    nanos = amount(quantity)
    if nanos < 0:
        errors.append(field.invalid(path, quantity, NOT_NEGATIVE))
    if nanos % _NANO and (name in COUNTED or is_extended(name)):
        errors.append(field.invalid(path, quantity, "must be an integer"))
    return errors


def validate_resources(
    resources: Obj,
    path: str,
    *,
    claims: Iterable[str] = (),
    name_rule: Callable[[str, str], Errors] = container_resource_name,
) -> Errors:
    """Return what is wrong with requests and limits.

    Args:
        resources: The ``resources`` of a container or a pod.
        path: The path of *resources*.
        claims: The names of the pod's resource claims.
        name_rule: Returns what is wrong with the name of a resource.
    """
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    if name_rule is container_resource_name and _is_fine(
        tuple(limits.items()), tuple(requests.items())
    ):
        errors: Errors = []
    else:
        errors = _lists(limits, requests, path, name_rule=name_rule)
    if wanted := resources.get("claims"):
        errors += _claims(wanted, frozenset(claims), f"{path}.claims")
    return errors


@lru_cache(maxsize=4096)
def _is_fine(limits: tuple[tuple[str, str], ...], requests: tuple[tuple[str, str], ...]) -> bool:
    """Return whether these amounts are valid; cached, since many pods ask for the same ones."""
    return not _lists(dict(limits), dict(requests), "", name_rule=container_resource_name)


def _lists(
    limits: Obj, requests: Obj, path: str, *, name_rule: Callable[[str, str], Errors]
) -> Errors:
    errors = _amounts(limits, f"{path}.limits", name_rule)
    for name, quantity in requests.items():
        errors += _amounts({name: quantity}, f"{path}.requests", name_rule)
        errors += _below_limit(name, quantity, limits, path)
    if any(name.startswith(HUGE_PAGES) for name in (*limits, *requests)) and not any(
        name in limits or name in requests for name in COMPUTE
    ):
        errors.append(field.forbidden(path, "HugePages require cpu or memory"))
    return errors


def _amounts(amounts: Obj, path: str, name_rule: Callable[[str, str], Errors]) -> Errors:
    errors: Errors = []
    for name, quantity in amounts.items():
        here = f"{path}[{name}]"
        errors += name_rule(name, here)
        errors += resource_amount(name, quantity, here)
        if name.startswith(HUGE_PAGES) and not _is_multiple(name, quantity):
            text = f"{quantity} is not positive integer multiple of {name}"
            errors.append(field.invalid(here, quantity, text))
    return errors


def _is_multiple(name: str, quantity: str) -> bool:
    try:
        size = parse_quantity(name.removeprefix(HUGE_PAGES)).nanos
    except ValueError:
        return False
    return size > 0 and size % _NANO == 0 and amount(quantity) % size == 0


def _below_limit(name: str, quantity: str, limits: Obj, path: str) -> Errors:
    limit = limits.get(name)
    if limit is None:
        if may_overcommit(name):
            return []
        text = "Limit must be set for non overcommitable resources"
        return [field.required(f"{path}.limits", text)]
    if quantity == limit or amount(quantity) == amount(limit):
        return []
    if not may_overcommit(name):
        text = f"must be equal to {name} limit of {limit}"
    elif amount(quantity) > amount(limit):
        text = f"must be less than or equal to {name} limit of {limit}"
    else:
        return []
    return [field.invalid(f"{path}.requests", quantity, text)]


def _claims(wanted: list[Obj], known: frozenset[str], path: str) -> Errors:
    errors: Errors = []
    seen: set[str] = set()
    names = f": {', '.join(sorted(known))}" if known else " which is empty"
    for i, claim in enumerate(wanted):
        here, name = f"{path}[{i}]", claim.get("name") or ""
        if not name:
            errors.append(field.required(here))
            continue
        errors += _claim_once(claim, seen, here)
        if name not in known:
            text = f"must be one of the names in pod.spec.resourceClaims{names}"
            found = field.not_found(here, name)
            errors.append(FieldError(found.reason, here, f"{found.text}: {text}"))
    return errors


def _claim_once(claim: Obj, seen: set[str], path: str) -> Errors:
    name, request = claim["name"], claim.get("request") or ""
    if name in seen:
        return [field.duplicate(path, name)]
    errors = problems(naming.dns_label, request, f"{path}.request") if request else []
    key = f"{name}/{request}" if request else name
    if key in seen:
        errors.append(field.duplicate(path, key))
    elif not request:
        errors += [field.duplicate(path, name) for one in seen if one.partition("/")[0] == name]
    seen.add(key)
    return errors


def quality_of_service(spec: Obj) -> str:
    """Return the QoS class of a pod: Guaranteed, Burstable or BestEffort."""
    whole = spec.get("resources")
    if whole and (whole.get("requests") or whole.get("limits")):
        return _class_of(whole)
    found = ""
    for container in (*(spec.get("initContainers") or ()), *(spec.get("containers") or ())):
        this = _class_of(container.get("resources") or {})
        if this == "Burstable" or (found and this != found):
            return "Burstable"
        found = this
    return found or "BestEffort"


def _class_of(resources: Obj) -> str:
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    if not limits and not requests:
        return "BestEffort"
    kinds = set()
    for name in COMPUTE:
        request, limit = amount(requests.get(name, "0")), amount(limits.get(name, "0"))
        if request != limit:
            return "Burstable"
        kinds.add("Guaranteed" if request else "BestEffort")
    return kinds.pop() if len(kinds) == 1 else "Burstable"


def total(containers: Iterable[Obj], kind: str) -> dict[str, ParsedQuantity]:
    """Return the sum of ``requests`` or ``limits`` over containers."""
    sums: dict[str, ParsedQuantity] = {}
    for container in containers:
        amounts = (container.get("resources") or {}).get(kind) or {}
        _add(sums, {name: parse_quantity(quantity) for name, quantity in amounts.items()})
    return sums


def effective(spec: Obj, kind: str) -> dict[str, ParsedQuantity]:
    """Return the sum that a pod's containers need at any time.

    Init containers run one after the other, so the largest counts; sidecars
    (``restartPolicy: Always``) add to all that start after them.
    """
    sums = total(spec.get("containers") or (), kind)
    sidecars: dict[str, ParsedQuantity] = {}
    peak: dict[str, ParsedQuantity] = {}
    for container in spec.get("initContainers") or ():
        own = total((container,), kind)
        if container.get("restartPolicy") == "Always":
            _add(sums, own)
            _add(sidecars, own)
            own = sidecars
        else:
            _add(own, sidecars)
        for name, quantity in own.items():
            peak[name] = max(peak.get(name, quantity), quantity)
    for name, quantity in peak.items():
        sums[name] = max(sums.get(name, quantity), quantity)
    return sums


def _add(sums: dict[str, ParsedQuantity], more: dict[str, ParsedQuantity]) -> None:
    for name, quantity in more.items():
        sums[name] = sums[name] + quantity if name in sums else quantity

"""ResourceClaims, ResourceClaimTemplates, DeviceClasses and ResourceSlices, with few rules.

Requests get their defaults, and specs are immutable; CEL expressions and device attributes are not
validated.
"""

from collections.abc import Iterable

from kubewright.apiserver.builtin.fields.checks import IMMUTABLE, problems, unsupported
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write

_MODES = ("ExactCount", "All")


def _requests(spec: Obj) -> list[Obj]:
    found: list[Obj] = (spec.get("devices") or {}).get("requests") or []
    return found


def _exact(request: Obj) -> Iterable[Obj]:
    if (exactly := request.get("exactly")) is not None:
        yield exactly
    yield from request.get("firstAvailable") or ()


def _default_claim(spec: Obj) -> None:
    spec.setdefault("devices", {})
    for request in _requests(spec):
        for one in _exact(request):
            one["allocationMode"] = one.get("allocationMode") or "ExactCount"
            if one["allocationMode"] == "ExactCount" and not one.get("count"):
                one["count"] = 1


def _validate_claim(spec: Obj, path: str) -> Errors:
    errors: Errors = []
    seen: set[str] = set()
    for i, request in enumerate(_requests(spec)):
        here, name = f"{path}.devices.requests[{i}]", request.get("name") or ""
        if not name:
            errors.append(field.required(f"{here}.name"))
        elif name in seen:
            errors.append(field.duplicate(f"{here}.name", name))
        else:
            errors += problems(naming.dns_label, name, f"{here}.name")
        seen.add(name)
        if (exactly := request.get("exactly")) is not None:
            errors += _device(exactly, f"{here}.exactly")
        elif not request.get("firstAvailable"):
            text = "exactly one of `exactly` or `firstAvailable` is required"
            errors.append(field.required(here, text))
        for j, one in enumerate(request.get("firstAvailable") or ()):
            errors += _device(one, f"{here}.firstAvailable[{j}]")
    return errors


def _device(request: Obj, path: str) -> Errors:
    errors: Errors = []
    name, here = request.get("deviceClassName"), f"{path}.deviceClassName"
    errors += problems(naming.dns_subdomain, name, here) if name else [field.required(here)]
    mode = request.get("allocationMode")
    if mode not in _MODES:
        errors.append(unsupported(f"{path}.allocationMode", mode, ("All", "ExactCount")))
    elif mode == "ExactCount" and (request.get("count") or 0) <= 0:
        text = "must be greater than zero"
        errors.append(field.invalid(f"{path}.count", request.get("count") or 0, text))
    elif mode == "All" and request.get("count"):
        text = "must not be specified when allocationMode is 'All'"
        errors.append(field.invalid(f"{path}.count", request["count"], text))
    return errors


def _fixed(new: Obj, old: Obj) -> Errors:
    if new.get("spec") == old.get("spec"):
        return []
    return [field.invalid("spec", new.get("spec"), IMMUTABLE)]


class ResourceClaimStrategy(Strategy):
    """How ResourceClaims behave: the spec is immutable."""

    has_status = True

    def default(self, obj: Obj) -> None:
        """Default to one device for each request."""
        obj.setdefault("status", {})
        _default_claim(obj.setdefault("spec", {}))

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Start with an empty status."""
        obj["status"] = {}

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Return what is wrong with a new claim."""
        return _validate_claim(obj["spec"], "spec")

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Return an error if the spec changed."""
        return _fixed(new, old)


class ResourceClaimTemplateStrategy(Strategy):
    """How ResourceClaimTemplates behave: the spec is immutable."""

    def default(self, obj: Obj) -> None:
        """Fill in the claim in the template."""
        spec = obj.setdefault("spec", {})
        spec.setdefault("metadata", {})
        _default_claim(spec.setdefault("spec", {}))

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Return what is wrong with a new template."""
        return _validate_claim(obj["spec"]["spec"], "spec.spec")

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Return an error if the spec changed."""
        return _fixed(new, old)


class DeviceClassStrategy(Strategy):
    """How DeviceClasses behave."""

    has_generation = True

    def default(self, obj: Obj) -> None:
        """Include the spec even if it is empty."""
        obj.setdefault("spec", {})


class ResourceSliceStrategy(Strategy):
    """How ResourceSlices behave."""

    has_generation = True
    field_names: frozenset[str] = frozenset({"spec.driver", "spec.nodeName"})

    def default(self, obj: Obj) -> None:
        """Include the pool even if it is empty."""
        spec = obj.setdefault("spec", {})
        pool = spec.setdefault("pool", {})
        for name, zero in (("name", ""), ("generation", 0), ("resourceSliceCount", 0)):
            pool.setdefault(name, zero)

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Return what is wrong with a slice."""
        driver = obj["spec"].get("driver")
        if not driver:
            return [field.required("spec.driver")]
        return problems(naming.dns_subdomain, driver, "spec.driver")

    def selectable_fields(self, obj: Obj) -> dict[str, str]:
        """Return the fields that slices can be selected by."""
        spec = obj.get("spec") or {}
        names = ("driver", "nodeName")
        return {f"spec.{name}": spec.get(name) or "" for name in names}

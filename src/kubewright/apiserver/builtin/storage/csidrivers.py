"""CSIDrivers."""

from kubewright.apiserver.builtin.fields.checks import immutable, one_of
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write

_DRIVER_NAME = 63
_MINUTES = 600
_OFF = (
    "podInfoOnMount",
    "storageCapacity",
    "requiresRepublish",
    "seLinuxMount",
    "preventPodSchedulingIfMissing",
)
_FS_GROUP = ("File", "None", "ReadWriteOnceWithFSType")


class CSIDriverStrategy(Strategy):
    """CSIDrivers."""

    allow_unconditional_update = False

    def default(self, obj: Obj) -> None:
        """Fill in the defaults of the spec."""
        spec = obj.setdefault("spec", {})
        spec.setdefault("attachRequired", True)
        for name in _OFF:
            spec.setdefault(name, False)
        spec.setdefault("fsGroupPolicy", "ReadWriteOnceWithFSType")
        if not spec.get("volumeLifecycleModes"):
            spec["volumeLifecycleModes"] = ["Persistent"]

    def prepare_update(self, new: Obj, old: Obj, write: Write) -> None:
        """Increment the generation, which a new driver does not have yet, unlike other kinds."""
        if new["spec"] != old.get("spec"):
            new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check the modes and the token requests."""
        spec = obj["spec"]
        found = one_of(spec["fsGroupPolicy"], _FS_GROUP, "spec.fsGroupPolicy")
        found += _tokens(spec.get("tokenRequests") or [])
        for mode in spec["volumeLifecycleModes"]:
            found += one_of(mode, ("Persistent", "Ephemeral"), "spec.volumeLifecycleModes")
        period = spec.get("nodeAllocatableUpdatePeriodSeconds")
        if period is not None and period < 10:  # noqa: PLR2004  # as in the message
            path = "spec.nodeAllocatableUpdatePeriodSeconds"
            why = "must be greater than or equal to 10 seconds"
            found.append(field.invalid(path, period, why))
        return found

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that ``attachRequired`` and the lifecycle modes did not change."""
        spec, before = new["spec"], old["spec"]
        found = self.validate(new, write)
        path = "spec.attachedRequired"  # sic: Kubernetes misspells it
        found += immutable(spec["attachRequired"], before.get("attachRequired"), path)
        name = "volumeLifecycleModes"
        return found + immutable(spec[name], before.get(name), f"spec.{name}")


def driver_name(name: str, path: str) -> Errors:
    """Return what is wrong with the name of a CSI driver."""
    if not name:
        return [field.required(path)]
    found = [field.too_long(path, _DRIVER_NAME)] if len(name) > _DRIVER_NAME else []
    return found + [
        field.invalid(path, name, problem) for problem in naming.dns_subdomain(name.lower())
    ]


def _tokens(requests: list[Obj]) -> Errors:
    found: Errors = []
    seen: set[str] = set()
    for index, request in enumerate(requests):
        path, audience = f"spec.tokenRequests[{index}]", request.get("audience") or ""
        if audience in seen:
            found.append(field.duplicate(f"{path}.audience", audience))
            continue
        seen.add(audience)
        seconds = request.get("expirationSeconds")
        if seconds is not None and seconds < _MINUTES:
            why = "may not specify a duration less than 10 minutes"
            found.append(field.invalid(f"{path}.expirationSeconds", seconds, why))
        elif seconds is not None and seconds > 1 << 32:
            why = "may not specify a duration larger than 2^32 seconds"
            found.append(field.invalid(f"{path}.expirationSeconds", seconds, why))
    return found

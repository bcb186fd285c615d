"""Storage classes, CSI drivers and nodes, attachments of volumes."""

from kubewright.apiserver.builtin.fields.rules import (
    first_places,
    immutable,
    named,
    needed,
    not_negative,
    one_of,
    quantity_not_negative,
    same,
)
from kubewright.apiserver.builtin.fields.selectors import validate_selector
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write

_PARAMETERS, _PARAMETERS_SIZE = 512, 256 * 1024
_METADATA_SIZE, _MESSAGE_SIZE, _NODE_ID = 256 * 1024, 1024, 256
_DRIVER_NAME = 63
_MINUTES = 600
_ONE_SOURCE = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"
_OFF = (
    "podInfoOnMount",
    "storageCapacity",
    "requiresRepublish",
    "seLinuxMount",
    "preventPodSchedulingIfMissing",
)
_FS_GROUP = ("File", "None", "ReadWriteOnceWithFSType")


class StorageClassStrategy(Strategy):
    """Storage classes."""

    def default(self, obj: Obj) -> None:
        """Delete volumes with their claim, and bind at once."""
        obj.setdefault("reclaimPolicy", "Delete")
        obj.setdefault("volumeBindingMode", "Immediate")

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check provisioner, parameters and modes."""
        found = _provisioner(obj.get("provisioner") or "", "provisioner")
        found += _parameters(obj.get("parameters") or {})
        if obj["reclaimPolicy"]:
            found += one_of(obj["reclaimPolicy"], ("Delete", "Retain"), "reclaimPolicy")
        modes = ("Immediate", "WaitForFirstConsumer")
        return found + one_of(obj["volumeBindingMode"], modes, "volumeBindingMode")

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that all but the mount options and expansion stays."""
        fixed = ("parameters", "provisioner", "reclaimPolicy", "volumeBindingMode")
        return self.validate(new, write) + same(new, old, fixed)


class VolumeAttributesClassStrategy(Strategy):
    """Classes of volume attributes."""

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check driver and parameters."""
        parameters = obj.get("parameters") or {}
        found = _provisioner(obj.get("driverName") or "", "driverName") + _parameters(parameters)
        return found + needed(parameters, "parameters", "must contain at least one key/value pair")

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that both stay."""
        found = [
            field.forbidden(name, f"updates to {name} are forbidden.")
            for name in ("driverName", "parameters")
            if new.get(name) != old.get(name)
        ]
        return found + self.validate(new, write)


class CSIDriverStrategy(Strategy):
    """CSI drivers."""

    allow_unconditional_update = False

    def default(self, obj: Obj) -> None:
        """Fill in what a driver does unless it says otherwise."""
        spec = obj.setdefault("spec", {})
        spec.setdefault("attachRequired", True)
        for name in _OFF:
            spec.setdefault(name, False)
        spec.setdefault("fsGroupPolicy", "ReadWriteOnceWithFSType")
        if not spec.get("volumeLifecycleModes"):
            spec["volumeLifecycleModes"] = ["Persistent"]

    def prepare_update(self, new: Obj, old: Obj, write: Write) -> None:
        """Count the changes; unlike other kinds, a new driver has no generation yet."""
        if new["spec"] != old.get("spec"):
            new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check the modes and the tokens it wants."""
        spec = obj["spec"]
        found = one_of(spec["fsGroupPolicy"], _FS_GROUP, "spec.fsGroupPolicy")
        found += _tokens(spec.get("tokenRequests") or [])
        for mode in spec["volumeLifecycleModes"]:
            found += one_of(mode, ("Persistent", "Ephemeral"), "spec.volumeLifecycleModes")
        period = spec.get("nodeAllocatableUpdatePeriodSeconds")
        if period is not None and period < 10:  # noqa: PLR2004  # the text says it
            path = "spec.nodeAllocatableUpdatePeriodSeconds"
            why = "must be greater than or equal to 10 seconds"
            found.append(field.invalid(path, period, why))
        return found

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that the way of attaching stays."""
        spec, before = new["spec"], old["spec"]
        found = self.validate(new, write)
        path = "spec.attachedRequired"  # sic
        found += immutable(spec["attachRequired"], before.get("attachRequired"), path)
        name = "volumeLifecycleModes"
        return found + immutable(spec[name], before.get(name), f"spec.{name}")


class CSINodeStrategy(Strategy):
    """What CSI knows of a node."""

    has_status = True
    allow_unconditional_update = False

    def default(self, obj: Obj) -> None:
        """Show the drivers, even if there are none."""
        spec = obj.setdefault("spec", {})
        spec.setdefault("drivers", None)
        for driver in spec["drivers"] or ():
            driver.setdefault("topologyKeys", None)
        obj.setdefault("status", {})

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Begin without a status."""
        obj["status"] = {}

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check each driver."""
        found: Errors = []
        names: set[str] = set()
        for index, driver in enumerate(obj["spec"].get("drivers") or ()):
            found += _node_driver(driver, f"spec.drivers[{index}]", names)
        return found

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that a driver that stays is the same but for its limit."""
        found = self.validate(new, write)
        before = {item.get("name"): item for item in old["spec"].get("drivers") or ()}
        for driver in new["spec"].get("drivers") or ():
            other = before.get(driver.get("name"), driver)
            if _without_limit(driver) != _without_limit(other):
                found += immutable(driver, other, "spec.drivers")
        return found


class CSIStorageCapacityStrategy(Strategy):
    """How much room a storage class has somewhere."""

    allow_unconditional_update = False

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check where, of what, and how much."""
        found = validate_selector(obj.get("nodeTopology"), "nodeTopology")
        name = obj.get("storageClassName") or ""
        found += named(naming.dns_subdomain, name, "storageClassName")
        if "capacity" in obj:
            found += quantity_not_negative(obj["capacity"], "capacity")
        return found

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that only the amounts change."""
        return self.validate(new, write) + same(new, old, ("nodeTopology", "storageClassName"))


class VolumeAttachmentStrategy(Strategy):
    """A volume that is to be attached to a node."""

    has_status = True
    allow_unconditional_update = False

    def default(self, obj: Obj) -> None:
        """Show that it is not attached yet."""
        obj.setdefault("spec", {}).setdefault("source", {})
        obj.setdefault("status", {}).setdefault("attached", False)

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Begin as not attached."""
        obj["status"] = {"attached": False}

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check driver, volume and node."""
        spec = obj["spec"]
        found = driver_name(spec.get("attacher") or "", "spec.attacher")
        found += _source(spec["source"], "spec.source")
        found += named(naming.dns_subdomain, spec.get("nodeName") or "", "spec.nodeName")
        return found + self.validate_status_update(obj, obj, write)

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that the spec stays."""
        return self.validate(new, write) + immutable(new["spec"], old["spec"], "spec")

    def validate_status_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check the sizes of what drivers report."""
        status = new.get("status") or {}
        found: Errors = []
        metadata = status.get("attachmentMetadata") or {}
        if sum(len(key) + len(value) for key, value in metadata.items()) > _METADATA_SIZE:
            found.append(field.too_long("status.attachmentMetadata", _METADATA_SIZE))
        for name in ("attachError", "detachError"):
            if len((status.get(name) or {}).get("message") or "") > _MESSAGE_SIZE:
                found.append(field.too_long(f"status.{name}.message", _MESSAGE_SIZE))
        return found


def driver_name(name: str, path: str) -> Errors:
    """Return what is wrong with the name of a CSI driver."""
    if not name:
        return [field.required(path)]
    found = [field.too_long(path, _DRIVER_NAME)] if len(name) > _DRIVER_NAME else []
    return found + [
        field.invalid(path, name, problem) for problem in naming.dns_subdomain(name.lower())
    ]


def _provisioner(name: str, path: str) -> Errors:
    return needed(name, path) or [
        field.invalid(path, name.lower(), problem)
        for problem in naming.qualified_name(name.lower())
    ]


def _parameters(parameters: dict[str, str]) -> Errors:
    path = "parameters"
    if len(parameters) > _PARAMETERS:
        return [field.too_long(path, _PARAMETERS)]
    found: Errors = []
    if "" in parameters:
        found.append(field.invalid(path, "", "field can not be empty."))
    if sum(len(key) + len(value) for key, value in parameters.items()) > _PARAMETERS_SIZE:
        found.append(field.too_long(path, _PARAMETERS_SIZE))
    return found


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


def _node_driver(driver: Obj, path: str, names: set[str]) -> Errors:
    name, node = driver.get("name") or "", driver.get("nodeID") or ""
    found = driver_name(name, f"{path}.name") + needed(node, f"{path}.nodeID")
    if len(node) > _NODE_ID:
        why = f"must be {_NODE_ID} characters or less"
        found.append(field.invalid(f"{path}.nodeID", node, why))
    count = (driver.get("allocatable") or {}).get("count")
    found += not_negative(count, f"{path}.allocatable.count")
    if name in names:
        found.append(field.duplicate(f"{path}.name", name))
    names.add(name)
    keys = driver.get("topologyKeys") or []
    first = first_places(keys)
    for index, key in enumerate(keys):
        found += needed(key, path)
        if first[key] != index:
            found.append(field.duplicate(path, key))
        found += named(naming.qualified_name, key, path)
    return found


def _without_limit(driver: Obj) -> Obj:
    return {name: value for name, value in driver.items() if name != "allocatable"}


def _source(source: Obj, path: str) -> Errors:
    inline, name = source.get("inlineVolumeSpec"), source.get("persistentVolumeName")
    if inline is None and name is None:
        return [field.required(path, _ONE_SOURCE)]
    if inline is not None and name is not None:
        return [field.forbidden(path, _ONE_SOURCE)]
    if name is None:
        return []
    path = f"{path}.persistentVolumeName"
    return needed(name, path, "must specify non empty persistentVolumeName") + named(
        naming.dns_subdomain, name, path
    )

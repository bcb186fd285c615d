"""CSINodes: the CSI drivers of each node."""

from kubewright.apiserver.builtin.fields.checks import (
    first_indexes,
    immutable,
    needed,
    not_negative,
    problems,
)
from kubewright.apiserver.builtin.storage.csidrivers import driver_name
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write

_NODE_ID = 256


class CSINodeStrategy(Strategy):
    """CSINodes."""

    has_status = True
    allow_unconditional_update = False

    def default(self, obj: Obj) -> None:
        """Include the drivers even if there are none."""
        spec = obj.setdefault("spec", {})
        spec.setdefault("drivers", None)
        for driver in spec["drivers"] or ():
            driver.setdefault("topologyKeys", None)
        obj.setdefault("status", {})

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Start with an empty status."""
        obj["status"] = {}

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check each driver."""
        found: Errors = []
        names: set[str] = set()
        for index, driver in enumerate(obj["spec"].get("drivers") or ()):
            found += _node_driver(driver, f"spec.drivers[{index}]", names)
        return found

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that existing drivers did not change apart from their limit."""
        found = self.validate(new, write)
        before = {item.get("name"): item for item in old["spec"].get("drivers") or ()}
        for driver in new["spec"].get("drivers") or ():
            other = before.get(driver.get("name"), driver)
            if _without_limit(driver) != _without_limit(other):
                found += immutable(driver, other, "spec.drivers")
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
    first = first_indexes(keys)
    for index, key in enumerate(keys):
        found += needed(key, path)
        if first[key] != index:
            found.append(field.duplicate(path, key))
        found += problems(naming.qualified_name, key, path)
    return found


def _without_limit(driver: Obj) -> Obj:
    return {name: value for name, value in driver.items() if name != "allocatable"}

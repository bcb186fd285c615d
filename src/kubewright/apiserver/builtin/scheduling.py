"""PriorityClasses, including the two that every cluster has."""

from kubewright.apiserver.builtin.fields.checks import needed_one_of
from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write

CLASSES: GroupResource = GroupResource("scheduling.k8s.io", "priorityclasses")
HIGHEST_OF_USERS: int = 1_000_000_000
SYSTEM: dict[str, tuple[int, str]] = {
    "system-node-critical": (
        2_000_001_000,
        "Used for system critical pods that must not be moved from their current node.",
    ),
    "system-cluster-critical": (
        2_000_000_000,
        (
            "Used for system critical pods that must run in the cluster, but can be moved to"
            " another node if necessary."
        ),
    ),
}
_POLICIES = ("PreemptLowerPriority", "Never")


def system_classes() -> list[Obj]:
    """Return the classes that a server creates when it starts."""
    return [
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": name, "generation": 1},
            "value": value,
            "description": text,
            "preemptionPolicy": "PreemptLowerPriority",
        }
        for name, (value, text) in SYSTEM.items()
    ]


class PriorityClassStrategy(Strategy):
    """How PriorityClasses behave."""

    has_generation = True

    def default(self, obj: Obj) -> None:
        """Default to preemption of pods with lower priority."""
        obj.setdefault("value", 0)
        obj.setdefault("preemptionPolicy", "PreemptLowerPriority")

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Return what is wrong with a new class."""
        name, value = obj["metadata"].get("name") or "", obj.get("value") or 0
        errors: Errors = []
        if name.startswith("system-"):
            if problem := _system_problem(name, value, default=bool(obj.get("globalDefault"))):
                text = "priority class names with 'system-' prefix are reserved for system use only"
                errors.append(field.forbidden("metadata.name", f"{text}. error: {problem}"))
        elif value > HIGHEST_OF_USERS:
            text = f"maximum allowed value of a user defined priority is {HIGHEST_OF_USERS}"
            errors.append(field.forbidden("value", text))
        policy = obj.get("preemptionPolicy")
        return errors + (
            [] if policy in _POLICIES else needed_one_of(policy, _POLICIES, "preemptionPolicy")
        )

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Return what is wrong with a change: pods have copied the value, so it is immutable."""
        errors: Errors = []
        if (new.get("value") or 0) != (old.get("value") or 0):
            errors.append(field.forbidden("value", "may not be changed in an update."))
        if new.get("preemptionPolicy") != old.get("preemptionPolicy"):
            policy = new.get("preemptionPolicy")
            errors.append(field.invalid("preemptionPolicy", policy, "field is immutable"))
        return errors

    def spec_changed(self, new: Obj, old: Obj) -> bool:
        """Return False: the generation never changes."""
        return False


def _system_problem(name: str, value: int, *, default: bool) -> str:
    if name not in SYSTEM:
        return f"{name} is not a known system priority class"
    if value != SYSTEM[name][0]:
        return f"value of {name} PriorityClass must be {SYSTEM[name][0]}"
    return f"globalDefault of {name} PriorityClass must be false" if default else ""

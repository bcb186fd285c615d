"""The priority of a pod is the value of its PriorityClass; at most one class is the default."""

from typing import Any

from kubewright.apiserver.admission.attributes import Attributes
from kubewright.apiserver.admission.plugin import AdmissionPlugin
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Obj, Reader

CLASSES: GroupResource = GroupResource("scheduling.k8s.io", "priorityclasses")


class Priority(AdmissionPlugin):
    """Sets the priority of pods, and guards the default class."""

    def admit(self, attributes: Attributes) -> None:
        """Set the priority of a new pod, and keep that of a changed one.

        Raises:
            StatusError: The class does not exist, or the pod chose a priority of its own (403).
        """
        if attributes.resource.resource != "pods":
            return
        assert attributes.object is not None
        spec: Obj = attributes.object["spec"]
        if attributes.old_object is not None:
            _keep(spec, attributes.old_object["spec"])
            return
        name = spec.get("priorityClassName")
        found = self._reader.find_object(CLASSES, "", name) if name else find_default(self._reader)
        if name and found is None:
            raise attributes.forbidden(f"no PriorityClass with name {name} was found")
        value, policy = 0, "PreemptLowerPriority"
        if found is not None:
            spec["priorityClassName"] = found["metadata"]["name"]
            value, policy = found.get("value") or 0, found.get("preemptionPolicy") or policy
        _set(attributes, "priority", value, "integer value of priority")
        _set(attributes, "preemptionPolicy", policy, "string value of PreemptionPolicy")

    def validate(self, attributes: Attributes) -> None:
        """Refuse a second default class.

        Raises:
            StatusError: Another class is the default (403).
        """
        obj = attributes.object
        if attributes.resource.resource == "pods" or obj is None or not obj.get("globalDefault"):
            return
        other = find_default(self._reader)
        if other is None:
            return
        name = other["metadata"]["name"]
        if attributes.operation == "CREATE" or name != obj["metadata"].get("name"):
            why = f"PriorityClass {name} is already marked as default. Only one default can exist"
            raise attributes.forbidden(why)


def find_default(reader: Reader) -> Obj | None:
    """Return the class of pods that name none; the lowest, if two were made at the same time."""
    found = [one for one in reader.list(CLASSES) if one.get("globalDefault")]
    return min(found, key=lambda one: one.get("value") or 0, default=None)


def _keep(new: Obj, old: Obj) -> None:
    for name in ("priority", "preemptionPolicy"):
        if new.get(name) is None and old.get(name) is not None:
            new[name] = old[name]


def _set(attributes: Attributes, name: str, computed: Any, what: str) -> None:
    assert attributes.object is not None
    given = attributes.object["spec"].get(name)
    if given is not None and given != computed:
        why = (
            f"the {what} ({given}) must not be provided in pod spec; priority admission controller"
            f" computed {computed} from the given PriorityClass name"
        )
        raise attributes.forbidden(why)
    attributes.object["spec"][name] = computed

"""A RuntimeClass adds to the pods that name it: overhead, and where they may run."""

from kubewright.apiserver.admission.attributes import Attributes
from kubewright.apiserver.admission.plugin import AdmissionPlugin
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Obj

CLASSES: GroupResource = GroupResource("node.k8s.io", "runtimeclasses")


class RuntimeClass(AdmissionPlugin):
    """Completes new pods from their class."""

    def admit(self, attributes: Attributes) -> None:
        """Change a new pod as its RuntimeClass says.

        Raises:
            StatusError: The class does not exist, or the pod contradicts it (403).
        """
        assert attributes.object is not None
        spec: Obj = attributes.object["spec"]
        if "runtimeClassName" not in spec and "overhead" not in spec:
            return
        name = spec.get("runtimeClassName")
        found = self._reader.find_object(CLASSES, "", name) if name is not None else None
        if name is not None and found is None:
            raise attributes.forbidden(f'pod rejected: RuntimeClass "{name}" not found')
        overhead = ((found or {}).get("overhead") or {}).get("podFixed")
        if overhead:
            if spec.get("overhead", overhead) != overhead:
                text = "Pod's Overhead doesn't match RuntimeClass's defined Overhead"
                raise attributes.forbidden(f"pod rejected: {text}")
            spec["overhead"] = dict(overhead)
        elif spec.get("overhead"):
            text = "Pod Overhead set without corresponding RuntimeClass defined Overhead"
            raise attributes.forbidden(f"pod rejected: {text}")
        _place(attributes, spec, (found or {}).get("scheduling") or {})


def _place(attributes: Attributes, spec: Obj, scheduling: Obj) -> None:
    for key, value in (scheduling.get("nodeSelector") or {}).items():
        selector = spec.setdefault("nodeSelector", {})
        if selector.setdefault(key, value) != value:
            why = (
                f"conflict: runtimeClass.scheduling.nodeSelector[{key}] = {value};"
                f" pod.spec.nodeSelector[{key}] = {selector[key]}"
            )
            raise attributes.forbidden(why)
    for toleration in scheduling.get("tolerations") or ():
        if toleration not in spec.setdefault("tolerations", []):
            spec["tolerations"].append(dict(toleration))

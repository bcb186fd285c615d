"""What a RuntimeClass adds to the pods that name it: overhead, and where they may run."""

from kubewright.apiserver.meta import status
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Obj, Write

CLASSES: GroupResource = GroupResource("node.k8s.io", "runtimeclasses")
_PODS = GroupResource("", "pods")


def admit_runtime_class(obj: Obj, write: Write) -> None:
    """Change a new pod as its RuntimeClass says.

    Raises:
        StatusError: The class is not there, or the pod contradicts it (403).
    """
    spec = obj["spec"]
    name = spec.get("runtimeClassName")
    found = write.reader.get(CLASSES, "", name) if name is not None else None
    if name is not None and found is None:
        raise _refused(obj, f'pod rejected: RuntimeClass "{name}" not found')
    overhead = ((found or {}).get("overhead") or {}).get("podFixed")
    if overhead:
        if spec.get("overhead", overhead) != overhead:
            text = "Pod's Overhead doesn't match RuntimeClass's defined Overhead"
            raise _refused(obj, f"pod rejected: {text}")
        spec["overhead"] = dict(overhead)
    elif spec.get("overhead"):
        text = "Pod Overhead set without corresponding RuntimeClass defined Overhead"
        raise _refused(obj, f"pod rejected: {text}")
    _place(obj, (found or {}).get("scheduling") or {})


def _place(obj: Obj, scheduling: Obj) -> None:
    spec = obj["spec"]
    for key, value in (scheduling.get("nodeSelector") or {}).items():
        selector = spec.setdefault("nodeSelector", {})
        if selector.setdefault(key, value) != value:
            why = f"runtimeClass.scheduling.nodeSelector[{key}] = {value}"
            raise _refused(obj, f"conflict: {why}; pod.spec.nodeSelector[{key}] = {selector[key]}")
    for toleration in scheduling.get("tolerations") or ():
        if toleration not in spec.setdefault("tolerations", []):
            spec["tolerations"].append(dict(toleration))


def _refused(obj: Obj, why: str) -> status.StatusError:
    return status.forbidden(_PODS, obj["metadata"].get("name") or "", why)

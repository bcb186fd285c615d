"""The parts of a pod that subresources change: all else is taken from the stored pod."""

from kubewright.apiserver.builtin.core.pod.defaults import default_pod, default_pod_resources
from kubewright.apiserver.registry.strategy import Obj

MIRROR: str = "kubernetes.io/config.mirror"
"""The annotation of a pod that a kubelet made for a file on its node."""


def keep_ephemeral_containers(new: Obj, old: Obj) -> None:
    """Leave in *new* only its ephemeral containers."""
    late = (new.get("spec") or {}).get("ephemeralContainers")
    new["spec"] = {**old["spec"]}
    if late:
        new["spec"]["ephemeralContainers"] = late
    else:
        new["spec"].pop("ephemeralContainers", None)
    new["status"] = old.get("status") or {}
    default_pod(new["spec"])


def keep_resources(new: Obj, old: Obj) -> None:
    """Leave in *new* only its resources, of the pod and of each container."""
    wanted = new.get("spec") or {}
    spec = {**old["spec"]}
    if wanted.get("resources"):
        spec["resources"] = wanted["resources"]
    for kind in ("containers", "initContainers"):
        now, then = wanted.get(kind) or [], old["spec"].get(kind) or []
        if [one.get("name") for one in now] != [one.get("name") for one in then]:
            spec[kind] = now
        elif now:
            spec[kind] = [_with_resources(*pair) for pair in zip(then, now, strict=True)]
    new["spec"], new["status"] = spec, old.get("status") or {}
    default_pod(spec)
    if spec.get("resources"):
        default_pod_resources(spec)


def _with_resources(old: Obj, new: Obj) -> Obj:
    merged = {**old}
    for name in ("resources", "resizePolicy"):
        merged.pop(name, None)
        if name in new:
            merged[name] = new[name]
    return merged

"""Limits a write to a pod's subresource to its own fields; the stored pod provides the rest."""

from kubewright.apiserver.builtin.core.pod.defaults import default_pod, default_pod_resources
from kubewright.apiserver.registry.strategy import Obj

MIRROR: str = "kubernetes.io/config.mirror"
"""The annotation of a mirror pod, which a kubelet creates for a static pod."""


def keep_ephemeral_containers(new: Obj, old: Obj) -> None:
    """Keep the ephemeral containers of *new* and take everything else from *old*."""
    late = (new.get("spec") or {}).get("ephemeralContainers")
    new["spec"] = {**old["spec"]}
    if late:
        new["spec"]["ephemeralContainers"] = late
    else:
        new["spec"].pop("ephemeralContainers", None)
    new["status"] = old.get("status") or {}
    default_pod(new["spec"])


def keep_resources(new: Obj, old: Obj) -> None:
    """Keep the resources of *new*, pod and containers, and take everything else from *old*."""
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

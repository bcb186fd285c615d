"""Which container of a pod is meant."""

from typing import Any

from kubewright.apiserver.meta import status

Obj = dict[str, Any]


def chosen(pod: Obj, wanted: str) -> str:
    """Return the container that a request to *pod* is about.

    Raises:
        StatusError: It has no such container, or several and none was named.
    """
    name, spec = pod["metadata"]["name"], pod.get("spec", {})
    containers = _names(spec, "containers")
    inits = _names(spec, "initContainers")
    ephemeral = _names(spec, "ephemeralContainers")
    if wanted:
        if wanted not in (*containers, *inits, *ephemeral):
            raise status.bad_request(f"container {wanted} is not valid for pod {name}")
        return wanted
    if len(containers) == 1:
        return containers[0]
    text = f"a container name must be specified for pod {name}"
    if containers:
        text += f", choose one of: [{' '.join(containers)}]"
    if inits:
        text += f" or one of the init containers: [{' '.join(inits)}]"
    raise status.bad_request(text)


def _names(spec: Obj, key: str) -> list[str]:
    return [one["name"] for one in spec.get(key) or ()]

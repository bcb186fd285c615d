"""Warnings about pods that are taken although they are probably not what was meant."""

from collections.abc import Iterator

from kubewright.apiserver import naming
from kubewright.apiserver.strategy import Obj

_OLD_VOLUMES = {
    "photonPersistentDisk": "deprecated in v1.11, non-functional in v1.16+",
    "gitRepo": "deprecated in v1.11, and disabled by default in v1.33+",
    "scaleIO": "deprecated in v1.16, non-functional in v1.22+",
    "flocker": "deprecated in v1.22, non-functional in v1.25+",
    "storageos": "deprecated in v1.22, non-functional in v1.25+",
    "quobyte": "deprecated in v1.22, non-functional in v1.25+",
    "glusterfs": "deprecated in v1.25, non-functional in v1.26+",
    "cephfs": "deprecated in v1.28, non-functional in v1.31+",
    "rbd": "deprecated in v1.28, non-functional in v1.31+",
}
_OLD_LABELS = {
    "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
    "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
    "failure-domain.beta.kubernetes.io/region": (
        'deprecated since v1.17; use "topology.kubernetes.io/region" instead'
    ),
    "failure-domain.beta.kubernetes.io/zone": (
        'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'
    ),
    "beta.kubernetes.io/instance-type": (
        'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'
    ),
}


def pod_warnings(pod: Obj) -> Iterator[str]:
    """Yield the warnings for a new pod."""
    found = naming.dns_label(pod["metadata"].get("name") or "")
    if found:
        yield (
            "metadata.name: this is used in the Pod's hostname, which can result in surprising"
            f" behavior; a DNS label is recommended: [{' '.join(found)}]"
        )
    yield from spec_warnings(pod["spec"], "spec")


def name_warnings(name: str) -> Iterator[str]:
    """Yield the warning for the name of something whose pods are called after it."""
    if found := naming.dns_label(name):
        yield (
            "metadata.name: this is used in Pod names and hostnames, which can result in"
            f" surprising behavior; a DNS label is recommended: [{' '.join(found)}]"
        )


def spec_warnings(spec: Obj, path: str) -> Iterator[str]:
    """Yield the warnings for the spec of a pod or template at *path*."""
    for key in spec.get("nodeSelector") or ():
        if key in _OLD_LABELS:
            yield f"{path}.nodeSelector[{key}]: {_OLD_LABELS[key]}"
    yield from _spread(spec, path)
    for i, volume in enumerate(spec.get("volumes") or ()):
        for kind in _OLD_VOLUMES.keys() & volume.keys():
            yield f"{path}.volumes[{i}].{kind}: {_OLD_VOLUMES[kind]}"
    yield from _repeated(spec, path)
    containers = [
        (f"{path}.{kind}[{i}]", container)
        for kind in ("initContainers", "containers")
        for i, container in enumerate(spec.get(kind) or ())
    ]
    for here, container in containers:
        yield from _container(container, here)
    if any("ports" in container for _, container in containers):
        yield from _ports(containers)


def _spread(spec: Obj, path: str) -> Iterator[str]:
    for i, constraint in enumerate(spec.get("topologySpreadConstraints") or ()):
        here, key = f"{path}.topologySpreadConstraints[{i}]", constraint.get("topologyKey")
        if key in _OLD_LABELS:
            yield f"{here}.topologyKey: {key} is {_OLD_LABELS[key]}"
        if constraint.get("labelSelector") is None:
            yield f"{here}.labelSelector: a null labelSelector results in matching no pod"


def _repeated(spec: Obj, path: str) -> Iterator[str]:
    for kind, name in (("hostAliases", "ip"), ("imagePullSecrets", "name")):
        seen = set()
        for i, one in enumerate(spec.get(kind) or ()):
            value = one.get(name) or ""
            if value in seen:
                yield f'{path}.{kind}[{i}].{name}: duplicate {name} "{value}"'
            seen.add(value)
            if kind == "imagePullSecrets" and not value:
                yield f'{path}.{kind}[{i}].{name}: invalid empty name ""'


def _container(container: Obj, path: str) -> Iterator[str]:
    resources = container.get("resources") or {}
    for name in ("memory", "ephemeral-storage"):
        for kind in ("limits", "requests"):
            quantity = (resources.get(kind) or {}).get(name)
            # A fraction of a byte ends so in canonical form.
            if quantity is not None and quantity[-1:] in "mun":
                yield (
                    f'{path}.resources.{kind}[{name}]: fractional byte value "{quantity}" is'
                    " invalid, must be an integer"
                )
    seen = set()
    for i, variable in enumerate(container.get("env") or ()):
        name, value = variable.get("name"), variable.get("value") or ""
        reference = f"$({name})"
        extends = "valueFrom" not in variable and reference in value and value != reference
        if name in seen and not extends:
            yield (
                f'{path}.env[{i}]: hides previous definition of "{name}", which may be dropped'
                " when using apply"
            )
        seen.add(name)


def _ports(containers: list[tuple[str, Obj]]) -> Iterator[str]:
    listed = [
        (f"{here}.ports[{i}]", port)
        for here, container in containers
        for i, port in enumerate(container.get("ports") or ())
    ]
    if len({(port.get("containerPort"), port.get("protocol")) for _, port in listed}) < len(listed):
        for position, (here, port) in enumerate(listed):
            for there, other in listed[:position]:
                yield from _overlap(here, port, there, other)
    names: dict[str, str] = {}
    for here, port in listed:
        name = port.get("name")
        if name and names.setdefault(name, here) != here:
            first = names[name]
            yield (
                f'{here}: duplicate port name "{name}" with {first}, services and probes that'
                f" select ports by name will use {first}"
            )


def _overlap(here: str, port: Obj, there: str, other: Obj) -> Iterator[str]:
    keys = ("containerPort", "protocol")
    if any(port.get(key) != other.get(key) for key in keys):
        return
    host, others = port.get("hostPort") or 0, other.get("hostPort") or 0
    ip, other_ip = port.get("hostIP") or "", other.get("hostIP") or ""
    if ip == other_ip and host == others:
        yield f"{here}: duplicate port definition with {there}"
    elif not host or not others:
        yield f"{here}: overlapping port definition with {there}"
    elif host == others and (not ip) != (not other_ip):
        yield f"{here}: dangerously ambiguous port definition with {there}"

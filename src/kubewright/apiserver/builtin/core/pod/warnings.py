"""Warnings about pods that are valid but probably a mistake."""

from collections.abc import Iterable, Iterator
from typing import Any

from kubewright.apiserver.meta import naming
from kubewright.apiserver.registry.strategy import Obj

OLD_VOLUMES: dict[str, str] = {
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

_OLD_ANNOTATIONS = {
    "scheduler.alpha.kubernetes.io/critical-pod": (
        'non-functional in v1.16+; use the "priorityClassName" field instead'
    ),
    "security.alpha.kubernetes.io/sysctls": (
        'non-functional in v1.11+; use the "sysctls" field instead'
    ),
    "security.alpha.kubernetes.io/unsafe-sysctls": (
        'non-functional in v1.11+; use the "sysctls" field instead'
    ),
}
_SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod"
_SECCOMP = "container.seccomp.security.alpha.kubernetes.io/"
_APPARMOR = "container.apparmor.security.beta.kubernetes.io/"
_USE_SECCOMP = 'non-functional in v1.27+; use the "seccompProfile" field instead'
_USE_APPARMOR = 'deprecated since v1.30; use the "appArmorProfile" field instead'
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_MATCHES_NONE = "a null labelSelector results in matching no pod"
MOST_ALIKE: int = 16  # ports of one number to compare another with: a pod may list 10,000


def pod_warnings(pod: Obj) -> Iterator[str]:
    """Yield the warnings for a new pod."""
    found = naming.dns_label(pod["metadata"].get("name") or "")
    if found:
        yield (
            "metadata.name: this is used in the Pod's hostname, which can result in surprising"
            f" behavior; a DNS label is recommended: [{' '.join(found)}]"
        )
    yield from template_warnings(pod, "")


def name_warnings(name: str) -> Iterator[str]:
    """Yield the warning for the name of a workload whose pods carry that name."""
    if found := naming.dns_label(name):
        yield (
            "metadata.name: this is used in Pod names and hostnames, which can result in"
            f" surprising behavior; a DNS label is recommended: [{' '.join(found)}]"
        )


def template_warnings(template: Obj, path: str) -> Iterator[str]:
    """Yield the warnings for a pod, or for the template of pods at *path*."""
    spec, before = template.get("spec") or {}, f"{path}." if path else ""
    annotations = (template.get("metadata") or {}).get("annotations")
    if annotations:
        for key, text in _old_annotations(annotations, spec):
            yield f"{before}metadata.annotations[{key}]: {text}"
    yield from spec_warnings(spec, f"{before}spec")


def _old_annotations(annotations: Obj, spec: Obj) -> Iterator[tuple[str, str]]:
    """Yield annotations that fields have replaced, and what to use instead."""
    yield from ((key, text) for key, text in _OLD_ANNOTATIONS.items() if key in annotations)
    whole = spec.get("securityContext") or {}
    if _SECCOMP_POD in annotations and not whole.get("seccompProfile"):
        yield _SECCOMP_POD, _USE_SECCOMP
    for container in (*(spec.get("initContainers") or ()), *(spec.get("containers") or ())):
        own, name = container.get("securityContext") or {}, container.get("name", "")
        if f"{_SECCOMP}{name}" in annotations and not own.get("seccompProfile"):
            yield f"{_SECCOMP}{name}", _USE_SECCOMP
        profile = annotations.get(f"{_APPARMOR}{name}")
        said = own.get("appArmorProfile") or whole.get("appArmorProfile") == _profile(profile)
        if profile is not None and not said:
            yield f"{_APPARMOR}{name}", _USE_APPARMOR


def _profile(annotation: str | None) -> Obj | None:
    """Return the AppArmor profile that an annotation stands for."""
    kind, _, name = (annotation or "").partition("/")
    if kind == "localhost" and name:
        return {"type": "Localhost", "localhostProfile": name}
    found = {"runtime/default": "RuntimeDefault", "unconfined": "Unconfined"}.get(annotation or "")
    return {"type": found} if found else None


def node_term_warnings(terms: Iterable[tuple[str, Obj]]) -> Iterator[str]:
    """Yield the warnings for terms that select nodes by deprecated labels."""
    for path, term in terms:
        for i, one in enumerate(term.get("matchExpressions") or ()):
            key = one.get("key")
            if key in _OLD_LABELS:
                yield f"{path}.matchExpressions[{i}].key: {key} is {_OLD_LABELS[key]}"


def spec_warnings(spec: Obj, path: str) -> Iterator[str]:
    """Yield the warnings for the spec of a pod or template at *path*."""
    for key in spec.get("nodeSelector") or ():
        if key in _OLD_LABELS:
            yield f"{path}.nodeSelector[{key}]: {_OLD_LABELS[key]}"
    yield from _affinity(spec.get("affinity") or {}, f"{path}.affinity")
    yield from _spread(spec, path)
    for i, volume in enumerate(spec.get("volumes") or ()):
        for kind in OLD_VOLUMES.keys() & volume.keys():
            yield f"{path}.volumes[{i}].{kind}: {OLD_VOLUMES[kind]}"
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
    if (spec.get("terminationGracePeriodSeconds") or 0) < 0:
        yield (
            f"{path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and"
            " will be treated as 1"
        )


def _affinity(affinity: Obj, path: str) -> Iterator[str]:
    nodes, here = affinity.get("nodeAffinity") or {}, f"{path}.nodeAffinity"
    required = (nodes.get(_REQUIRED) or {}).get("nodeSelectorTerms") or ()
    preferred = nodes.get(_PREFERRED) or ()
    yield from node_term_warnings(
        [
            *(
                (f"{here}.{_REQUIRED}.nodeSelectorTerms[{i}]", one)
                for i, one in enumerate(required)
            ),
            *(
                (f"{here}.{_PREFERRED}[{i}].preference", one.get("preference") or {})
                for i, one in enumerate(preferred)
            ),
        ]
    )
    for kind in ("podAffinity", "podAntiAffinity"):
        found, here = affinity.get(kind) or {}, f"{path}.{kind}"
        for i, one in enumerate(found.get(_REQUIRED) or ()):
            if one.get("labelSelector") is None:
                yield f"{here}.{_REQUIRED}[{i}].labelSelector: {_MATCHES_NONE}"
        for i, one in enumerate(found.get(_PREFERRED) or ()):
            if (one.get("podAffinityTerm") or {}).get("labelSelector") is None:
                yield f"{here}.{_PREFERRED}[{i}].podAffinityTerm.labelSelector: {_MATCHES_NONE}"


def _spread(spec: Obj, path: str) -> Iterator[str]:
    for i, constraint in enumerate(spec.get("topologySpreadConstraints") or ()):
        here, key = f"{path}.topologySpreadConstraints[{i}]", constraint.get("topologyKey")
        if key in _OLD_LABELS:
            yield f"{here}.topologyKey: {key} is {_OLD_LABELS[key]}"
        if constraint.get("labelSelector") is None:
            yield f"{here}.labelSelector: {_MATCHES_NONE}"


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
            # In canonical form, a fraction of a byte ends in m.
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
    alike: dict[tuple[Any, Any], list[tuple[str, Obj]]] = {}
    for here, port in listed:
        before = alike.setdefault((port.get("containerPort"), port.get("protocol")), [])
        for there, other in before:
            yield from _overlap(here, port, there, other)
        if len(before) < MOST_ALIKE:
            before.append((here, port))
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
    host, others = port.get("hostPort") or 0, other.get("hostPort") or 0
    ip, other_ip = port.get("hostIP") or "", other.get("hostIP") or ""
    if ip == other_ip and host == others:
        yield f"{here}: duplicate port definition with {there}"
    elif not host or not others:
        yield f"{here}: overlapping port definition with {there}"
    elif host == others and (not ip) != (not other_ip):
        yield f"{here}: dangerously ambiguous port definition with {there}"

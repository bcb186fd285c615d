"""Validation of a pod's spec, in a pod or in a template."""

from typing import Any

from kubewright.apiserver.builtin.core.pod.containers import (
    Surroundings,
    validate_containers,
    validate_ephemeral_containers,
    validate_init_containers,
)
from kubewright.apiserver.builtin.core.pod.defaults import all_containers
from kubewright.apiserver.builtin.core.pod.dns import validate_dns
from kubewright.apiserver.builtin.core.pod.placement import (
    validate_affinity,
    validate_spread,
    validate_tolerations,
)
from kubewright.apiserver.builtin.core.pod.resources import (
    amount,
    effective,
    pod_resource_name,
    validate_resources,
)
from kubewright.apiserver.builtin.core.pod.security import validate_pod_security
from kubewright.apiserver.builtin.core.pod.volumes import validate_volumes
from kubewright.apiserver.builtin.fields.addresses import address
from kubewright.apiserver.builtin.fields.checks import (
    MAX_INT32,
    in_range,
    needed_one_of,
    problems,
    unsupported,
)
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj

_RESTARTS = ("Always", "OnFailure", "Never")
_DNS = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_PREEMPTION = ("PreemptLowerPriority", "Never")
_HOSTNAME_LIMIT = 64
_NAMES = (
    ("serviceAccountName", naming.dns_subdomain),
    ("nodeName", naming.dns_subdomain),
    ("hostname", naming.dns_label),
    ("subdomain", naming.dns_label),
    ("priorityClassName", naming.dns_subdomain),
    ("runtimeClassName", naming.dns_subdomain),
)


def validate_pod_spec(spec: Obj, path: str, *, pod: Obj | None = None) -> Errors:
    """Return what is wrong with the spec of a pod or a template.

    Args:
        spec: The spec, with defaults filled in.
        path: Its path: ``spec``, or ``spec.template.spec``.
        pod: The metadata of the pod; ``None`` for a template.
    """
    errors: Errors = []
    volumes: dict[str, Obj] = {}
    if found := spec.get("volumes"):
        name = (pod or {}).get("name") or ""
        volumes, errors = validate_volumes(found, f"{path}.volumes", pod=name)
    claims = spec.get("resourceClaims") or ()
    if claims:
        errors += _claims(claims, f"{path}.resourceClaims")
    around = Surroundings(
        volumes=volumes,
        claims=frozenset(claim["name"] for claim in claims if claim.get("name")),
        grace=spec.get("terminationGracePeriodSeconds"),
        restarts=spec.get("restartPolicy") or "",
        host_users=spec.get("hostUsers") is not False,
    )
    errors += _all_containers(spec, around, path)
    return errors + _scalars(spec, path, is_pod=pod is not None) + _lists(spec, path)


def _all_containers(spec: Obj, around: Surroundings, path: str) -> Errors:
    containers = spec.get("containers") or []
    errors = validate_containers(containers, around, f"{path}.containers")
    if first := spec.get("initContainers"):
        errors += validate_init_containers(first, containers, around, f"{path}.initContainers")
    if late := spec.get("ephemeralContainers"):
        here = f"{path}.ephemeralContainers"
        errors += validate_ephemeral_containers(late, all_containers(spec), around, here)
    if whole := spec.get("resources"):
        errors += _pod_resources(whole, spec, f"{path}.resources")
    return errors


def _scalars(spec: Obj, path: str, *, is_pod: bool) -> Errors:
    errors: Errors = []
    if spec.get("hostNetwork"):
        errors += _host_network(spec, path, is_pod=is_pod)
    if (policy := spec.get("restartPolicy")) not in _RESTARTS:
        errors += needed_one_of(policy, _RESTARTS, f"{path}.restartPolicy")
    if (policy := spec.get("dnsPolicy")) not in _DNS:
        errors += needed_one_of(policy, _DNS, f"{path}.dnsPolicy")
    if selector := spec.get("nodeSelector"):
        errors += naming.labels(selector, f"{path}.nodeSelector")
    if context := spec.get("securityContext"):
        errors += validate_pod_security(context, spec, f"{path}.securityContext")
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        text = "ShareProcessNamespace and HostPID cannot both be enabled"
        errors.append(field.invalid(f"{path}.shareProcessNamespace", True, text))
    if affinity := spec.get("affinity"):
        errors += validate_affinity(affinity, f"{path}.affinity")
    if "dnsConfig" in spec or policy == "None":
        errors += validate_dns(spec.get("dnsConfig"), policy or "", f"{path}.dnsConfig")
    return errors


def _lists(spec: Obj, path: str) -> Errors:
    errors: Errors = []
    for i, gate in enumerate(spec.get("readinessGates") or ()):
        here = f"{path}.readinessGates[{i}].conditionType"
        errors += problems(naming.qualified_name, gate.get("conditionType") or "", here)
    if gates := spec.get("schedulingGates"):
        errors += _gates(gates, f"{path}.schedulingGates")
    if constraints := spec.get("topologySpreadConstraints"):
        errors += validate_spread(constraints, f"{path}.topologySpreadConstraints")
    if spec.get("hostUsers") is False:
        errors += _own_users(spec, path)
    if (name := spec.get("hostnameOverride")) is not None:
        errors += _hostname(name, spec, path)
    return errors + _names(spec, path)


def _names(spec: Obj, path: str) -> Errors:
    errors: Errors = []
    for name, rule in _NAMES[:2]:
        if value := spec.get(name):
            errors += problems(rule, value, f"{path}.{name}")
    if (seconds := spec.get("activeDeadlineSeconds")) is not None:
        errors += in_range(seconds, 1, MAX_INT32, f"{path}.activeDeadlineSeconds")
    for name, rule in _NAMES[2:4]:
        if value := spec.get(name):
            errors += problems(rule, value, f"{path}.{name}")
    if tolerations := spec.get("tolerations"):
        errors += validate_tolerations(tolerations, f"{path}.tolerations")
    for i, alias in enumerate(spec.get("hostAliases") or ()):
        errors += _alias(alias, f"{path}.hostAliases[{i}]")
    for name, rule in _NAMES[4:]:
        if value := spec.get(name):
            errors += problems(rule, value, f"{path}.{name}")
    return errors + _rest(spec, path)


def _rest(spec: Obj, path: str) -> Errors:
    errors: Errors = []
    if (policy := spec.get("preemptionPolicy")) is not None and policy not in _PREEMPTION:
        errors += needed_one_of(policy, _PREEMPTION, f"{path}.preemptionPolicy")
    if overhead := spec.get("overhead"):
        errors += validate_resources({"limits": overhead}, f"{path}.overhead")
    if (system := spec.get("os")) is not None:
        errors += _system(system.get("name") or "", spec, path)
    return errors + _file_keys(spec, path)


def _system(name: str, spec: Obj, path: str) -> Errors:
    if not name:
        return [field.required(f"{path}.os.name")]
    if name not in ("linux", "windows"):
        return [unsupported(f"{path}.os", name, ("linux", "windows"))]
    context = spec.get("securityContext") or {}
    if name == "linux" and context.get("windowsOptions") is not None:
        text = "windows options cannot be set for a linux pod"
        return [field.forbidden(f"{path}.securityContext.windowsOptions", text)]
    text = "cannot be set for a windows pod"
    shared = ("hostPID", "hostIPC", "hostUsers", "shareProcessNamespace")
    if name == "linux":
        return []
    errors = [
        field.forbidden(f"{path}.securityContext.{key}", text)
        for key in context
        if key not in ("runAsNonRoot", "windowsOptions")
    ]
    return errors + [field.forbidden(f"{path}.{key}", text) for key in shared if spec.get(key)]


def _host_network(spec: Obj, path: str, *, is_pod: bool) -> Errors:
    errors: Errors = []
    for i, container in enumerate(spec.get("containers") or ()):
        for j, port in enumerate(container.get("ports") or ()):
            host, inside = port.get("hostPort") or 0, port.get("containerPort") or 0
            if (is_pod or host) and host != inside:
                here = f"{path}.containers[{i}].ports[{j}].hostPort"
                text = "must match `containerPort` when `hostNetwork` is true"
                errors.append(field.invalid(here, host, text))
    return errors


def _own_users(spec: Obj, path: str) -> Errors:
    text = "when `hostUsers` is false"
    shown = {"hostNetwork": "hostNetwork", "hostPID": "HostPID", "hostIPC": "HostIPC"}
    return [field.forbidden(f"{path}.{shown[name]}", text) for name in shown if spec.get(name)]


def _hostname(name: str, spec: Obj, path: str) -> Errors:
    errors: Errors = []
    here = f"{path}.hostnameOverride"
    for other in ("setHostnameAsFQDN", "hostNetwork"):
        if spec.get(other):
            errors.append(field.forbidden(here, f"may not be specified when {other} is true"))
    if len(name) > _HOSTNAME_LIMIT:
        errors.append(field.too_long(here, _HOSTNAME_LIMIT))
    return errors + problems(naming.dns_subdomain, name, here)


def _alias(alias: Obj, path: str) -> Errors:
    errors = address(alias.get("ip") or "", f"{path}.ip")
    for i, name in enumerate(alias.get("hostnames") or ()):
        errors += problems(naming.dns_subdomain, name, f"{path}.hostnames[{i}]")
    return errors


def _gates(gates: list[Obj], path: str) -> Errors:
    errors: Errors = []
    seen: set[str] = set()
    for i, gate in enumerate(gates):
        name = gate.get("name") or ""
        errors += problems(naming.qualified_name, name, f"{path}[{i}]")
        if name in seen:
            errors.append(field.duplicate(f"{path}[{i}]", name))
        seen.add(name)
    return errors


def _claims(claims: list[Obj], path: str) -> Errors:
    errors: Errors = []
    seen: set[Any] = set()
    kinds = ("resourceClaimName", "resourceClaimTemplateName")
    for i, claim in enumerate(claims):
        here, name = f"{path}[{i}]", claim.get("name")
        if not name:
            errors.append(field.required(f"{here}.name"))
        elif name in seen:
            errors.append(field.duplicate(f"{here}.name", name))
        else:
            errors += problems(naming.dns_label, name, f"{here}.name")
        seen.add(name)
        given = [kind for kind in kinds if claim.get(kind) is not None]
        if len(given) > 1:
            text = (
                "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
            )
            errors.append(field.invalid(here, claim, text))
        if not given:
            text = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
            errors.append(field.invalid(here, claim, text))
        for kind in given:
            errors += problems(naming.dns_subdomain, claim[kind], f"{here}.{kind}")
    return errors


def _pod_resources(resources: Obj, spec: Obj, path: str) -> Errors:
    errors: Errors = []
    if resources.get("claims"):
        text = "claims may not be set for Resources at pod-level"
        errors.append(field.forbidden(f"{path}.claims", text))
    errors += validate_resources(resources, path, name_rule=pod_resource_name)
    needed, given = effective(spec, "requests"), resources.get("requests") or {}
    for name, quantity in given.items():
        if name in needed and needed[name].nanos > amount(quantity):
            text = "must be greater than or equal to aggregate container requests of"
            text = f"{text} {needed[name]}"
            errors.append(field.invalid(f"{path}.requests[{name}]", quantity, text))
    return errors


def _file_keys(spec: Obj, path: str) -> Errors:
    errors: Errors = []
    for kind in ("initContainers", "containers"):
        for i, container in enumerate(spec.get(kind) or ()):
            for j, variable in enumerate(container.get("env") or ()):
                source = variable.get("valueFrom")
                if source and "fileKeyRef" in source:
                    here = f"{path}.{kind}[{i}].env[{j}].valueFrom.fileKeyRef.volumeName"
                    errors += _file_key(source["fileKeyRef"].get("volumeName") or "", spec, here)
    return errors


def _file_key(name: str, spec: Obj, path: str) -> Errors:
    volumes = [one for one in spec.get("volumes") or () if one.get("name") == name]
    if not volumes:
        return [field.not_found(path, name)]
    if volumes[-1].get("emptyDir") is None:
        return [field.invalid(path, name, "referenced volume must be of type emptyDir")]
    return []


def validate_template(template: Obj, path: str) -> Errors:
    """Return what is wrong with a pod template."""
    meta, spec = template.get("metadata") or {}, template.get("spec") or {}
    errors: Errors = []
    if labels := meta.get("labels"):
        errors += naming.labels(labels, f"{path}.labels")
    if notes := meta.get("annotations"):
        errors += naming.annotations(notes, f"{path}.annotations")
    errors += validate_pod_spec(spec, f"{path}.spec")
    if spec.get("ephemeralContainers"):
        text = "ephemeral containers not allowed in pod template"
        errors.append(field.forbidden(f"{path}.spec.ephemeralContainers", text))
    return errors

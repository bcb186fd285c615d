"""Validation of containers, init containers and ephemeral containers."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from kubewright.apiserver.builtin.core.pod.environment import (
    validate_environment,
    validate_environment_sources,
)
from kubewright.apiserver.builtin.core.pod.handlers import validate_lifecycle, validate_probes
from kubewright.apiserver.builtin.core.pod.mounts import validate_devices, validate_mounts
from kubewright.apiserver.builtin.core.pod.resources import validate_resources
from kubewright.apiserver.builtin.core.pod.security import validate_security
from kubewright.apiserver.builtin.fields.checks import (
    MAX_PORT,
    in_range,
    needed_one_of,
    port_name,
    problems,
    unsupported,
)
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj

_PULL_POLICIES = ("Always", "IfNotPresent", "Never")
_MESSAGES = ("File", "FallbackToLogsOnError")
_PROTOCOLS = ("SCTP", "TCP", "UDP")
_RESTARTS = ("Always", "Never", "OnFailure")
_ACTIONS = ("Restart", "RestartAllContainers")
_MAX_RULES = 20
_MAX_EXIT_CODES = 255
_NOT_EPHEMERAL = (
    "ports",
    "resources",
    "resizePolicy",
    "restartPolicy",
    "restartPolicyRules",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "lifecycle",
)
_HOOKS = ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")


@dataclass(slots=True)
class Surroundings:
    """The parts of a pod that the rules for its containers depend on.

    Attributes:
        volumes: The valid volumes of the pod, by name.
        claims: The names of its resource claims.
        grace: Its termination grace period.
        restarts: Its restart policy.
        host_users: Whether it shares the users of the node.
    """

    volumes: dict[str, Obj]
    claims: frozenset[str]
    grace: int | None
    restarts: str
    host_users: bool


def validate_containers(containers: list[Obj], around: Surroundings, path: str) -> Errors:
    """Return what is wrong with the containers of a pod."""
    if not containers:
        return [field.required(path)]
    errors: Errors = []
    names: set[str] = set()
    for i, container in enumerate(containers):
        here = f"{path}[{i}]"
        errors += _container(container, around, here)
        name = container.get("name") or ""
        if name in names:
            errors.append(field.duplicate(f"{here}.name", name))
        names.add(name)
        errors += _hooks(container, around, here)
        errors += _restart_policy(container, here)
    return errors + _host_ports(containers, path)


def validate_init_containers(
    containers: list[Obj], others: Iterable[Obj], around: Surroundings, path: str
) -> Errors:
    """Return what is wrong with the init containers; *others* are the plain containers."""
    errors: Errors = []
    names = {other.get("name") or "" for other in others}
    for i, container in enumerate(containers):
        here = f"{path}[{i}]"
        errors += _container(container, around, here)
        errors += _restart_policy(container, here)
        name = container.get("name") or ""
        if name in names:
            errors.append(field.duplicate(f"{here}.name", name))
        elif name:
            names.add(name)
        errors += _host_ports([container], path)
        if container.get("restartPolicy") == "Always":
            errors += _hooks(container, around, here)
        else:
            errors += _runs_once(container, here)
    return errors


def _runs_once(container: Obj, path: str) -> Errors:
    text = "may not be set for init containers without restartPolicy=Always"
    errors = [
        field.forbidden(f"{path}.{name}", text)
        for name in _HOOKS
        if container.get(name) is not None
    ]
    for i, policy in enumerate(container.get("resizePolicy") or ()):
        if policy.get("restartPolicy") == "RestartContainer":
            text = "must not be set to 'RestartContainer' for non-sidecar initContainers"
            here = f"{path}.resizePolicy[{i}].restartPolicy"
            errors.append(field.invalid(here, "RestartContainer", text))
    return errors


def validate_ephemeral_containers(
    containers: list[Obj], others: Iterable[Obj], around: Surroundings, path: str
) -> Errors:
    """Return what is wrong with ephemeral containers; *others* are all other containers."""
    errors: Errors = []
    targets = {other.get("name") or "" for other in others}
    names = set(targets)
    for i, container in enumerate(containers):
        here, name = f"{path}[{i}]", container.get("name") or ""
        errors += _container(container, around, here)
        errors += validate_image_spaces(container, here)
        if name in names:
            errors.append(field.duplicate(f"{here}.name", name))
        names.add(name)
        target = container.get("targetContainerName")
        if target and target not in targets:
            errors.append(field.not_found(f"{here}.targetContainerName", target))
        errors += _only_ephemeral(container, here)
    return errors


def _only_ephemeral(container: Obj, path: str) -> Errors:
    text = "cannot be set for an Ephemeral Container"
    errors = [
        field.forbidden(f"{path}.{name}", text) for name in _NOT_EPHEMERAL if container.get(name)
    ]
    for i, mount in enumerate(container.get("volumeMounts") or ()):
        errors += [
            field.forbidden(f"{path}.volumeMounts[{i}].{name}", text)
            for name in ("subPath", "subPathExpr")
            if mount.get(name)
        ]
    return errors


def validate_image_spaces(container: Obj, path: str) -> Errors:
    """Return errors for images with spaces around them, which only templates may have."""
    image = container.get("image") or ""
    if image == image.strip():
        return []
    text = "must not have leading or trailing whitespace"
    return [field.invalid(f"{path}.image", image, text)]


def _container(container: Obj, around: Surroundings, path: str) -> Errors:
    name = container.get("name")
    errors = (
        problems(naming.dns_label, name, f"{path}.name")
        if name
        else [field.required(f"{path}.name")]
    )
    if not container.get("image"):
        errors.append(field.required(f"{path}.image"))
    if (policy := container.get("terminationMessagePolicy")) not in _MESSAGES:
        errors += needed_one_of(policy, _MESSAGES, f"{path}.terminationMessagePolicy")
    if ports := container.get("ports"):
        errors += _ports(ports, f"{path}.ports")
    if variables := container.get("env"):
        errors += validate_environment(variables, f"{path}.env")
    if sources := container.get("envFrom"):
        errors += validate_environment_sources(sources, f"{path}.envFrom")
    if container.get("volumeMounts"):
        errors += validate_mounts(container, around.volumes, f"{path}.volumeMounts")
    if container.get("volumeDevices"):
        errors += validate_devices(container, around.volumes, f"{path}.volumeDevices")
    return errors + _container_policies(container, around, path)


def _container_policies(container: Obj, around: Surroundings, path: str) -> Errors:
    errors: Errors = []
    if (policy := container.get("imagePullPolicy")) not in _PULL_POLICIES:
        errors += needed_one_of(policy, _PULL_POLICIES, f"{path}.imagePullPolicy")
    if resources := container.get("resources"):
        errors += validate_resources(resources, f"{path}.resources", claims=around.claims)
    if resizes := container.get("resizePolicy"):
        errors += _resize_policies(resizes, around.restarts, f"{path}.resizePolicy")
    if context := container.get("securityContext"):
        here = f"{path}.securityContext"
        errors += validate_security(context, here, host_users=around.host_users)
    return errors


def _hooks(container: Obj, around: Surroundings, path: str) -> Errors:
    errors: Errors = []
    if (lifecycle := container.get("lifecycle")) is not None:
        errors += validate_lifecycle(lifecycle, around.grace, f"{path}.lifecycle")
    return errors + validate_probes(container, around.grace, path)


def _ports(ports: list[Obj], path: str) -> Errors:
    errors: Errors = []
    names: set[str] = set()
    for i, port in enumerate(ports):
        here = f"{path}[{i}]"
        if name := port.get("name"):
            errors += _port_name(name, names, f"{here}.name")
        if number := port.get("containerPort"):
            errors += in_range(number, 1, MAX_PORT, f"{here}.containerPort")
        else:
            errors.append(field.required(f"{here}.containerPort"))
        if number := port.get("hostPort"):
            errors += in_range(number, 1, MAX_PORT, f"{here}.hostPort")
        if (protocol := port.get("protocol")) not in _PROTOCOLS:
            errors += needed_one_of(protocol, _PROTOCOLS, f"{here}.protocol")
    return errors


def _port_name(name: str, seen: set[str], path: str) -> Errors:
    if found := problems(port_name, name, path):
        return found
    if name in seen:
        return [field.duplicate(path, name)]
    seen.add(name)
    return []


def _host_ports(containers: Iterable[Obj], path: str) -> Errors:
    errors: Errors = []
    taken: set[str] = set()
    for i, container in enumerate(containers):
        for j, port in enumerate(container.get("ports") or ()):
            if not port.get("hostPort"):
                continue
            key = f"{port.get('protocol')}/{port.get('hostIP') or ''}/{port['hostPort']}"
            if key in taken:
                errors.append(field.duplicate(f"{path}[{i}].ports[{j}].hostPort", key))
            taken.add(key)
    return errors


def _resize_policies(policies: list[Obj], restarts: str, path: str) -> Errors:
    errors: Errors = []
    seen: set[Any] = set()
    for i, policy in enumerate(policies):
        name, how = policy.get("resourceName"), policy.get("restartPolicy")
        if name in seen:
            errors.append(field.duplicate(f"{path}[{i}]", name))
        seen.add(name)
        errors += needed_one_of(name, ("cpu", "memory"), path)
        errors += needed_one_of(how, ("NotRequired", "RestartContainer"), path)
        if restarts == "Never" and how != "NotRequired":
            text = "must be 'NotRequired' when pod `restartPolicy` is 'Never'"
            errors.append(field.invalid(path, how, text))
    return errors


def _restart_policy(container: Obj, path: str) -> Errors:
    policy, rules = container.get("restartPolicy"), container.get("restartPolicyRules") or ()
    errors: Errors = []
    if policy is None:
        if not rules:
            return []
        text = "must specify restartPolicy when restart rules are used"
        errors.append(field.required(f"{path}.restartPolicy", text))
    elif policy not in _RESTARTS:
        errors.append(unsupported(f"{path}.restartPolicy", policy, _RESTARTS))
    if len(rules) > _MAX_RULES:
        errors.append(field.too_many(f"{path}.restartPolicyRules", len(rules), _MAX_RULES))
    for i, rule in enumerate(rules):
        errors += _restart_rule(rule, f"{path}.restartPolicyRules[{i}]")
    return errors


def _restart_rule(rule: Obj, path: str) -> Errors:
    errors: Errors = []
    if (action := rule.get("action") or "") not in _ACTIONS:
        errors.append(unsupported(f"{path}.action", action, _ACTIONS))
    codes = rule.get("exitCodes")
    if codes is None:
        return [*errors, field.required(f"{path}.exitCodes", "must be specified")]
    if (operator := codes.get("operator") or "") not in ("In", "NotIn"):
        errors.append(unsupported(f"{path}.exitCodes.operator", operator, ("In", "NotIn")))
    count = len(codes.get("values") or ())
    if count > _MAX_EXIT_CODES:
        errors.append(field.too_many(f"{path}.exitCodes.values", count, _MAX_EXIT_CODES))
    return errors

"""The status of a pod: the fields that Go always writes, and validation."""

from collections.abc import Iterable

from kubewright.apiserver.builtin.fields.addresses import address
from kubewright.apiserver.builtin.fields.checks import IMMUTABLE, problems
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj

_STATUSES = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")
_SYSTEM = frozenset({"PodScheduled", "Ready", "Initialized"})
_BACK = "may not be transitioned to non-terminated state"


def default_pod_status(status: Obj) -> None:
    """Fill in the fields that Go always writes, and make ``podIP`` and ``podIPs`` agree."""
    for condition in status.get("conditions") or ():
        condition.setdefault("lastProbeTime", None)
        condition.setdefault("lastTransitionTime", None)
    for name in _STATUSES:
        for container in status.get(name) or ():
            _default_container_status(container)
    single, several = status.get("podIP"), status.get("podIPs")
    if single and (not several or several[0].get("ip") != single):
        status["podIPs"] = [{"ip": single}]
    elif several and not single and several[0].get("ip"):
        status["podIP"] = several[0]["ip"]


def _default_container_status(container: Obj) -> None:
    for name in ("name", "image", "imageID"):
        container.setdefault(name, "")
    container.setdefault("ready", False)
    container.setdefault("restartCount", 0)
    for name in ("state", "lastState"):
        state = container.setdefault(name, {})
        if (running := state.get("running")) is not None:
            running.setdefault("startedAt", None)
        if (ended := state.get("terminated")) is not None:
            ended.setdefault("exitCode", 0)
            ended.setdefault("startedAt", None)
            ended.setdefault("finishedAt", None)


def validate_pod_status(new: Obj, old: Obj) -> Errors:
    """Return what is wrong with a change of the status."""
    status, before = new.get("status") or {}, old.get("status") or {}
    errors = _conditions(status.get("conditions") or ())
    errors += _nomination(status.get("nominatedNodeName") or "", old)
    if (status.get("observedGeneration") or 0) < 0:
        text = "must be a non-negative integer"
        here = "status.observedGeneration"
        errors.append(field.invalid(here, status["observedGeneration"], text))
    if status.get("qosClass") != before.get("qosClass"):
        quality = status.get("qosClass") or ""
        errors.append(field.invalid("status.qosClass", quality, IMMUTABLE))
    for name, kind in zip(_STATUSES, ("containers", "initContainers", ""), strict=True):
        errors += _transitions(status.get(name) or (), before.get(name) or (), old, (name, kind))
    return errors + _addresses(status, "podIP") + _addresses(status, "hostIP")


def _conditions(conditions: Iterable[Obj]) -> Errors:
    errors: Errors = []
    for i, condition in enumerate(conditions):
        here = f"status.conditions[{i}]"
        seen = condition.get("observedGeneration") or 0
        if seen < 0:
            text = "must be a non-negative integer"
            errors.append(field.invalid(f"{here}.observedGeneration", seen, text))
        kind = condition.get("type") or ""
        if kind not in _SYSTEM:
            errors += problems(naming.qualified_name, kind, f"{here}.Type")
    return errors


def _nomination(name: str, old: Obj) -> Errors:
    if not name or name == ((old.get("status") or {}).get("nominatedNodeName") or ""):
        return []
    here = "status.nominatedNodeName"
    errors = problems(naming.dns_subdomain, name, here)
    if (old.get("spec") or {}).get("nodeName"):
        text = "may not be set on pods that are already bound to a node"
        errors.append(field.forbidden(here, text))
    return errors


def _transitions(
    new: Iterable[Obj], old: Iterable[Obj], pod: Obj, place: tuple[str, str]
) -> Errors:
    """Return errors for terminated containers that run again and must not."""
    name, kind = place
    spec = pod.get("spec") or {}
    alive = {one.get("name") for one in new if (one.get("state") or {}).get("terminated") is None}
    containers = {one.get("name"): one for one in spec.get(kind) or ()}
    errors: Errors = []
    for i, before in enumerate(old):
        ended = (before.get("state") or {}).get("terminated")
        if ended is None or before.get("name") not in alive:
            continue
        container = containers.get(before.get("name"))
        if container is None or not _restarts(container, spec, ended.get("exitCode") or 0, kind):
            errors.append(field.forbidden(f"status.{name}[{i}].state", _BACK))
    return errors


def _restarts(container: Obj, spec: Obj, code: int, kind: str) -> bool:
    """Return whether a container that exited with *code* is restarted."""
    for rule in container.get("restartPolicyRules") or ():
        codes = rule.get("exitCodes") or {}
        listed = code in (codes.get("values") or ())
        if listed == (codes.get("operator") == "In"):
            return True
    policy = container.get("restartPolicy") or spec.get("restartPolicy")
    if kind == "initContainers" and policy == "Always" and not container.get("restartPolicy"):
        policy = "OnFailure"
    return policy == "Always" or (policy == "OnFailure" and code != 0)


def _addresses(status: Obj, name: str) -> Errors:
    """Return what is wrong with the IPs of a pod or its host."""
    single, several = status.get(name) or "", status.get(f"{name}s") or []
    here = f"status.{name}s"
    errors: Errors = []
    if name == "hostIP" and several and several[0].get("ip") != single:
        text = "must be equal to `hostIP`"
        errors.append(field.invalid(f"{here}[0].ip", several[0].get("ip") or "", text))
    for i, one in enumerate(several):
        errors += address(one.get("ip") or "", f"{here}[{i}]")
    families = {":" in (one.get("ip") or "") for one in several}
    if len(several) > len(families):
        text = "may specify no more than one IP for each IP family"
        errors.append(field.invalid(here, several, text))
    return errors

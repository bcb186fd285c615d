"""Probes and lifecycle hooks of containers."""

import re

from kubewright.apiserver.builtin.fields.checks import (
    not_negative_fields,
    port_or_name,
    unsupported,
)
from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj

_HEADER = re.compile(r"[-A-Za-z0-9]+").fullmatch
_BAD_HEADER = (
    "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name',"
    " regex used for validation is '[-A-Za-z0-9]+')"
)
_ACTIONS = ("exec", "httpGet", "tcpSocket", "grpc", "sleep")
_NUMBERS = (
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
)


def validate_probes(container: Obj, grace: int | None, path: str) -> Errors:
    """Return what is wrong with the three probes of a container."""
    errors: Errors = []
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        if (probe := container.get(name)) is not None:
            errors += _probe(probe, grace, f"{path}.{name}", is_readiness=name == "readinessProbe")
    return errors


def _probe(probe: Obj, grace: int | None, path: str, *, is_readiness: bool) -> Errors:
    errors = validate_handler(probe, grace, path)
    errors += not_negative_fields(probe, _NUMBERS, path)
    own_grace, here = probe.get("terminationGracePeriodSeconds"), "terminationGracePeriodSeconds"
    if own_grace is not None and own_grace <= 0:
        errors.append(field.invalid(f"{path}.{here}", own_grace, "must be greater than 0"))
    if is_readiness and own_grace is not None:
        text = "must not be set for readinessProbes"
        errors.append(field.invalid(f"{path}.{here}", own_grace, text))
    successes = probe.get("successThreshold") or 0
    if not is_readiness and successes != 1:
        errors.append(field.invalid(f"{path}.successThreshold", successes, "must be 1"))
    return errors


def validate_lifecycle(lifecycle: Obj, grace: int | None, path: str) -> Errors:
    """Return what is wrong with the hooks of a container."""
    errors: Errors = []
    for name in ("postStart", "preStop"):
        if (hook := lifecycle.get(name)) is not None:
            errors += validate_handler(hook, grace, f"{path}.{name}")
    return errors


def validate_handler(handler: Obj, grace: int | None, path: str) -> Errors:
    """Return what is wrong with the action of a probe or hook: there must be exactly one."""
    found = [name for name in _ACTIONS if handler.get(name) is not None]
    if not found:
        return [field.required(path, "must specify a handler type")]
    text = "may not specify more than 1 handler type"
    first = found[0]
    errors = _action(first, handler[first], grace, f"{path}.{first}")
    return errors + [field.forbidden(f"{path}.{name}", text) for name in found[1:]]


def _action(name: str, action: Obj, grace: int | None, path: str) -> Errors:
    if name == "exec":
        return [] if action.get("command") else [field.required(f"{path}.command")]
    if name == "httpGet":
        return _http(action, path)
    if name == "sleep":
        return _sleep(action.get("seconds") or 0, grace, path)
    return port_or_name(action.get("port") or 0, f"{path}.port")


def _http(action: Obj, path: str) -> Errors:
    errors = [] if action.get("path") else [field.required(f"{path}.path")]
    errors += port_or_name(action.get("port") or 0, f"{path}.port")
    scheme = action.get("scheme") or ""
    if scheme not in ("HTTP", "HTTPS"):
        errors.append(unsupported(f"{path}.scheme", scheme, ("HTTP", "HTTPS")))
    for header in action.get("httpHeaders") or ():
        name = header.get("name") or ""
        if not _HEADER(name):
            errors.append(field.invalid(f"{path}.httpHeaders", name, _BAD_HEADER))
    return errors


def _sleep(seconds: int, grace: int | None, path: str) -> Errors:
    if grace is None or 0 <= seconds <= grace:
        return []
    text = f"must be non-negative and less than terminationGracePeriodSeconds ({grace})"
    return [field.invalid(path, seconds, text)]

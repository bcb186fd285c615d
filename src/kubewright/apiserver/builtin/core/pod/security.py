"""Security contexts of pods and containers."""

import re

from kubewright.apiserver.builtin.fields import differences
from kubewright.apiserver.builtin.fields.checks import MAX_INT32, in_range, unsupported
from kubewright.apiserver.builtin.fields.paths import descending
from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj

_SYSCTL_FORM = r"([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SYSCTL = re.compile(_SYSCTL_FORM).fullmatch
_SYSCTL_LIMIT = 253
_PATH_LIMIT = 4095
_PROFILES = ("Localhost", "RuntimeDefault", "Unconfined")
_CHOICES = (
    ("fsGroupChangePolicy", ("Always", "OnRootMismatch")),
    ("supplementalGroupsPolicy", ("Merge", "Strict")),
    ("seLinuxChangePolicy", ("MountOption", "Recursive")),
)


def validate_pod_security(context: Obj, spec: Obj, path: str) -> Errors:
    """Return what is wrong with the security context of a pod."""
    errors = _ids(context, ("fsGroup", "runAsUser", "runAsGroup"), path)
    for i, group in enumerate(context.get("supplementalGroups") or ()):
        errors += in_range(group, 0, MAX_INT32, f"{path}.supplementalGroups[{i}]")
    errors += _sysctls(context.get("sysctls") or (), spec, f"{path}.sysctls")
    for name, allowed in _CHOICES[:1]:
        errors += _choice(context, name, allowed, path)
    errors += _seccomp(context.get("seccompProfile"), f"{path}.seccompProfile")
    errors += _app_armor(context.get("appArmorProfile"), f"{path}.appArmorProfile")
    for name, allowed in _CHOICES[1:]:
        errors += _choice(context, name, allowed, path)
    return errors


def _choice(context: Obj, name: str, allowed: tuple[str, ...], path: str) -> Errors:
    value = context.get(name)
    if value is None or value in allowed:
        return []
    return [unsupported(f"{path}.{name}", value, allowed)]


def _ids(context: Obj, names: tuple[str, ...], path: str) -> Errors:
    errors: Errors = []
    for name in names:
        if (value := context.get(name)) is not None:
            errors += in_range(value, 0, MAX_INT32, f"{path}.{name}")
    return errors


def validate_security(context: Obj, path: str, *, host_users: bool) -> Errors:
    """Return what is wrong with the security context of a container."""
    errors = _ids(context, ("runAsUser", "runAsGroup"), path)
    mount = context.get("procMount")
    if mount is not None and mount not in ("Default", "Unmasked"):
        errors.append(unsupported(f"{path}.procMount", mount, ("Default", "Unmasked")))
    if mount == "Unmasked" and host_users:
        text = "`hostUsers` must be false to use `Unmasked`"
        errors.append(field.invalid(f"{path}.procMount", mount, text))
    errors += _seccomp(context.get("seccompProfile"), f"{path}.seccompProfile")
    if context.get("allowPrivilegeEscalation") is False:
        errors += _escalation(context, path)
    return errors + _app_armor(context.get("appArmorProfile"), f"{path}.appArmorProfile")


def _escalation(context: Obj, path: str) -> Errors:
    errors: Errors = []
    if context.get("privileged"):
        text = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"
        errors.append(differences.invalid(path, context, "SecurityContext", detail=text))
    if "CAP_SYS_ADMIN" in ((context.get("capabilities") or {}).get("add") or ()):
        text = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"
        errors.append(differences.invalid(path, context, "SecurityContext", detail=text))
    return errors


def _seccomp(profile: Obj | None, path: str) -> Errors:
    if profile is None:
        return []
    kind, place = profile.get("type"), profile.get("localhostProfile")
    errors: Errors = []
    if not kind:
        errors.append(field.required(f"{path}.type", "type is required when seccompProfile is set"))
    elif kind not in _PROFILES:
        errors.append(unsupported(f"{path}.type", kind, _PROFILES))
    here = f"{path}.localhostProfile"
    if kind == "Localhost":
        if place is None:
            return [*errors, field.required(here, "must be set when seccomp type is Localhost")]
        errors += descending(place, here)
    elif place is not None:
        text = "can only be set when seccomp type is Localhost"
        errors.append(differences.invalid(here, profile, "SeccompProfile", detail=text))
    return errors


def _app_armor(profile: Obj | None, path: str) -> Errors:
    if profile is None:
        return []
    kind, place = profile.get("type"), profile.get("localhostProfile")
    here = f"{path}.localhostProfile"
    if not kind:
        return [field.required(f"{path}.type", "type is required when appArmorProfile is set")]
    if kind not in _PROFILES:
        return [unsupported(f"{path}.type", kind, _PROFILES)]
    if kind == "Localhost":
        return _armor_place(place, here)
    if place is not None:
        return [field.invalid(here, place, "can only be set when AppArmor type is Localhost")]
    return []


def _armor_place(place: str | None, path: str) -> Errors:
    if not place:
        return [field.required(path, "must be set when AppArmor type is Localhost")]
    errors: Errors = []
    if place != place.strip():
        errors.append(field.invalid(path, place, "must not be padded with whitespace"))
    if len(place) > _PATH_LIMIT:
        errors.append(field.too_long(path, _PATH_LIMIT))
    return errors


def _sysctls(found: list[Obj] | tuple[()], spec: Obj, path: str) -> Errors:
    errors: Errors = []
    seen: set[str] = set()
    for i, sysctl in enumerate(found):
        name, here = sysctl.get("name") or "", f"{path}[{i}].name"
        if not name:
            errors.append(field.required(here))
        elif len(name) > _SYSCTL_LIMIT or not _SYSCTL(name):
            text = f"must have at most {_SYSCTL_LIMIT} characters and match regex ^{_SYSCTL_FORM}$"
            errors.append(field.invalid(here, name, text))
        elif name in seen:
            errors.append(field.duplicate(here, name))
        errors += _host_sysctl(name.replace("/", "."), spec, here)
        seen.add(name)
    return errors


def _host_sysctl(name: str, spec: Obj, path: str) -> Errors:
    of_ipc = name.startswith(("kernel.shm", "kernel.msg", "fs.mqueue.")) or name == "kernel.sem"
    if spec.get("hostNetwork") and name.startswith("net."):
        return [field.invalid(path, name, "may not be specified when 'hostNetwork' is true")]
    if spec.get("hostIPC") and of_ipc:
        return [field.invalid(path, name, "may not be specified when 'hostIPC' is true")]
    return []

"""Volume mounts and block devices of containers."""

from kubewright.apiserver.builtin.fields.checks import unsupported
from kubewright.apiserver.builtin.fields.paths import descending, no_backsteps
from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj

_PROPAGATIONS = ("Bidirectional", "HostToContainer", "None")
_RECURSIVE = ("Disabled", "Enabled", "IfPossible")


def validate_mounts(container: Obj, volumes: dict[str, Obj], path: str) -> Errors:
    """Return what is wrong with the mounts; *volumes* are the valid ones of the pod, by name."""
    errors: Errors = []
    devices = {
        one.get("name"): one.get("devicePath") for one in container.get("volumeDevices") or ()
    }
    seen: set[str] = set()
    for i, mount in enumerate(container.get("volumeMounts") or ()):
        here, name, place = f"{path}[{i}]", mount.get("name") or "", mount.get("mountPath") or ""
        if not name:
            errors.append(field.required(f"{here}.name"))
        if name not in volumes:
            errors.append(field.not_found(f"{here}.name", name))
        if not place:
            errors.append(field.required(f"{here}.mountPath"))
        if place in seen:
            errors.append(field.invalid(f"{here}.mountPath", place, "must be unique"))
        seen.add(place)
        if devices:
            errors += _not_a_device(name, place, devices, here)
        if len(mount) > 2:  # noqa: PLR2004  # more than name and mountPath
            errors += _extras(mount, container, path, here)
    return errors


def _not_a_device(name: str, place: str, devices: Obj, path: str) -> Errors:
    errors: Errors = []
    if name in devices:
        text = "must not already exist in volumeDevices"
        errors.append(field.invalid(f"{path}.name", name, text))
    if place in devices.values():
        text = "must not already exist as a path in volumeDevices"
        errors.append(field.invalid(f"{path}.mountPath", place, text))
    return errors


def _extras(mount: Obj, container: Obj, path: str, here: str) -> Errors:
    # Kubernetes leaves the index out of four of these paths.
    errors: Errors = []
    below, expression = mount.get("subPath"), mount.get("subPathExpr")
    if below:
        errors += descending(below, f"{path}.subPath")
    if expression:
        if below:
            text = "subPathExpr and subPath are mutually exclusive"
            errors.append(field.invalid(f"{here}.subPathExpr", expression, text))
        errors += descending(expression, f"{path}.subPathExpr")
    if (how := mount.get("mountPropagation")) is not None:
        errors += _propagation(how, container, f"{path}.mountPropagation")
    if (how := mount.get("recursiveReadOnly")) is not None:
        errors += _recursive(how, mount, f"{path}.recursiveReadOnly")
    return errors


def _propagation(how: str, container: Obj, path: str) -> Errors:
    errors = [] if how in _PROPAGATIONS else [unsupported(path, how, _PROPAGATIONS)]
    privileged = (container.get("securityContext") or {}).get("privileged")
    if how == "Bidirectional" and not privileged:
        text = "Bidirectional mount propagation is available only to privileged containers"
        errors.append(field.forbidden(path, text))
    return errors


def _recursive(how: str, mount: Obj, path: str) -> Errors:
    if how not in _RECURSIVE:
        return [unsupported(path, how, _RECURSIVE)]
    errors: Errors = []
    if how != "Disabled" and not mount.get("readOnly"):
        errors.append(field.forbidden(path, "may only be specified when readOnly is true"))
    if how != "Disabled" and mount.get("mountPropagation", "None") != "None":
        text = "may only be specified when mountPropagation is None or not specified"
        errors.append(field.forbidden(path, text))
    return errors


def validate_devices(container: Obj, volumes: dict[str, Obj], path: str) -> Errors:
    """Return what is wrong with the block devices of a container."""
    errors: Errors = []
    mounts = {one.get("name"): one.get("mountPath") for one in container.get("volumeMounts") or ()}
    names: set[str] = set()
    places: set[str] = set()
    for i, device in enumerate(container.get("volumeDevices") or ()):
        name, place = device.get("name") or "", device.get("devicePath") or ""
        errors += _device_name(name, names, volumes, f"{path}[{i}].name")
        errors += _device_path(place, places, f"{path}[{i}].devicePath")
        if name in mounts:
            text = "must not already exist in volumeMounts"
            errors.append(field.invalid(f"{path}[{i}].name", name, text))
        if place in mounts.values():
            text = "must not already exist as a path in volumeMounts"
            errors.append(field.invalid(f"{path}[{i}].devicePath", place, text))
        names.add(name)
    return errors


def _device_name(name: str, seen: set[str], volumes: dict[str, Obj], path: str) -> Errors:
    errors = [] if name else [field.required(path)]
    if name and name in seen:
        errors.append(field.invalid(path, name, "must be unique"))
    volume = volumes.get(name)
    if volume is None:
        errors.append(field.not_found(path, name))
    elif "persistentVolumeClaim" not in volume and "ephemeral" not in volume:
        text = (
            "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
        )
        errors.append(field.invalid(path, name, text))
    return errors


def _device_path(place: str, seen: set[str], path: str) -> Errors:
    errors = [] if place else [field.required(path)]
    if place in seen:
        errors.append(field.invalid(path, place, "must be unique"))
    if place and no_backsteps(place, path):
        return [*errors, field.invalid(path, place, "can not contain backsteps ('..')")]
    seen.add(place)
    return errors

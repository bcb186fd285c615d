"""The scale subresource of custom resources, whose definition has the paths of the numbers."""

from typing import Any

from kubewright.apiserver.meta import field, status
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj

NO_REPLICAS: int = -(2**31)
"""Means "not set" in a Scale that is being patched."""

_MAX_INT32 = 2**31 - 1
_GO_TYPES = {str: "string", bool: "bool", float: "float64", list: "[]interface {}"}
_META = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")


class ScalePathError(ValueError):
    """A value on the path to a number has the wrong type; the text is the real server's."""


def scale_of(obj: Obj, paths: Obj) -> Obj:
    """Return the Scale of an object, for a GET.

    Raises:
        StatusError: The object has no number of replicas (500).
    """
    try:
        replicas = number_at(obj, paths["specReplicasPath"])
        scale = _scale(obj, paths, replicas or 0)
    except ScalePathError as error:
        raise status.StatusError(500, "", str(error)) from None
    if replicas is None:
        path = field.quoted(paths["specReplicasPath"])
        raise status.internal_error(f"the spec replicas field {path} does not exist")
    return scale


def scale_for_update(obj: Obj, paths: Obj) -> Obj:
    """Return the Scale to which an update or a patch applies.

    If the object has no replicas, the Scale has `NO_REPLICAS`, to tell whether a patch set them.

    Raises:
        StatusError: A value on one of the paths has the wrong type (500).
    """
    try:
        replicas = number_at(obj, paths["specReplicasPath"])
        return _scale(obj, paths, NO_REPLICAS if replicas is None else replicas)
    except ScalePathError as error:
        raise status.StatusError(500, "", str(error)) from None


def scale_for_admission(obj: Obj, paths: Obj) -> Obj:
    """Return the Scale to pass to admission; unset replicas are zero.

    Raises:
        StatusError: A value on one of the paths has the wrong type (500).
    """
    try:
        return _scale(obj, paths, number_at(obj, paths["specReplicasPath"]) or 0)
    except ScalePathError as error:
        raise status.StatusError(500, "", str(error)) from None


def with_scale(obj: Obj, scale: Obj, paths: Obj) -> Obj:
    """Set the replicas of *obj* in place to those of *scale* and return it; unset means zero.

    Raises:
        StatusError: The object has no replicas, and the patch did not set them (400).
    """
    wanted = (scale.get("spec") or {}).get("replicas") or 0
    if wanted == NO_REPLICAS:
        path = field.quoted(paths["specReplicasPath"])
        raise status.bad_request(f"the spec replicas field {path} cannot be empty")
    _set(obj, paths["specReplicasPath"], wanted)
    version = (scale.get("metadata") or {}).get("resourceVersion")
    if version:
        obj.setdefault("metadata", {})["resourceVersion"] = version
    return obj


def _scale(obj: Obj, paths: Obj, replicas: int) -> Obj:
    metadata = obj.get("metadata") or {}
    found: Obj = {"replicas": number_at(obj, paths["statusReplicasPath"]) or 0}
    selector = text_at(obj, paths["labelSelectorPath"]) if paths.get("labelSelectorPath") else ""
    if selector:
        found["selector"] = selector
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {name: metadata[name] for name in _META if name in metadata},
        "spec": {"replicas": replicas} if replicas else {},
        "status": found,
    }


def is_owned(obj: Obj, paths: Obj) -> bool:
    """Return whether a manager owns the replicas; if none does, a write of the Scale adds none."""
    steps = [f"f:{part}" for part in split(paths["specReplicasPath"])]
    for entry in obj["metadata"].get("managedFields") or ():
        found: Any = entry.get("fieldsV1") or {}
        for step in steps:
            found = found.get(step)
            if found is None:
                break
        else:
            return True
    return False


def split(path: str) -> list[str]:
    """Return the names of fields in a path such as ``.spec.replicas``."""
    return path.removeprefix(".").split(".")


def _at(obj: Obj, path: str) -> Any:
    value: Any = obj
    names = split(path)
    for depth, name in enumerate(names):
        if not isinstance(value, dict):
            raise ScalePathError(
                f".{'.'.join(names[: depth + 1])} accessor error: {_go_value(value)} is of the type"
                f" {_go_type(value)}, expected map[string]interface{{}}"
            )
        if value.get(name) is None:
            return None
        value = value[name]
    return value


def number_at(obj: Obj, path: str) -> int | None:
    """Return the integer at *path*, or ``None``."""
    value = _at(obj, path)
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        found: int | None = value
        return found
    raise _accessor_error(path, value, "int64")


def text_at(obj: Obj, path: str) -> str:
    """Return the string at *path*, or ``""``."""
    value = _at(obj, path)
    if value is None or isinstance(value, str):
        return value or ""
    raise _accessor_error(path, value, "string")


def _accessor_error(path: str, value: Any, wanted: str) -> ScalePathError:
    where = f".{'.'.join(split(path))}"
    return ScalePathError(
        f"{where} accessor error: {_go_value(value)} is of the type {_go_type(value)},"
        f" expected {wanted}"
    )


def _go_type(value: Any) -> str:
    if isinstance(value, dict):
        return "map[string]interface {}"
    if isinstance(value, int) and not isinstance(value, bool):
        return "int64"
    return _GO_TYPES.get(type(value), "<nil>")


def _go_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        inner = " ".join(f"{key}:{_go_value(value[key])}" for key in sorted(value))
        return f"map[{inner}]"
    if isinstance(value, list):
        return f"[{' '.join(map(_go_value, value))}]"
    return "<nil>" if value is None else str(value)


def _set(obj: Obj, path: str, value: int) -> None:
    names = split(path)
    for name in names[:-1]:
        obj = obj.setdefault(name, {})
    obj[names[-1]] = value


def validate_scale_spec(obj: Obj, paths: Obj) -> Errors:
    """Return what is wrong with the wanted replicas."""
    return _validate_number(obj, paths["specReplicasPath"])


def validate_scale_status(obj: Obj, paths: Obj) -> Errors:
    """Return what is wrong with the actual replicas and the selector."""
    errors = _validate_number(obj, paths["statusReplicasPath"])
    if path := paths.get("labelSelectorPath"):
        try:
            text_at(obj, path)
        except ScalePathError as error:
            errors.append(field.invalid(path, "", str(error)))
    return errors


def _validate_number(obj: Obj, path: str) -> Errors:
    try:
        found = number_at(obj, path) or 0
    except ScalePathError as error:
        return [field.invalid(path, 0, str(error))]
    if found < 0:
        return [field.invalid(path, found, "should be a non-negative integer")]
    if found > _MAX_INT32:
        text = f"should be less than or equal to {_MAX_INT32}"
        return [field.invalid(path, found, text)]
    return []

"""Files in volumes: keys of Secrets and ConfigMaps, downward API fields, tokens."""

from collections.abc import Iterable

from kubewright.apiserver.builtin.core.pod.environment import (
    FILE_FIELDS,
    validate_field,
    validate_resource_field,
)
from kubewright.apiserver.builtin.fields.paths import descending_unreserved
from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj

_ALL_BITS = 0o777
_BAD_MODE = "must be a number between 0 and 0777 (octal), both inclusive"
_TEN_MINUTES = 600


def validate_mode(source: Obj, name: str, path: str) -> Errors:
    """Return an error if the field *name* is not a valid file mode."""
    mode = source.get(name)
    if mode is None or 0 <= mode <= _ALL_BITS:
        return []
    return [field.invalid(f"{path}.{name}", mode, _BAD_MODE)]


def validate_items(items: Iterable[Obj], path: str) -> Errors:
    """Return what is wrong with a list that maps keys to files."""
    errors: Errors = []
    for i, item in enumerate(items):
        here = f"{path}[{i}]"
        errors += [
            field.required(f"{here}.{name}") for name in ("key", "path") if not item.get(name)
        ]
        errors += descending_unreserved(item.get("path") or "", f"{here}.path")
        errors += validate_mode(item, "mode", here)
    return errors


def validate_downward_files(files: Iterable[Obj], path: str) -> Errors:
    """Return what is wrong with downward API files.

    As in Kubernetes, the messages name the volume and not the file.
    """
    errors: Errors = []
    for file in files:
        if not file.get("path"):
            errors.append(field.required(f"{path}.path"))
        errors += descending_unreserved(file.get("path") or "", f"{path}.path")
        errors += _downward_source(file, path)
        errors += validate_mode(file, "mode", path)
    return errors


def _downward_source(file: Obj, path: str) -> Errors:
    whole, resource = file.get("fieldRef"), file.get("resourceFieldRef")
    if whole is not None:
        errors = validate_field(whole, FILE_FIELDS, f"{path}.fieldRef")
        if resource is not None:
            text = "fieldRef and resourceFieldRef can not be specified simultaneously"
            errors.append(field.invalid(path, "resource", text))
        return errors
    if resource is not None:
        return validate_resource_field(resource, f"{path}.resourceFieldRef", in_volume=True)
    return [field.required(path, "one of fieldRef and resourceFieldRef is required")]


def validate_projections(volume: Obj, path: str) -> Errors:
    """Return what is wrong with a projected volume."""
    errors = validate_mode(volume, "defaultMode", path)
    files: set[str] = set()
    for i, source in enumerate(volume.get("sources") or ()):
        here = f"{path}.sources[{i}]"
        for name in ("secret", "configMap"):
            if (part := source.get(name)) is not None:
                errors += _keys(part, f"{here}.{name}", files, path)
        if (part := source.get("downwardAPI")) is not None:
            errors += _downward(part, f"{here}.downwardAPI", files, path)
        if (part := source.get("serviceAccountToken")) is not None:
            errors += _token(part, f"{here}.serviceAccountToken", path)
        if sum(value is not None for value in source.values()) > 1:
            text = "may not specify more than 1 volume type per source"
            errors.append(field.forbidden(here, text))
    return errors


def _keys(part: Obj, path: str, files: set[str], volume: str) -> Errors:
    name, items = part.get("name") or "", part.get("items") or ()
    errors = [] if name else [field.required(f"{path}.name")]
    errors += validate_items(items, f"{path}.items")
    return errors + [
        field.invalid(volume, name, "conflicting duplicate paths") for _ in _repeated(items, files)
    ]


def _downward(part: Obj, path: str, files: set[str], volume: str) -> Errors:
    items = part.get("items") or ()
    errors = validate_downward_files(items, path)
    return errors + [
        field.invalid(volume, one, "conflicting duplicate paths") for one in _repeated(items, files)
    ]


def _repeated(items: Iterable[Obj], files: set[str]) -> list[str]:
    found = []
    for item in items:
        place = item.get("path")
        if place and place in files:
            found.append(place)
        elif place:
            files.add(place)
    return found


def _token(token: Obj, path: str, volume: str) -> Errors:
    errors: Errors = []
    seconds, here = token.get("expirationSeconds"), f"{path}.expirationSeconds"
    if seconds is None:
        errors.append(field.required(here))
    elif seconds < _TEN_MINUTES:
        text = "may not specify a duration less than 10 minutes"
        errors.append(field.invalid(here, seconds, text))
    elif seconds > 1 << 32:
        text = "may not specify a duration larger than 2^32 seconds"
        errors.append(field.invalid(here, seconds, text))
    place = token.get("path")
    if not place:
        return [*errors, field.required(f"{volume}.path")]
    return errors + descending_unreserved(place, f"{volume}.path")

"""The environment of a container: variables, where their values come from, downward fields."""

from collections.abc import Iterable

from kubewright.apiserver.builtin.core.pod.resources import amount
from kubewright.apiserver.builtin.fields.checks import config_key, problems
from kubewright.apiserver.builtin.fields.paths import no_backsteps
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj

VARIABLE_FIELDS: tuple[str, ...] = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
FILE_FIELDS: tuple[str, ...] = (
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
)
RESOURCE_FIELDS: tuple[str, ...] = tuple(
    f"{kind}.{name}"
    for kind in ("limits", "requests")
    for name in ("cpu", "ephemeral-storage", "memory")
)
_KNOWN_FIELDS = frozenset(
    {*VARIABLE_FIELDS, *FILE_FIELDS, "spec.restartPolicy", "spec.schedulerName", "status.phase"}
)
_BYTES = ("1", *(f"1{unit}" for unit in "kMGTPE"), *(f"1{unit}i" for unit in "KMGTPE"))
_BAD_NAME = (
    "a valid environment variable name must consist only of printable ASCII characters other"
    " than '='"
)


def variable_name(name: str) -> list[str]:
    """Return what is wrong with the name of a variable."""
    fine = name.isascii() and name.isprintable() and "=" not in name
    return [] if fine else [_BAD_NAME]


def validate_environment(variables: Iterable[Obj], path: str) -> Errors:
    """Return what is wrong with the ``env`` of a container."""
    errors: Errors = []
    for i, variable in enumerate(variables):
        name = variable.get("name")
        if not name:
            errors.append(field.required(f"{path}[{i}].name"))
        elif found := variable_name(name):
            errors.append(field.invalid(f"{path}[{i}].name", name, found[0]))
        if (source := variable.get("valueFrom")) is not None:
            errors += _value_from(variable, source, f"{path}[{i}].valueFrom")
    return errors


def _value_from(variable: Obj, source: Obj, path: str) -> Errors:
    errors: Errors = []
    for name, selector in source.items():
        errors += _SOURCES[name](selector, f"{path}.{name}")
    count = len(source)
    if not count:
        text = (
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`,"
            " `secretKeyRef` or `fileKeyRef`"
        )
        errors.append(field.invalid(path, "", text))
    elif variable.get("value"):
        errors.append(field.invalid(path, "", "may not be specified when `value` is not empty"))
    elif count > 1:
        text = "may not have more than one field specified at a time"
        errors.append(field.invalid(path, "", text))
    return errors


def validate_environment_sources(sources: Iterable[Obj], path: str) -> Errors:
    """Return what is wrong with the ``envFrom`` of a container."""
    errors: Errors = []
    for i, source in enumerate(sources):
        if prefix := source.get("prefix"):
            errors += problems(variable_name, prefix, f"{path}[{i}].prefix")
        present = [name for name in ("configMapRef", "secretRef") if source.get(name) is not None]
        for kind in present:
            here, name = f"{path}[{i}].{kind}.name", source[kind].get("name")
            errors += problems(naming.dns_subdomain, name, here) if name else [field.required(here)]
        if not present:
            text = "must specify one of: `configMapRef` or `secretRef`"
            errors.append(field.invalid(path, "", text))
        elif len(present) > 1:
            text = "may not have more than one field specified at a time"
            errors.append(field.invalid(path, "", text))
    return errors


def validate_field(selector: Obj, allowed: tuple[str, ...], path: str) -> Errors:
    """Return what is wrong with a reference to a field of the pod itself."""
    wanted = selector.get("fieldPath") or ""
    if wanted in allowed and selector.get("apiVersion") == "v1":
        return []
    if not selector.get("apiVersion"):
        return [field.required(f"{path}.apiVersion")]
    if not wanted:
        return [field.required(f"{path}.fieldPath")]
    name, subscript = _subscripted(wanted)
    if problem := _unknown(selector["apiVersion"], name, wanted, subscript is not None):
        text = f"error converting fieldPath: {problem}"
        return [field.invalid(f"{path}.fieldPath", wanted, text)]
    if subscript is not None:
        key = subscript.lower() if name == "metadata.annotations" else subscript
        return problems(naming.qualified_name, key, path)
    if name == "spec.host":
        name = "spec.nodeName"
    return [] if name in allowed else [field.not_supported(f"{path}.fieldPath", name, allowed)]


def _subscripted(text: str) -> tuple[str, str | None]:
    """Split ``metadata.labels['key']``; the second part is ``None`` without a subscript."""
    if not text.endswith("']"):
        return text, None
    name, found, rest = text[:-2].partition("['")
    return (name, rest) if found and name else (text, None)


def _unknown(version: str, name: str, wanted: str, is_subscripted: bool) -> str:
    if version != "v1":
        return f"unsupported pod version: {version}"
    if is_subscripted:
        if name in ("metadata.annotations", "metadata.labels"):
            return ""
        return f"field label does not support subscript: {wanted}"
    fine = name in _KNOWN_FIELDS or name == "spec.host"
    return "" if fine else f"field label not supported: {wanted}"


def validate_resource_field(selector: Obj, path: str, *, in_volume: bool = False) -> Errors:
    """Return what is wrong with a reference to a container's requests or limits."""
    errors: Errors = []
    name = selector.get("resource") or ""
    if in_volume and not selector.get("containerName"):
        errors.append(field.required(f"{path}.containerName"))
    elif not name:
        errors.append(field.required(f"{path}.resource"))
    elif name not in RESOURCE_FIELDS and not _is_huge(name):
        errors.append(field.not_supported(f"{path}.resource", name, RESOURCE_FIELDS))
    return errors + _divisor(name, selector.get("divisor") or "0", f"{path}.divisor")


def _is_huge(name: str) -> bool:
    return name.startswith(("limits.hugepages-", "requests.hugepages-"))


def _divisor(name: str, divisor: str, path: str) -> Errors:
    if not amount(divisor):
        return []
    units: tuple[str, ...] = _BYTES
    if name.endswith(".cpu"):
        units, shown, kind = ("1m", "1"), "1m and 1", "cpu"
    elif name.endswith(".memory"):
        shown, kind = ", ".join(_BYTES), "memory"
    elif name.endswith(".ephemeral-storage"):
        shown, kind = ", ".join(_BYTES), "local ephemeral storage"
    elif _is_huge(name):
        shown, kind = ", ".join(_BYTES), "hugepages"
    else:
        return []
    if divisor in units:
        return []
    text = f"only divisor's values {shown} are supported with the {kind} resource"
    return [field.invalid(path, name, text)]


def _key(selector: Obj, path: str) -> Errors:
    errors = problems(naming.dns_subdomain, selector.get("name") or "", f"{path}.name")
    key = selector.get("key")
    return errors + (
        problems(config_key, key, f"{path}.key") if key else [field.required(f"{path}.key")]
    )


def _file_key(selector: Obj, path: str) -> Errors:
    errors: Errors = []
    for name, rule in (("key", variable_name), ("volumeName", naming.dns_label)):
        value = selector.get(name)
        here = f"{path}.{name}"
        errors += problems(rule, value, here) if value else [field.required(here)]
    where = selector.get("path")
    here = f"{path}.path"
    return errors + (no_backsteps(where, here) if where else [field.required(here)])


_SOURCES = {
    "fieldRef": lambda selector, path: validate_field(selector, VARIABLE_FIELDS, path),
    "resourceFieldRef": validate_resource_field,
    "configMapKeyRef": _key,
    "secretKeyRef": _key,
    "fileKeyRef": _file_key,
}

"""CustomResourceDefinitions: defaults and validation.

The paths in errors are those of the real server, which validates an internal form of definitions:
there, whatever all versions share (schema, subresources, columns, selectable fields) is at the top
of the spec. `internal` returns that form.
"""

from typing import Any

from kubewright.apiserver.customresource import go_json
from kubewright.apiserver.customresource.structural import children
from kubewright.apiserver.customresource.versions import (
    invalid_struct,
    schema_of,
    validate_columns,
    validate_root,
    validate_selectable,
    validate_subresources,
    warning_problems,
)
from kubewright.apiserver.customresource.webhook import validate_conversion
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj

APPROVED: str = "api-approved.kubernetes.io"
"""The annotation that definitions in Kubernetes' own groups require."""

_SHARED = (
    ("schema", "validation"),
    ("subresources", "subresources"),
    ("additionalPrinterColumns", "additionalPrinterColumns"),
    ("selectableFields", "selectableFields"),
)
_SEE = "see https://github.com/kubernetes/enhancements/pull/1111"
_MIXED_CASE = "may have mixed case, but should otherwise match: "

MOST_VERSIONS: int = 256
"""The most versions of a definition: discovery repeats all names for each of them."""


def default(crd: Obj) -> None:
    """Fill in defaults."""
    spec = crd.setdefault("spec", {})
    names = spec.setdefault("names", {})
    kind = names.get("kind") or ""
    if not names.get("singular") and kind:
        names["singular"] = kind.lower()
    if not names.get("listKind") and kind:
        names["listKind"] = f"{kind}List"
    conversion = spec.setdefault("conversion", {"strategy": "None"})
    webhook = conversion.get("webhook") or {}
    if all(webhook.get(name) is None for name in ("clientConfig", "conversionReviewVersions")):
        conversion.pop("webhook", None)
    service = (webhook.get("clientConfig") or {}).get("service")
    if service is not None:
        service.setdefault("port", 443)


def internal(spec: Obj) -> Obj:
    """Return a spec with everything that all versions share at the top."""
    versions = [dict(version) for version in spec.get("versions") or ()]
    result = {**spec, "versions": versions}
    if not versions:
        return result
    for name, above in _SHARED:
        first = versions[0].get(name)
        if all(version.get(name) == first for version in versions):
            if first is not None:
                result[above] = first
            for version in versions:
                version.pop(name, None)
    return result


def storage_version(crd: Obj) -> str:
    """Return the version in which objects are stored; empty if the definition has none."""
    for version in crd["spec"].get("versions") or ():
        if version.get("storage"):
            return str(version["name"])
    return ""


def has_condition(crd: Obj, kind: str) -> bool:
    """Return whether a condition of the definition is true."""
    conditions = (crd.get("status") or {}).get("conditions") or ()
    return any(each["type"] == kind and each["status"] == "True" for each in conditions)


def validate(crd: Obj) -> Errors:
    """Return what is wrong with a new definition."""
    errors = _validate_name(crd)
    errors += _validate_spec(crd["spec"], old=None)
    errors += validate_status(crd)
    errors += _validate_stored_versions(crd)
    errors += _validate_approval(crd, None)
    return errors + _validate_preserve(crd, None)


def validate_update(new: Obj, old: Obj) -> Errors:
    """Return what is wrong with a changed definition."""
    errors = _validate_spec(new["spec"], old=old)
    errors += _validate_immutable(new["spec"], old["spec"], names=has_condition(old, "Established"))
    errors += validate_status(new)
    errors += _validate_stored_versions(new)
    errors += _validate_approval(new, old)
    return errors + _validate_preserve(new, old)


def validate_status(crd: Obj) -> Errors:
    """Return what is wrong with the status of a definition."""
    accepted = (crd.get("status") or {}).get("acceptedNames") or {}
    return _validate_names(accepted, "status.acceptedNames")


def _validate_name(crd: Obj) -> Errors:
    spec = crd["spec"]
    wanted = f"{spec['names'].get('plural') or ''}.{spec.get('group') or ''}"
    name = crd["metadata"].get("name") or ""
    if name in ("", wanted):
        return []
    text = 'must be spec.names.plural+"."+spec.group'
    return [field.invalid("metadata.name", name, text)]


def _validate_immutable(new: Obj, old: Obj, *, names: bool) -> Errors:
    watched = [("group",), ("names", "plural")]
    if names:
        watched = [("scope",), ("names", "kind"), *watched]
    errors: Errors = []
    for path in watched:
        now, before = _at(new, path), _at(old, path)
        if now != before:
            errors.append(field.invalid(f"spec.{'.'.join(path)}", now, "field is immutable"))
    return errors


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        value = (value or {}).get(name)
    return value or ""


def _validate_spec(given: Obj, *, old: Obj | None) -> Errors:
    spec = internal(given)
    errors = _validate_group(spec.get("group") or "")
    errors += one_of("spec.scope", spec.get("scope") or "", ("Cluster", "Namespaced"))
    errors += _validate_has_schema(spec)
    errors += _validate_versions(spec, old)
    errors += _validate_first_version(spec["versions"])
    names = spec.get("names") or {}
    for name in ("plural", "singular", "kind", "listKind"):
        if not names.get(name):
            errors.append(field.required(f"spec.names.{name}"))
    errors += _validate_names(names, "spec.names")
    errors += _validate_shared(spec, old)
    errors += validate_conversion(spec.get("conversion"), old)
    return errors


def _validate_group(group: str) -> Errors:
    if not group:
        return [field.required("spec.group")]
    if problems := naming.dns_subdomain(group):
        return [field.invalid("spec.group", group, ",".join(problems))]
    if "." not in group:
        return [field.invalid("spec.group", group, "should be a domain with at least one dot")]
    return []


def one_of(path: str, value: str, allowed: tuple[str, ...]) -> Errors:
    """Return what is wrong with a word that must be one of *allowed*."""
    if not value:
        return [field.required(path)]
    return [] if value in allowed else [field.not_supported(path, value, allowed)]


def _validate_has_schema(spec: Obj) -> Errors:
    if (spec.get("validation") or {}).get("openAPIV3Schema") is not None:
        return []
    return [
        field.required(f"spec.versions[{index}].schema.openAPIV3Schema")
        for index, version in enumerate(spec["versions"])
        if (version.get("schema") or {}).get("openAPIV3Schema") is None
    ]


def _validate_versions(spec: Obj, old: Obj | None) -> Errors:
    errors: Errors = []
    versions = spec["versions"]
    if len(versions) > MOST_VERSIONS:
        return [field.too_many("spec.versions", len(versions), MOST_VERSIONS)]
    per_version = any(version.get("subresources") is not None for version in versions)
    for index, version in enumerate(versions):
        path = f"spec.versions[{index}]"
        name = version.get("name") or ""
        if problems := naming.dns_label_1035(name):
            errors.append(field.invalid(f"{path}.name", name, ",".join(problems)))
        subresources = version.get("subresources") if per_version else spec.get("subresources")
        has_status = (subresources or {}).get("status") is not None
        errors += _validate_version(version, path, old, has_status=has_status)
    names = [version.get("name") for version in versions]
    shown = [go_json.version(version) for version in versions]
    if len(set(names)) != len(names):
        errors.append(invalid_struct("spec.versions", shown, "must contain unique version names"))
    if sum(1 for version in versions if version.get("storage")) != 1:
        text = "must have exactly one version marked as storage version"
        errors.append(invalid_struct("spec.versions", shown, text))
    return errors


def _validate_first_version(versions: list[Obj]) -> Errors:
    """Check the name of the first version again: the internal form also has it at the top."""
    name = versions[0].get("name") if versions else ""
    if name and (problems := naming.dns_label_1035(name)):
        return [field.invalid("spec.version", name, ",".join(problems))]
    return []


def _validate_version(version: Obj, path: str, old: Obj | None, *, has_status: bool) -> Errors:
    errors = [
        field.invalid(f"{path}.deprecationWarning", version.get("deprecationWarning"), problem)
        for problem in warning_problems(version)
    ]
    unchanged = _schema_unchanged(version, old)
    source = schema_of(version)
    errors += validate_root(source, f"{path}.schema", has_status=has_status, unchanged=unchanged)
    errors += validate_subresources(version.get("subresources"), f"{path}.subresources")
    errors += validate_columns(version, path)
    fields = version.get("selectableFields") or []
    if fields and source is None:
        text = "may only be set when `version.schema.openAPIV3Schema` is not included"
        errors.append(field.invalid(f"{path}.selectableFields", "", text))
    elif source is not None:
        errors += validate_selectable(fields, source, f"{path}.selectableFields")
    return errors


def _schema_unchanged(version: Obj, old: Obj | None) -> bool:
    """Return whether the same schema was accepted before, so that rule costs are not limited."""
    before = {
        each.get("name"): each for each in ((old or {}).get("spec") or {}).get("versions", ())
    }
    known = before.get(version.get("name"))
    return known is not None and known.get("schema") == version.get("schema")


def _validate_shared(spec: Obj, old: Obj | None) -> Errors:
    source = schema_of(spec, "validation")
    subresources = [
        spec.get("subresources"),
        *(each.get("subresources") for each in spec["versions"]),
    ]
    has_status = any((each or {}).get("status") is not None for each in subresources)
    first = {**spec["versions"][0], "schema": spec.get("validation")} if spec["versions"] else {}
    unchanged = _schema_unchanged(first, old)
    errors = validate_root(source, "spec.validation", has_status=has_status, unchanged=unchanged)
    errors += validate_subresources(spec.get("subresources"), "spec.subresources")
    errors += validate_columns(spec, "spec")
    fields = spec.get("selectableFields") or []
    if fields and source is None:
        text = "may only be set when validations.schema is included"
        errors.append(field.invalid("spec.selectableFields", "", text))
    elif source is not None:
        errors += validate_selectable(fields, source, "spec.selectableFields")
    return errors


def _validate_names(names: Obj, path: str) -> Errors:
    errors: Errors = []
    for name in ("plural", "singular"):
        value = names.get(name) or ""
        if value and (problems := naming.dns_label_1035(value)):
            errors.append(field.invalid(f"{path}.{name}", value, ",".join(problems)))
    for name in ("kind", "listKind"):
        value = names.get(name) or ""
        if value and (problems := naming.dns_label_1035(value.lower())):
            text = f"{_MIXED_CASE}{','.join(problems)}"
            errors.append(field.invalid(f"{path}.{name}", value, text))
    errors += _validate_labels(names.get("shortNames") or (), f"{path}.shortNames")
    if names.get("kind") and names.get("kind") == names.get("listKind"):
        text = "kind and listKind may not be the same"
        errors.append(field.invalid(f"{path}.listKind", names["listKind"], text))
    return errors + _validate_labels(names.get("categories") or (), f"{path}.categories")


def _validate_labels(values: Any, path: str) -> Errors:
    return [
        field.invalid(f"{path}[{index}]", value, ",".join(problems))
        for index, value in enumerate(values)
        if (problems := naming.dns_label_1035(value))
    ]


def _validate_stored_versions(crd: Obj) -> Errors:
    stored = (crd.get("status") or {}).get("storedVersions") or []
    path = "status.storedVersions"
    if not stored:
        return [field.invalid(path, None, "must have at least one stored version")]
    versions = crd["spec"].get("versions") or []
    errors: Errors = []
    missing = set(stored)
    for version in versions:
        # Kubernetes counts a version that is listed twice as known the second time.
        if version.get("storage") and version["name"] not in missing:
            text = f"must have the storage version {version['name']}"
            errors.append(field.invalid(path, stored, text))
        missing.discard(version.get("name"))
    served = {version.get("name") for version in versions}
    for index, name in enumerate(stored):
        if name not in served:
            text = (
                f"missing from spec.versions; {name} was previously a storage version, and must"
                " remain in spec.versions until a storage migration ensures no data remains"
                f" persisted in {name} and removes {name} from status.storedVersions"
            )
            errors.append(field.invalid(f"{path}[{index}]", name, text))
    return errors


def _approval(crd: Obj) -> tuple[str, str]:
    """Return the approval state of a definition in a protected group, and a message."""
    value = (crd["metadata"].get("annotations") or {}).get(APPROVED) or ""
    needs = f'protected groups must have approval annotation "{APPROVED}"'
    if not value:
        return "missing", f"{needs}, {_SEE}"
    if value.startswith("unapproved"):
        return "bypassed", ""
    scheme, separator, rest = value.partition("://")
    if separator and scheme and rest.partition("/")[0]:
        return "approved", ""
    return "invalid", f'{needs} with either a URL or a reason starting with "unapproved", {_SEE}'


def _validate_approval(new: Obj, old: Obj | None) -> Errors:
    group = new["spec"].get("group") or ""
    if not f".{group}".endswith((".k8s.io", ".kubernetes.io")):
        return []
    state, text = _approval(new)
    if old is not None and _approval(old)[0] == state:
        return []
    path = f"metadata.annotations[{APPROVED}]"
    if state == "missing":
        return [field.required(path, text)]
    if state == "invalid":
        return [field.invalid(path, new["metadata"]["annotations"][APPROVED], text)]
    return []


def _validate_preserve(new: Obj, old: Obj | None) -> Errors:
    path = "spec.preserveUnknownFields"
    if not new["spec"].get("preserveUnknownFields"):
        return []
    errors: Errors = []
    sources = (schema_of(version) for version in new["spec"].get("versions") or ())
    if any(source is not None and _has_defaults(source) for source in sources):
        text = "must be false in order to use defaults in the schema"
        errors.append(field.invalid(path, True, text))  # the value
    if old is None or not old["spec"].get("preserveUnknownFields"):
        text = (
            "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in"
            " spec.versions[*].schema instead"
        )
        errors.append(field.invalid(path, True, text))  # the value
    return errors


def _has_defaults(source: Obj) -> bool:
    return source.get("default") is not None or any(map(_has_defaults, children(source)))

"""Custom resources: validates embedded resources (``x-kubernetes-embedded-resource``)."""

from typing import Any

from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.schema.prune import child_of, has_embedded
from kubewright.apiserver.schema.tree import Schema


def validate_embedded(value: Any, schema: Schema | None, path: str = "") -> Errors:
    """Return what is wrong with the embedded objects at and below *value*."""
    if schema is None or not has_embedded(schema):
        return []
    errors: Errors = []
    if isinstance(value, list):
        for index, item in enumerate(value):
            errors += validate_embedded(item, schema.items, f"{path}[{index}]")
    elif isinstance(value, dict):
        if schema.embedded_resource:
            errors += validate_resource(value, path)
        for key, item in value.items():
            if key in schema.properties:
                below = f"{path}.{key}" if path else key
                errors += validate_embedded(item, schema.properties[key], below)
            elif (child := child_of(schema, key)) is not None:
                errors += validate_embedded(item, child, f"{path}[{key}]")
    return errors


def validate_resource(value: dict[str, Any], path: str) -> Errors:
    """Return what is wrong with the apiVersion, kind and metadata of an embedded object."""
    prefix = f"{path}." if path else ""
    errors: Errors = []
    if "apiVersion" not in value:
        errors.append(field.required(f"{prefix}apiVersion"))
    if "kind" not in value:
        errors.append(field.required(f"{prefix}kind"))
    if "apiVersion" in value:
        errors += _validate_version(value["apiVersion"], f"{prefix}apiVersion")
    if "kind" in value:
        errors += _validate_kind(value["kind"], f"{prefix}kind")
    if isinstance(metadata := value.get("metadata"), dict):
        errors += _validate_metadata(metadata, f"{prefix}metadata")
    return errors


def _validate_version(value: Any, path: str) -> Errors:
    if not isinstance(value, str):
        return [field.invalid(path, value, "must be a string")]
    if not value:
        return [field.invalid(path, value, "must not be empty")]
    if value.count("/") > 1:
        return [field.invalid(path, value, f"unexpected GroupVersion string: {value}")]
    return []


def _validate_kind(value: Any, path: str) -> Errors:
    if not isinstance(value, str):
        return [field.invalid(path, value, "must be a string")]
    if not value:
        return [field.invalid(path, value, "must not be empty")]
    problems = naming.dns_label_1035(value.lower())
    if not problems:
        return []
    text = f"may have mixed case, but should otherwise match: {','.join(problems)}"
    return [field.invalid(path, value, text)]


def _validate_metadata(metadata: dict[str, Any], path: str) -> Errors:
    errors: Errors = []
    name = metadata.get("name") or "fakename"
    errors += [field.invalid(f"{path}.name", name, text) for text in naming.path_segment(name)]
    generate = metadata.get("generateName") or ""
    errors += [
        field.invalid(f"{path}.generateName", generate, text)
        for text in naming.path_segment(generate)
    ]
    if namespace := metadata.get("namespace"):
        errors += [
            field.invalid(f"{path}.namespace", namespace, text)
            for text in naming.dns_label(namespace)
        ]
    errors += naming.labels(metadata.get("labels") or {}, f"{path}.labels")
    errors += naming.annotations(metadata.get("annotations") or {}, f"{path}.annotations")
    return errors

"""Validation of one version of a definition: schema, subresources, columns, selectable fields."""

from typing import Any

from kubewright.apiserver.customresource import go_json
from kubewright.apiserver.customresource.columns import validate_column
from kubewright.apiserver.customresource.expressions import ExpressionScope, Totals
from kubewright.apiserver.customresource.openapi import validate_schema
from kubewright.apiserver.customresource.structural import (
    RawSchema,
    children,
    unsupported,
    validate_structural,
)
from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors, FieldError
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.schema.default import copy
from kubewright.apiserver.schema.embedded import validate_embedded
from kubewright.apiserver.schema.fieldpath import FieldPathError, resolve
from kubewright.apiserver.schema.prune import prune
from kubewright.apiserver.schema.ratchet import same
from kubewright.apiserver.schema.rules import rules_of
from kubewright.apiserver.schema.tree import UNSET, Schema, parse
from kubewright.apiserver.schema.validate import validate

_MAX_SELECTABLE = 8
_ROOT_FIELDS = (
    "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength"
    " MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties"
    " ExternalDocs Example XPreserveUnknownFields XValidations"
)


def schema_of(version: Obj, name: str = "schema") -> RawSchema | None:
    """Return the schema of a version, or ``None``."""
    found: RawSchema | None = (version.get(name) or {}).get("openAPIV3Schema")
    return found


def validate_columns(version: Obj, path: str) -> Errors:
    """Return what is wrong with the printer columns."""
    errors: Errors = []
    for index, column in enumerate(version.get("additionalPrinterColumns") or ()):
        errors += validate_column(column, f"{path}.additionalPrinterColumns[{index}]")
    return errors


def invalid_struct(path: str, value: Any, detail: str) -> FieldError:
    """Return the error for an invalid value, printed as one of the server's own structs."""
    text = f"Invalid value: {go_json.encoded(value)}: {detail}"
    return FieldError("FieldValueInvalid", path, text)


def warning_problems(version: Obj) -> list[str]:
    """Return what is wrong with the warning that a deprecated version sends."""
    warning = version.get("deprecationWarning")
    if warning is None:
        return []
    if not version.get("deprecated"):
        return ["can only be set for deprecated versions"]
    problems = []
    if len(warning.encode()) > 256:  # noqa: PLR2004  # the limit for the Warning header
        problems.append("must be <= 256 characters long")
    if not warning:
        problems.append("must not be an empty string")
    for place, char in enumerate(warning):
        if not char.isprintable():
            index = len(warning[:place].encode())
            text = "must only contain printable UTF-8 characters; non-printable character found"
            problems.append(f"{text} at index {index}")
            break
    return problems


def validate_root(
    source: RawSchema | None, path: str, *, has_status: bool, unchanged: bool
) -> Errors:
    """Check a whole schema."""
    if source is None:
        return []
    below = f"{path}.openAPIV3Schema"
    errors = _validate_root_fields(source, below) if has_status else []
    if source.get("nullable"):
        errors.append(field.forbidden(f"{below}.nullable", "nullable cannot be true at the root"))
    problem = unsupported(source)
    scope: ExpressionScope | None = None
    if not problem:
        found = validate_structural(source, below) or validate_defaults(source, below)
        errors += found
        if not found and _has_rules(source):
            scope = ExpressionScope.root(source, Totals(limited=not unchanged))
    errors += validate_schema(source, below, scope)
    if problem and not errors:
        errors.append(field.invalid(below, "", problem))
    if scope is not None:
        errors += scope.totals.errors(below)
    return errors


def _has_rules(source: RawSchema) -> bool:
    return bool(source.get("x-kubernetes-validations")) or any(map(_has_rules, children(source)))


def _validate_root_fields(source: RawSchema, path: str) -> Errors:
    allowed = _ROOT_FIELDS.split()
    for go_name in go_json.fields_set(source):
        if go_name == "Type":
            if source["type"] != "object":
                text = (
                    'only "object" is allowed as the type at the root of the schema if the status'
                    " subresource is enabled"
                )
                return [field.invalid(f"{path}.type", source["type"], text)]
        elif go_name not in allowed:
            text = (
                f"only [{' '.join(allowed)}] fields are allowed at the root of the schema if the"
                " status subresource is enabled"
            )
            return [invalid_struct(path, go_json.schema(source), text)]
    return []


def validate_subresources(subresources: Obj | None, path: str) -> Errors:
    """Return what is wrong with the paths of the scale subresource."""
    scale = (subresources or {}).get("scale")
    if scale is None:
        return []
    errors = _validate_scale_path(scale, "specReplicasPath", path, (".spec.",), "under .spec")
    errors += _validate_scale_path(
        scale, "statusReplicasPath", path, (".status.",), "under .status"
    )
    if scale.get("labelSelectorPath"):
        prefixes = (".spec.", ".status.")
        where = "under either .spec or .status"
        errors += _validate_scale_path(scale, "labelSelectorPath", path, prefixes, where)
    return errors


def _validate_scale_path(
    scale: Obj, name: str, path: str, prefixes: tuple[str, ...], where: str
) -> Errors:
    value = scale.get(name) or ""
    below = f"{path}.scale.{name}"
    if not value:
        return [field.required(below)]
    if not value.startswith("."):
        return [field.invalid(below, value, "must be a simple json path starting with .")]
    if not value.startswith(prefixes):
        return [field.invalid(below, value, f"should be a json path {where}")]
    return []


def validate_selectable(fields: list[Obj], source: RawSchema, path: str) -> Errors:
    """Return what is wrong with the selectable fields."""
    errors: Errors = []
    seen: set[str] = set()
    for index, each in enumerate(fields):
        below, value = f"{path}[{index}].jsonPath", each.get("jsonPath") or ""
        if not value:
            errors.append(field.required(below))
            continue
        try:
            shown, found = resolve(value, source, arrays=False)
        except FieldPathError as error:
            errors.append(field.invalid(below, value, f"is an invalid path: {error}"))
            continue
        errors += _validate_selected(value, shown, found, below)
        if shown in seen:
            errors.append(field.duplicate(below, value))
        seen.add(shown)
    if len(seen) > _MAX_SELECTABLE:
        errors.append(field.too_many(path, len(seen), _MAX_SELECTABLE))
    return errors


def _validate_selected(value: str, shown: str, found: RawSchema, path: str) -> Errors:
    errors: Errors = []
    if shown.partition(".")[0] == "metadata":
        errors.append(field.invalid(path, value, "must not point to fields in metadata"))
    if found.get("type") not in {"string", "boolean", "integer"}:
        text = (
            "must point to a field of type string, boolean or integer. Enum string fields and"
            " strings with formats are allowed."
        )
        errors.append(field.invalid(path, value, text))
    return errors


def validate_defaults(source: RawSchema, path: str) -> Errors:
    """Return errors for defaults that are invalid or have unknown fields."""
    schema = parse(source)
    schema.embedded_resource = True  # the whole object is a resource, too
    return _validate_each_default(schema, path)


def _validate_each_default(schema: Schema, path: str) -> Errors:
    errors: Errors = []
    if schema.default not in (UNSET, None):
        errors += _validate_default(schema, f"{path}.default")
    if schema.items is not None:
        errors += _validate_each_default(schema.items, f"{path}.items")
    for name, child in schema.properties.items():
        errors += _validate_each_default(child, f"{path}.properties[{name}]")
    return errors


def _typed(source: RawSchema) -> RawSchema:
    """Return a schema for checking defaults: int-or-string values may have any type."""
    plain = {key: value for key, value in source.items() if key != "x-kubernetes-int-or-string"}
    for key in ("items", "additionalProperties"):
        if isinstance(source.get(key), dict):
            plain[key] = _typed(source[key])
    if source.get("properties"):
        plain["properties"] = {name: _typed(child) for name, child in source["properties"].items()}
    return plain


def _validate_default(schema: Schema, path: str) -> Errors:
    value = schema.default
    errors: Errors = []
    pruned = copy(value)
    prune(pruned, schema, root=schema.embedded_resource)
    if not same(pruned, value):
        errors.append(field.invalid(path, value, "must not have unknown fields"))
    found = validate_embedded(value, schema, path)
    found = found or validate(value, parse(_typed(schema.source)), prefix=path)
    if not found and (rules := rules_of(schema, root=False)) is not None:
        # Once as an update with an equal old value, for transition rules, and once as a create.
        found = rules.validate(value, value, path=path) or rules.validate(value, None, path=path)
    return errors + found

"""Validation of each schema in a definition, including Kubernetes' extensions."""

from dataclasses import dataclass, replace
from typing import Any

from kubewright.apiserver.customresource.expressions import ExpressionScope
from kubewright.apiserver.customresource.structural import RawSchema, unsupported
from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors, FieldError
from kubewright.apiserver.schema.fieldpath import FieldPathError, resolve

TYPES: tuple[str, ...] = ("array", "boolean", "integer", "number", "object", "string")
_META_FIELDS = frozenset({"apiVersion", "kind", "metadata"})
_REASONS = (
    "FieldValueDuplicate",
    "FieldValueForbidden",
    "FieldValueInvalid",
    "FieldValueRequired",
)
_UNIQUE_ITEMS = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
_NO_DEFAULT = (
    "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required"
    " property"
)
_KEY_NULLABLE = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"
_ATOMIC_ITEM = "must be atomic as item of a list with x-kubernetes-list-type=set"


@dataclass(frozen=True, slots=True)
class Context:
    """What a node of a schema inherits from the nodes above it.

    Attributes:
        no_defaults: Why defaults are forbidden here; ``None`` if they are allowed.
        inside_meta: Whether this is, or is below, metadata, apiVersion or kind.
        uncorrelated: The path of a list above whose elements cannot be matched with old ones.
        scope: The scope of CEL rules; ``None`` if they are not checked.
    """

    no_defaults: str | None = None
    inside_meta: bool = False
    uncorrelated: str = ""
    scope: ExpressionScope | None = None


class SchemaErrors:
    """Errors about schemas, and errors about rules, which are reported last."""

    __slots__ = ("rules", "schemas")

    def __init__(self) -> None:
        self.schemas: Errors = []
        self.rules: Errors = []

    def all(self) -> Errors:
        """Return all errors in the order in which they are reported."""
        return [*self.schemas, *self.rules]


def validate_schema(source: RawSchema, path: str, scope: ExpressionScope | None) -> Errors:
    """Return what is wrong with a schema and everything below it."""
    return _validate(source, path, Context(scope=scope), root=True).all()


def _validate(
    source: RawSchema, path: str, context: Context, *, root: bool = False
) -> SchemaErrors:
    found = SchemaErrors()
    found.schemas += _forbidden(source, path, context)
    if source.get("uniqueItems"):
        found.schemas.append(field.forbidden(f"{path}.uniqueItems", _UNIQUE_ITEMS))
    _validate_children(source, path, context, found, root=root)
    if source.get("x-kubernetes-preserve-unknown-fields") is False:
        below = f"{path}.x-kubernetes-preserve-unknown-fields"
        found.schemas.append(field.invalid(below, False, "must be true or undefined"))  # the value
    found.schemas += _map_type(source, path)
    found.schemas += _list_type(source, path)
    found.schemas += _list_map_keys(source, path)
    found.schemas += _set_and_map_items(source, path)
    found.schemas += _rule_fields(source, path)
    if source.get("x-kubernetes-validations") and not found.schemas and context.scope:
        found.rules += context.scope.validate_rules(path, uncorrelated=context.uncorrelated)
    return found


def _forbidden(source: RawSchema, path: str, context: Context) -> Errors:
    errors: Errors = []
    kind = source.get("type") or ""
    if kind and kind not in TYPES:
        errors.append(field.not_supported(f"{path}.type", kind, TYPES))
    if source.get("default") is not None and context.no_defaults is not None:
        errors.append(field.forbidden(f"{path}.default", f"must not be set{context.no_defaults}"))
    for name in (
        "id",
        "additionalItems",
        "patternProperties",
        "definitions",
        "dependencies",
        "$ref",
    ):
        present = name in source if name in {"additionalItems", "$ref"} else source.get(name)
        if present:
            errors.append(field.forbidden(f"{path}.{name}", f"{name} is not supported"))
    if kind == "null":
        text = "type cannot be set to null, use nullable as an alternative"
        errors.append(field.forbidden(f"{path}.type", text))
    if isinstance(source.get("items"), list) and source["items"]:
        text = "items must be a schema object and not an array"
        errors.append(field.forbidden(f"{path}.items", text))
    if context.inside_meta and source.get("x-kubernetes-embedded-resource"):
        below = f"{path}.x-kubernetes-embedded-resource"
        errors.append(field.forbidden(below, "must not be used inside of resource meta"))
    return errors


def _validate_children(
    source: RawSchema, path: str, context: Context, found: SchemaErrors, *, root: bool
) -> None:
    def visit(child: Any, below: str, inner: Context) -> None:
        if isinstance(child, dict):
            inner_found = _validate(child, below, inner)
            found.schemas += inner_found.schemas
            found.rules += inner_found.rules

    if "additionalProperties" in source:
        _visit_additional(source, path, context, found, visit)
    properties = source.get("properties") or {}
    for name, child in properties.items():
        inner = _property_context(source, name, child, path, context, root=root)
        visit(child, f"{path}.properties[{name}]", inner)
    plain = replace(context, scope=None)
    visit(source.get("not"), f"{path}.not", plain)
    for key in ("allOf", "oneOf", "anyOf"):
        for index, part in enumerate(source.get(key) or ()):
            visit(part, f"{path}.{key}[{index}]", plain)
    _visit_items(source, path, context, visit)


def _visit_additional(
    source: RawSchema, path: str, context: Context, found: SchemaErrors, visit: Any
) -> None:
    additional = source["additionalProperties"]
    below = f"{path}.additionalProperties"
    if source.get("properties") and additional is not True:
        text = "additionalProperties and properties are mutual exclusive"
        found.schemas.append(field.forbidden(below, text))
    inner = context
    if context.inside_meta:
        reason = " inside additionalProperties applying to object metadata"
        inner = replace(context, no_defaults=reason)
    if isinstance(additional, dict):
        scope = context.scope and context.scope.additional(additional)
        visit(additional, below, replace(inner, scope=scope))


def _property_context(
    source: RawSchema, name: str, child: RawSchema, path: str, context: Context, *, root: bool
) -> Context:
    inner = replace(context, scope=context.scope and context.scope.property(name, child))
    map_type = source.get("x-kubernetes-map-type")
    if map_type not in {None, "granular", "atomic"} and not inner.uncorrelated:
        inner = replace(inner, uncorrelated=path)
    if (root or source.get("x-kubernetes-embedded-resource")) and name in _META_FIELDS:
        inner = replace(inner, inside_meta=True)
        if root:
            inner = replace(inner, no_defaults=f" in top-level {name}")
    return inner


def _visit_items(source: RawSchema, path: str, context: Context, visit: Any) -> None:
    items = source.get("items")
    if items is None:
        return
    if source.get("x-kubernetes-list-type") != "map" and not context.uncorrelated:
        context = replace(context, uncorrelated=path)
    if isinstance(items, list):
        for index, child in enumerate(items):
            visit(child, f"{path}.items[{index}]", replace(context, scope=None))
    else:
        scope = context.scope and context.scope.items(items)
        visit(items, f"{path}.items", replace(context, scope=scope))


def _needs_type(source: RawSchema, path: str, wanted: str, extension: str) -> Errors:
    kind = source.get("type") or ""
    if kind == wanted:
        return []
    text = f"must be {wanted} if {extension} is specified"
    below = f"{path}.type"
    return [field.invalid(below, kind, text) if kind else field.required(below, text)]


def _not_one_of(path: str, value: str, allowed: tuple[str, ...]) -> FieldError:
    listed = ", ".join(field.quoted(item) for item in allowed)
    text = f"Unsupported value: {field.quoted(value)}: supported values: {listed}"
    return FieldError("FieldValueNotSupported", path, text)


def _map_type(source: RawSchema, path: str) -> Errors:
    value = source.get("x-kubernetes-map-type")
    if value is None:
        return []
    errors = _needs_type(source, path, "object", "x-kubernetes-map-type")
    if value not in {"atomic", "granular"}:
        below = f"{path}.x-kubernetes-map-type"
        errors.append(_not_one_of(below, value, ("atomic", "granular")))
    return errors


def _list_type(source: RawSchema, path: str) -> Errors:
    value = source.get("x-kubernetes-list-type")
    if value is None:
        return []
    errors = _needs_type(source, path, "array", "x-kubernetes-list-type")
    if not errors and value == "set" and isinstance(source.get("items"), dict):
        errors += _set_items(source["items"], f"{path}.items")
    if value not in {"atomic", "set", "map"}:
        below = f"{path}.x-kubernetes-list-type"
        errors.append(_not_one_of(below, value, ("atomic", "set", "map")))
    return errors


def _set_items(items: RawSchema, path: str) -> Errors:
    list_type, map_type = items.get("x-kubernetes-list-type"), items.get("x-kubernetes-map-type")
    if items.get("type") == "array" and list_type not in {None, "atomic"}:
        return [field.invalid(f"{path}.x-kubernetes-list-type", list_type, _ATOMIC_ITEM)]
    if items.get("type") == "object" and map_type != "atomic":
        # The real server shows the item's list type here.
        return [field.invalid(f"{path}.x-kubernetes-map-type", list_type, _ATOMIC_ITEM)]
    return []


def _list_map_keys(source: RawSchema, path: str) -> Errors:
    keys = source.get("x-kubernetes-list-map-keys") or []
    list_type = source.get("x-kubernetes-list-type")
    below = f"{path}.x-kubernetes-list-type"
    errors: Errors = []
    if keys and list_type != "map":
        text = "must be map if x-kubernetes-list-map-keys is non-empty"
        wrong = field.required(below, text)
        errors.append(wrong if list_type is None else field.invalid(below, list_type, text))
    if list_type != "map":
        return errors
    if not keys:
        text = "must not be empty if x-kubernetes-list-type is map"
        errors.append(field.required(f"{path}.x-kubernetes-list-map-keys", text))
    items = source.get("items")
    if items is None:
        text = "must have a schema if x-kubernetes-list-type is map"
        errors.append(field.required(f"{path}.items", text))
    elif isinstance(items, dict):
        errors += _keyed_items(items, keys, path)
    return errors


def _keyed_items(items: RawSchema, keys: list[str], path: str) -> Errors:
    kind = items.get("type") or ""
    if kind != "object":
        text = "must be object if parent array's x-kubernetes-list-type is map"
        return [field.invalid(f"{path}.items.type", kind, text)]
    errors: Errors = []
    properties = items.get("properties") or {}
    below = f"{path}.x-kubernetes-list-map-keys"
    for place, name in enumerate(keys):
        if name not in properties:
            errors.append(
                field.invalid(below, keys, "entries must all be names of item properties")
            )
        elif properties[name].get("type") in {"array", "object"}:
            text = "must be a scalar type if parent array's x-kubernetes-list-type is map"
            errors.append(field.invalid(f"{path}.items.properties[{name}].type", kind, text))
        if name in keys[:place]:
            errors.append(field.invalid(below, keys, "must not contain duplicate entries"))
    return errors


def _set_and_map_items(source: RawSchema, path: str) -> Errors:
    items, list_type = source.get("items"), source.get("x-kubernetes-list-type")
    if not isinstance(items, dict) or list_type not in {"set", "map"}:
        return []
    errors: Errors = []
    if items.get("nullable"):
        text = f"cannot be nullable when x-kubernetes-list-type is {list_type}"
        errors.append(field.forbidden(f"{path}.items.nullable", text))
    if list_type == "set":
        return errors
    for name in source.get("x-kubernetes-list-map-keys") or ():
        child = (items.get("properties") or {}).get(name)
        if child is None:
            continue
        below = f"{path}.items.properties[{name}]"
        if name not in (items.get("required") or ()) and child.get("default") is None:
            errors.append(field.required(f"{below}.default", _NO_DEFAULT))
        if child.get("nullable"):
            errors.append(field.forbidden(f"{below}.nullable", _KEY_NULLABLE))
    return errors


def _rule_fields(source: RawSchema, path: str) -> Errors:
    errors: Errors = []
    for index, rule in enumerate(source.get("x-kubernetes-validations") or ()):
        errors += _rule(rule, source, f"{path}.x-kubernetes-validations[{index}]")
    return errors


def _rule(rule: RawSchema, source: RawSchema, path: str) -> Errors:
    text, message = rule.get("rule") or "", rule.get("message") or ""
    errors: Errors = []
    if not text.strip():
        errors.append(field.required(f"{path}.rule", "rule is not specified"))
    elif message and not message.strip():
        errors.append(field.invalid(f"{path}.message", message, "must be non-empty if specified"))
    elif _has_line_break(message.strip()):
        errors.append(field.invalid(f"{path}.message", message, "must not contain line breaks"))
    elif _has_line_break(text.strip()) and not message.strip():
        detail = "message must be specified if rule contains line breaks"
        errors.append(field.required(f"{path}.message", detail))
    expression = rule.get("messageExpression") or ""
    if expression and not expression.strip():
        detail = "messageExpression must be non-empty if specified"
        errors.append(field.required(f"{path}.messageExpression", detail))
    reason = rule.get("reason")
    if reason is not None and reason not in _REASONS:
        errors.append(field.not_supported(f"{path}.reason", reason, _REASONS))
    return errors + _rule_path(rule.get("fieldPath") or "", source, f"{path}.fieldPath")


def _rule_path(value: str, source: RawSchema, path: str) -> Errors:
    errors: Errors = []
    if value and not value.strip():
        errors.append(field.invalid(path, value, "must be non-empty if specified"))
    if _has_line_break(value):
        errors.append(field.invalid(path, value, "must not contain line breaks"))
    if value and not unsupported(source):
        try:
            resolve(value, source)
        except FieldPathError:
            errors.append(field.invalid(path, value, "must be a valid path"))
    return errors


def _has_line_break(text: str) -> bool:
    return "\n" in text or "\r" in text

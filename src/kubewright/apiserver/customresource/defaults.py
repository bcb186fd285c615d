"""Whether the defaults in a schema are themselves valid, and made of known fields only."""

from kubewright.apiserver.customresource.structural import Source
from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.schema.default import copy
from kubewright.apiserver.schema.embedded import validate_embedded
from kubewright.apiserver.schema.prune import prune
from kubewright.apiserver.schema.ratchet import same
from kubewright.apiserver.schema.rules import rules_of
from kubewright.apiserver.schema.tree import UNSET, Schema, parse
from kubewright.apiserver.schema.validate import validate


def validate_defaults(source: Source, path: str) -> Errors:
    """Return what is wrong with the defaults in a structural schema."""
    schema = parse(source)
    schema.embedded_resource = True  # the whole is a resource too
    return _validate(schema, path)


def _validate(schema: Schema, path: str) -> Errors:
    errors: Errors = []
    if schema.default not in (UNSET, None):
        errors += _validate_default(schema, f"{path}.default")
    if schema.items is not None:
        errors += _validate(schema.items, f"{path}.items")
    for name, child in schema.properties.items():
        errors += _validate(child, f"{path}.properties[{name}]")
    return errors


def _typed(source: Source) -> Source:
    """Return a schema as defaults are checked by it: integers or strings may be anything."""
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
        # Once as if it replaced an equal value, for transition rules, and once as a new one.
        found = rules.validate(value, value, path=path) or rules.validate(value, None, path=path)
    return errors + found

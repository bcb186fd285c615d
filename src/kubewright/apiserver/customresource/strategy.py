"""The strategies of custom objects and of CustomResourceDefinitions."""

from functools import cached_property
from typing import Any

from kubewright.apiserver.customresource import definition
from kubewright.apiserver.customresource import status as definition_status
from kubewright.apiserver.customresource.scale import validate_scale_spec, validate_scale_status
from kubewright.apiserver.customresource.structural import children
from kubewright.apiserver.meta import field, jsonpath, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.meta.names import api_version
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write
from kubewright.apiserver.schema import formats
from kubewright.apiserver.schema.default import default
from kubewright.apiserver.schema.embedded import validate_embedded
from kubewright.apiserver.schema.listtype import validate_lists
from kubewright.apiserver.schema.prune import settle_numbers
from kubewright.apiserver.schema.ratchet import Correlated, same
from kubewright.apiserver.schema.rules import Rules, rules_of
from kubewright.apiserver.schema.tree import Schema, parse
from kubewright.apiserver.schema.validate import NO_PATH, validate

_BLOCKING = frozenset(
    {
        "FieldValueNotSupported",
        "FieldValueRequired",
        "FieldValueTooLong",
        "FieldValueTooMany",
        "FieldValueTypeInvalid",
    }
)
_NOT_CHECKED = (
    "some validation rules were not checked because the object was invalid; correct the existing"
    " errors to complete validation"
)
_STANDARD_FINALIZERS = frozenset({"orphan", "foregroundDeletion", "kubernetes"})
_PREFER = "prefer a domain-qualified finalizer name"


class CustomResourceStrategy(Strategy):
    """How custom objects behave in one version of their definition.

    Attributes:
        kind: The kind in objects.
        api_version: The apiVersion in objects.
        source: The JSON of the schema.
        scale: The paths of the scale subresource; empty if the version has none.
    """

    has_generation = True
    allow_unconditional_update = False

    def __init__(self, crd: Obj, version: Obj) -> None:
        spec = crd["spec"]
        subresources = version.get("subresources") or {}
        self.kind: str = spec["names"]["kind"]
        self.api_version: str = api_version(spec["group"], version["name"])
        self.source: Obj = (version.get("schema") or {}).get("openAPIV3Schema") or {}
        self.has_status: bool = subresources.get("status") is not None
        self.scale: Obj = subresources.get("scale") or {}
        paths = [each["jsonPath"] for each in version.get("selectableFields") or ()]
        self._selectable = {path.removeprefix("."): path for path in paths}
        self.field_names: frozenset[str] = frozenset(self._selectable)

    @cached_property
    def schema(self) -> Schema:
        """The schema of the objects."""
        return parse(self.source)

    @cached_property
    def rules(self) -> Rules | None:
        """The CEL rules, compiled when the first object is checked."""
        return rules_of(self.schema, root=True)

    def default(self, obj: Obj) -> None:
        """Fill in the defaults of the schema."""
        default(obj, self.schema)

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Fill in defaults again: the status was dropped, and may have defaults of its own."""
        default(obj, self.schema)

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Return what is wrong with a new object."""
        if errors := self._validate_type(obj):
            return errors
        errors = validate(obj, self.schema, effort=write.effort)
        errors += self._validate_scale(obj)
        errors += validate_embedded(obj, self.schema)
        errors += validate_lists(obj, self.schema)
        errors += self._validate_rules(obj, None, errors, write)
        _warn_of_finalizers(obj, None, write)
        settle_numbers(obj)
        return errors

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Return what is wrong with a change; unchanged values are tolerated."""
        if errors := self._validate_type(new):
            return errors
        correlated = Correlated(new, old, self.schema)
        errors = validate(new, self.schema, correlated=correlated, effort=write.effort)
        errors += self._validate_scale(new)
        errors += validate_embedded(new, self.schema)
        errors += self._validate_new_lists(new, old)
        errors += self._validate_rules(new, old, errors, write, correlated)
        _warn_of_finalizers(new, old, write)
        settle_numbers(new)
        return errors

    def validate_status_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Return what is wrong with a change of the status."""
        correlated = Correlated(new, old, self.schema)
        errors: Errors = []
        shape = self.schema.properties.get("status")
        if "status" in new and shape is not None:
            pair = correlated.key("status")
            errors += validate(
                new["status"], shape, prefix="status", correlated=pair, effort=write.effort
            )
        if self.scale:
            errors += validate_scale_status(new, self.scale)
        errors += self._validate_new_lists(new, old)
        errors += self._validate_rules(new, old, errors, write, correlated)
        settle_numbers(new)
        return errors

    def spec_changed(self, new: Obj, old: Obj) -> bool:
        """Return whether anything changed but metadata and, as a subresource, the status."""
        skipped = {"metadata", "status"} if self.has_status else {"metadata"}
        names = (new.keys() | old.keys()) - skipped
        missing = object()
        return any(not same(new.get(name, missing), old.get(name, missing)) for name in names)

    def selectable_fields(self, obj: Obj) -> dict[str, str]:
        """Return the fields that the definition makes selectable; empty for missing ones."""
        return {name: self._selected(obj, path) for name, path in self._selectable.items()}

    def _selected(self, obj: Obj, path: str) -> str:
        found = jsonpath.parse(path).find(obj)
        return "" if not found or found[0] is None else jsonpath.as_text(found[0])

    def _validate_type(self, obj: Obj) -> Errors:
        errors: Errors = []
        if obj.get("kind") != self.kind:
            errors.append(field.invalid("kind", obj.get("kind") or "", f"must be {self.kind}"))
        if obj.get("apiVersion") != self.api_version:
            text = f"must be {self.api_version}"
            errors.append(field.invalid("apiVersion", obj.get("apiVersion") or "", text))
        return errors

    def _validate_scale(self, obj: Obj) -> Errors:
        if not self.scale:
            return []
        return validate_scale_spec(obj, self.scale) + validate_scale_status(obj, self.scale)

    def _validate_new_lists(self, new: Obj, old: Obj) -> Errors:
        """Return errors for duplicate elements unless the old object had some already."""
        errors = validate_lists(new, self.schema)
        return [] if errors and validate_lists(old, self.schema) else errors

    def _validate_rules(
        self,
        new: Obj,
        old: Obj | None,
        known: Errors,
        write: Write,
        correlated: Correlated | None = None,
    ) -> Errors:
        if self.rules is None:
            return []
        if any(error.reason in _BLOCKING for error in known):
            return [field.invalid(NO_PATH, None, _NOT_CHECKED)]
        return self.rules.validate(
            new, old, correlated=correlated, warn=write.warn, light=write.effort.light
        )


def _warn_of_finalizers(new: Obj, old: Obj | None, write: Write) -> None:
    """Warn about new finalizers without a domain prefix."""
    finalizers = new["metadata"].get("finalizers")
    if not finalizers:
        return
    known = ((old or {}).get("metadata") or {}).get("finalizers") or ()
    for name in sorted(set(finalizers) - set(known)):
        for text in [*naming.qualified_name(name), *_finalizer_problems(name)]:
            write.warn(f'metadata.finalizers: "{name}": {text}')


def _finalizer_problems(name: str) -> list[str]:
    if "/" in name or name in _STANDARD_FINALIZERS:
        return []
    others = "to avoid accidental conflicts with other finalizer writers"
    return [f"{_PREFER}{' including a path (/)' if '.' in name else ''} {others}"]


class CustomResourceDefinitionStrategy(Strategy):
    """How CustomResourceDefinitions behave."""

    deletion_finalizers: tuple[str, ...] = (definition_status.FINALIZER,)
    has_generation = True
    has_status = True
    allow_unconditional_update = False

    def default(self, obj: Obj) -> None:
        """Fill in names and conversion."""
        definition.default(obj)

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Start with a status that has only the stored version."""
        obj["status"] = {"conditions": None, "acceptedNames": {"plural": "", "kind": ""}}
        definition_status.add_stored_version(obj)

    def prepare_update(self, new: Obj, old: Obj, write: Write) -> None:
        """Add the storage version to the status if it is new."""
        stored = list((old.get("status") or {}).get("storedVersions") or ())
        new.setdefault("status", {})["storedVersions"] = stored
        definition_status.add_stored_version(new)

    def prepare_delete(self, obj: Obj, write: Write) -> None:
        """Set the Terminating condition: its objects are deleted first."""
        definition_status.begin_deletion(obj, now=write.now)

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Return what is wrong with a new definition."""
        for name in _unknown_formats(obj):
            write.warn(f'unrecognized format "{name}"')
        return definition.validate(obj)

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Return what is wrong with a changed definition."""
        known = set(_unknown_formats(old))
        for name in _unknown_formats(new):
            if name not in known:
                write.warn(f'unrecognized format "{name}"')
        return definition.validate_update(new, old)

    def validate_status_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Return what is wrong with the accepted names."""
        return definition.validate_status(new)


def _unknown_formats(crd: Obj) -> list[str]:
    found: list[str] = []
    spec = definition.internal(crd["spec"])
    shared = [spec.get("validation"), *(each.get("schema") for each in spec["versions"])]
    for part in shared:
        source = (part or {}).get("openAPIV3Schema")
        if source is not None:
            _collect_formats(source, found)
    return found


def _collect_formats(source: Any, found: list[str]) -> None:
    name, kind = source.get("format") or "", source.get("type") or ""
    allowed: Any = {"integer": ("int32", "int64"), "number": ("float", "double")}
    known = formats.known(name) if kind in {"", "string"} else name in allowed.get(kind, ())
    if name and not known:
        found.append(name)
    for child in children(source):
        _collect_formats(child, found)

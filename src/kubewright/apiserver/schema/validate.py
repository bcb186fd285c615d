"""Custom resources: validates values against their schema.

The checks, their order and their messages are those of OpenAPI validation in Kubernetes. Schemas
are compiled once into `_Node` trees, which the `Schema` caches.
"""

from typing import Any

from kubewright.apiserver.cel.regex import RegexError, matcher
from kubewright.apiserver.effort import OUT_OF_BUDGET, Effort, TooMuchError
from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors, FieldError
from kubewright.apiserver.schema import formats
from kubewright.apiserver.schema.numbers import check_number, is_whole
from kubewright.apiserver.schema.ratchet import Correlated, frozen
from kubewright.apiserver.schema.tree import Schema

_TYPE_META = frozenset({"apiVersion", "kind"})
NO_PATH: str = "<nil>"
"""The path of errors without a path, as Kubernetes prints it."""


def validate(
    value: Any,
    schema: Schema,
    *,
    prefix: str = "",
    correlated: Correlated | None = None,
    effort: Effort | None = None,
) -> Errors:
    """Return what is wrong with *value*.

    Args:
        value: A whole object, or a part of one.
        schema: Its shape.
        prefix: The path of *value*, for the paths of the errors; their texts leave it out.
        correlated: The new value and the old one, on an update: unchanged values pass.
        effort: The limit on the work to do.

    Raises:
        TooMuchError: It takes more than a light effort.
    """
    run = _Run(prefix, effort or Effort())
    try:
        run.check_child(compiled(schema), value, "", correlated)
    except TooMuchError:
        if run.effort.light:
            raise
        run.errors.append(field.invalid(prefix or NO_PATH, None, OUT_OF_BUDGET))
    return list({str(error): error for error in run.errors}.values())


class _Node:
    """The checks of one schema, compiled."""

    __slots__ = (
        "additional",
        "all_of",
        "any_of",
        "bounds",
        "choices",
        "closed",
        "enum",
        "format",
        "items",
        "max_items",
        "max_length",
        "max_properties",
        "min_items",
        "min_length",
        "min_properties",
        "none_of",
        "nullable",
        "one_of",
        "pattern",
        "properties",
        "required",
        "types",
        "unique",
    )

    def __init__(self, source: dict[str, Any]) -> None:
        self.types: tuple[str, ...] = (source["type"],) if source.get("type") else ()
        if source.get("x-kubernetes-int-or-string"):
            self.types = ("integer", "string")
        self.format: str = _format(source)
        self.nullable: bool = bool(source.get("nullable"))
        self.enum: list[Any] = source.get("enum") or []
        self.choices: _Choices | None = None  # made on first use
        self.pattern: str = source.get("pattern") or ""
        self.max_length: int | None = source.get("maxLength")
        self.min_length: int | None = source.get("minLength")
        self.max_items: int | None = source.get("maxItems")
        self.min_items: int | None = source.get("minItems")
        self.max_properties: int | None = source.get("maxProperties")
        self.min_properties: int | None = source.get("minProperties")
        self.unique: bool = bool(source.get("uniqueItems"))
        self.required: list[str] = source.get("required") or []
        self.bounds: dict[str, Any] | None = source if _has_bounds(source, self) else None
        self.all_of: list[_Node] = [_Node(part) for part in source.get("allOf") or ()]
        self.any_of: list[_Node] = [_Node(part) for part in source.get("anyOf") or ()]
        self.one_of: list[_Node] = [_Node(part) for part in source.get("oneOf") or ()]
        self.none_of: _Node | None = _Node(source["not"]) if source.get("not") is not None else None
        self.properties: dict[str, _Node] = {
            name: _Node(child) for name, child in (source.get("properties") or {}).items()
        }
        additional = source.get("additionalProperties")
        self.additional: _Node | None = _Node(additional) if isinstance(additional, dict) else None
        self.closed: bool = additional is False
        items = source.get("items")
        self.items: _Node | None = _Node(items) if isinstance(items, dict) else None

    @property
    def has_parts(self) -> bool:
        """Return whether the schema has ``allOf``, ``anyOf``, ``oneOf`` or ``not``."""
        return bool(self.all_of or self.any_of or self.one_of or self.none_of)


def _format(source: dict[str, Any]) -> str:
    name, kind = source.get("format") or "", source.get("type") or ""
    if source.get("x-kubernetes-int-or-string"):
        kind = ""
    if kind in {"", "string"}:
        return name if formats.known(name) else ""
    allowed = {"integer": ("int32", "int64"), "number": ("float", "double")}
    return name if name in allowed.get(kind, ()) else ""


def _has_bounds(source: dict[str, Any], node: _Node) -> bool:
    """Return whether numbers need to be checked."""
    named = any(source.get(name) is not None for name in ("minimum", "maximum", "multipleOf"))
    return named or bool(node.types and node.types[0] in {"integer", "number"})


def compiled(schema: Schema) -> _Node:
    """Return the compiled checks of a schema."""
    found: _Node | None = schema.memo.get("validate")
    if found is None:
        found = schema.memo["validate"] = _Node(schema.source)
    return found


class _Run:
    """One validation: collects errors, and counts checks to find the best match of a union."""

    def __init__(self, prefix: str, effort: Effort) -> None:
        self.prefix = prefix
        self.errors: Errors = []
        self.effort = effort

    def check_child(self, node: _Node, value: Any, path: str, correlated: Correlated | None) -> int:
        """Check a value; errors are dropped if an update did not change it."""
        known = len(self.errors)
        count = self.check(node, value, path, correlated)
        if len(self.errors) > known and correlated is not None and correlated.unchanged():
            del self.errors[known:]
        return count

    def check(self, node: _Node, value: Any, path: str, correlated: Correlated | None) -> int:
        """Check one value, and return the number of checks done."""
        self.effort.spend(1)
        if value is None:
            count = self._check_type(node, value, path)
            self._check_enum(node, value, path)
            return count
        count = 3  # the parts, the enum and the value itself
        if node.types or node.format:
            count += 1 + self._check_type(node, value, path)
        if node.has_parts:
            count += self._check_parts(node, value, path, correlated)
        count += 1
        if isinstance(value, str):
            count += self._check_string(node, value, path)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            count += 2
            if node.bounds is not None:
                check_number(self, node.bounds, value, path)
        elif isinstance(value, list):
            count += 2 + self._check_list(node, value, path, correlated)
        if node.enum:
            self._check_enum(node, value, path)
        if isinstance(value, dict):
            count += 1 + self._check_object(node, value, path, correlated)
        return count

    def at(self, path: str) -> str:
        """Return a path as errors show it."""
        path = path.removeprefix(".")
        if not path:
            return self.prefix or NO_PATH
        return f"{self.prefix}.{path}" if self.prefix else path

    def add(self, error: FieldError) -> None:
        """Add an error; its length counts as effort."""
        self.effort.tell(error.text)
        self.errors.append(error)

    def add_invalid(self, path: str, value: Any, text: str) -> None:
        """Add an error about a value."""
        self.add(field.invalid(self.at(path), value, f"{path} in body {text}"))

    def add_other(self, path: str, value: Any, text: str) -> None:
        """Add an error about a value, with a complete text."""
        self.add(field.invalid(self.at(path), value, text))

    def add_without_path(self, text: str) -> None:
        """Add an error without a path."""
        self.add(field.invalid(self.prefix or NO_PATH, "", text))

    def add_wrong_type(self, path: str, wanted: str, found: str) -> None:
        """Add an error about a value of the wrong type or format."""
        text = f"{path} in body must be of type {wanted}: {field.quoted(found)}"
        self.add(field.type_invalid(self.at(path), found, text))

    def _check_type(self, node: _Node, value: Any, path: str) -> int:
        types = node.types
        if value is None:
            if types and not node.nullable:
                self.add_wrong_type(path, ",".join(types), "null")
            return 1
        kind, form = type_of(value)
        fits = kind in types or (kind == "integer" and "number" in types)
        if kind == "number" and "integer" in types and is_whole(value):
            fits = True
        if kind not in {"string", "array"} and node.format and not fits and form != node.format:
            self.add_wrong_type(path, node.format, form)
            return 0
        numeric = "number" in types or "integer" in types
        if not numeric and node.format and kind in {"string", "array"}:
            return 1
        if not fits:
            self.add_wrong_type(path, ",".join(types), kind)
            return 0
        return 1

    def _check_enum(self, node: _Node, value: Any, path: str) -> None:
        if not node.enum:
            return
        choices = node.choices
        if choices is None:
            choices = node.choices = _Choices(node.enum)
        if not choices.has(value):
            text = f"Unsupported value: {field.shown(value)}: supported values: {choices.listed}"
            self.add(FieldError("FieldValueNotSupported", self.at(path), text))

    def _check_string(self, node: _Node, value: str, path: str) -> int:
        if node.max_length is not None and len(value) > node.max_length:
            self.add(too_long(self.at(path), node.max_length))
        elif node.min_length is not None and len(value) < node.min_length:
            self.add_invalid(path, value, f"should be at least {node.min_length} chars long")
        elif node.pattern:
            self._check_pattern(node.pattern, value, path)
        if not node.format or not formats.known(node.format):
            return 1
        if not formats.CHECKS[formats.known(node.format)](value):
            self.add_wrong_type(path, node.format, value)
        return 2

    def _check_pattern(self, pattern: str, value: str, path: str) -> None:
        self.effort.spend(len(value) >> 4)
        try:
            found = matcher(pattern).search(value, self.effort)
        except RegexError as error:
            pattern, found = f"{pattern}, but pattern is invalid: {error}", False
        if not found:
            self.add_invalid(path, value, f"should match '{pattern}'")

    def _check_list(
        self, node: _Node, value: list[Any], path: str, correlated: Correlated | None
    ) -> int:
        count = 0
        if node.items is not None:
            for index, item in enumerate(value):
                pair = correlated.index(index) if correlated is not None else None
                count += self.check_child(node.items, item, f"{path}[{index}]", pair)
        size = len(value)
        if node.min_items is not None and size < node.min_items:
            self.add_invalid(path, size, f"should have at least {node.min_items} items")
        if node.max_items is not None and size > node.max_items:
            self.add(field.too_many(self.at(path), size, node.max_items))
        if node.unique and _has_equal(value):
            text = f"{path} in body shouldn't contain duplicates"
            self.add(field.invalid(self.at(path), "", text))
        return count

    def _check_object(
        self, node: _Node, value: dict[str, Any], path: str, correlated: Correlated | None
    ) -> int:
        self._check_size(node, value, path)
        count = 0
        if node.closed or node.additional is not None:
            count += self._check_additional(node, value, path, correlated)
        for name, child in node.properties.items():
            if name in value:
                below = f"{path}.{name}" if path else name
                pair = _pair(correlated, name, path)
                count += self.check_child(child, value[name], below, pair)
        for name in node.required:
            if name not in value:
                self.add(field.required(self.at(f"{path}.{name}")))
        return count

    def _check_size(self, node: _Node, value: dict[str, Any], path: str) -> None:
        size = len(value)
        if node.min_properties is not None and size < node.min_properties:
            self.add_invalid(path, size, f"should have at least {node.min_properties} properties")
        if node.max_properties is not None and size > node.max_properties:
            self.add(field.too_many(self.at(path), size, node.max_properties))

    def _check_additional(
        self, node: _Node, value: dict[str, Any], path: str, correlated: Correlated | None
    ) -> int:
        count = 0
        for key, item in value.items():
            if key in node.properties:
                continue
            if node.additional is None:
                text = f"{path}.{key} in body is a forbidden property"
                self.add(field.invalid(self.at(path), key, text))
            else:
                pair = _pair(correlated, key, path)
                count += self.check_child(node.additional, item, f"{path}.{key}", pair)
        return count

    def _check_parts(
        self, node: _Node, value: Any, path: str, correlated: Correlated | None
    ) -> int:
        shown = field.quoted(path)
        count = 0
        if node.any_of:
            count += self._check_any(node.any_of, value, path, correlated)
        if node.one_of:
            count += self._check_one(node.one_of, value, path, correlated)
        if node.all_of:
            tried = [self._try(part, value, path, correlated) for part in node.all_of]
            good = sum(1 for errors, _ in tried if not errors)
            for errors, checks in tried:
                self.errors += errors
                count += checks
            if good != len(tried):
                more = "" if good else ". None validated"
                self.add_without_path(f"{shown} must validate all the schemas (allOf){more}")
        if node.none_of is not None and not self._try(node.none_of, value, path, correlated)[0]:
            self.add_without_path(f"{shown} must not validate the schema (not)")
        return count

    def _try(
        self, node: _Node, value: Any, path: str, correlated: Correlated | None
    ) -> tuple[Errors, int]:
        run = _Run(self.prefix, self.effort)
        count = run.check(node, value, path, correlated)
        return run.errors, count

    def _check_any(
        self, parts: list[_Node], value: Any, path: str, correlated: Correlated | None
    ) -> int:
        best: tuple[Errors, int] | None = None
        for part in parts:
            tried = self._try(part, value, path, correlated)
            if not tried[0]:
                return tried[1]
            if best is None or tried[1] > best[1]:
                best = tried
        self.add_without_path(f"{field.quoted(path)} must validate at least one schema (anyOf)")
        assert best is not None
        self.errors += best[0]
        return best[1]

    def _check_one(
        self, parts: list[_Node], value: Any, path: str, correlated: Correlated | None
    ) -> int:
        tried = [self._try(part, value, path, correlated) for part in parts]
        good = [count for errors, count in tried if not errors]
        if len(good) == 1:
            return good[0]
        found = f"Found {len(good)} valid alternatives" if good else "Found none valid"
        self.add_without_path(
            f"{field.quoted(path)} must validate one and only one schema (oneOf). {found}"
        )
        # The real server also adds the errors of the best match.
        rest = tried if not good else []
        if not rest:
            return 0
        best = max(rest, key=lambda item: item[1])
        self.errors += best[0]
        return best[1]


class _Choices:
    """The values of an enum, as sets for fast lookup."""

    __slots__ = ("_marks", "_whole", "listed")

    def __init__(self, enum: list[Any]) -> None:
        self._marks = frozenset(map(frozen, enum))
        self._whole = frozenset(item for item in enum if type(item) is int)
        shown = [item if isinstance(item, str) else field.shown(item) for item in enum]
        self.listed: str = ", ".join(map(field.quoted, shown))

    def has(self, value: Any) -> bool:
        """Return whether a value is in the enum; Go truncates floats first, so 1.5 matches 1."""
        if isinstance(value, float) and int(value) in self._whole:
            return True
        return value is not None and frozen(value) in self._marks


def _pair(correlated: Correlated | None, name: str, path: str) -> Correlated | None:
    if correlated is None or (not path and name in _TYPE_META):
        return None
    return correlated.key(name)


def type_of(value: Any) -> tuple[str, str]:
    """Return the JSON type of a value and its format."""
    if isinstance(value, bool):
        return "boolean", ""
    if isinstance(value, int):
        return "integer", "int64"
    if isinstance(value, float):
        return "number", "float64"
    names: dict[type, str] = {str: "string", list: "array", dict: "object"}
    return names[type(value)], ""


def _has_equal(values: list[Any]) -> bool:
    return len(set(map(frozen, values))) < len(values)


def too_long(path: str, limit: int) -> FieldError:
    """Return the error for a string that is longer than its schema allows."""
    unit = "byte" if limit == 1 else "bytes"
    text = f"Too long: may not be more than {limit} {unit}"
    return FieldError("FieldValueTooLong", path, text)

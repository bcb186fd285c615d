"""The source of models: one class for each object in a schema, one line for each field."""

from collections.abc import Callable
from typing import Any, ClassVar

from kubewright.api.model import Model
from kubewright.api.patches import merge_patch_between
from kubewright.crd.defaults import completes
from kubewright.crd.expressions import (
    Expression,
    Workshop,
    expression_for,
    is_int_or_string,
    raw,
    same,
    simple,
    split,
)
from kubewright.crd.identifiers import Names, class_name, field_name, is_regular, item_name
from kubewright.crd.known import ON_THE_FIELD, find_name
from kubewright.crd.markers import JSONSchema
from kubewright.crd.spelling import docstring, is_docstring, spelled_markers
from kubewright.errors import SchemaError

_PROBE = "_Probe"  # no name of a generated class begins so
_PLAIN: dict[str, tuple[type, ...]] = {
    "boolean": (bool,),
    "int-or-string": (int, str),
    "integer": (int,),
    "number": (int, float),
    "string": (str,),
}


class ModelWriter:
    """Writes the class of one object schema, after those of the objects in it."""

    base: ClassVar[str] = "kw.Model"
    base_class: ClassVar[type[Model]] = Model
    is_resource: ClassVar[bool] = False

    def __init__(self, workshop: Workshop, name: str, node: JSONSchema) -> None:
        self.workshop = workshop
        self.name = name
        self.node = node

    def write(self) -> bool:
        """Write the class, and return whether it has the schema."""
        fields = self._fields()
        markers = self._markers()
        # First in markers; then with a patch for what they do not say; then with a patch alone,
        # for markers that are refused.
        attempts: tuple[Callable[[], list[str]], ...] = (
            lambda: markers,
            lambda: self._patched(fields, markers),
            lambda: self._patched(fields, []),
        )
        for attempt in attempts:
            block = self._block(fields, attempt())
            if same(self.made(block, self.name), self.wanted()):
                self.workshop.keep(block, self.name, self.wanted())
                return True
        return False

    def wanted(self) -> JSONSchema:
        """Return the schema that the class must have."""
        return self.node

    def schema(self, made: Any) -> JSONSchema:
        """Return the schema that the class has."""
        return self.workshop.builder().schema(made, "")

    def properties(self) -> dict[str, JSONSchema]:
        """Return the schemas that become fields."""
        found: dict[str, JSONSchema] = self.node.get("properties", {})
        return found

    def decorators(self, markers: list[str]) -> list[str]:
        """Return what stands above the class."""
        return [call_of("@kw.rules", markers)] if markers else []

    def made(self, block: str, name: str) -> JSONSchema | None:
        """Return the schema of the class in *block*, or ``None`` if there can be no such class."""
        try:
            return self.schema(self.workshop.make(block, name))
        except (SchemaError, TypeError, ValueError, SyntaxError):
            return None

    def _patched(self, fields: list[str], markers: list[str]) -> list[str]:
        got = self.made(self._block(fields, markers), self.name) or {}
        return [*markers, f"kw.SchemaPatch({merge_patch_between(got, self.wanted())!r})"]

    def _fields(self) -> list[str]:
        names = Names()
        return [
            _FieldWriter(self, wire, names.take(field_name(wire, self.base_class))).text()
            for wire in self.properties()
        ]

    def _markers(self) -> list[str]:
        said = ("type", "properties", "required")
        rest = {key: value for key, value in self.node.items() if key not in said}
        if is_docstring(rest.get("description")):
            del rest["description"]
        spelled = spelled_markers(rest)
        return [text.replace("kw.MapType(", "kw.StructType(") for text in spelled]

    def _block(self, fields: list[str], markers: list[str]) -> str:
        lines = [*self.decorators(markers), f"class {self.name}({self.base}):"]
        description = self.node.get("description")
        if is_docstring(description):
            lines += [docstring(str(description), "    "), *[""] * bool(fields)]
        elif not fields:
            lines.append("    pass")
        return "\n".join([*lines, *fields])


class _FieldWriter:
    """Writes one field of a class."""

    def __init__(self, owner: ModelWriter, wire: str, name: str) -> None:
        self.owner = owner
        self.workshop = owner.workshop
        self.wire = wire
        self.name = name
        self.node = owner.properties()[wire]
        self.is_required = wire in owner.node.get("required", ())
        self.is_status = owner.is_resource and wire == "status"
        self.hint = class_name(owner.name, wire)

    def text(self) -> str:
        """Return the lines of the field, which have its schema, whatever it takes."""
        natural = self.natural_default(self.node)
        for value in (natural, None) if natural is not None else (None,):
            mark = self.workshop.mark()
            text = self._attempt(value)
            if self._fits(text):
                return text
            self.workshop.back_to(mark)
        return self.declaration(raw(self.node), None)

    def _attempt(self, value: str | None) -> str:
        node, under = dict(self.node), ""
        of_class = self.docstring_of_class()
        if is_docstring(node.get("description")) and node["description"] != of_class:
            under = str(node.pop("description"))
            node |= {"description": of_class} if of_class is not None else {}
        if value is not None and not self.is_required:
            del node["default"]  # of a required field, Python's default is not the server's
        expression = annotation_for(self.workshop, node, self.hint)
        if expression.is_raw:
            return self.declaration(raw(self.node), None)
        lines = [self.declaration(expression, value)]
        return "\n".join([*lines, *[docstring(under, "    ")] * bool(under)])

    def docstring_of_class(self) -> str | None:
        """Return the class-level markers of the field's model, if there is one."""
        if not self.workshop.survey.is_object(self.node):
            return None
        return self.workshop.survey.sort_of(self.node).docstring

    def _fits(self, text: str) -> bool:
        made = self.owner.made(f"class {_PROBE}({self.owner.base}):\n{text}", _PROBE) or {}
        required = self.wire in made.get("required", ())
        return required is self.is_required and same(
            made.get("properties", {}).get(self.wire), self.node
        )

    def natural_default(self, node: JSONSchema) -> str | None:
        """Return the default as Python has it, if it says the same as the schema's."""
        default = node.get("default")
        if default is None or node.get("nullable"):
            return None
        kind = node.get("type") or ("int-or-string" if is_int_or_string(node) else None)
        is_model = default == {} and self.workshop.survey.is_object(node)
        if is_model and self.is_constructible(node) and completes(node):
            return ""
        plain = type(default) in _PLAIN.get(str(kind), ())
        plain = plain and node.get("format") not in ("date-time", "byte")
        filled = (kind, type(default)) == ("array", list) and default
        if plain or (filled and all(isinstance(one, (str, int)) for one in default)):
            return repr(default)
        return None

    def is_constructible(self, node: JSONSchema) -> bool:
        """Tell whether the model of *node* needs no arguments."""
        required = set(node.get("required", ()))
        inner = node.get("properties", {})
        return all("default" in inner.get(name, {}) for name in required)

    def declaration(self, expression: Expression, value: str | None) -> str:
        markers = expression.markers
        if self.is_required and (value is not None or "default" in self.node):
            markers = (*markers, "kw.Required()")
        default, none = self.default(expression, value)
        marked = Expression(expression.base, markers, none=expression.none)
        if none and not markers:
            marked = Expression(expression.base, none=True)
            none = False
        annotation = marked.text + (" | None" if none else "")
        return f"    {self.name}: {annotation}{default}"

    def default(self, expression: Expression, value: str | None) -> tuple[str, bool]:
        """Return how the default is written, and whether the type needs ``| None`` for it."""
        if value == "" or (self.is_status and self.starts_empty(expression)):
            return self.assigned(f"default_factory={expression.base}", ""), False
        if value is not None:
            return self.assigned(f"default={value}", value), False
        if self.is_required and "default" not in self.node:
            return self.assigned("", ""), False
        empty = {"list": "[]", "dict": "{}"}.get(expression.base.partition("[")[0], "None")
        if expression.base == "dict[str, Any]":
            empty = "None"  # an object of anything may be there and empty, and say something so
        has_none = expression.none or expression.base == "Any"
        if expression.none:
            empty = "None"
        return self.assigned(f"default={empty}", empty), empty == "None" and not has_none

    def starts_empty(self, expression: Expression) -> bool:
        plain = (
            self.workshop.survey.is_object(self.node)
            and not expression.none
            and not self.is_required
        )
        return plain and not expression.is_raw and self.is_constructible(self.node)

    def assigned(self, option: str, value: str) -> str:
        if is_regular(self.name, self.wire):
            if value:
                return f" = {value}"
            return f" = kw.field({option})" if option else ""
        return f" = kw.field({', '.join([*[option] * bool(option), f'name={self.wire!r}'])})"


def annotation_for(workshop: Workshop, node: JSONSchema, hint: str) -> Expression:
    """Return the annotation whose schema is *node*; models are written as *hint* and so on."""
    if found := simple(node):
        return workshop.checked(expression_for(*found), node)
    mark = workshop.mark()
    base, rest = _compound(workshop, node, hint)
    expression = workshop.checked(expression_for(base, rest), node) if base else raw(node)
    if expression.is_raw:
        workshop.back_to(mark)  # nothing refers to the dropped text
    return expression


def _compound(workshop: Workshop, node: JSONSchema, hint: str) -> tuple[str, JSONSchema]:
    """Return the text of a type with type arguments, and the keywords it does not cover."""
    kind = node.get("type")
    if kind == "array" and isinstance(node.get("items"), dict):
        item = annotation_for(workshop, node["items"], item_name(hint))
        return f"list[{item.text}]", _without(node, "type", "items")
    if workshop.recognition.find(node) or find_name(node):
        return _named(workshop, node)
    if workshop.survey.is_object(node):
        return _model(workshop, node)
    if kind == "object" and isinstance(node.get("additionalProperties"), dict):
        value = annotation_for(workshop, node["additionalProperties"], f"{hint}Value")
        return f"dict[str, {value.text}]", _without(node, "type", "additionalProperties")
    if kind == "object" and node.get("x-kubernetes-preserve-unknown-fields"):
        return "dict[str, Any]", _without(node, "type", "x-kubernetes-preserve-unknown-fields")
    return "", {}


def _without(node: JSONSchema, *said: str) -> JSONSchema:
    return {key: value for key, value in node.items() if key not in said}


def _named(workshop: Workshop, node: JSONSchema) -> tuple[str, JSONSchema]:
    said = {key: node[key] for key in (*ON_THE_FIELD, "description") if key in node}
    if (builtin := workshop.recognition.find(node)) is None or find_name(node):
        return find_name(node), said
    version = {} if builtin.is_newest else {"kubernetes-version": builtin.version}
    return workshop.use(builtin), said | version


def _model(workshop: Workshop, node: JSONSchema) -> tuple[str, JSONSchema]:
    name = workshop.write_once(node, lambda *given: ModelWriter(workshop, *given).write())
    said = split(node)[1]
    if (text := node.get("description")) != workshop.survey.sort_of(node).docstring:
        said |= {"description": text}
    return name, said


def call_of(function: str, arguments: list[str]) -> str:
    """Return the text of a call, on one line."""
    return f"{function}({', '.join(arguments)})"

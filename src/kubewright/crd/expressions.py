"""Annotations for schemas: the reverse of `schema`, checked at each step against it.

The expression for a part of a schema is evaluated at once, and its schema compared with that part.
If they differ, a `SchemaPatch` adds the difference, and if that fails, `Schema` replaces it all. So
whatever a CRD contains, its classes give the same schema.
"""

from collections.abc import Callable, Container
from datetime import datetime
from importlib import import_module
from types import SimpleNamespace
from typing import Annotated, Any, Literal

import msgspec

from kubewright import _json
from kubewright.api.definition import Column, Scale
from kubewright.api.intorstring import IntOrString
from kubewright.api.meta import Condition, LabelSelector
from kubewright.api.model import Model, field
from kubewright.api.patches import json_equal, merge_patch_between
from kubewright.api.quantity import Quantity
from kubewright.api.resource import Resource, resource
from kubewright.crd import cel, constraints, markers
from kubewright.crd.descriptions import classes_in, remember
from kubewright.crd.finishing import DEFAULTS
from kubewright.crd.identifiers import Names
from kubewright.crd.known import CONDITION, INT_OR_STRING, ON_THE_FIELD, QUANTITY
from kubewright.crd.markers import JSONSchema, Marker
from kubewright.crd.recognition import Builtin, Recognition, alias_of
from kubewright.crd.schema import Builder
from kubewright.crd.spelling import spelled_markers
from kubewright.crd.survey import Survey, sorted_bytes
from kubewright.kinds import modules

_TOP = 2  # dots in the name of a module that is of no group
_SCALARS = {"string": "str", "boolean": "bool", "integer": "int", "number": "float"}


class Expression(msgspec.Struct, frozen=True):
    """The text of an annotation."""

    base: str
    markers: tuple[str, ...] = ()
    none: bool = False
    is_raw: bool = False

    @property
    def inner(self) -> str:
        """The type that the markers are about."""
        return f"{self.base} | None" if self.none else self.base

    @property
    def text(self) -> str:
        """The annotation on one line."""
        if not self.markers:
            return self.inner
        return f"Annotated[{', '.join([self.inner, *self.markers])}]"


def names_for_source() -> dict[str, Any]:
    """Return what the header of a generated module imports."""
    found = {
        name: value
        for module in (markers, constraints, cel)
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Marker)
    }
    kw = SimpleNamespace(
        Model=Model, Resource=Resource, resource=resource, field=field, rules=cel.rules,
        Column=Column, Scale=Scale, Condition=Condition, LabelSelector=LabelSelector,
        IntOrString=IntOrString, Quantity=Quantity, **found,
    )  # fmt: skip
    return {
        "kw": kw, "Annotated": Annotated, "Any": Any, "Literal": Literal, "datetime": datetime,
        "__name__": "kubewright.crd.generated",
    }  # fmt: skip


class Workshop:
    """Where classes are written, made and compared."""

    def __init__(self) -> None:
        self.namespace: dict[str, Any] = names_for_source()
        self.blocks: list[str] = []
        self.recognition: Recognition = Recognition()
        self.survey: Survey = Survey(self.recognition)
        # Descriptions inside were left out of what is read, and ours are no difference.
        self._known: dict[Any, bytes] = {Condition: _json.encode(CONDITION)}
        self._written: dict[bytes, tuple[str, int]] = {}
        self.names: Names = Names(*self.namespace)

    def make(self, block: str, name: str) -> Any:
        """Run the source of one class and return it, with the strings under its fields known."""
        exec(compile(block, f"<{name}>", "exec"), self.namespace)  # noqa: S102  # our own text
        made = self.namespace[name]
        remember(made, dict(classes_in(block)).get(name, {}))
        return made

    def builder(self) -> Builder:
        """Return a maker of schemas that knows the classes which were compared already."""
        return Builder(DEFAULTS, self._known)

    def keep(self, block: str, name: str, node: JSONSchema) -> None:
        """Keep the class *name*, which has the schema *node*."""
        self.blocks.append(block)
        self._known[self.namespace[name]] = _json.encode(node)

    def write_once(self, node: JSONSchema, write: Callable[[str, JSONSchema], bool]) -> str:
        """Return the class of the object *node*, written by *write* if it is the first such one.

        An empty name means that no class can have the schema.
        """
        key, sort = self.survey.key(node), self.survey.sort_of(node)
        if key not in self._written:
            name = self.names.take(sort.name)
            if not write(name, sort.described(node)):
                return ""
            self._written[key] = name, len(self.blocks)
        return self._written[key][0]

    def use(self, builtin: Builtin) -> str:
        """Return the name of *builtin* in the source, and import its module there."""
        module = import_module(f"kubewright.kinds.{builtin.module}")
        self.namespace[alias_of(builtin.module)] = module
        return builtin.text

    def imports(self, used: Container[str]) -> list[str]:
        """Return the imports of the modules of built-in types whose names are *used*."""
        parts = [name.rpartition(".") for name in modules() if name.count(".") > _TOP]
        return [
            f"from {package} import {version} as {alias}"
            for package, _, version in parts
            if (alias := f"{package.rpartition('.')[2]}_{version}") in used
        ]

    def mark(self) -> tuple[int, frozenset[str]]:
        """Return a mark to go back to."""
        return len(self.blocks), self.names.taken()

    def back_to(self, mark: tuple[int, frozenset[str]]) -> None:
        """Drop everything written since *mark*."""
        del self.blocks[mark[0] :]
        self._written = {key: one for key, one in self._written.items() if one[1] <= mark[0]}
        self.names = Names(*mark[1])

    def schema(self, expression: Expression) -> JSONSchema | None:
        """Return the schema of what *expression* says, or ``None`` if it says nothing valid."""
        try:
            annotation = eval(expression.text, self.namespace)  # noqa: S307  # our own text
            return self.builder().schema(annotation, "")
        except Exception:  # noqa: BLE001  # then something else is written
            return None

    def checked(self, expression: Expression, node: JSONSchema) -> Expression:
        """Return *expression*, or one that does have the schema *node*."""
        got = self.schema(expression)
        if same(got, node):
            return expression
        bare = Expression(expression.base, none=expression.none)
        for candidate in (expression, bare):
            if (got := self.schema(candidate)) is None:
                continue
            patch = f"kw.SchemaPatch({merge_patch_between(got, node)!r})"
            patched = Expression(candidate.base, (*candidate.markers, patch), candidate.none)
            if same(self.schema(patched), node):
                return patched
        return raw(node)


def same(one: Any, other: Any) -> bool:
    """Tell whether two schemas are equal, with ``1`` and ``true`` told apart."""
    # The bytes are compared first: they nearly always agree, and that takes a tenth of the time.
    return sorted_bytes(one) == sorted_bytes(other) or json_equal(one, other)


def raw(node: JSONSchema) -> Expression:
    """Return the annotation that says *node* verbatim."""
    return Expression("Any", (f"kw.Schema({node!r})",), is_raw=True)


def simple(node: JSONSchema) -> tuple[str, JSONSchema] | None:
    """Return the Python type of a scalar *node* and what remains to be said, or ``None``."""
    rest = dict(node)
    kind = rest.pop("type", None)
    if is_int_or_string(node):
        return _int_or_string(rest)
    if kind is None and rest.pop("x-kubernetes-preserve-unknown-fields", None) is True:
        return "Any", rest
    if kind not in _SCALARS:
        return None
    if _is_literal(rest, kind):
        return f"Literal[{', '.join(map(repr, rest.pop('enum')))}]", rest
    return _by_format(kind, rest)


def is_int_or_string(node: JSONSchema) -> bool:
    """Tell whether *node* takes a number or a text."""
    return node.get("x-kubernetes-int-or-string") is True and "type" not in node


def _int_or_string(rest: JSONSchema) -> tuple[str, JSONSchema]:
    quantity = rest.get("pattern") == QUANTITY["pattern"]
    name, said = ("Quantity", QUANTITY) if quantity else ("IntOrString", INT_OR_STRING)
    return f"kw.{name}", {key: value for key, value in rest.items() if key not in said}


def _is_literal(rest: JSONSchema, kind: str) -> bool:
    wanted = {"string": str, "integer": int}.get(kind)
    values = rest.get("enum")
    if wanted is None or not isinstance(values, list) or "format" in rest:
        return False
    return bool(values) and all(type(value) is wanted for value in values)


def _by_format(kind: str, rest: JSONSchema) -> tuple[str, JSONSchema]:
    form = rest.get("format")
    special = {("string", "date-time"): "datetime", ("string", "byte"): "bytes"}.get(
        (kind, form or "")
    )
    if special:
        del rest["format"]
        return special, rest
    if kind == "integer":
        if form == "int64":
            del rest["format"]
        elif form is None:
            rest["format"] = ""  # Python's int has one, and the empty marker removes it
    return _SCALARS[kind], rest


def split(node: JSONSchema) -> tuple[JSONSchema, JSONSchema]:
    """Split *node* into the part about the type and the part about one field of that type."""
    on_type = {key: value for key, value in node.items() if key not in ON_THE_FIELD}
    return on_type, {key: value for key, value in node.items() if key in ON_THE_FIELD}


def expression_for(base: str, rest: JSONSchema) -> Expression:
    """Return the annotation of the type *base* with markers for *rest*."""
    none = rest.get("nullable") is True and base != "Any"
    return Expression(base, tuple(spelled_markers(rest)), none=none)

"""Markers for values: how large, how long, of which form.

Each refuses a type that it says nothing about, as controller-gen does.
"""

from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from kubewright.crd import patterns
from kubewright.crd.markers import MarkedSchema, Several, Single

TEXTUAL: tuple[str, ...] = ("string",)
NUMERIC: tuple[str, ...] = ("integer", "number")


class _Keyword(Single, frozen=True):
    """A marker that sets one keyword of the schema, where the type allows it."""

    keyword: ClassVar[str] = ""
    fits: ClassVar[tuple[str, ...]] = ()

    def apply(self, target: MarkedSchema) -> None:
        self.check(target)
        target.schema[self.keyword] = self.value  # type: ignore[attr-defined]  # each subclass has it

    def check(self, target: MarkedSchema) -> None:
        """Refuse a type that the keyword says nothing about."""
        textual = self.fits is TEXTUAL and "x-kubernetes-int-or-string" in target.schema
        if target.type not in self.fits and not textual:
            wanted = " or ".join(self.fits)
            target.refuse(self, f"it fits {wanted}, and this is {target.type or 'untyped'}")


class _Number(_Keyword, frozen=True):
    fits: ClassVar[tuple[str, ...]] = NUMERIC
    value: float

    def check(self, target: MarkedSchema) -> None:
        super().check(target)
        given: Any = self.value
        if isinstance(given, bool) or not isinstance(given, (int, float)):
            target.refuse(self, "it takes a number")
        if target.type == "integer" and self.value != int(self.value):
            target.refuse(self, "the field is an integer, and so must the limit be")


class Minimum(_Number, frozen=True):
    """The least value of a number."""

    keyword: ClassVar[str] = "minimum"


class Maximum(_Number, frozen=True):
    """The greatest value of a number."""

    keyword: ClassVar[str] = "maximum"


class MultipleOf(_Number, frozen=True):
    """A number that divides the value."""

    keyword: ClassVar[str] = "multipleOf"

    def check(self, target: MarkedSchema) -> None:
        """Refuse zero and negative numbers."""
        super().check(target)
        if self.value <= 0:
            target.refuse(self, "it takes a number above zero")


class _Exclusive(Single, frozen=True):
    rank = 2  # after the limit that it is about
    limit: ClassVar[type[_Number]]
    keyword: ClassVar[str]
    value: float | bool = True

    def apply(self, target: MarkedSchema) -> None:
        if not isinstance(self.value, bool):
            self.limit(self.value).apply(target)
        elif target.type not in NUMERIC:
            target.refuse(self, f"it fits integer or number, and this is {target.type}")
        if self.value is True and self.limit.keyword not in target.schema:
            name = self.limit.__name__
            target.refuse(self, f"there is no {name} to exclude; write {type(self).__name__}(0)")
        target.schema[self.keyword] = self.value is not False


class ExclusiveMinimum(_Exclusive, frozen=True):
    """The minimum itself is not allowed: ``ExclusiveMinimum(0)``, or bare with a `Minimum`."""

    limit: ClassVar[type[_Number]] = Minimum
    keyword: ClassVar[str] = "exclusiveMinimum"


class ExclusiveMaximum(_Exclusive, frozen=True):
    """The maximum itself is not allowed: ``ExclusiveMaximum(1)``, or bare with a `Maximum`."""

    limit: ClassVar[type[_Number]] = Maximum
    keyword: ClassVar[str] = "exclusiveMaximum"


class _Count(_Keyword, frozen=True):
    value: int

    def check(self, target: MarkedSchema) -> None:
        super().check(target)
        given: Any = self.value
        if isinstance(given, bool) or not isinstance(given, int) or given < 0:
            target.refuse(self, "it takes a whole number from zero up")


class MinLength(_Count, frozen=True):
    """The least length of a string, in characters."""

    keyword: ClassVar[str] = "minLength"
    fits: ClassVar[tuple[str, ...]] = TEXTUAL


class MaxLength(_Count, frozen=True):
    """The greatest length of a string, in characters."""

    keyword: ClassVar[str] = "maxLength"
    fits: ClassVar[tuple[str, ...]] = TEXTUAL


class MinItems(_Count, frozen=True):
    """The least length of an array."""

    keyword: ClassVar[str] = "minItems"
    fits: ClassVar[tuple[str, ...]] = ("array",)


class MaxItems(_Count, frozen=True):
    """The greatest length of an array."""

    keyword: ClassVar[str] = "maxItems"
    fits: ClassVar[tuple[str, ...]] = ("array",)


class MinProperties(_Count, frozen=True):
    """The least number of entries of a map or object."""

    keyword: ClassVar[str] = "minProperties"
    fits: ClassVar[tuple[str, ...]] = ("object",)


class MaxProperties(_Count, frozen=True):
    """The greatest number of entries of a map or object."""

    keyword: ClassVar[str] = "maxProperties"
    fits: ClassVar[tuple[str, ...]] = ("object",)


class Pattern(_Keyword, frozen=True):
    """A regular expression, in Go's syntax, that a string must contain a match of."""

    keyword: ClassVar[str] = "pattern"
    fits: ClassVar[tuple[str, ...]] = TEXTUAL
    value: str

    def check(self, target: MarkedSchema) -> None:
        """Refuse a pattern that Go cannot parse."""
        super().check(target)
        if problem := patterns.problem_of(self.value):
            target.refuse(self, problem)


class UniqueItems(_Keyword, frozen=True):
    """Known from JSON Schema; the API server refuses it, so only ``UniqueItems(False)`` passes."""

    keyword: ClassVar[str] = "uniqueItems"
    fits: ClassVar[tuple[str, ...]] = ("array",)
    value: bool = True

    def check(self, target: MarkedSchema) -> None:
        """Refuse what the server would refuse."""
        super().check(target)
        if self.value:
            target.refuse(self, "API servers refuse uniqueItems. Write set[...] or ListType('set')")


class EnumValues(Several):
    """The values that are allowed; ``Literal["a", "b"]`` says it better where it can."""

    __slots__ = ()

    def apply(self, target: MarkedSchema) -> None:
        """Set ``enum``."""
        if not self.values:
            target.refuse(self, "it needs at least one value")
        target.schema["enum"] = list(self.values)


class Format(Single, frozen=True):
    """The format of a string or number, such as ``"email"``; an empty one removes it."""

    value: str

    def apply(self, target: MarkedSchema) -> None:
        """Set or remove ``format``."""
        if self.value:
            target.schema["format"] = self.value
        else:
            target.schema.pop("format", None)


Int32: TypeAlias = Annotated[int, Format("int32")]
"""An integer of 32 bits, such as a number of replicas or a port."""

Int64: TypeAlias = Annotated[int, Format("int64")]
"""An integer of 64 bits, which a bare ``int`` is too."""


class Type(Single, frozen=True):
    """A JSON type that replaces the one of the Python type; later markers must fit it."""

    rank = 0
    value: Literal["array", "boolean", "integer", "number", "object", "string"]

    def apply(self, target: MarkedSchema) -> None:
        """Set ``type`` and forget what belonged to the former one."""
        if target.type == self.value:
            return
        kept = {key: target.schema[key] for key in ("description",) if key in target.schema}
        target.schema.clear()
        target.schema.update(kept, type=self.value)


class XIntOrString(Single, frozen=True):
    """Either an integer or a string; the type `IntOrString` has it already."""

    rank = 0

    def apply(self, target: MarkedSchema) -> None:
        """Replace the type."""
        target.schema.pop("type", None)
        target.schema.pop("format", None)
        target.schema["anyOf"] = [{"type": "integer"}, {"type": "string"}]
        target.schema["x-kubernetes-int-or-string"] = True

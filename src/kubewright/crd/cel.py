"""CEL rules: what must hold between fields, and between the old and the new value."""

import re
from collections.abc import Callable
from typing import Any, Literal, TypeVar

from kubewright.crd.markers import MarkedSchema, Marker, Several, Single

C = TypeVar("C", bound=type)

Reason = Literal[
    "FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"
]

_REASONS = Reason.__args__  # type: ignore[attr-defined]  # Literal has it
_VALIDATIONS = "x-kubernetes-validations"
_MARKERS = "__schema_markers__"
_SELF = re.compile(r"(?<![\w.])(?:self|oldSelf)(?:\.\w+)+")
_LITERAL = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"")
_UNDERSCORE = re.compile(r"_([a-z0-9])")
_RESERVED = re.compile(
    "true|false|null|in|as|break|const|continue|else|for|function|if|import|let|loop|package"
    "|namespace|return|var|void|while"
)


class Rule(Single, frozen=True):
    """A CEL expression that must be true of the value; ``oldSelf`` makes it about the change.

    Example:
        >>> Rule("self.min <= self.max", message="min is above max").rule
        'self.min <= self.max'
    """

    rule: str
    message: str | None = None
    message_expression: str | None = None
    reason: Reason | None = None
    field_path: str | None = None
    optional_old_self: bool | None = None

    def apply(self, target: MarkedSchema) -> None:
        """Append to ``x-kubernetes-validations``."""
        if not self.rule.strip():
            target.refuse(self, "the rule is empty")
        if "\n" in self.rule.strip() and not self.message:
            target.refuse(self, "a rule of several lines needs a message")
        if wrong := _python_names(self.rule, target):
            target.refuse(self, f"CEL knows fields by their JSON names: {wrong}")
        if self.reason is not None and self.reason not in _REASONS:
            target.refuse(self, f"the reason must be one of {', '.join(_REASONS)}")
        said = {
            "fieldPath": self.field_path,
            "message": self.message,
            "messageExpression": self.message_expression,
            "optionalOldSelf": self.optional_old_self,
            "reason": self.reason,
            "rule": self.rule,
        }
        entry = {key: value for key, value in said.items() if value is not None}
        target.schema.setdefault(_VALIDATIONS, []).append(entry)


def _python_names(rule: str, target: MarkedSchema) -> str:
    """Return a hint if *rule* calls a field by the name that it has in Python."""
    for path in _SELF.findall(_LITERAL.sub("''", rule)):
        whole, *names = path.split(".")
        fields = target.schema.get("properties")
        for name in names:
            if not isinstance(fields, dict):
                break
            wire = target.names.get(name, name) if fields is target.schema["properties"] else name
            wire = wire if wire != name else _UNDERSCORE.sub(lambda found: found[1].upper(), name)
            if name not in fields and wire in fields:
                return f"did you mean {whole}.{wire}, not {whole}.{name}?"
            whole, fields = f"{whole}.{name}", (fields.get(name) or {}).get("properties")
    return ""


class _OneOf(Several):
    __slots__ = ()
    values: tuple[str, ...]

    def __init__(self, *values: str) -> None:
        super().__init__(*values)

    def apply(self, target: MarkedSchema) -> None:
        if not self.values or len(set(self.values)) < len(self.values):
            target.refuse(self, "it takes the names of different fields")
        names = [target.wire_name(name, self) for name in self.values]
        self.rule_for(names).apply(target)

    def rule_for(self, names: list[str]) -> Rule:
        raise NotImplementedError


class AtMostOneOf(_OneOf):
    """Of these fields, none or one is set. It goes on a model: ``@kw.rules(AtMostOneOf(...))``."""

    __slots__ = ()

    def rule_for(self, names: list[str]) -> Rule:
        """Return the CEL rule."""
        said = f"at most one of the fields in [{' '.join(names)}] may be set"
        return Rule(f"{_count(names)} <= 1", message=said)


class ExactlyOneOf(_OneOf):
    """Of these fields, one is set."""

    __slots__ = ()

    def rule_for(self, names: list[str]) -> Rule:
        """Return the CEL rule."""
        said = f"exactly one of the fields in [{' '.join(names)}] must be set"
        return Rule(f"{_count(names)} == 1", message=said)


class AtLeastOneOf(_OneOf):
    """Of these fields, one or more is set."""

    __slots__ = ()

    def rule_for(self, names: list[str]) -> Rule:
        """Return the CEL rule."""
        said = f"at least one of the fields in [{' '.join(names)}] must be set"
        return Rule("||".join(f"has(self.{cel_name(name)})" for name in names), message=said)


def _count(names: list[str]) -> str:
    return "+".join(f"(has(self.{cel_name(name)})?1:0)" for name in names)


def cel_name(name: str) -> str:
    """Return how CEL spells the field *name*.

    Example:
        >>> cel_name("x-y"), cel_name("namespace")
        ('x__dash__y', '__namespace__')
    """
    if _RESERVED.fullmatch(name):
        return f"__{name}__"
    name = name.replace("__", "__underscores__")
    for sign, word in ((".", "dot"), ("-", "dash"), ("/", "slash")):
        name = name.replace(sign, f"__{word}__")
    return name


class Immutable(Single, frozen=True):
    """The field keeps its first value; an optional one may be set once and never removed."""

    def apply(self, target: MarkedSchema) -> None:
        """Append the rule about the value; the model around it adds `immutable_once_set`."""
        Rule("self == oldSelf", message="field is immutable").apply(target)


def immutable_once_set(name: str) -> Rule:
    """Return the rule that the optional field *name* of a model is not removed."""
    cel = cel_name(name)
    return Rule(f"!has(oldSelf.{cel}) || has(self.{cel})", message=f"{name} is immutable")


def rules(*markers: Marker) -> Callable[[C], C]:
    """Declare rules for a whole model; a subclass adds to the rules of its bases.

    Besides rules, it takes every marker that fits an object, such as `StructType` or `Title`.

    Example:
        >>> from kubewright.api.model import Model
        >>> @rules(Rule("self.min <= self.max", message="min is above max"))
        ... class Range(Model):
        ...     min: int
        ...     max: int
    """

    def declare(cls: C) -> C:
        setattr(cls, _MARKERS, (*markers_of(cls), *markers))
        return cls

    return declare


def markers_of(cls: Any) -> tuple[Marker, ...]:
    """Return the rules that `rules` declared for *cls* and its bases."""
    found: tuple[Marker, ...] = getattr(cls, _MARKERS, ())
    return found

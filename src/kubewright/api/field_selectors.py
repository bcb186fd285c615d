r"""Field selectors: ``status.phase=Running,metadata.name!=web``.

Unlike label selectors they know only equality, and their values may hold anything: a comma, an
equals sign and a backslash are written ``\,``, ``\=`` and ``\\``.
"""

import re
from collections.abc import Mapping
from typing import Literal

import msgspec

__all__ = ["FieldSelector", "FieldTerm", "escape_field_value"]

_TERMS = r"(?s:[^\\,]|\\.?)+"
_OPERATOR = r"!=|==?"
_ESCAPED = r"[\\,=]"
_UNESCAPE = r"(?s:\\(.?)|=)"


class FieldTerm(msgspec.Struct, frozen=True, gc=False):
    """One condition on one field.

    Raises:
        ValueError: The field has no name, or a name that cannot be written.
    """

    field: str
    operator: Literal["=", "!="]
    value: str

    def __post_init__(self) -> None:
        # There is no escape on the left side, so such a name would be read back as another.
        if not self.field or re.search(r"[\\,=]|!=|!$", self.field):
            raise ValueError(
                f"{self.field!r} cannot be the field of a field selector: write a path such as"
                " 'metadata.name'"
            )

    def __str__(self) -> str:
        return f"{self.field}{self.operator}{escape_field_value(self.value)}"


class FieldSelector(msgspec.Struct, frozen=True, gc=False):
    r"""A field selector: all of its terms must hold. None at all select everything.

    Example:
        >>> running = FieldSelector.parse("status.phase=Running,spec.nodeName!=")
        >>> running.matches({"status.phase": "Running", "spec.nodeName": "node-1"})
        True
        >>> str(FieldSelector.of({"metadata.name": "a,b"}))
        'metadata.name=a\\,b'
    """

    terms: tuple[FieldTerm, ...] = ()

    def __post_init__(self) -> None:
        # Sorted and unique, so that two ways of writing one selector are equal.
        msgspec.structs.force_setattr(self, "terms", tuple(sorted(set(self.terms), key=str)))

    @classmethod
    def parse(cls, text: str) -> "FieldSelector":
        """Read a selector as ``kubectl --field-selector`` takes it.

        Raises:
            ValueError: It is malformed; the message names the position and what is wrong.
        """
        return cls(tuple(_term(text, m.start(), m.group()) for m in re.finditer(_TERMS, text)))

    @classmethod
    def of(cls, fields: Mapping[str, str]) -> "FieldSelector":
        """Return the selector of objects whose *fields* all have these values."""
        return cls(tuple(FieldTerm(field, "=", value) for field, value in fields.items()))

    @property
    def selects_everything(self) -> bool:
        """Whether every object fits."""
        return not self.terms

    def matches(self, fields: Mapping[str, str]) -> bool:
        """Tell whether an object with *fields* is selected; a missing field counts as empty."""
        return all(
            (fields.get(term.field, "") == term.value) is (term.operator == "=")
            for term in self.terms
        )

    def find_exact(self, field: str) -> str | None:
        """Return the one value that *field* must have, or ``None``."""
        for term in self.terms:
            if term.field == field and term.operator == "=":
                return term.value
        return None

    def __and__(self, other: "FieldSelector") -> "FieldSelector":
        return FieldSelector((*self.terms, *other.terms))

    def __str__(self) -> str:
        return ",".join(map(str, self.terms))


def escape_field_value(value: str) -> str:
    r"""Return *value* as it is written in a field selector.

    Example:
        >>> print(escape_field_value("a,b"))
        a\,b
    """
    return re.sub(_ESCAPED, r"\\\g<0>", value)


def _term(text: str, start: int, part: str) -> FieldTerm:
    operator = re.search(_OPERATOR, part)
    if operator is None:
        raise _error(text, start, f"{part!r} has no '=', '==' or '!='")
    value = _unescaped(text, start + operator.end(), part[operator.end() :])
    try:
        return FieldTerm(part[: operator.start()], "!=" if operator.group() == "!=" else "=", value)
    except ValueError as error:
        raise _error(text, start, str(error)) from None


def _unescaped(text: str, start: int, value: str) -> str:
    def plain(match: re.Match[str]) -> str:
        escaped: str | None = match.group(1)
        if escaped is None:
            raise _error(text, start + match.start(), r"a '=' within a value is written '\='")
        if escaped not in ("\\", ",", "="):
            problem = rf"'\{escaped}' is not an escape; a backslash is written '\\'"
            raise _error(text, start + match.start(), problem)
        return escaped

    # `.?` lets an escape without its character match as an empty one, which is then refused.
    return re.sub(_UNESCAPE, plain, value)


def _error(text: str, position: int, problem: str) -> ValueError:
    return ValueError(f"cannot read field selector {text!r} at position {position + 1}: {problem}")

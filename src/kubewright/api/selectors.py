"""Label selectors as values: built, parsed, printed and matched exactly as Kubernetes does.

`Selector` is what lists, watches and informers use. The API type that stands in a Deployment's
``spec.selector`` is `kubewright.api.meta.LabelSelector`; `selector_from` turns it into this one.
"""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from kubewright.api.field_selectors import FieldSelector, FieldTerm
from kubewright.api.meta import LabelSelector, LabelSelectorRequirement
from kubewright.api.requirement import (
    IMPOSSIBLE,
    IS,
    Bound,
    Operator,
    Refused,
    Requirement,
    Test,
    bounds,
    compiled,
    is_refused,
    refused,
    within,
)

__all__ = [
    "FieldSelector",
    "FieldTerm",
    "Operator",
    "Requirement",
    "Selector",
    "SelectorLike",
    "selector_from",
]


class Selector:
    """A label selector: all of its requirements must be met. Immutable and hashable.

    Example:
        >>> web = Selector.parse("tier in (web, api),!canary")
        >>> web.matches({"tier": "web"})
        True
        >>> str(web & Selector.of({"app": "shop"}))
        'app=shop,!canary,tier in (api,web)'
    """

    __slots__ = ("_bounds", "_refused", "_tests", "requirements", "selects_nothing")

    requirements: tuple[Requirement, ...]
    """The requirements, sorted by key."""
    selects_nothing: bool
    """Whether this is the selector that no object fits."""
    _tests: tuple[Test, ...]
    _bounds: tuple[Bound, ...]
    _refused: Refused

    EVERYTHING: ClassVar["Selector"]
    """Fits every object."""
    NOTHING: ClassVar["Selector"]
    """Fits no object: what an absent ``spec.selector`` means."""

    def __init__(
        self, requirements: Iterable[Requirement] = (), *, selects_nothing: bool = False
    ) -> None:
        ordered = tuple(sorted(requirements, key=lambda one: one.key))
        put = object.__setattr__
        put(self, "requirements", () if selects_nothing else ordered)
        put(self, "selects_nothing", selects_nothing)
        put(self, "_tests", IMPOSSIBLE if selects_nothing else compiled(ordered))
        put(self, "_refused", refused(ordered))
        put(self, "_bounds", bounds(ordered))

    @classmethod
    def parse(cls, text: str) -> "Selector":
        """Read a selector as ``kubectl -l`` takes it.

        Raises:
            ValueError: It is malformed; the message names the position and what was expected.
        """
        from kubewright.api.selector_parser import parse_requirements

        return cls(parse_requirements(text))

    @classmethod
    def of(cls, labels: Mapping[str, str]) -> "Selector":
        """Return the selector of objects that have all of *labels*; of all objects if empty."""
        return cls(Requirement(key, Operator.EQUALS, (value,)) for key, value in labels.items())

    @property
    def selects_everything(self) -> bool:
        """Whether every object fits."""
        return not self.requirements and not self.selects_nothing

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Tell whether an object with *labels* is selected."""
        get = labels.get
        for key, values, wanted in self._tests:
            if (get(key) in values) is not wanted:
                return False
        if self._refused and is_refused(labels, self._refused):
            return False
        return not self._bounds or all(within(labels, bound) for bound in self._bounds)

    def find_exact(self, key: str) -> str | None:
        """Return the one value that *key* must have, or ``None``; what an index can look up."""
        for one in self.requirements:
            if one.key == key and one.operator in IS and len(one.values) == 1:
                return one.values[0]
        return None

    def __and__(self, other: "Selector") -> "Selector":
        if self.selects_nothing or other.selects_nothing:
            return Selector.NOTHING
        return Selector((*self.requirements, *other.requirements))

    def __str__(self) -> str:
        if self.selects_nothing:
            # Go prints an empty string, which a server reads as "everything". This text is valid
            # and no object fits it, so that sending it by mistake does no harm.
            return "nothing,!nothing"
        return ",".join(map(str, self.requirements))

    def __repr__(self) -> str:
        if self.selects_nothing:
            return "Selector.NOTHING"
        return f"Selector.parse({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Selector):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> tuple[Any, ...]:
        return self.requirements, self.selects_nothing

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Selector cannot change: combine it with '&' to narrow it ({name})")

    def __delattr__(self, name: str) -> None:
        self.__setattr__(name, None)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, self._identity()


def _rebuilt(requirements: tuple[Requirement, ...], selects_nothing: bool) -> Selector:
    return Selector(requirements, selects_nothing=selects_nothing)


Selector.EVERYTHING = Selector()
Selector.NOTHING = Selector(selects_nothing=True)


SelectorLike = Selector | LabelSelector | Mapping[str, str] | str
"""All that can be read as a label selector."""

_API_OPERATORS = {
    "In": Operator.IN,
    "NotIn": Operator.NOT_IN,
    "Exists": Operator.EXISTS,
    "DoesNotExist": Operator.DOES_NOT_EXIST,
}


def selector_from(source: SelectorLike | None) -> Selector:
    """Return *source* as a `Selector`: text, a dict of labels, or the API's ``LabelSelector``.

    ``None`` selects nothing and an empty one everything, as Kubernetes has it for selectors that
    stand in objects. A caller for whom ``None`` means "no restriction" must say so itself.

    Raises:
        ValueError: It is not a valid selector.
    """
    if source is None:
        return Selector.NOTHING
    if isinstance(source, Selector):
        return source
    if isinstance(source, str):
        return Selector.parse(source)
    if isinstance(source, LabelSelector):
        expressions = Selector(_requirement(one) for one in source.match_expressions)
        return Selector.of(source.match_labels) & expressions
    return Selector.of(source)


def _requirement(expression: LabelSelectorRequirement) -> Requirement:
    operator = _API_OPERATORS.get(expression.operator)
    if operator is None:
        raise ValueError(
            f"label {expression.key!r}: {expression.operator!r} is not an operator of a label"
            f" selector; write one of {', '.join(_API_OPERATORS)}"
        )
    return Requirement(expression.key, operator, tuple(expression.values))

"""CEL rules in a definition: whether they compile, and whether they may cost too much."""

from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from functools import cached_property
from typing import Any

from kubewright.apiserver.cel import Type, type_of
from kubewright.apiserver.cel.estimate import RULE_LIMIT, SCHEMA_LIMIT, cost_problem, estimate_cost
from kubewright.apiserver.customresource import go_json
from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors, FieldError
from kubewright.apiserver.schema.rules import CompiledRule, compile_rules
from kubewright.apiserver.schema.tree import parse

_MOST = 2**64 - 1
_REQUEST_BYTES = 3 * 1024 * 1024
_MOST_EXPENSIVE = 4


@dataclass(slots=True)
class Totals:
    """The total cost of the rules in a schema.

    Attributes:
        limited: Whether expensive rules are rejected; not if the same schema was accepted before.
    """

    limited: bool = True
    total: int = 0
    expensive: list[tuple[int, str]] = dataclass_field(default_factory=list)

    def add(self, cost: int, path: str) -> None:
        """Add the cost of one expression."""
        self.total = min(self.total + cost, _MOST)
        if cost >= SCHEMA_LIMIT // 100:
            self.expensive = sorted([*self.expensive, (cost, path)], key=lambda each: -each[0])
            del self.expensive[_MOST_EXPENSIVE:]

    def errors(self, path: str) -> Errors:
        """Return an error if the total cost is too high."""
        if self.total <= SCHEMA_LIMIT:
            return []
        text = (
            "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3"
            " schema"
        )
        errors = [field.forbidden(each, text) for _, each in self.expensive]
        what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema"
        return [*errors, field.forbidden(path, cost_problem(what, self.total, limit=SCHEMA_LIMIT))]


@dataclass
class ExpressionScope:
    """A node of a schema, as its rules see it.

    Attributes:
        source: The schema of the node.
        totals: The total cost, shared by all nodes.
        cardinality: How many such values one object can have; ``None`` if unlimited.
        is_root: Whether the node describes a whole object.
    """

    source: dict[str, Any]
    totals: Totals
    cardinality: int | None = 1
    is_root: bool = False

    @classmethod
    def root(cls, source: dict[str, Any], totals: Totals) -> "ExpressionScope":
        """Return the scope of a whole object."""
        return cls(source, totals, is_root=True)

    def property(self, name: str, source: dict[str, Any]) -> "ExpressionScope":
        """Return the scope of a field."""
        return self._below(source)

    def additional(self, source: dict[str, Any]) -> "ExpressionScope":
        """Return the scope of the values of a map."""
        return self._below(source)

    def items(self, source: dict[str, Any]) -> "ExpressionScope":
        """Return the scope of the elements of a list."""
        return self._below(source)

    def _below(self, source: dict[str, Any]) -> "ExpressionScope":
        most = _most_elements(self.source)
        counted = None
        if self.cardinality is not None and most is not None:
            counted = min(self.cardinality * most, _MOST)
        embedded = bool(source.get("x-kubernetes-embedded-resource"))
        return replace(self, source=source, cardinality=counted, is_root=embedded)

    @cached_property
    def type(self) -> Type | None:
        """The type of ``self``."""
        return type_of(parse(self.source), root=self.is_root)

    def validate_rules(self, path: str, *, uncorrelated: str) -> Errors:
        """Return what is wrong with the rules of this node."""
        below = f"{path}.x-kubernetes-validations"
        if self.type is None:
            text = (
                "internal error: failed to construct type information for x-kubernetes-validations"
                " rules: unable to convert structural schema to CEL declarations"
            )
            return [field.internal(below, text)]
        errors: Errors = []
        for index, rule in enumerate(compile_rules(parse(self.source), self.type)):
            errors += self._validate(rule, f"{below}[{index}]", uncorrelated)
        return errors

    def _validate(self, rule: CompiledRule, path: str, uncorrelated: str) -> Errors:
        errors: Errors = []
        if rule.program is not None:
            cost = self._times(estimate_cost(rule.program).high)
            errors += self._dear(cost, "estimated rule cost", f"{path}.rule")
        if rule.problem:
            errors.append(_wrong(f"{path}.rule", rule, rule.problem))
        if rule.message_problem:
            errors.append(_wrong(f"{path}.messageExpression", rule, rule.message_problem))
        elif rule.message is not None:
            cost = estimate_cost(rule.message).high
            where = f"{path}.messageExpression"
            errors += self._dear(cost, "estimated messageExpression cost", where)
        return errors + _transition_problems(rule, path, uncorrelated)

    def _dear(self, cost: int, what: str, path: str) -> Errors:
        self.totals.add(cost, path)
        if cost <= RULE_LIMIT or not self.totals.limited:
            return []
        return [field.forbidden(path, cost_problem(what, cost, limit=RULE_LIMIT))]

    def _times(self, cost: int) -> int:
        """Return the cost of a rule for all such values in one object."""
        assert self.type is not None
        times = self.cardinality
        if times is None:
            times = _REQUEST_BYTES // (self.type.declared.min_size + 1)
        return min(cost * times, _MOST)


def _transition_problems(rule: CompiledRule, path: str, uncorrelated: str) -> Errors:
    if rule.is_transition and uncorrelated:
        text = "oldSelf cannot be used on the uncorrelatable portion of the schema within"
        text = f"{text} {uncorrelated}"
        return [field.invalid(f"{path}.rule", rule.source["rule"], text)]
    optional = rule.source.get("optionalOldSelf")
    if optional is not None and not rule.is_transition:
        text = "may not be set if oldSelf is not used in rule"
        return [field.invalid(f"{path}.optionalOldSelf", optional, text)]
    return []


def _wrong(path: str, rule: CompiledRule, detail: str) -> FieldError:
    shown = go_json.encoded(go_json.rule(rule.source))
    return FieldError("FieldValueInvalid", path, f"Invalid value: {shown}: {detail}")


def _most_elements(source: dict[str, Any]) -> int | None:
    """Return how many children a value of this schema can have; ``None`` if unlimited."""
    kind = source.get("type")
    if kind == "object" and "additionalProperties" in source:
        limit = source.get("maxProperties")
    elif kind == "array":
        limit = source.get("maxItems")
    else:
        return 1
    return None if limit is None else max(int(limit), 0)

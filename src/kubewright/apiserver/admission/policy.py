"""A ValidatingAdmissionPolicy: its expressions, and the outcome of evaluating them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from kubewright.apiserver import cel
from kubewright.apiserver.admission.conditions import BUDGET, Condition, ConditionError, all_met
from kubewright.apiserver.admission.expression import (
    BudgetSpentError,
    Expression,
    ExpressionError,
    Names,
    declarations,
)
from kubewright.apiserver.admission.rules import Criteria
from kubewright.apiserver.registry.strategy import Obj

if TYPE_CHECKING:
    from kubewright.apiserver.cel import Budget, Field, Type

_MESSAGE_LIMIT = 5 * 1024
_NOTE_LIMIT = 10 * 1024


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a policy refuses a write; *index* is the number of the validation."""

    message: str
    reason: str = "Invalid"
    index: int = 0


class Outcome(NamedTuple):
    """All that a policy found: failures, notes for the audit log, and failed notes."""

    failures: list[Failure]
    notes: dict[str, str]
    broken: list[str]


@dataclass(frozen=True, slots=True)
class _Validation:
    expression: Expression
    message: str
    message_expression: Expression | None
    reason: str


class Policy:
    """The expressions of a policy.

    Attributes:
        tolerated: Whether a write passes when an expression fails.
        param_kind: The apiVersion and kind of parameters; ``None`` without.
    """

    def __init__(self, source: Obj) -> None:
        spec = source.get("spec") or {}
        self.name: str = source["metadata"]["name"]
        self.tolerated: bool = spec.get("failurePolicy") == "Ignore"
        self.param_kind: Obj | None = spec.get("paramKind")
        matching = spec.get("matchConstraints") or {}
        self.criteria: Criteria = Criteria(
            matching, rules="resourceRules", excluded="excludeResourceRules"
        )
        self._types: dict[str, Field] = {}
        self._typed = 0
        self._variables = [
            (one["name"], self._expression(one.get("expression"), "policy", index=index, result=""))
            for index, one in enumerate(spec.get("variables") or ())
        ]
        self._conditions = [
            Condition.of(one, params=self.param_kind is not None)
            for one in spec.get("matchConditions") or ()
        ]
        self._validations = [self._validation(one) for one in spec.get("validations") or ()]
        self._notes = [
            (
                one.get("key") or "",
                self._expression(one.get("valueExpression"), "policy", result="string or null"),
            )
            for one in spec.get("auditAnnotations") or ()
        ]

    def _validation(self, source: Obj) -> _Validation:
        said = source.get("messageExpression")
        return _Validation(
            self._expression(source.get("expression"), "policy"),
            (source.get("message") or "").strip(),
            self._expression(said, "message", result="string") if said else None,
            source.get("reason") or "Invalid",
        )

    def _expression(
        self,
        source: str | None,
        names: Names,
        *,
        index: int | None = None,
        result: Any = "bool",
    ) -> Expression:
        return Expression(source or "", lambda: self._declarations(names, index), result=result)

    def _declarations(self, names: Names, count: int | None) -> "Mapping[str, Type]":
        """Return the names that an expression can use; a variable sees those before it."""
        found = dict(declarations(names, params=self.param_kind is not None))
        self._find_types(len(self._variables) if count is None else count)
        found["variables"] = cel.growing_type("kubernetes.variables", self._types)
        return found

    def _find_types(self, count: int) -> None:
        """Find the types of the first *count* variables; each is compiled when those before are."""
        while self._typed < count:
            name, expression = self._variables[self._typed]
            self._types[name] = cel.Field(_type(expression), name)
            self._typed += 1

    def expressions(self) -> Iterator[tuple[str, Expression]]:
        """Yield all expressions but those of conditions, each with its field."""
        for index, (_, expression) in enumerate(self._variables):
            yield f"spec.variables[{index}].expression", expression
        for index, one in enumerate(self._validations):
            yield f"spec.validations[{index}].expression", one.expression
            if one.message_expression is not None:
                yield f"spec.validations[{index}].messageExpression", one.message_expression
        for index, (_, expression) in enumerate(self._notes):
            yield f"spec.auditAnnotations[{index}].valueExpression", expression

    def evaluate(self, values: dict[str, Any]) -> Outcome | None:
        """Return what the policy says about a write; ``None`` if it does not apply.

        Args:
            values: What its expressions see, but for the variables.
        """
        budget = cel.Budget()
        values = {**values}
        values["variables"] = Variables(
            {name: self._computed(one, values, budget) for name, one in self._variables}
        )
        try:
            limited = cel.Budget(BUDGET)
            if not all_met(self._conditions, values, tolerated=self.tolerated, budget=limited):
                return None
            failures = list(self._failures(values, budget))
        except (ConditionError, BudgetSpentError) as error:
            return Outcome([] if self.tolerated else [Failure(str(error))], {}, [])
        return Outcome(failures, *self._noted(values))

    def _computed(
        self, expression: Expression, values: Mapping[str, Any], budget: "Budget"
    ) -> Callable[[], Any]:
        def compute() -> Any:
            try:
                return expression.program.evaluate(values, budget=budget)
            except ExpressionError as error:
                raise cel.EvaluationError(str(error)) from error

        return compute

    def _failures(self, values: Mapping[str, Any], budget: "Budget") -> Iterator[Failure]:
        for index, one in enumerate(self._validations):
            try:
                if one.expression.evaluate(values, budget=budget) is True:
                    continue
                message = self._message(one, values, budget)
            except BudgetSpentError:
                raise
            except ExpressionError as error:
                if not self.tolerated:
                    yield Failure(str(error), index=index)
            else:
                yield Failure(message, one.reason, index)

    def _message(self, one: _Validation, values: Mapping[str, Any], budget: "Budget") -> str:
        found = ""
        if one.message_expression is not None:
            try:
                found = one.message_expression.evaluate(values, budget=budget)
            except BudgetSpentError as error:
                raise ExpressionError(f"failed messageExpression: {error}") from error
            except ExpressionError:  # the plain message will do
                found = ""
        found = found.strip()
        if len(found.encode()) > _MESSAGE_LIMIT or "\n" in found:
            found = ""
        return found or one.message or f"failed expression: {one.expression.source.strip()}"

    def _noted(self, values: Mapping[str, Any]) -> tuple[dict[str, str], list[str]]:
        budget = cel.Budget()
        notes: dict[str, str] = {}
        broken: list[str] = []
        for key, expression in self._notes:
            try:
                found = expression.evaluate(values, budget=budget)
            except ExpressionError as error:
                if not self.tolerated:
                    broken.append(str(error))
                continue
            if found and found.strip():
                notes[key] = found.strip()[:_NOTE_LIMIT]
        return notes, broken


def _type(expression: Expression) -> "Type":
    try:
        return expression.program.type
    except ExpressionError:  # an expression that uses it reports the error
        return cel.DYN


class Variables(dict[str, Any]):
    """Variables that are computed when an expression first uses them."""

    def __init__(self, compute: dict[str, Callable[[], Any]]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, name: str) -> Any:
        found = self[name] = self._compute[name]()
        return found

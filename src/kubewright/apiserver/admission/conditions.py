"""matchConditions: expressions that say whether a webhook or policy applies to a write."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kubewright.apiserver import cel
from kubewright.apiserver.admission.expression import Expression, ExpressionError, declarations
from kubewright.apiserver.authorization.rules import aggregate
from kubewright.apiserver.registry.strategy import Obj

if TYPE_CHECKING:
    from kubewright.apiserver.cel import Budget

BUDGET: int = 2_500_000
"""What the conditions of one webhook or policy may cost."""


@dataclass(frozen=True, slots=True)
class Condition:
    """An expression with a name."""

    name: str
    expression: Expression

    @classmethod
    def of(cls, source: Obj, *, params: bool = False) -> "Condition":
        """Read a MatchCondition of a webhook, or of a policy, which may have parameters."""
        expression = Expression(
            source.get("expression") or "", lambda: declarations("condition", params=params)
        )
        return cls(source.get("name") or "", expression)


class ConditionError(Exception):
    """Conditions could not be evaluated, and that is not tolerated."""


def all_met(
    conditions: Iterable[Condition],
    values: Mapping[str, Any],
    *,
    tolerated: bool,
    budget: "Budget | None" = None,
) -> bool:
    """Say whether all conditions hold; one that is false decides, even if others fail.

    Args:
        conditions: The expressions.
        values: What they see.
        tolerated: Whether an expression that fails counts as false.
        budget: What they may cost together.

    Raises:
        ConditionError: An expression failed, and that is not tolerated.
    """
    budget = budget or cel.Budget(BUDGET)
    errors: list[str] = []
    for condition in conditions:
        try:
            if condition.expression.evaluate(values, budget=budget) is False:
                return False
        except ExpressionError as error:
            errors.append(str(error))
    if errors and not tolerated:
        raise ConditionError(aggregate(errors))
    return not errors

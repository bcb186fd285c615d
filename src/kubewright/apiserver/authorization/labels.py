"""Label selectors as they stand in objects."""

from kubewright.api.requirement import Operator, Requirement
from kubewright.api.selectors import Selector
from kubewright.apiserver.registry.strategy import Obj

_OPERATORS = {
    "In": Operator.IN,
    "NotIn": Operator.NOT_IN,
    "Exists": Operator.EXISTS,
    "DoesNotExist": Operator.DOES_NOT_EXIST,
}


def label_selector(source: Obj | None) -> Selector:
    """Return a LabelSelector as a `Selector`; ``None`` selects nothing, an empty one everything.

    Raises:
        ValueError: It is not valid.
    """
    if source is None:
        return Selector.NOTHING
    labels = source.get("matchLabels") or {}
    expressions = source.get("matchExpressions") or ()
    return Selector.of(labels) & Selector(map(_requirement, expressions))


def _requirement(expression: Obj) -> Requirement:
    operator = expression.get("operator", "")
    if operator not in _OPERATORS:
        raise ValueError(f'"{operator}" is not a valid label selector operator')
    values = tuple(expression.get("values") or ())
    return Requirement(expression.get("key", ""), _OPERATORS[operator], values)

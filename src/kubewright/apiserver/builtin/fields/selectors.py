"""Label selectors in specs: validation, matching, and printing as Kubernetes does."""

from typing import Any

from kubewright.api.selectors import Operator, Requirement, Selector
from kubewright.apiserver.builtin.fields.checks import problems
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj

LISTS: frozenset[str] = frozenset({"In", "NotIn"})
EXISTENCE: frozenset[str] = frozenset({"Exists", "DoesNotExist"})

_OPERATORS = {
    "In": Operator.IN,
    "NotIn": Operator.NOT_IN,
    "Exists": Operator.EXISTS,
    "DoesNotExist": Operator.DOES_NOT_EXIST,
}


def validate_selector(selector: Obj | None, path: str) -> Errors:
    """Return what is wrong with a label selector; ``None`` is fine."""
    if not selector:
        return []
    errors = naming.labels(selector.get("matchLabels") or {}, f"{path}.matchLabels")
    for i, one in enumerate(selector.get("matchExpressions") or ()):
        errors += validate_requirement(one, f"{path}.matchExpressions[{i}]")
    return errors


def validate_operator(requirement: Obj, path: str) -> Errors:
    """Return what is wrong with the operator of an expression, and with its number of values."""
    operator, values = requirement.get("operator") or "", requirement.get("values") or ()
    if operator in LISTS:
        text = "must be specified when `operator` is 'In' or 'NotIn'"
        return [] if values else [field.required(f"{path}.values", text)]
    if operator in EXISTENCE:
        text = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
        return [field.forbidden(f"{path}.values", text)] if values else []
    return [field.invalid(f"{path}.operator", operator, "not a valid selector operator")]


def validate_requirement(requirement: Obj, path: str) -> Errors:
    """Return what is wrong with one expression of a label selector."""
    errors = validate_operator(requirement, path)
    errors += problems(naming.qualified_name, requirement.get("key") or "", f"{path}.key")
    for i, value in enumerate(requirement.get("values") or ()):
        errors += problems(naming.label_value, value, f"{path}.values[{i}]")
    return errors


def is_empty(selector: Obj) -> bool:
    """Return whether a selector has no requirements, and so selects everything."""
    return not selector.get("matchLabels") and not selector.get("matchExpressions")


def compiled(selector: Obj | None) -> Selector | None:
    """Return a selector to match with; ``None`` if it is malformed. An absent one is NOTHING."""
    if selector is None:
        return Selector.NOTHING
    try:
        labels = Selector.of(selector.get("matchLabels") or {})
        return labels & Selector(map(_requirement, selector.get("matchExpressions") or ()))
    except ValueError:
        return None


def _requirement(one: Obj) -> Requirement:
    operator = _OPERATORS.get(one.get("operator") or "")
    if operator is None:
        raise ValueError("not a valid selector operator")
    return Requirement(one.get("key") or "", operator, tuple(one.get("values") or ()))


def matches(selector: Obj | None, labels: dict[str, str]) -> bool | None:
    """Return whether labels match; ``None`` if the selector is malformed."""
    if selector is not None and not selector.get("matchExpressions"):
        wanted: dict[str, Any] = selector.get("matchLabels") or {}
        return wanted.items() <= labels.items()
    made = compiled(selector)
    return None if made is None else made.matches(labels)


def selector_text(selector: Obj | None) -> str:
    """Return a selector as the scale subresource shows it; empty if it is absent."""
    made = compiled(selector)
    return "" if made is None or made.selects_nothing else str(made)

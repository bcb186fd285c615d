"""Where a pod may run: affinity, tolerations, topology spread."""

from collections.abc import Iterable
from typing import Any

from kubewright.apiserver.builtin.fields.checks import (
    MAX_INT32,
    POSITIVE,
    first_indexes,
    problems,
    unsupported,
)
from kubewright.apiserver.builtin.fields.selectors import (
    LISTS,
    validate_operator,
    validate_selector,
)
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj

REQUIRED: str = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED: str = "preferredDuringSchedulingIgnoredDuringExecution"

_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_UNSATISFIABLE = ("DoNotSchedule", "ScheduleAnyway")
_INCLUSION = ("Honor", "Ignore")
_MAX_WEIGHT = 100


def validate_affinity(affinity: Obj, path: str) -> Errors:
    """Return what is wrong with the affinity of a pod."""
    errors: Errors = []
    if (nodes := affinity.get("nodeAffinity")) is not None:
        errors += _node_affinity(nodes, f"{path}.nodeAffinity")
    for kind in ("podAffinity", "podAntiAffinity"):
        if (pods := affinity.get(kind)) is not None:
            errors += _pod_affinity(pods, f"{path}.{kind}")
    return errors


def _node_affinity(affinity: Obj, path: str) -> Errors:
    errors: Errors = []
    if (selector := affinity.get(REQUIRED)) is not None:
        errors += validate_node_selector(selector, f"{path}.{REQUIRED}")
    for i, term in enumerate(affinity.get(PREFERRED) or ()):
        here = f"{path}.{PREFERRED}[{i}]"
        errors += _weight(term.get("weight") or 0, f"{here}.weight")
        errors += _node_term(term.get("preference") or {}, f"{here}.preference", check_values=False)
    return errors


def validate_node_selector(selector: Obj, path: str) -> Errors:
    """Return what is wrong with a node selector."""
    terms = selector.get("nodeSelectorTerms")
    if not terms:
        text = "must have at least one node selector term"
        return [field.required(f"{path}.nodeSelectorTerms", text)]
    errors: Errors = []
    for i, term in enumerate(terms):
        errors += _node_term(term, f"{path}.nodeSelectorTerms[{i}]", check_values=True)
    return errors


def _node_term(term: Obj, path: str, *, check_values: bool) -> Errors:
    errors: Errors = []
    for i, one in enumerate(term.get("matchExpressions") or ()):
        here = f"{path}.matchExpressions[{i}]"
        errors += _node_requirement(one, here)
        for j, value in enumerate(one.get("values") or () if check_values else ()):
            errors += problems(naming.label_value, value, f"{here}.values[{j}]")
    for i, one in enumerate(term.get("matchFields") or ()):
        errors += _node_field(one, f"{path}.matchFields[{i}]")
    return errors


def _node_requirement(one: Obj, path: str) -> Errors:
    if one.get("operator") in ("Gt", "Lt"):
        text = "must be specified single value when `operator` is 'Lt' or 'Gt'"
        wrong = len(one.get("values") or ()) != 1
        errors = [field.required(f"{path}.values", text)] if wrong else []
    else:
        errors = validate_operator(one, path)
    return errors + problems(naming.qualified_name, one.get("key") or "", f"{path}.key")


def _node_field(one: Obj, path: str) -> Errors:
    errors: Errors = []
    operator, values, key = one.get("operator") or "", one.get("values") or (), one.get("key") or ""
    if operator not in LISTS:
        errors.append(field.invalid(f"{path}.operator", operator, "not a valid selector operator"))
    elif len(values) != 1:
        text = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        errors.append(field.required(f"{path}.values", text))
    if key != "metadata.name":
        return [*errors, field.invalid(f"{path}.key", key, "not a valid field selector key")]
    for i, value in enumerate(values):
        errors += problems(naming.dns_subdomain, value, f"{path}.values[{i}]")
    return errors


def _weight(weight: int, path: str) -> Errors:
    if 0 < weight <= _MAX_WEIGHT:
        return []
    return [field.invalid(path, weight, "must be in the range 1-100")]


def _pod_affinity(affinity: Obj, path: str) -> Errors:
    errors: Errors = []
    for i, term in enumerate(affinity.get(REQUIRED) or ()):
        errors += _pod_term(term, f"{path}.{REQUIRED}[{i}]")
    for i, weighted in enumerate(affinity.get(PREFERRED) or ()):
        here = f"{path}.{PREFERRED}[{i}]"
        errors += _weight(weighted.get("weight") or 0, f"{here}.weight")
        errors += _pod_term(weighted.get("podAffinityTerm") or {}, f"{here}.podAffinityTerm")
    return errors


def _pod_term(term: Obj, path: str) -> Errors:
    errors = validate_selector(term.get("labelSelector"), f"{path}.labelSelector")
    errors += validate_selector(term.get("namespaceSelector"), f"{path}.namespaceSelector")
    for name in term.get("namespaces") or ():
        errors += problems(naming.dns_label, name, f"{path}.namespace")
    errors += _label_keys(term, path)
    key = term.get("topologyKey") or ""
    if not key:
        errors.append(field.required(f"{path}.topologyKey", "can not be empty"))
    return errors + problems(naming.qualified_name, key, f"{path}.topologyKey")


def _label_keys(term: Obj, path: str) -> Errors:
    errors: Errors = []
    matched, excluded = term.get("matchLabelKeys") or (), term.get("mismatchLabelKeys") or ()
    selector = term.get("labelSelector")
    for name, keys in (("matchLabelKeys", matched), ("mismatchLabelKeys", excluded)):
        if keys and selector is None:
            text = "must not be specified when labelSelector is not set"
            errors.append(field.forbidden(f"{path}.{name}", text))
        elif keys:
            for i, key in enumerate(keys):
                errors += problems(naming.qualified_name, key, f"{path}.{name}[{i}]")
    errors += _selected_twice(first_indexes(matched), selector or {}, path)
    unwanted = frozenset(excluded)
    return errors + [
        field.invalid(
            f"{path}.matchLabelKeys[{i}]",
            key,
            "exists in both matchLabelKeys and mismatchLabelKeys",
        )
        for i, key in enumerate(matched)
        if key in unwanted
    ]


def _selected_twice(matched: dict[str, int], selector: Obj, path: str) -> Errors:
    # The server itself adds one expression for each key, so one of them is not a duplicate.
    errors: Errors = []
    seen = set(selector.get("matchLabels") or ())
    for expression in selector.get("matchExpressions") or ():
        key = expression.get("key")
        if key in matched and key in seen:
            text = "exists in both matchLabelKeys and labelSelector"
            errors.append(field.invalid(f"{path}[{matched[key]}]", key, text))
        seen.add(key)
    return errors


def validate_tolerations(tolerations: Iterable[Obj], path: str) -> Errors:
    """Return what is wrong with tolerations."""
    errors: Errors = []
    for i, toleration in enumerate(tolerations):
        here = f"{path}[{i}]"
        key, operator = toleration.get("key") or "", toleration.get("operator") or ""
        effect = toleration.get("effect") or ""
        if key:
            errors += problems(naming.qualified_name, key, f"{here}.key")
        elif operator != "Exists":
            text = (
                "operator must be Exists when `key` is empty, which means"
                ' "match all values and all keys"'
            )
            errors.append(field.invalid(f"{here}.operator", operator, text))
        if toleration.get("tolerationSeconds") is not None and effect != "NoExecute":
            text = "effect must be 'NoExecute' when `tolerationSeconds` is set"
            errors.append(field.invalid(f"{here}.effect", effect, text))
        errors += _toleration_value(operator, toleration.get("value") or "", f"{here}.operator")
        if effect and effect not in _EFFECTS:
            errors.append(unsupported(f"{here}.effect", effect, _EFFECTS))
    return errors


def _toleration_value(operator: str, value: str, path: str) -> Errors:
    if operator in ("", "Equal"):
        found = naming.label_value(value)
        return [field.invalid(path, value, ";".join(found))] if found else []
    if operator == "Exists":
        text = "value must be empty when `operator` is 'Exists'"
        return [field.invalid(path, value, text)] if value else []
    allowed = ("Equal", "Exists", "Lt", "Gt") if operator in ("Lt", "Gt") else ("Equal", "Exists")
    return [unsupported(path, operator, allowed)]


def validate_spread(constraints: list[Obj], path: str) -> Errors:
    """Return what is wrong with topology spread constraints."""
    errors: Errors = []
    last = {_place(constraint): i for i, constraint in enumerate(constraints)}
    for i, constraint in enumerate(constraints):
        repeated = last[_place(constraint)] != i
        errors += _constraint(constraint, f"{path}[{i}]", repeated=repeated)
    return errors


def _constraint(constraint: Obj, path: str, *, repeated: bool) -> Errors:
    errors: Errors = []
    skew, key = constraint.get("maxSkew") or 0, constraint.get("topologyKey") or ""
    action = constraint.get("whenUnsatisfiable") or ""
    if skew <= 0:
        errors.append(field.invalid(f"{path}.maxSkew", skew, POSITIVE))
    if not key:
        errors.append(field.required(f"{path}.topologyKey", "can not be empty"))
    if action not in _UNSATISFIABLE:
        errors.append(unsupported(f"{path}.whenUnsatisfiable", action, _UNSATISFIABLE))
    if repeated:
        here = f"{path}.{{topologyKey, whenUnsatisfiable}}"
        errors.append(field.duplicate(here, f"{{{key}, {action}}}"))
    errors += _domains(constraint.get("minDomains"), action, f"{path}.minDomains")
    for name in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
        if (policy := constraint.get(name)) is not None and policy not in _INCLUSION:
            errors.append(unsupported(f"{path}.{name}", policy, _INCLUSION))
    errors += _label_keys(constraint, path)
    return errors + validate_selector(constraint.get("labelSelector"), f"{path}.labelSelector")


def _place(constraint: Obj) -> tuple[Any, Any]:
    return constraint.get("topologyKey") or "", constraint.get("whenUnsatisfiable") or ""


def _domains(least: int | None, action: str, path: str) -> Errors:
    if least is None:
        return []
    errors = [] if 0 < least <= MAX_INT32 else [field.invalid(path, least, POSITIVE)]
    if action != "DoNotSchedule":
        text = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}"
        errors.append(field.invalid(path, least, text))
    return errors


def merge_label_keys(spec: Obj, labels: dict[str, str]) -> None:
    """Write the labels that ``matchLabelKeys`` names into the selector of each term, on create."""
    for kind in ("podAffinity", "podAntiAffinity"):
        terms = (spec.get("affinity") or {}).get(kind) or {}
        for weighted in terms.get(PREFERRED) or ():
            _merge(weighted.get("podAffinityTerm") or {}, labels)
        for term in terms.get(REQUIRED) or ():
            _merge(term, labels)
    for constraint in spec.get("topologySpreadConstraints") or ():
        _merge(constraint, labels)


def _merge(term: Obj, labels: dict[str, str]) -> None:
    selector = term.get("labelSelector")
    if selector is None:
        return
    for name, operator in (("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn")):
        for key in term.get(name) or ():
            if key in labels:
                one = {"key": key, "operator": operator, "values": [labels[key]]}
                selector.setdefault("matchExpressions", []).append(one)

"""Admission policies in CEL, and their bindings."""

from kubewright.apiserver.admission.mutation import MutatingPolicy
from kubewright.apiserver.admission.policy import Policy
from kubewright.apiserver.builtin.admissionregistration import webhooks
from kubewright.apiserver.builtin.fields.checks import (
    first_indexes,
    needed,
    needed_one_of,
    one_of,
    problems,
)
from kubewright.apiserver.builtin.fields.selectors import validate_selector
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write

_REASONS = ("Forbidden", "Invalid", "RequestEntityTooLarge")
_ACTIONS = ("Audit", "Deny", "Warn")
_MUTATING = ("*", "CONNECT", "CREATE", "UPDATE")
_EXCLUSIVE = "name and selector are mutually exclusive"
_MAX_AUDIT, _MAX_AUDIT_LENGTH = 20, 5 * 1024


class ValidatingAdmissionPolicyStrategy(Strategy):
    """ValidatingAdmissionPolicies."""

    has_generation = True
    has_status = True
    allow_unconditional_update = False

    def default(self, obj: Obj) -> None:
        """Fill in the match constraints; include spec and status."""
        default_policy(obj)
        obj.setdefault("status", {})

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Start with an empty status."""
        obj["status"] = {}

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check the match constraints and the validations."""
        spec = obj["spec"]
        found = _policy(spec)
        validations, notes = spec.get("validations") or [], spec.get("auditAnnotations") or []
        if not validations and not notes:
            why = "validations or auditAnnotations must contain at least one item"
            names = ("validations", "auditAnnotations")
            return found + [field.required(f"spec.{name}", why) for name in names]
        for index, item in enumerate(validations):
            found += _validation(item, f"spec.validations[{index}]")
        found += _audit(notes, obj["metadata"].get("name", ""))
        return found or _uncompiled(Policy(obj))


class MutatingAdmissionPolicyStrategy(Strategy):
    """MutatingAdmissionPolicies."""

    has_generation = True
    allow_unconditional_update = False

    def default(self, obj: Obj) -> None:
        """Fill in the match constraints."""
        default_policy(obj)

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check the match constraints and the mutations."""
        spec = obj["spec"]
        found = _policy(spec) + _only_mutating(spec.get("matchConstraints"), "matchConstraints")
        mutations = spec.get("mutations") or []
        found += needed(mutations, "spec.mutations", "mutations must contain at least one item")
        for index, item in enumerate(mutations):
            found += _mutation(item, f"spec.mutations[{index}]")
        policy, path = spec.get("reinvocationPolicy"), "spec.reinvocationPolicy"
        found += needed_one_of(policy, webhooks.REINVOCATION, path)
        return found or _uncompiled(MutatingPolicy(obj))


class MutatingAdmissionPolicyBindingStrategy(Strategy):
    """MutatingAdmissionPolicyBindings."""

    has_generation = True
    allow_unconditional_update = False

    def default(self, obj: Obj) -> None:
        """Fill in the match resources."""
        spec = obj.setdefault("spec", {})
        if (matching := spec.get("matchResources")) is not None:
            webhooks.default_matching(matching)

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check policy, parameters and resources."""
        return _binding(obj["spec"]) + _only_mutating(
            obj["spec"].get("matchResources"), "matchResources"
        )


class ValidatingAdmissionPolicyBindingStrategy(MutatingAdmissionPolicyBindingStrategy):
    """ValidatingAdmissionPolicyBindings."""

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check policy, parameters, resources and actions."""
        spec = obj["spec"]
        actions, path = spec.get("validationActions") or [], "spec.validationActions"
        found = _binding(spec)
        first = first_indexes(actions)
        for index, action in enumerate(actions):
            found += one_of(action, _ACTIONS, f"{path}[{index}]")
            if first[action] != index:
                found.append(field.duplicate(f"{path}[{index}]", action))
        if {"Deny", "Warn"} <= {*actions}:
            why = "must not contain both Deny and Warn (repeating the same validation failure"
            why += " information in the API response and headers serves no purpose)"
            found.append(field.invalid(path, actions, why))
        return found + needed(actions, path, "at least one validation action is required")


def default_policy(obj: Obj) -> None:
    """Fill in the match constraints and the failure policy."""
    spec = obj.setdefault("spec", {})
    spec.setdefault("failurePolicy", "Fail")
    if (matching := spec.get("matchConstraints")) is not None:
        webhooks.default_matching(matching)


def _policy(spec: Obj) -> Errors:
    found = one_of(spec["failurePolicy"], webhooks.FAILURE_POLICIES, "spec.failurePolicy")
    if "paramKind" in spec:
        found += _param_kind(spec["paramKind"], "spec.paramKind")
    matching, path = spec.get("matchConstraints"), "spec.matchConstraints"
    if matching is None:
        found.append(field.required(path))
    else:
        found += _matching(matching, path)
        found += needed(matching.get("resourceRules"), f"{path}.resourceRules")
    conditions, params = spec.get("matchConditions") or [], spec.get("paramKind") is not None
    found += webhooks.match_conditions(conditions, "spec", params=params)
    for index, item in enumerate(spec.get("variables") or ()):
        where = f"spec.variables[{index}]"
        found += needed((item.get("expression") or "").strip(), f"{where}.expression")
        found += needed(item.get("name"), f"{where}.name", "name is not specified")
    return found


def _uncompiled(policy: Policy) -> Errors:
    """Return errors for expressions that do not compile; called if nothing else is wrong."""
    found: Errors = []
    for path, expression in policy.expressions():
        found += webhooks.uncompiled(expression, path)
    return found


def _param_kind(kind: Obj, path: str) -> Errors:
    version, name = kind.get("apiVersion") or "", kind.get("kind") or ""
    found = needed(version, f"{path}.apiVersion")
    if version.count("/") > 1:
        why = f"unexpected GroupVersion string: {version}"
        found.append(field.invalid(f"{path}.apiVersion", version, why))
    elif version:
        group, _, number = version.rpartition("/")
        for rule, part in ((naming.dns_subdomain, group), (naming.dns_label_1035, number)):
            if part and (problems := rule(part)):
                found.append(field.invalid(f"{path}.apiVersion", part, ",".join(problems)))
    if not name:
        found.append(field.required(f"{path}.kind"))
    elif problems := naming.dns_label_1035(name.lower()):
        why = f"may have mixed case, but should otherwise match: {','.join(problems)}"
        found.append(field.invalid(f"{path}.kind", name, why))
    return found


def _matching(matching: Obj, path: str) -> Errors:
    found = one_of(matching["matchPolicy"], webhooks.MATCH_POLICIES, f"{path}.matchPolicy")
    for name in ("namespaceSelector", "objectSelector"):
        found += validate_selector(matching[name], f"{path}.{name}")
    for part in ("resourceRules", "excludeResourceRules"):
        for index, rule in enumerate(matching.get(part) or ()):
            found += _named_rule(rule, f"{path}.{part}[{index}]")
    return found


def _named_rule(rule: Obj, path: str) -> Errors:
    found: Errors = []
    names = rule.get("resourceNames") or []
    first = first_indexes(names)
    for index, name in enumerate(names):
        where = f"{path}.resourceNames[{index}]"
        found += problems(naming.path_segment, name, where)
        if first[name] != index:
            found.append(field.duplicate(where, name))
    return found + webhooks.rule_with_operations(rule, path)


def _only_mutating(matching: Obj | None, name: str) -> Errors:
    path = f"spec.{name}.resourceRules.operations"
    found: Errors = []
    for rule in (matching or {}).get("resourceRules") or ():
        for operation in rule.get("operations") or ():
            found += one_of(operation, _MUTATING, path)
    return found


def _validation(item: Obj, path: str) -> Errors:
    why = "expression is not specified"
    found = needed((item.get("expression") or "").strip(), f"{path}.expression", why)
    for name in ("messageExpression", "message"):
        if item.get(name) and not item[name].strip():
            why = "must be non-empty if specified"
            found.append(field.invalid(f"{path}.{name}", item[name], why))
    message = item.get("message") or ""
    if {"\n", "\r"} & {*message.strip()}:
        found.append(field.invalid(f"{path}.message", message, "must not contain line breaks"))
    if "reason" in item:
        found += one_of(item["reason"], _REASONS, f"{path}.reason")
    return found


def _audit(notes: list[Obj], policy: str) -> Errors:
    path = "spec.auditAnnotations"
    found: Errors = []
    if len(notes) > _MAX_AUDIT:
        why = f"must not have more than {_MAX_AUDIT} auditAnnotations"
        found.append(field.invalid(path, notes, why))
    keys: set[str] = set()
    for index, note in enumerate(notes):
        where, key = f"{path}[{index}]", note.get("key") or ""
        found += problems(naming.qualified_name, f"{policy}/{key}", f"{where}.key")
        text = (note.get("valueExpression") or "").strip()
        found += needed(text, f"{where}.valueExpression", "valueExpression is not specified")
        if len(text) > _MAX_AUDIT_LENGTH:
            why = f"must not exceed {_MAX_AUDIT_LENGTH} bytes in length"
            found.append(field.required(f"{where}.valueExpression", why))
        if key in keys:
            found.append(field.duplicate(f"{where}.key", key))
        keys.add(key)
    return found


def _mutation(item: Obj, path: str) -> Errors:
    parts = {"JSONPatch": "jsonPatch", "ApplyConfiguration": "applyConfiguration"}
    kind = item.get("patchType") or ""
    if not kind:
        return [field.required(f"{path}.patchType")]
    if kind not in parts:
        return one_of(kind, ("ApplyConfiguration", "JSONPatch"), f"{path}.patchType")
    found: Errors = []
    for other, name in parts.items():
        part, when = item.get(name), f"specified when patchType is {kind}"
        if other == kind and part is None:
            found.append(field.required(f"{path}.{name}", f"must be {when}"))
        elif other == kind:
            expression = (part.get("expression") or "").strip() if part else ""
            found += needed(expression, f"{path}.{name}.expression")
        elif part is not None:
            found.append(field.invalid(f"{path}.{name}", f"{{{name}}}", f"must not be {when}"))
    return found


def _binding(spec: Obj) -> Errors:
    name, path = spec.get("policyName"), "spec.policyName"
    found = needed(name, path) or problems(naming.dns_subdomain, name, path)
    if (reference := spec.get("paramRef")) is not None:
        found += _param_ref(reference, "spec.paramRef")
    if (matching := spec.get("matchResources")) is not None:
        found += _matching(matching, "spec.matchResources")
    return found


def _param_ref(reference: Obj, path: str) -> Errors:
    name, selector = reference.get("name") or "", reference.get("selector")
    found: Errors = []
    if name:
        found += problems(naming.path_segment, name, f"{path}.name")
        if selector is not None:
            found.append(field.forbidden(f"{path}.name", _EXCLUSIVE))
    if selector is not None:
        found += validate_selector(selector, f"{path}.selector")
        if name:
            found.append(field.forbidden(f"{path}.selector", _EXCLUSIVE))
    if not name and selector is None:
        found.append(field.required(path, "one of name or selector must be specified"))
    action, where = reference.get("parameterNotFoundAction"), f"{path}.parameterNotFoundAction"
    return found + needed_one_of(action, ("Deny", "Allow"), where)

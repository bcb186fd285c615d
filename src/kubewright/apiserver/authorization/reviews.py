"""SubjectAccessReview and its relatives: may they, may I, what may I?"""

from typing import Any

from kubewright.apiserver.authentication.user import UserInfo
from kubewright.apiserver.authorization.attributes import AccessAttributes, Authorizer
from kubewright.apiserver.authorization.rules import aggregate
from kubewright.apiserver.meta import field, status
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.meta.names import GroupKind
from kubewright.apiserver.registry.strategy import Obj

# The real server asks the object for its kind after it forgot it, so its message begins with a dot.
_KIND = GroupKind("authorization.k8s.io", "")
_ONE_OF = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
_SELECTORS = ("fieldSelector", "labelSelector")
_OPERATORS_WITH_VALUES = ("In", "NotIn")
_OPERATORS_WITHOUT = ("Exists", "DoesNotExist")


def review_access(review: Obj, authorizer: Authorizer) -> Obj:
    """Answer a SubjectAccessReview.

    Raises:
        StatusError: It is not valid.
    """
    _check(_subject_errors(review) + _metadata_errors(review, "must be empty"))
    return _decided(review, _subject(review["spec"]), authorizer)


def review_local_access(review: Obj, authorizer: Authorizer, *, namespace: str) -> Obj:
    """Answer a LocalSubjectAccessReview in *namespace*.

    Raises:
        StatusError: It is not valid.
    """
    metadata = {**(review.get("metadata") or {})}
    metadata.setdefault("namespace", namespace)
    review = {**review, "metadata": metadata}
    errors = _subject_errors(review)
    errors += _metadata_errors(review, "must be empty except for namespace", allowed="namespace")
    spec = review.get("spec") or {}
    asked = spec.get("resourceAttributes")
    if asked is not None and asked.get("namespace", "") != namespace:
        path = "spec.resourceAttributes.namespace"
        found = asked.get("namespace", "")
        errors.append(field.invalid(path, found, "must match metadata.namespace"))
    if spec.get("nonResourceAttributes") is not None:
        path, found = "spec.nonResourceAttributes", spec["nonResourceAttributes"]
        errors.append(field.invalid(path, found, "disallowed on this kind of request"))
    _check(errors)
    return _decided(review, _subject(spec), authorizer)


def review_own_access(review: Obj, user: UserInfo, *, authorizer: Authorizer) -> Obj:
    """Answer a SelfSubjectAccessReview of *user*.

    Raises:
        StatusError: It is not valid.
    """
    _check(_spec_errors(review) + _metadata_errors(review, "must be empty"))
    return _decided(review, user, authorizer)


def review_own_rules(review: Obj, user: UserInfo, *, authorizer: Authorizer) -> Obj:
    """Answer a SelfSubjectRulesReview of *user*.

    Raises:
        StatusError: It names no namespace.
    """
    namespace = (review.get("spec") or {}).get("namespace")
    if not namespace:
        raise status.bad_request("no namespace on request")
    rules, errors = authorizer.rules_for(user, namespace)
    found: Obj = {
        "resourceRules": [
            _picked(rule, "verbs", "apiGroups", "resources", "resourceNames")
            for rule in rules
            if rule.get("resources")
        ],
        "nonResourceRules": [
            _picked(rule, "verbs", "nonResourceURLs")
            for rule in rules
            if rule.get("nonResourceURLs")
        ],
        "incomplete": not authorizer.knows_all_rules,
    }
    if errors:
        found["evaluationError"] = aggregate(errors)
    return {
        "kind": "SelfSubjectRulesReview",
        "apiVersion": review.get("apiVersion") or "authorization.k8s.io/v1",
        "metadata": {},
        "spec": {},
        "status": found,
    }


def _picked(rule: Obj, *names: str) -> Obj:
    return {name: rule[name] for name in names if rule.get(name)}


def _subject(spec: Obj) -> UserInfo:
    extra = {key: tuple(values) for key, values in (spec.get("extra") or {}).items()}
    groups = tuple(spec.get("groups") or ())
    return UserInfo(spec.get("user") or "", spec.get("uid") or "", groups, extra)


def _decided(review: Obj, user: UserInfo, authorizer: Authorizer) -> Obj:
    decision = authorizer.authorize(_attributes(review["spec"], user))
    found: Obj = {"allowed": decision.allowed}
    if decision.denied:
        found["denied"] = True
    if decision.reason:
        found["reason"] = decision.reason
    if decision.error:
        found["evaluationError"] = decision.error
    return answered(review, found)


def answered(review: Obj, found: Obj) -> Obj:
    """Return *review* with its status, the parts in the order in which Kubernetes writes them."""
    first: Obj = {key: review[key] for key in ("kind", "apiVersion") if key in review}
    metadata, spec = review.get("metadata") or {}, review.get("spec") or {}
    return {**first, "metadata": metadata, "spec": spec, "status": found}


def _attributes(spec: Obj, user: UserInfo) -> AccessAttributes:
    other = spec.get("nonResourceAttributes")
    if other is not None:
        path, verb = other.get("path") or "", other.get("verb") or ""
        return AccessAttributes(user, verb, path=path, is_resource=False)
    asked = spec["resourceAttributes"]
    return AccessAttributes(
        user,
        asked.get("verb") or "",
        asked.get("group") or "",
        asked.get("version") or "*",
        asked.get("resource") or "",
        asked.get("subresource") or "",
        asked.get("name") or "",
        asked.get("namespace") or "",
    )


def _check(errors: Errors) -> None:
    if errors:
        raise status.invalid(_KIND, "", errors)


def _subject_errors(review: Obj) -> Errors:
    spec = review.get("spec") or {}
    errors = _spec_errors(review)
    if not spec.get("user") and not spec.get("groups"):
        why = "at least one of user or group must be specified"
        # Before what is found inside of the attributes, as the real server has it.
        errors.insert(_count_of_union(errors), field.invalid("spec.user", "", why))
    return errors


def _count_of_union(errors: Errors) -> int:
    return sum(error.path == "spec" for error in errors)


def _spec_errors(review: Obj) -> Errors:
    spec = review.get("spec") or {}
    asked, other = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    errors: Errors = []
    if (asked is None) is (other is None):
        errors.append(field.invalid("spec", other, _ONE_OF))
    for name in _SELECTORS:
        selector = (asked or {}).get(name)
        if selector is not None:
            errors += _selector_errors(selector, f"spec.resourceAttributes.{name}")
    return errors


def _selector_errors(selector: Obj, path: str) -> Errors:
    raw, requirements = selector.get("rawSelector"), selector.get("requirements") or []
    errors: Errors = []
    if raw and requirements:
        why = "may not specified at the same time as requirements"
        errors.append(field.invalid(f"{path}.rawSelector", raw, why))
    if not raw and not requirements:
        why = f"when {path} is specified, requirements or rawSelector is required"
        errors.append(field.required(f"{path}.requirements", why))
    for index, requirement in enumerate(requirements):
        errors += _requirement_errors(requirement, f"{path}.requirements[{index}]")
    return errors


def _requirement_errors(requirement: Obj, path: str) -> Errors:
    operator, values = requirement.get("operator"), requirement.get("values")
    errors: Errors = []
    if operator in _OPERATORS_WITH_VALUES and not values:
        why = "must be specified when `operator` is 'In' or 'NotIn'"
        errors.append(field.required(f"{path}.values", why))
    elif operator in _OPERATORS_WITHOUT and values:
        why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
        errors.append(field.forbidden(f"{path}.values", why))
    if not requirement.get("key"):
        errors.append(field.required(f"{path}.key", "must be specified"))
    return errors


def _metadata_errors(review: Obj, why: str, *, allowed: str = "") -> Errors:
    metadata: dict[str, Any] = review.get("metadata") or {}
    ignored = {"managedFields", "creationTimestamp", allowed}
    found = {key: value for key, value in metadata.items() if value and key not in ignored}
    return [field.invalid("metadata", found, why)] if found else []

"""FlowSchemas and PriorityLevelConfigurations. This server stores them and does not queue."""

from kubewright.apiserver.builtin.fields.checks import in_range, needed, one_of, problems
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write

_MAX_PRECEDENCE = 10000
_VERBS = frozenset(
    {
        "get",
        "list",
        "create",
        "update",
        "delete",
        "deletecollection",
        "patch",
        "watch",
        "proxy",
    }
)
_SUBJECTS = {"ServiceAccount": "serviceAccount", "User": "user", "Group": "group"}


class FlowSchemaStrategy(Strategy):
    """FlowSchemas."""

    has_status = True
    has_generation = True

    def default(self, obj: Obj) -> None:
        """Set the precedence; include spec and status."""
        spec = obj.setdefault("spec", {})
        spec["matchingPrecedence"] = spec.get("matchingPrecedence") or 1000
        spec.setdefault("priorityLevelConfiguration", {}).setdefault("name", "")
        obj.setdefault("status", {})

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Start with an empty status."""
        obj["status"] = {}

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check precedence, level and rules."""
        spec, name = obj["spec"], obj["metadata"].get("name")
        found = _precedence(spec["matchingPrecedence"], name)
        method = spec.get("distinguisherMethod")
        if method is not None and method.get("type") not in ("ByUser", "ByNamespace"):
            shown = {"Type": method.get("type") or ""}
            path = "spec.distinguisherMethod.type"
            found += one_of(shown, ("ByNamespace", "ByUser"), path)
        level, path = spec["priorityLevelConfiguration"]["name"], "spec.priorityLevelConfiguration"
        found += needed(level, f"{path}.name", "must reference a priority level") or problems(
            naming.dns_subdomain, level, f"{path}.name"
        )
        for index, rule in enumerate(spec.get("rules") or ()):
            found += _rule(rule, f"spec.rules[{index}]")
        return found


class PriorityLevelConfigurationStrategy(Strategy):
    """PriorityLevelConfigurations."""

    has_status = True
    has_generation = True

    def default(self, obj: Obj) -> None:
        """Fill in shares and queues; include spec and status."""
        spec = obj.setdefault("spec", {})
        for part, shares in (("exempt", 0), ("limited", 30)):
            if (level := spec.get(part)) is not None:
                level.setdefault("nominalConcurrencyShares", shares)
                level.setdefault("lendablePercent", 0)
        if (limited := spec.get("limited")) is not None:
            queuing = limited.setdefault("limitResponse", {}).get("queuing")
            if queuing is not None:
                for name, value in (("handSize", 8), ("queues", 64), ("queueLengthLimit", 50)):
                    queuing[name] = queuing.get(name) or value
        obj.setdefault("status", {})

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Start with an empty status."""
        obj["status"] = {}

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check the type and its fields."""
        spec = obj["spec"]
        kind, exempt, limited = spec.get("type") or "", spec.get("exempt"), spec.get("limited")
        found: Errors = []
        if (obj["metadata"].get("name") == "exempt") != (kind == "Exempt"):
            why = "must be 'Exempt' if and only if `name` is 'exempt'"
            found.append(field.invalid("spec.type", kind, why))
        if not kind:
            found.append(field.required("spec.type"))
        elif kind == "Exempt":
            if limited is not None:
                why = "must be nil if the type is not Limited"
                found.append(field.forbidden("spec.limited", why))
        elif kind == "Limited":
            if exempt is not None:
                found.append(field.forbidden("spec.exempt", "must be nil if the type is Limited"))
            why = "must not be empty when type is Limited"
            found += needed(limited, "spec.limited", why) or _limited(limited or {})
        else:
            found += one_of(kind, ("Exempt", "Limited"), "spec.type")
        return found


def _precedence(value: int, name: str | None) -> Errors:
    path = "spec.matchingPrecedence"
    found: Errors = []
    if value <= 0:
        found.append(field.invalid(path, value, "must be a positive value"))
    if value > _MAX_PRECEDENCE:
        why = f"must not be greater than {_MAX_PRECEDENCE}"
        found.append(field.invalid(path, value, why))
    if value == 1 and name != "exempt":
        why = "only the schema named 'exempt' may have matchingPrecedence 1"
        found.append(field.invalid(path, value, why))
    return found


def _rule(rule: Obj, path: str) -> Errors:
    subjects = rule.get("subjects") or []
    found = needed(subjects, f"{path}.subjects", "subjects must contain at least one value")
    for index, subject in enumerate(subjects):
        found += _subject(subject, f"{path}.subjects[{index}]")
    resources, others = rule.get("resourceRules") or [], rule.get("nonResourceRules") or []
    if not resources and not others:
        why = "at least one of resourceRules and nonResourceRules has to be non-empty"
        found.append(field.required(path, why))
    for index, item in enumerate(resources):
        found += _resource_rule(item, f"{path}.resourceRules[{index}]")
    for index, item in enumerate(others):
        where = f"{path}.nonResourceRules[{index}]"
        found += _verbs(item, where)
        found += _list(item, "nonResourceURLs", where, "non-resource URLs")
    return found


def _subject(subject: Obj, path: str) -> Errors:
    kind = subject.get("kind") or ""
    if kind not in _SUBJECTS:
        return one_of(kind, ("Group", "ServiceAccount", "User"), f"{path}.kind")
    part = _SUBJECTS[kind]
    value, found = subject.get(part), list[field.FieldError]()
    if value is None:
        why = f"{part} is required when subject kind is '{kind}'"
        found.append(field.required(f"{path}.{part}", why))
    else:
        found += needed(value.get("name"), f"{path}.{part}.name")
        if kind == "ServiceAccount":
            why = "must specify namespace for service account"
            found += needed(value.get("namespace"), f"{path}.{part}.namespace", why)
    for other, name in _SUBJECTS.items():
        if other != kind and subject.get(name) is not None:
            why = f"{name} is forbidden when subject kind is not '{other}'"
            found.append(field.forbidden(f"{path}.{name}", why))
    return found


def _verbs(rule: Obj, path: str) -> Errors:
    verbs = rule.get("verbs") or []
    if not verbs:
        return [field.required(f"{path}.verbs", "verbs must contain at least one value")]
    if "*" in verbs:
        return _alone(verbs, f"{path}.verbs", "verbs")
    if not {*verbs} <= _VERBS:
        return one_of(verbs, tuple(sorted(_VERBS)), f"{path}.verbs")
    return []


def _alone(items: list[str], path: str, what: str) -> Errors:
    if len(items) > 1 and "*" in items:
        why = f"if '*' is present, must not specify other {what}"
        return [field.invalid(path, items, why)]
    return []


def _list(rule: Obj, name: str, path: str, what: str) -> Errors:
    items, where = rule.get(name) or [], f"{path}.{name}"
    words = {
        "apiGroups": "resource rules must supply at least one api group",
        "resources": "resource rules must supply at least one resource",
        "nonResourceURLs": "nonResourceURLs must contain at least one value",
    }
    return needed(items, where, words[name]) or _alone(items, where, what)


def _resource_rule(rule: Obj, path: str) -> Errors:
    found = _verbs(rule, path) + _list(rule, "apiGroups", path, "api groups")
    found += _list(rule, "resources", path, "resources")
    namespaces, where = rule.get("namespaces") or [], f"{path}.namespaces"
    if not namespaces and not rule.get("clusterScope"):
        why = "resource rules that are not cluster scoped must supply at least one namespace"
        return [*found, field.required(where, why)]
    if "*" in namespaces:
        return found + _alone(namespaces, where, "namespaces")
    why = "each member of this list must be '*' or a DNS-1123 label; "
    for index, name in enumerate(namespaces):
        for problem in naming.dns_label(name):
            found.append(field.invalid(f"{where}[{index}]", name, why + problem))
    return found


def _limited(limited: Obj) -> Errors:
    path, found = "spec.limited", list[field.FieldError]()
    shares = limited["nominalConcurrencyShares"]
    if shares < 0:
        why = "must be a non-negative integer"
        found.append(field.invalid(f"{path}.nominalConcurrencyShares", shares, why))
    percent = limited["lendablePercent"]
    found += in_range(percent, 0, 100, path=f"{path}.lendablePercent")
    response = limited["limitResponse"]
    kind, queuing = response.get("type") or "", response.get("queuing")
    where = f"{path}.limitResponse"
    if kind == "Reject" and queuing is not None:
        why = "must be nil if limited.limitResponse.type is not Limited"
        found.append(field.forbidden(f"{where}.queuing", why))
    elif kind == "Queue" and queuing is None:
        why = "must not be empty if limited.limitResponse.type is Limited"
        found.append(field.required(f"{where}.queuing", why))
    elif not kind:
        found.append(field.required(f"{where}.type"))
    elif kind not in ("Reject", "Queue"):
        found += one_of(kind, ("Queue", "Reject"), f"{where}.type")
    return found

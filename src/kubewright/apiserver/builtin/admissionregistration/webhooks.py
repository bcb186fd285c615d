"""Webhook configurations."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from kubewright.apiserver.admission.conditions import Condition
from kubewright.apiserver.admission.expression import Expression
from kubewright.apiserver.builtin.fields.checks import (
    first_indexes,
    in_range,
    needed,
    one_of,
    problems,
)
from kubewright.apiserver.builtin.fields.selectors import validate_selector
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write

OPERATIONS: tuple[str, ...] = ("*", "CONNECT", "CREATE", "DELETE", "UPDATE")
FAILURE_POLICIES: tuple[str, ...] = ("Fail", "Ignore")
MATCH_POLICIES: tuple[str, ...] = ("Equivalent", "Exact")
REINVOCATION: tuple[str, ...] = ("IfNeeded", "Never")

_SIDE_EFFECTS = ("None", "NoneOnDryRun")
_REVIEW_VERSIONS = ("v1", "v1beta1")
_FORM = "; desired format: https://host[/path]"
_SEGMENTS = 3
_MAX_CONDITIONS = 64
_MAX_TIMEOUT = 30


class ValidatingWebhookConfigurationStrategy(Strategy):
    """ValidatingWebhookConfigurations."""

    has_generation = True
    allow_unconditional_update = False

    def default(self, obj: Obj) -> None:
        """Fill in how each webhook is called."""
        for hook in obj.get("webhooks") or ():
            default_matching(hook)
            hook.setdefault("failurePolicy", "Fail")
            hook.setdefault("timeoutSeconds", 10)
            hook.setdefault("clientConfig", {})
            if (service := hook["clientConfig"].get("service")) is not None:
                service.setdefault("port", 443)

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check each webhook, and that names are unique."""
        found: Errors = []
        names: set[str] = set()
        for index, hook in enumerate(obj.get("webhooks") or ()):
            path, name = f"webhooks[{index}]", hook.get("name") or ""
            found += self.webhook(hook, path)
            versions = hook.get("admissionReviewVersions") or []
            found += _review_versions(versions, f"{path}.admissionReviewVersions")
            if name and name in names:
                found.append(field.duplicate(f"{path}.name", name))
            names.add(name)
        return found

    def webhook(self, hook: Obj, path: str) -> Errors:
        """Return what is wrong with one webhook."""
        found = _full_name(hook.get("name") or "", f"{path}.name")
        for index, item in enumerate(hook.get("rules") or ()):
            found += rule_with_operations(item, f"{path}.rules[{index}]")
        found += one_of(hook["failurePolicy"], FAILURE_POLICIES, f"{path}.failurePolicy")
        found += one_of(hook["matchPolicy"], MATCH_POLICIES, f"{path}.matchPolicy")
        effects, where = hook.get("sideEffects"), f"{path}.sideEffects"
        if effects is None:
            found.append(field.required(where, f"must specify one of {', '.join(_SIDE_EFFECTS)}"))
        else:
            found += one_of(effects, _SIDE_EFFECTS, where)
        seconds = hook["timeoutSeconds"]
        if not 1 <= seconds <= _MAX_TIMEOUT:
            why = "the timeout value must be between 1 and 30 seconds"
            found.append(field.invalid(f"{path}.timeoutSeconds", seconds, why))
        for name in ("namespaceSelector", "objectSelector"):
            found += validate_selector(hook[name], f"{path}.{name}")
        found += self.reinvocation(hook, path)
        found += _client_config(hook["clientConfig"], f"{path}.clientConfig")
        return found + match_conditions(hook.get("matchConditions") or [], path)

    def reinvocation(self, hook: Obj, path: str) -> Errors:
        """Return no errors: validating webhooks have no reinvocation policy."""
        return []

    def spec_changed(self, new: Obj, old: Obj) -> bool:
        """Return whether a webhook changed."""
        return bool(new.get("webhooks") != old.get("webhooks"))


class MutatingWebhookConfigurationStrategy(ValidatingWebhookConfigurationStrategy):
    """MutatingWebhookConfigurations, whose webhooks may be called again."""

    def default(self, obj: Obj) -> None:
        """Fill in how each webhook is called."""
        super().default(obj)
        for hook in obj.get("webhooks") or ():
            hook.setdefault("reinvocationPolicy", "Never")

    def reinvocation(self, hook: Obj, path: str) -> Errors:
        """Return what is wrong with the reinvocation policy of a webhook."""
        policy = hook["reinvocationPolicy"]
        return one_of(policy, REINVOCATION, f"{path}.reinvocationPolicy")


def default_matching(item: Obj) -> None:
    """Fill in the selectors and the match policy of a webhook or a policy."""
    item.setdefault("matchPolicy", "Equivalent")
    item.setdefault("namespaceSelector", {})
    item.setdefault("objectSelector", {})
    for name in ("rules", "resourceRules", "excludeResourceRules"):
        for rule in item.get(name) or ():
            rule.setdefault("scope", "*")


def rule_with_operations(rule: Obj, path: str) -> Errors:
    """Return what is wrong with the operations and resources of a rule."""
    operations = rule.get("operations") or []
    found = needed(operations, f"{path}.operations")
    found += _alone(operations, f"{path}.operations", "operations")
    for index, operation in enumerate(operations):
        found += one_of(operation, OPERATIONS, f"{path}.operations[{index}]")
    for name, what in (("apiGroups", "API groups"), ("apiVersions", "API versions")):
        items = rule.get(name) or []
        found += needed(items, f"{path}.{name}") + _alone(items, f"{path}.{name}", what)
    for index, version in enumerate(rule.get("apiVersions") or ()):
        found += needed(version, f"{path}.apiVersions[{index}]")
    found += _resources(rule.get("resources") or [], f"{path}.resources")
    return found + one_of(rule["scope"], ("*", "Cluster", "Namespaced"), f"{path}.scope")


def uncompiled(expression: Expression, path: str) -> Errors:
    """Return why an expression does not compile: once stored, it would block all writes."""
    problem = expression.find_problem()
    return [field.invalid(path, expression.source, problem)] if problem else []


def match_conditions(conditions: list[Obj], path: str, *, params: bool = False) -> Errors:
    """Return what is wrong with the names and expressions of match conditions."""
    path = f"{path}.matchConditions"
    found: Errors = []
    if len(conditions) > _MAX_CONDITIONS:
        found.append(field.too_many(path, len(conditions), _MAX_CONDITIONS))
    names: set[str] = set()
    for index, item in enumerate(conditions):
        where, name = f"{path}[{index}]", item.get("name") or ""
        if (item.get("expression") or "").strip():
            condition = Condition.of(item, params=params)
            found += uncompiled(condition.expression, f"{where}.expression")
        else:
            found.append(field.required(f"{where}.expression"))
        found += needed(name, f"{where}.name") or problems(
            naming.qualified_name, name, f"{where}.name"
        )
        if name and name in names:
            found.append(field.duplicate(f"{where}.name", name))
        names.add(name)
    return found


def _alone(items: list[str], path: str, what: str) -> Errors:
    if len(items) > 1 and "*" in items:
        why = f"if '*' is present, must not specify other {what}"
        return [field.invalid(path, items, why)]
    return []


def _resources(resources: list[str], path: str) -> Errors:
    found = needed(resources, path)
    all_of: set[str] = set()
    everywhere: set[str] = set()
    for index, item in enumerate(resources):
        where = f"{path}[{index}]"
        found += needed(item, where)
        resource, slash, sub = item.partition("/")
        if not slash:
            continue
        if resource in all_of:
            why = f"if '{resource}/*' is present, must not specify {item}"
            found.append(field.invalid(where, item, why))
        if sub in everywhere:
            why = f"if '*/{sub}' is present, must not specify {item}"
            found.append(field.invalid(where, item, why))
        if sub == "*":
            all_of.add(resource)
        if resource == "*":
            everywhere.add(sub)
    return found + _wild_resources(resources, path)


def _wild_resources(resources: list[str], path: str) -> Errors:
    found: Errors = []
    if len(resources) > 1 and "*/*" in resources:
        why = "if '*/*' is present, must not specify other resources"
        found.append(field.invalid(path, resources, why))
    plain = [item for item in resources if item and "/" not in item]
    if "*" in plain and plain[-1] != "*":
        why = "if '*' is present, must not specify other resources without subresources"
        found.append(field.invalid(path, resources, why))
    return found


def _full_name(name: str, path: str) -> Errors:
    if not name:
        return [field.required(path)]
    if problems := naming.dns_subdomain(name):
        return [field.invalid(path, name, ",".join(problems))]
    if name.count(".") < _SEGMENTS - 1:
        why = "should be a domain with at least three segments separated by dots"
        return [field.invalid(path, name, why)]
    return []


def _review_versions(versions: list[str], path: str) -> Errors:
    accepted = ", ".join(_REVIEW_VERSIONS)
    if not versions:
        return [field.required(path, f"must specify one of {accepted}")]
    found: Errors = []
    first = first_indexes(versions)
    for index, version in enumerate(versions):
        if first[version] != index:
            found.append(field.invalid(f"{path}[{index}]", version, "duplicate version"))
        else:
            found += problems(naming.dns_label_1035, version, f"{path}[{index}]")
    if not {*versions} & {*_REVIEW_VERSIONS}:
        found.append(field.invalid(path, versions, f"must include at least one of {accepted}"))
    return found


def _client_config(config: Obj, path: str) -> Errors:
    url, service = config.get("url"), config.get("service")
    if (url is None) == (service is None):
        return [field.required(path, "exactly one of url or service is required")]
    if url is not None:
        return list(_url_problems(url, f"{path}.url"))
    assert service is not None
    return _service(service, f"{path}.service")


def _url_problems(url: str, path: str) -> Iterator[Any]:
    try:
        parts = urlsplit(url)
    except ValueError as error:
        yield field.required(path, f"url must be a valid URL: {error}{_FORM}")
        return
    if parts.scheme != "https":
        why = f"'https' is the only allowed URL scheme{_FORM}"
        yield field.invalid(path, parts.scheme, why)
    user, _, host = parts.netloc.rpartition("@")
    if not host:
        yield field.invalid(path, "", f"host must be specified{_FORM}")
    if user:
        yield field.invalid(path, user, "user information is not permitted in the URL")
    if parts.fragment:
        yield field.invalid(path, parts.fragment, "fragments are not permitted in the URL")
    if parts.query:
        yield field.invalid(path, parts.query, "query parameters are not permitted in the URL")


def _service(service: Obj, path: str) -> Errors:
    # Kubernetes mixes the two up: it says "name" when the namespace is missing.
    found = needed(service.get("namespace"), f"{path}.name")
    found += needed(service.get("name"), f"{path}.namespace")
    port = service.get("port", 443)
    for error in in_range(port, 1, 65535, ""):
        why = error.text.partition(": ")[2].partition(": ")[2]
        found.append(field.invalid(f"{path}.port", port, f"port is not valid: {why}"))
    return found + _path(service.get("path") or "/", f"{path}.path")


def _path(url_path: str, path: str) -> Errors:
    if url_path == "/":
        return []
    if url_path == "//":
        return [field.invalid(path, url_path, "segment[0] may not be empty")]
    found: Errors = []
    if not url_path.startswith("/"):
        found.append(field.invalid(path, url_path, "must start with a '/'"))
    for index, step in enumerate(url_path[1:].removesuffix("/").split("/")):
        if not step:
            found.append(field.invalid(path, url_path, f"segment[{index}] may not be empty"))
            continue
        for problem in naming.dns_subdomain(step):
            found.append(field.invalid(path, url_path, f"segment[{index}]: {problem}"))
    return found

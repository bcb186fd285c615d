"""Webhook configurations for the API server, from declarations."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal

import msgspec

from kubewright.api.kind_reference import KindLike, likely_mapping
from kubewright.api.meta import LabelSelector, LabelSelectorRequirement
from kubewright.api.names import MAX_SUBDOMAIN_LENGTH, check_label_key
from kubewright.api.selectors import selector_from

Document = dict[str, Any]
Operation = Literal["create", "update", "delete", "connect", "*"]

_OPERATIONS = ("create", "update", "delete", "connect", "*")
_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?){2,}")
_LONGEST = 30
_MOST_CONDITIONS = 64
_LABEL = r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
_FORMS = {
    "groups": (rf"({_LABEL}(\.{_LABEL})*|\*)?", "'apps', 'core' or '*'"),
    "versions": (rf"{_LABEL}|\*", "'v1' or '*'"),
    "resources": (rf"({_LABEL}|\*)(/({_LABEL}|\*))?", "'pods', 'pods/status', 'pods/*' or '*'"),
}


class _Term(LabelSelectorRequirement, forbid_unknown_fields=True):
    pass


class _Selector(LabelSelector, forbid_unknown_fields=True):
    match_expressions: list[_Term] = []  # type: ignore[assignment]  # narrower, and only read


class ClientConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Where the API server finds a webhook: a path of a Service in the cluster, or a URL."""

    path: str = ""
    url: str = ""
    service_name: str = "webhook-service"
    service_namespace: str = "system"
    service_port: int | None = None
    ca_bundle: str = ""
    """The certificate authority, PEM in base64; left out where something else fills it in."""

    def __post_init__(self) -> None:
        if bool(self.path) == bool(self.url):
            raise ValueError(f"a webhook has a path or a url, and one only: {self!r}")
        if self.url and not self.url.startswith("https://"):
            raise ValueError(f"API servers call webhooks by https, not {self.url!r}")
        if self.path and not self.path.startswith("/"):
            raise ValueError(f"the path of a webhook begins with a slash: {self.path!r}")

    def document(self) -> Document:
        """Return the ``clientConfig``."""
        ca = {"caBundle": self.ca_bundle} if self.ca_bundle else {}
        if self.url:
            return {**ca, "url": self.url}
        service: Document = {
            "name": self.service_name,
            "namespace": self.service_namespace,
            "path": self.path,
        }
        if self.service_port is not None:
            service["port"] = self.service_port
        return {**ca, "service": service}


class Webhook(msgspec.Struct, frozen=True, kw_only=True):
    """An admission webhook, as the API server needs to know it.

    Attributes:
        name: A domain name of at least three parts.
        mutating: Whether it may change objects.
        client: Where it is.
        groups: API groups that it is called for; ``"core"`` may stand for the empty name.
        versions: API versions.
        resources: Plurals, with the subresource after a slash.
        operations: What users do: ``create``, ``update``, ``delete``, ``connect``, or ``*``.
        failure_policy: What happens when it cannot be reached.
        side_effects: Whether calling it changes anything but the answer.
        match_policy: Whether it is called for other versions of the same resource too.
        timeout_seconds: How long the server waits, 1 to 30 seconds.
        reinvocation_policy: Whether it is called again after others changed the object.
        admission_review_versions: The versions of the review that it speaks.
        namespace_selector: Labels of the namespaces that it is called for.
        object_selector: Labels of the objects that it is called for.
        match_conditions: CEL conditions, each with a name and an expression.
        scope: ``Cluster``, ``Namespaced`` or both (``*``).
    """

    name: str
    mutating: bool
    client: ClientConfig
    groups: Sequence[str]
    versions: Sequence[str]
    resources: Sequence[str]
    operations: Sequence[Operation] = ("create", "update")
    failure_policy: Literal["Fail", "Ignore"] = "Fail"
    side_effects: Literal["None", "NoneOnDryRun"] = "None"
    match_policy: Literal["Exact", "Equivalent"] | None = None
    timeout_seconds: int | None = None
    reinvocation_policy: Literal["Never", "IfNeeded"] | None = None
    admission_review_versions: Sequence[str] = ("v1",)
    namespace_selector: Document | None = None
    object_selector: Document | None = None
    match_conditions: Sequence[dict[str, str]] = ()
    scope: Literal["Cluster", "Namespaced", "*"] | None = None

    def __post_init__(self) -> None:
        for problem in _problems(self):
            raise ValueError(f"the webhook {self.name!r} {problem}")

    def document(self) -> Document:
        """Return the entry of a webhook configuration."""
        said = {
            "admissionReviewVersions": list(self.admission_review_versions),
            "clientConfig": self.client.document(),
            "failurePolicy": self.failure_policy,
            "matchConditions": [dict(one) for one in self.match_conditions] or None,
            "matchPolicy": self.match_policy,
            "name": self.name,
            "namespaceSelector": self.namespace_selector,
            "objectSelector": self.object_selector,
            "reinvocationPolicy": self.reinvocation_policy,
            "rules": [self._rule()],
            "sideEffects": self.side_effects,
            "timeoutSeconds": self.timeout_seconds,
        }
        return {key: value for key, value in said.items() if value is not None}

    def _rule(self) -> Document:
        rule: Document = {
            "apiGroups": ["" if group == "core" else group for group in self.groups],
            "apiVersions": list(self.versions),
            "operations": [operation.upper() for operation in self.operations],
            "resources": list(self.resources),
        }
        return rule | ({"scope": self.scope} if self.scope else {})


def _problems(hook: Webhook) -> Iterable[str]:
    """Yield what a server would refuse; each assumes that those before it are right."""
    yield from _name_problems(hook.name)
    yield from _rule_problems(hook)
    seconds = hook.timeout_seconds
    if seconds is not None and not (type(seconds) is int and 1 <= seconds <= _LONGEST):
        yield f"has a timeout of {seconds!r} s: the server allows 1 to {_LONGEST}, as an int"
    for what, allowed in (
        ("failure_policy", ("Fail", "Ignore")),
        ("side_effects", ("None", "NoneOnDryRun")),
        ("match_policy", (None, "Exact", "Equivalent")),
        ("reinvocation_policy", (None, "Never", "IfNeeded")),
        ("scope", (None, "Cluster", "Namespaced", "*")),
    ):
        if (value := getattr(hook, what)) not in allowed:
            words = " or ".join(word for word in allowed if word)
            yield f"has the {what} {value!r}: it must be {words}"
    if hook.reinvocation_policy is not None and not hook.mutating:
        yield "is validating and never called again: leave reinvocation_policy out"
    yield from _selector_problems(hook)
    yield from _condition_problems(hook.match_conditions)


def _name_problems(name: Any) -> Iterable[str]:
    if isinstance(name, str) and name != name.lower():
        yield "may have no upper case letters in its name"
    fits = isinstance(name, str) and len(name) <= MAX_SUBDOMAIN_LENGTH and _NAME.fullmatch(name)
    if not fits:
        yield (
            "needs a domain name of at least three parts, such as 'validate.shops.example.com',"
            f" of at most {MAX_SUBDOMAIN_LENGTH} characters"
        )


def _rule_problems(hook: Webhook) -> Iterable[str]:
    for what in ("groups", "versions", "resources", "operations", "admission_review_versions"):
        given = getattr(hook, what)
        if not _is_list(given) or not given or not all(isinstance(one, str) for one in given):
            yield f"needs a list of {what}, not {given!r}"
    if wrong := [name for name in hook.operations if name not in _OPERATIONS]:
        yield f"cannot be called for {wrong[0]!r}: the operations are {', '.join(_OPERATIONS)}"
    for what, (form, examples) in _FORMS.items():
        if wrong := [name for name in getattr(hook, what) if not re.fullmatch(form, name)]:
            yield f"has {wrong[0]!r} in {what}: write {examples}"
    for what in ("groups", "versions", "resources", "operations"):
        names = getattr(hook, what)
        for all_of, one in ((a, b) for a in names for b in names if _includes(a, b)):
            yield f"has the {what} {all_of!r} and {one!r}: {all_of!r} is all of them"


def _is_list(given: Any) -> bool:
    return isinstance(given, Collection) and not isinstance(given, str | bytes | Mapping)


def _includes(wild: str, other: str) -> bool:
    """Tell whether *wild* is a wildcard for *other*, so that servers refuse the two together."""
    if wild == other:
        return False
    resource, slash, part = other.partition("/")
    return wild == "*/*" or wild in (("*",) if not slash else (f"{resource}/*", f"*/{part}"))


def _selector_problems(hook: Webhook) -> Iterable[str]:
    for what in ("namespace_selector", "object_selector"):
        if (given := getattr(hook, what)) is None:
            continue
        try:
            selector_from(msgspec.convert(given, _Selector))
        except ValueError as error:
            yield (
                f"has the {what} {given!r}, which is no LabelSelector, such as"
                f" {{'matchLabels': {{'team': 'shops'}}}}: {error}"
            )


def _condition_problems(conditions: Any) -> Iterable[str]:
    if not _is_list(conditions):
        yield f"needs a list of match_conditions, not {conditions!r}"
    if len(conditions) > _MOST_CONDITIONS:
        yield f"has {len(conditions)} match_conditions: the server allows {_MOST_CONDITIONS}"
    names: set[str] = set()
    for one in conditions:
        fits = isinstance(one, dict) and one.keys() == {"name", "expression"}
        if not fits or not all(isinstance(text, str) and text.strip() for text in one.values()):
            yield (
                f"has the match condition {one!r}: write {{'name': ..., 'expression': ...}}, with"
                " texts that are not empty"
            )
        try:
            check_label_key(one["name"])
        except ValueError as error:
            yield f"has a match condition with a bad name: {error}"
        if one["name"] in names:
            yield f"has two match conditions with the name {one['name']!r}: rename one of them"
        names.add(one["name"])


def webhook_path(kind: KindLike[Any], *, mutating: bool) -> str:
    """Return the path under which the webhook of *kind* is served, as kubebuilder forms it.

    Example:
        >>> from kubewright.api.resource import Resource, resource
        >>> @resource(group="a.example.com", version="v1")
        ... class Shop(Resource): ...
        >>> webhook_path(Shop, mutating=True)
        '/mutate-a-example-com-v1-shop'
    """
    mapping = likely_mapping(kind)
    verb = "mutate" if mutating else "validate"
    group = mapping.group.replace(".", "-")
    return f"/{verb}-{group}-{mapping.version}-{mapping.kind.lower()}"


def webhook_for(kind: KindLike[Any], *, mutating: bool, **options: Any) -> Webhook:
    """Return the webhook of *kind*, with its path and name formed from the kind.

    *options* are those of `Webhook`; ``client`` among them, if it is not in the default Service.

    Raises:
        ValueError: An option has a value that the server refuses.
    """
    mapping = likely_mapping(kind)
    verb = "mutate" if mutating else "validate"
    given: Document = {
        "name": f"{verb}.{mapping.version}.{mapping.plural}.{mapping.group or 'core'}",
        "client": ClientConfig(path=webhook_path(kind, mutating=mutating)),
        "groups": (mapping.group,),
        "versions": (mapping.version,),
        "resources": (mapping.plural,),
        **options,
    }
    return Webhook(mutating=mutating, **given)


def webhook_configurations(
    webhooks: Iterable[Webhook],
    *,
    mutating_name: str = "mutating-webhook-configuration",
    validating_name: str = "validating-webhook-configuration",
) -> list[Document]:
    """Return the configurations for *webhooks*: one for the mutating, one for the others.

    Raises:
        ValueError: Two webhooks of one configuration have the same name.
    """
    found = sorted(webhooks, key=lambda hook: hook.name)
    made = []
    for mutating, name in ((True, mutating_name), (False, validating_name)):
        if chosen := [hook for hook in found if hook.mutating is mutating]:
            made.append(_configuration(name, chosen))
    return made


def _configuration(name: str, hooks: list[Webhook]) -> Document:
    for one, other in pairwise(hooks):
        if one.name == other.name:
            raise ValueError(f"two webhooks have the name {one.name!r}: give one of them another")
    word = "Mutating" if hooks[0].mutating else "Validating"
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": f"{word}WebhookConfiguration",
        "metadata": {"name": name},
        "webhooks": [hook.document() for hook in hooks],
    }


def conversion_webhook(
    client: ClientConfig | None = None, *, review_versions: Sequence[str] = ("v1",)
) -> Document:
    """Return the ``conversion`` of a CRD whose versions a webhook converts into each other."""
    where = client or ClientConfig(path="/convert")
    return {
        "strategy": "Webhook",
        "webhook": {
            "clientConfig": where.document(),
            "conversionReviewVersions": list(review_versions),
        },
    }

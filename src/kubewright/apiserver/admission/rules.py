"""Which requests a webhook or a policy applies to."""

from dataclasses import dataclass

from kubewright.api.selectors import Selector
from kubewright.apiserver.admission.attributes import (
    NAMESPACES,
    Attributes,
    GroupVersionKind,
    GroupVersionResource,
    Objects,
)
from kubewright.apiserver.authorization.labels import label_selector
from kubewright.apiserver.meta import status
from kubewright.apiserver.registry.strategy import Obj, Reader

_RESOURCE = NAMESPACES.group_resource
_EXEMPT = frozenset({
    "ValidatingWebhookConfiguration",
    "MutatingWebhookConfiguration",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
})  # fmt: skip


def is_exempt(attributes: Attributes) -> bool:
    """Say whether a write skips webhooks: one could otherwise prevent its own removal for ever."""
    kind = attributes.kind
    return kind.group == "admissionregistration.k8s.io" and kind.kind in _EXEMPT


@dataclass(frozen=True, slots=True)
class Rule:
    """A RuleWithOperations, ready to match writes."""

    operations: frozenset[str]
    groups: frozenset[str]
    versions: frozenset[str]
    resources: tuple[tuple[str, str], ...]
    scope: str
    names: frozenset[str]

    @classmethod
    def of(cls, source: Obj) -> "Rule":
        """Read a rule."""
        pairs = (one.partition("/") for one in source.get("resources") or ())
        return cls(
            frozenset(source.get("operations") or ()),
            frozenset(source.get("apiGroups") or ()),
            frozenset(source.get("apiVersions") or ()),
            tuple((resource, subresource) for resource, _, subresource in pairs),
            source.get("scope") or "*",
            frozenset(source.get("resourceNames") or ()),
        )

    def matches(self, attributes: Attributes, resource: GroupVersionResource) -> bool:
        """Say whether the rule matches this write, taken as a write to *resource*."""
        return (
            _has(self.operations, attributes.operation)
            and _has(self.groups, resource.group)
            and _has(self.versions, resource.version)
            and (not self.names or attributes.name in self.names)
            and self._in_scope(attributes, resource)
            and any(
                name in ("*", resource.resource) and part in ("*", attributes.subresource)
                for name, part in self.resources
            )
        )

    def _in_scope(self, attributes: Attributes, resource: GroupVersionResource) -> bool:
        if self.scope == "*":
            return True
        cluster = resource == NAMESPACES or not attributes.namespace
        return cluster is (self.scope == "Cluster")


def _has(items: frozenset[str], wanted: str) -> bool:
    return wanted in items or "*" in items


@dataclass(frozen=True, slots=True)
class Match:
    """How a webhook sees a write: perhaps in another version than the client wrote."""

    resource: GroupVersionResource
    kind: GroupVersionKind


class Criteria:
    """The rules and selectors of a webhook or a policy."""

    __slots__ = ("_any", "_equivalent", "_excluded", "_namespaces", "_objects", "_rules")

    def __init__(self, source: Obj, *, rules: str = "rules", excluded: str = "") -> None:
        self._rules = tuple(map(Rule.of, source.get(rules) or ()))
        # A binding without rules matches all that its policy matches; a webhook, nothing.
        self._any = bool(excluded) and not self._rules
        self._excluded = tuple(map(Rule.of, source.get(excluded) or ()))
        self._equivalent = source.get("matchPolicy", "Equivalent") == "Equivalent"
        self._namespaces = label_selector(source.get("namespaceSelector") or {})
        self._objects = label_selector(source.get("objectSelector") or {})

    def find(self, attributes: Attributes, reader: Reader, objects: Objects) -> Match | None:
        """Return how the write is matched, or ``None`` if it is not.

        Raises:
            StatusError: The namespace that a selector asks about does not exist.
        """
        if not _selects_object(self._objects, attributes):
            return None
        found = (
            Match(attributes.resource, attributes.kind)
            if self._any
            else self._match(self._rules, attributes, objects)
        )
        if found is None or self._match(self._excluded, attributes, objects) is not None:
            return None
        if not _selects_namespace(self._namespaces, attributes, reader):
            return None
        return found

    def _match(
        self, rules: tuple[Rule, ...], attributes: Attributes, objects: Objects
    ) -> Match | None:
        if any(rule.matches(attributes, attributes.resource) for rule in rules):
            return Match(attributes.resource, attributes.kind)
        if not self._equivalent or not rules:
            return None
        others = objects.equivalents(attributes.resource, attributes.subresource)
        for rule in rules:
            for resource, kind in others:
                if resource != attributes.resource and rule.matches(attributes, resource):
                    return Match(resource, kind)
        return None


def _selects_object(selector: Selector, attributes: Attributes) -> bool:
    if selector.selects_everything:
        return True
    return any(
        selector.matches((obj.get("metadata") or {}).get("labels") or {})
        for obj in (attributes.object, attributes.old_object)
        if obj is not None and "metadata" in obj
    )


def _selects_namespace(selector: Selector, attributes: Attributes, reader: Reader) -> bool:
    is_namespace = attributes.resource.resource == "namespaces"
    if selector.selects_everything or not (attributes.namespace or is_namespace):
        return True
    return selector.matches(_namespace_labels(attributes, reader))


def _namespace_labels(attributes: Attributes, reader: Reader) -> dict[str, str]:
    # A namespace that is being written counts with its new labels.
    about_namespace = attributes.resource.resource == "namespaces" and not attributes.subresource
    if about_namespace and attributes.operation in ("CREATE", "UPDATE"):
        namespace = attributes.object
    else:
        namespace = reader.find_object(_RESOURCE, "", attributes.namespace)
        if namespace is None:
            raise status.not_found(_RESOURCE, attributes.namespace)
    labels: dict[str, str] = ((namespace or {}).get("metadata") or {}).get("labels") or {}
    return labels

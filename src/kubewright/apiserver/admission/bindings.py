"""What validating and mutating policies share: their bindings and parameters."""

from typing import Any, ClassVar, NamedTuple

from kubewright.apiserver.admission import review
from kubewright.apiserver.admission.attributes import NAMESPACES, Attributes, GroupVersionKind
from kubewright.apiserver.admission.configuration import ConfigurationCache
from kubewright.apiserver.admission.expression import values
from kubewright.apiserver.admission.plugin import AdmissionPlugin, PluginContext
from kubewright.apiserver.admission.policy import Policy
from kubewright.apiserver.admission.rules import Criteria, Match
from kubewright.apiserver.authorization.labels import label_selector
from kubewright.apiserver.meta import status
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Obj


class PolicyBinding(NamedTuple):
    """How a policy is bound: to which writes, with which parameters."""

    name: str
    policy: str
    criteria: Criteria | None
    params: Obj | None
    actions: tuple[str, ...]


class PolicyConfigError(Exception):
    """A policy or binding cannot be applied."""


class BoundPolicies(AdmissionPlugin):
    """What policies that validate and policies that mutate have in common.

    Attributes:
        bindings: The resource that binds such policies.
    """

    bindings: ClassVar[GroupResource]

    def __init__(self, context: PluginContext) -> None:
        super().__init__(context)
        self._bindings = ConfigurationCache(
            context.reader, self.bindings, lambda found: [binding_of(one) for one in found]
        )
        self._objects = context.objects
        self._authorizer = context.authorizer
        self._find_kind = context.find_kind

    def _bindings_of(self, policy: Policy) -> list[PolicyBinding]:
        return [one for one in self._bindings.get() if one.policy == policy.name]

    async def _values(self, match: Match, attributes: Attributes) -> dict[str, Any]:
        obj, old = attributes.object, attributes.old_object
        if match.kind != attributes.kind:
            obj = obj and await self._objects.convert(obj, match.kind)
            old = old and await self._objects.convert(old, match.kind)
        asked = review.request(attributes, match, uid="", obj=obj, old=old)
        found = values(asked, attributes, self._authorizer)
        found["namespaceObject"] = self._namespace(attributes)
        return found

    def _namespace(self, attributes: Attributes) -> Obj | None:
        if not attributes.namespace or attributes.resource == NAMESPACES:
            return None
        resource = NAMESPACES.group_resource
        found = self._reader.find_object(resource, "", attributes.namespace)
        if found is None:
            raise status.not_found(resource, attributes.namespace)
        return found

    def _param_resource(self, kind: Obj) -> tuple[GroupResource, bool]:
        version, name = kind.get("apiVersion", ""), kind.get("kind", "")
        found = self._find_kind(version, name) if self._find_kind else None
        if found is None:
            shown = _group_version_kind(kind)
            raise PolicyConfigError(f"failed to find resource referenced by paramKind: '{shown}'")
        return found

    async def _params(
        self, policy: Policy, binding: PolicyBinding, attributes: Attributes
    ) -> list[Obj | None]:
        """Return the parameters to evaluate with; ``None`` in it stands for no parameters."""
        kind, reference = policy.param_kind, binding.params
        if kind is None or reference is None:
            return [None]
        resource, namespaced = self._param_resource(kind)
        namespace = _param_namespace(reference, attributes, namespaced=namespaced)
        found = self._referred(resource, namespace, reference)
        if not found and reference.get("parameterNotFoundAction") == "Deny":
            raise PolicyConfigError(
                "no params found for policy binding with `Deny` parameterNotFoundAction"
            )
        wanted = _group_version_kind(kind)
        return [await self._objects.convert(one, wanted) for one in found]

    def _referred(self, resource: GroupResource, namespace: str, reference: Obj) -> list[Obj]:
        if reference.get("name"):
            found = self._reader.find_object(resource, namespace, reference["name"])
            return [] if found is None else [found]
        selector = label_selector(reference.get("selector") or {})
        return [
            one
            for one in self._reader.list(resource, namespace)
            if selector.matches(one["metadata"].get("labels") or {})
        ]


def binding_of(source: Obj) -> PolicyBinding:
    """Read a binding."""
    spec = source.get("spec") or {}
    matching = spec.get("matchResources")
    criteria = None
    if matching is not None:
        criteria = Criteria(matching, rules="resourceRules", excluded="excludeResourceRules")
    actions = tuple(spec.get("validationActions") or ())
    name = source["metadata"]["name"]
    return PolicyBinding(
        name, spec.get("policyName") or "", criteria, spec.get("paramRef"), actions
    )


def _group_version_kind(kind: Obj) -> GroupVersionKind:
    group, _, version = str(kind.get("apiVersion", "")).rpartition("/")
    return GroupVersionKind(group, version, kind.get("kind", ""))


def _param_namespace(reference: Obj, attributes: Attributes, *, namespaced: bool) -> str:
    own = reference.get("namespace") or ""
    if not namespaced:
        if own:
            raise PolicyConfigError(
                "paramRef.namespace must not be provided for a cluster-scoped `paramKind`"
            )
        return ""
    if not own and not attributes.namespace:
        raise PolicyConfigError(
            "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources"
        )
    return own or attributes.namespace

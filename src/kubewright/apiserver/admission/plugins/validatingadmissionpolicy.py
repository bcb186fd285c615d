"""Asks the ValidatingAdmissionPolicies that are bound to a write."""

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from kubewright.apiserver.admission import review
from kubewright.apiserver.admission.attributes import (
    NAMESPACES,
    Attributes,
    GroupVersionKind,
    Objects,
)
from kubewright.apiserver.admission.configuration import GROUP, Stored
from kubewright.apiserver.admission.expression import values
from kubewright.apiserver.admission.policy import Failure, Outcome, Policy
from kubewright.apiserver.admission.rules import Criteria, Match, is_exempt
from kubewright.apiserver.authorization.attributes import Authorizer
from kubewright.apiserver.authorization.labels import label_selector
from kubewright.apiserver.meta import status
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.registry.strategy import Obj, Reader

POLICIES: GroupResource = GroupResource(GROUP, "validatingadmissionpolicies")
BINDINGS: GroupResource = GroupResource(GROUP, "validatingadmissionpolicybindings")

FindKind = Callable[[str, str], tuple[GroupResource, bool] | None]
"""Returns the resource of an apiVersion and kind, and whether it is in namespaces."""

_NOTE = "validation.policy.admission.k8s.io/validation_failure"
_CODES = {"Forbidden": 403, "Unauthorized": 401, "RequestEntityTooLarge": 413}
_INVALID = 422


class Binding(NamedTuple):
    """How a policy is bound: to which writes, with which parameters."""

    name: str
    policy: str
    criteria: Criteria | None
    params: Obj | None
    actions: tuple[str, ...]


class PolicyConfigError(Exception):
    """A policy or binding cannot be applied."""


class BoundPolicies:
    """What policies that validate and policies that mutate have in common.

    Args:
        reader: What is stored.
        objects: How objects are converted.
        authorizer: Answers what expressions ask about rights.
        find_kind: Finds the resource of parameters; ``None`` to know none.
    """

    def __init__(
        self,
        reader: Reader,
        objects: Objects,
        *,
        authorizer: Authorizer,
        find_kind: FindKind | None = None,
    ) -> None:
        self._reader = reader
        self._objects = objects
        self._authorizer = authorizer
        self._find_kind = find_kind

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
        found = self._reader.get(resource, "", attributes.namespace)
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
        self, policy: Policy, binding: Binding, attributes: Attributes
    ) -> list[Obj | None]:
        """Return the parameters to ask with: none at all asks once, without."""
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
            found = self._reader.get(resource, namespace, reference["name"])
            return [] if found is None else [found]
        selector = label_selector(reference.get("selector") or {})
        return [
            one
            for one in self._reader.list(resource, namespace)
            if selector.matches(one["metadata"].get("labels") or {})
        ]


class ValidatingPolicies(BoundPolicies):
    """All policies with their bindings; see `BoundPolicies` for the arguments."""

    def __init__(
        self,
        reader: Reader,
        objects: Objects,
        *,
        authorizer: Authorizer,
        find_kind: FindKind | None = None,
    ) -> None:
        super().__init__(reader, objects, authorizer=authorizer, find_kind=find_kind)
        self._policies = Stored(reader, POLICIES, lambda found: [Policy(one) for one in found])
        self._bindings = Stored(reader, BINDINGS, lambda found: [binding_of(one) for one in found])

    async def validate(self, attributes: Attributes) -> None:
        """Ask about a write.

        Raises:
            StatusError: A policy refuses it.
        """
        if is_exempt(attributes):
            return
        policies = self._policies.get()
        refusals: list[tuple[str, Failure]] = []
        for policy in policies:
            refusals += await self._ask(policy, attributes)
        if refusals:
            raise _refused(attributes, *refusals[0])

    async def _ask(self, policy: Policy, attributes: Attributes) -> list[tuple[str, Failure]]:
        """Return the refusals of one policy, each with who refused."""
        by = f"ValidatingAdmissionPolicy '{policy.name}'"
        try:
            match = policy.criteria.find(attributes, self._reader, self._objects)
            bindings = [one for one in self._bindings.get() if one.policy == policy.name]
            if match is None or not bindings:
                return []
            if policy.param_kind is not None:
                self._param_resource(policy.param_kind)
        except (StatusError, PolicyConfigError) as error:
            failure = Failure(f"failed to configure policy: {error}")
            return [] if policy.tolerated else [(by, failure)]
        found = []
        for binding in bindings:
            bound = f"{by} with binding '{binding.name}'"
            failures = await self._apply(policy, binding, match, attributes, by=by)
            found += [(bound, failure) for failure in failures]
        return found

    async def _apply(
        self, policy: Policy, binding: Binding, match: Match, attributes: Attributes, *, by: str
    ) -> list[Failure]:
        """Return what one binding refuses, after what it only warns about or notes."""
        try:
            if binding.criteria is not None and not binding.criteria.find(
                attributes, self._reader, self._objects
            ):
                return []
            params = await self._params(policy, binding, attributes)
        except (StatusError, PolicyConfigError) as error:
            failure = Failure(f"failed to configure binding: {error}")
            return [] if policy.tolerated else [failure]
        refused: list[Failure] = []
        seen = await self._values(match, attributes) if params else {}
        for param in params:
            outcome = policy.evaluate({**seen, "params": param})
            if outcome is not None:
                refused += _acted(outcome, policy, binding, attributes, by=by)
        return refused


def binding_of(source: Obj) -> Binding:
    """Read a binding."""
    spec = source.get("spec") or {}
    matching = spec.get("matchResources")
    criteria = None
    if matching is not None:
        criteria = Criteria(matching, rules="resourceRules", excluded="excludeResourceRules")
    actions = tuple(spec.get("validationActions") or ())
    name = source["metadata"]["name"]
    return Binding(name, spec.get("policyName") or "", criteria, spec.get("paramRef"), actions)


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


def _acted(
    outcome: Outcome, policy: Policy, binding: Binding, attributes: Attributes, *, by: str
) -> list[Failure]:
    """Warn about and note what was found, and return what refuses the write."""
    refused: list[Failure] = []
    for failure in outcome.failures:
        if "Deny" in binding.actions:
            refused.append(failure)
        if "Audit" in binding.actions:
            attributes.annotations.setdefault(_NOTE, _noted(failure, policy, binding))
        if "Warn" in binding.actions:
            attributes.warn(
                f"Validation failed for {by} with binding '{binding.name}': {failure.message}"
            )
    for key, value in outcome.notes.items():
        full = f"{policy.name}/{key}"
        before = attributes.annotations.get(full)
        if before is None:
            attributes.annotations[full] = value
        elif value not in before.split(", "):
            attributes.annotations[full] = f"{before}, {value}"
    return refused + [Failure(text) for text in outcome.broken]


def _noted(failure: Failure, policy: Policy, binding: Binding) -> str:
    found = {
        "message": failure.message,
        "policy": policy.name,
        "binding": binding.name,
        "expressionIndex": failure.index,
        "validationActions": list(binding.actions),
    }
    return msgspec.json.encode([found]).decode()


def _refused(attributes: Attributes, by: str, failure: Failure) -> StatusError:
    message = f"{by} denied request: {failure.message}"
    error = attributes.forbidden(message)
    error.code = _CODES.get(failure.reason, _INVALID)
    error.reason = failure.reason
    error.details["causes"] = [{"message": message}]
    return error

"""Asks the ValidatingAdmissionPolicies that are bound to a write."""

from functools import partial
from typing import ClassVar

import msgspec

from kubewright.apiserver.admission.attributes import Attributes
from kubewright.apiserver.admission.bindings import (
    BoundPolicies,
    PolicyBinding,
    PolicyConfigError,
)
from kubewright.apiserver.admission.configuration import GROUP, ConfigurationCache
from kubewright.apiserver.admission.plugin import PluginContext
from kubewright.apiserver.admission.policy import Failure, Outcome, Policy
from kubewright.apiserver.admission.rules import Match, is_exempt
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.webhook.asking import settle

POLICIES: GroupResource = GroupResource(GROUP, "validatingadmissionpolicies")
BINDINGS: GroupResource = GroupResource(GROUP, "validatingadmissionpolicybindings")

_NOTE = "validation.policy.admission.k8s.io/validation_failure"
_CODES = {"Forbidden": 403, "Unauthorized": 401, "RequestEntityTooLarge": 413}
_INVALID = 422


class ValidatingAdmissionPolicy(BoundPolicies):
    """All policies with their bindings."""

    bindings: ClassVar[GroupResource] = BINDINGS

    def __init__(self, context: PluginContext) -> None:
        super().__init__(context)
        self._policies = ConfigurationCache(
            context.reader, POLICIES, lambda found: [Policy(one) for one in found]
        )

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
            bindings = self._bindings_of(policy)
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
        self,
        policy: Policy,
        binding: PolicyBinding,
        match: Match,
        attributes: Attributes,
        *,
        by: str,
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
            outcome = await settle(partial(policy.evaluate, {**seen, "params": param}))
            if outcome is not None:
                refused += _act_on(outcome, policy, binding, attributes, by=by)
        return refused


def _act_on(
    outcome: Outcome, policy: Policy, binding: PolicyBinding, attributes: Attributes, *, by: str
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


def _noted(failure: Failure, policy: Policy, binding: PolicyBinding) -> str:
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

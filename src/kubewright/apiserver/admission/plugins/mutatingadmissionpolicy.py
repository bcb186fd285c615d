"""Lets the MutatingAdmissionPolicies that are bound to a write change its object."""

from typing import Any, ClassVar

from kubewright.apiserver.admission.attributes import Attributes
from kubewright.apiserver.admission.bindings import (
    BoundPolicies,
    PolicyBinding,
    PolicyConfigError,
)
from kubewright.apiserver.admission.configuration import GROUP, ConfigurationCache
from kubewright.apiserver.admission.mutation import MutatingPolicy, MutationError
from kubewright.apiserver.admission.plugin import PluginContext
from kubewright.apiserver.admission.reinvocation import Turn
from kubewright.apiserver.admission.rules import Match, is_exempt
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.webhook.asking import settle

POLICIES: GroupResource = GroupResource(GROUP, "mutatingadmissionpolicies")
BINDINGS: GroupResource = GroupResource(GROUP, "mutatingadmissionpolicybindings")

_INVALID = 422


class MutatingAdmissionPolicy(BoundPolicies):
    """All policies with their bindings."""

    bindings: ClassVar[GroupResource] = BINDINGS

    def __init__(self, context: PluginContext) -> None:
        super().__init__(context)
        self._policies = ConfigurationCache(
            context.reader, POLICIES, lambda found: [MutatingPolicy(one) for one in found]
        )

    async def admit(self, attributes: Attributes) -> None:
        """Let all policies change ``attributes.object``; in the second round, those that want to.

        Raises:
            StatusError: A policy failed.
        """
        if is_exempt(attributes) or attributes.object is None:
            return
        turn = attributes.begin_turn(type(self).__name__)
        for policy in self._policies.get():
            await self._ask(policy, attributes, turn)
        turn.output = attributes.object

    async def _ask(self, policy: MutatingPolicy, attributes: Attributes, turn: Turn) -> None:
        bindings = self._bindings_of(policy)
        if not bindings:
            return
        try:
            match = policy.criteria.find(attributes, self._reader, self._objects)
            if match is None:
                return
            if policy.param_kind is not None:
                self._param_resource(policy.param_kind)
        except (StatusError, PolicyConfigError) as error:
            by = f'policy "{policy.name}" denied request'
            _fail(policy, attributes, f"{by}: failed to configure policy: {error}")
            return
        for binding in bindings:
            by = f"policy '{policy.name}' with binding '{binding.name}' denied request"
            try:
                await self._apply(policy, binding, match, attributes, turn)
            except (StatusError, PolicyConfigError) as error:
                _fail(policy, attributes, f"{by}: failed to configure binding: {error}")
            except MutationError as error:
                _fail(policy, attributes, f"{by}: {error}")

    async def _apply(
        self,
        policy: MutatingPolicy,
        binding: PolicyBinding,
        match: Match,
        attributes: Attributes,
        turn: Turn,
    ) -> None:
        if binding.criteria is not None and not binding.criteria.find(
            attributes, self._reader, self._objects
        ):
            return
        again = attributes.reinvocation
        assert again is not None
        for param in await self._params(policy, binding, attributes):
            meta = (param or {}).get("metadata") or {}
            key = (policy.name, binding.name, meta.get("namespace", ""), meta.get("name", ""))
            if again.skips(turn, key):
                continue
            if await self._mutate(policy, match, attributes, param):
                again.note_change(turn)
            if policy.reinvoked:
                turn.add(key)

    async def _mutate(
        self, policy: MutatingPolicy, match: Match, attributes: Attributes, param: Obj | None
    ) -> bool:
        """Do what a policy wants; return whether that changed the object."""
        values = {**await self._values(match, attributes), "params": param}
        if not await settle(lambda: policy.is_about(values)):
            return False
        before: Obj = values["object"]

        def seen(obj: Obj) -> dict[str, Any]:
            return {**values, "object": obj}

        after = await settle(
            lambda: policy.mutate(before, seen, objects=self._objects, kind=match.kind)
        )
        if after == before:
            return False
        attributes.object = await self._objects.convert(after, attributes.kind)
        return True


def _fail(policy: MutatingPolicy, attributes: Attributes, message: str) -> None:
    """Refuse the write, unless the policy lets failures pass."""
    if policy.tolerated:
        return
    error = attributes.forbidden(message)
    error.code, error.reason = _INVALID, "Invalid"
    error.details["causes"] = [{"message": message}]
    raise error

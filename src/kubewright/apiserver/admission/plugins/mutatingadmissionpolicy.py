"""Lets the MutatingAdmissionPolicies that are bound to a write change its object."""

from dataclasses import dataclass, field
from typing import Any

from kubewright.apiserver.admission.attributes import Attributes, Objects
from kubewright.apiserver.admission.configuration import GROUP, Stored
from kubewright.apiserver.admission.mutation import MutatingPolicy, MutationError
from kubewright.apiserver.admission.plugins.validatingadmissionpolicy import (
    Binding,
    BoundPolicies,
    FindKind,
    PolicyConfigError,
    binding_of,
)
from kubewright.apiserver.admission.rules import Match, is_exempt
from kubewright.apiserver.authorization.attributes import Authorizer
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.registry.strategy import Obj, Reader

POLICIES: GroupResource = GroupResource(GROUP, "mutatingadmissionpolicies")
BINDINGS: GroupResource = GroupResource(GROUP, "mutatingadmissionpolicybindings")

_INVALID = 422


@dataclass(slots=True)
class Round:
    """Who has been asked about a write, for those that want to be asked again.

    Attributes:
        invoked: Those that want to see later changes.
        again: Those of them since which something has changed.
        output: The object after the last policy.
    """

    invoked: list[tuple[str, ...]] = field(default_factory=list)
    again: set[tuple[str, ...]] = field(default_factory=set)
    output: Obj | None = None


class MutatingPolicies(BoundPolicies):
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
        self._policies = Stored(
            reader, POLICIES, lambda found: [MutatingPolicy(one) for one in found]
        )
        self._bindings = Stored(reader, BINDINGS, lambda found: [binding_of(one) for one in found])

    async def mutate(self, attributes: Attributes, first: Round | None = None) -> Round:
        """Let all policies change ``attributes.object``.

        Args:
            attributes: The write.
            first: What the first call has returned, to ask only those again that want it.

        Raises:
            StatusError: A policy failed.
        """
        round_ = first or Round()
        if is_exempt(attributes) or attributes.object is None:
            return round_
        if first is not None and attributes.object != first.output:
            round_.again.update(round_.invoked)
        for policy in self._policies.get():
            await self._ask(policy, attributes, round_, again=first is not None)
        round_.output = attributes.object
        return round_

    async def _ask(
        self, policy: MutatingPolicy, attributes: Attributes, round_: Round, *, again: bool
    ) -> None:
        bindings = [one for one in self._bindings.get() if one.policy == policy.name]
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
                await self._apply(policy, binding, match, attributes, (round_, again))
            except (StatusError, PolicyConfigError) as error:
                _fail(policy, attributes, f"{by}: failed to configure binding: {error}")
            except MutationError as error:
                _fail(policy, attributes, f"{by}: {error}")

    async def _apply(
        self,
        policy: MutatingPolicy,
        binding: Binding,
        match: Match,
        attributes: Attributes,
        turn: tuple[Round, bool],
    ) -> None:
        if binding.criteria is not None and not binding.criteria.find(
            attributes, self._reader, self._objects
        ):
            return
        round_, again = turn
        for param in await self._params(policy, binding, attributes):
            meta = (param or {}).get("metadata") or {}
            key = (policy.name, binding.name, meta.get("namespace", ""), meta.get("name", ""))
            if again and key not in round_.again:
                continue
            if await self._mutated(policy, match, attributes, param):
                round_.again.update(round_.invoked)
            if policy.reinvoked and key not in round_.invoked:
                round_.invoked.append(key)

    async def _mutated(
        self, policy: MutatingPolicy, match: Match, attributes: Attributes, param: Obj | None
    ) -> bool:
        """Do what a policy wants; returns whether the object is another one now."""
        values = {**await self._values(match, attributes), "params": param}
        if not policy.is_about(values):
            return False
        before: Obj = values["object"]

        def seen(obj: Obj) -> dict[str, Any]:
            return {**values, "object": obj}

        after = policy.mutate(before, seen, objects=self._objects, kind=match.kind)
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

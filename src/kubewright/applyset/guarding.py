"""What would be lost with the objects that are about to be deleted."""

from collections.abc import Collection, Sequence
from typing import Literal

from kubewright.applyset.instances import instances_of
from kubewright.applyset.member import ObjectName
from kubewright.applyset.reach import Found, each
from kubewright.applyset.report import Failure
from kubewright.applyset.residents import find_residents
from kubewright.client import Client
from kubewright.errors import InUseError

__all__ = ["Guard", "Instances"]

Instances = Literal["none", "members", "all"]
"""Which objects may go with the CRD that defines them: none, those that are deleted as members of
the same set, or all.
"""
_SHOWN = 3


class Guard:
    """Looks at what nobody has named, and what would go all the same.

    Args:
        client: Where it is.
        instances: Which objects may go with their CRD.
        residents: Whether objects may go with their namespace.
        parent: The object that stands for the set, and goes with it.
    """

    def __init__(
        self,
        client: Client,
        instances: Instances,
        *,
        residents: bool = False,
        parent: ObjectName | None = None,
    ) -> None:
        self._client = client
        self._instances = instances
        self._residents = residents
        self._parent = parent
        self._seen: set[str] = set()

    async def instances(
        self, found: Sequence[Found], members: Collection[str] = ()
    ) -> tuple[dict[str, list[Found]], list[Failure]]:
        """Return the objects of the CRDs in *found*, by the name of the CRD, without *members*.

        Those that must not go are no result, but failures of their CRDs.

        Args:
            found: What is deleted.
            members: The uids of all that is deleted.
        """

        async def look(definition: Found) -> tuple[str, list[Found]]:
            there = await instances_of(self._client, definition.name)
            self._seen |= {one.uid for one in there}
            others = [one for one in there if one.uid not in members]
            held = there if self._instances == "none" else others
            if held and self._instances != "all":
                raise InUseError(loss(held, "of it"))
            return definition.name.key.name, others

        definitions = [one for one in found if one.name.is_definition]
        answers, failures = await each(definitions, look, name_of=lambda one: one.name)
        return {name: others for name, others in answers if others}, failures

    async def namespaces(self, found: Sequence[Found], members: Collection[str]) -> list[Failure]:
        """Return a failure for each namespace in *found* with objects that must not go.

        What was seen before counts as allowed: the objects of CRDs, about which `instances` has
        been asked, and at the second time what goes by itself because its owner has gone.

        Args:
            found: What is deleted.
            members: The uids of all that is deleted.
        """

        async def look(namespace: Found) -> None:
            known = {*members, *self._seen}
            residents, seen = await find_residents(self._client, namespace.name, known)
            self._seen |= seen
            if others := [one for one in residents if not self._is_parent(one)]:
                raise InUseError(loss(others, "of others"))

        namespaces = [one for one in found if one.name.is_namespace and not self._residents]
        _, failures = await each(namespaces, look, name_of=lambda one: one.name)
        return failures

    def _is_parent(self, found: Found) -> bool:
        parent = self._parent
        return parent is not None and (found.name.gvk, found.name.key) == (parent.gvk, parent.key)


def loss(found: Sequence[Found], which: str) -> str:
    """Return how many objects would be lost, and the names of some."""
    number = f"{len(found)} object{'' if len(found) == 1 else 's'} {which} would go, too"
    names = ", ".join(str(one.name) for one in found[:_SHOWN])
    return f"{number}{', such as' if len(found) > _SHOWN else ':'} {names}"

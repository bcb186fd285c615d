"""Finds the objects of a set on the server, and removes them."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from kubewright.api.unstructured import Unstructured
from kubewright.applyset.member import Member
from kubewright.applyset.order import Phase, phase_of
from kubewright.applyset.parent import MADE_BY, PART_OF, Contents, Parent, which_set
from kubewright.applyset.reach import Found, each, find_mapping, list_metadata, metadata_of
from kubewright.applyset.report import Action, Change, Failure
from kubewright.client import Client
from kubewright.errors import ConfigError, NotFoundError

__all__ = ["Remover"]


class Remover:
    """Looks for objects, and deletes them.

    Args:
        client: Where they are.
        parent: The set; ``None`` for objects that belong to none.
        force: Whether to delete objects that belong to another set.
        dry_run: Whether nothing is deleted.
        field_owner: Who owns the fields that the set has applied.
    """

    def __init__(
        self,
        client: Client,
        parent: Parent | None,
        *,
        force: bool = False,
        dry_run: bool = False,
        field_owner: str = "kubewright",
    ) -> None:
        self._client = client
        self._parent = parent
        self._force = force
        self.is_dry_run: bool = dry_run
        self._field_owner = field_owner

    async def labelled(self, contents: Contents) -> list[Found]:
        """Return the objects that carry the label of the set."""
        assert self._parent is not None
        selector = f"{PART_OF}={self._parent.id}"
        found: dict[str, Found] = {}
        for kind in sorted(contents.kinds):
            mapping = await find_mapping(self._client, kind)
            if mapping is None:
                continue  # its CRD is gone, and so are its objects
            namespaces = sorted(contents.namespaces) if mapping.namespaced else [""]
            with suppress(NotFoundError):  # discovery was older than the end of its CRD
                for namespace in namespaces:
                    async for one in list_metadata(
                        self._client, mapping, namespace=namespace, labels=selector
                    ):
                        # Controllers copy labels to what they make, as to endpoints of a Service.
                        if not one.controlled:
                            found[one.uid] = one
        return list(found.values())

    async def named(self, members: Iterable[Member]) -> tuple[list[Found | Change], list[Failure]]:
        """Return the objects that documents name; a `Change` for those that are not there."""
        return await each(members, self._find, name_of=lambda member: member.name)

    async def delete(self, found: Found, *, action: Action = "deleted") -> Change:
        """Delete an object, but not another one that has its name by now."""
        # Its pods first: they need their account and their rights until the end.
        is_workload = phase_of(found.name) is Phase.WORKLOADS
        mapping = await self._client.mapper.mapping(found.name.gvk)
        await self._client.delete(
            mapping,
            found.name.key,
            uid=found.uid,
            propagation="Foreground" if is_workload else "Background",
            dry_run=self.is_dry_run,
            missing_ok=True,
        )
        return Change(action, found.name)

    async def release(self, found: Found, note: str = "") -> Change:
        """Take an object out of the set, and leave it on the server."""
        mapping = await self._client.mapper.mapping(found.name.gvk)
        metadata: dict[str, Any] = {"labels": {PART_OF: None}, "uid": found.uid}
        if found.name.is_namespace:
            metadata["annotations"] = {MADE_BY: None}
        await self._client.patch(
            mapping, found.name.key, {"metadata": metadata}, dry_run=self.is_dry_run
        )
        return Change("released", found.name, note=note)

    async def withdraw(self, found: Found, note: str) -> Change:
        """Take from an object what the set has applied to it, and release it.

        A namespace of others would else keep our labels, and with those for pod security refuse
        their pods. An apply that leaves all out takes away what nobody else has applied, too.
        """
        name = found.name
        nothing = {
            "apiVersion": name.gvk.api_version, "kind": name.gvk.kind,
            "metadata": {"name": name.key.name, "uid": found.uid},
        }  # fmt: skip
        await self._client.apply(
            Unstructured(nothing), field_owner=self._field_owner, dry_run=self.is_dry_run
        )
        return await self.release(found, note)

    async def was_there_before(self, found: Found) -> bool:
        """Whether a namespace is older than the set: whoever made it has not asked us to end it."""
        if self._parent is None:
            return False  # whoever names it in a document means it
        there = await self._client.find(found.name.gvk, found.name.key)
        mark = (metadata_of(there).get("annotations") or {}).get(MADE_BY, "")
        return mark != self._parent.id and not (self._force and mark)

    async def _find(self, member: Member) -> Found | Change:
        mapping = await find_mapping(self._client, member.name.gvk)
        name = member.name
        if mapping is None:
            return Change("missing", name)
        there = await self._client.find(mapping, name.key)
        if there is None:
            return Change("missing", name)
        metadata = metadata_of(there)
        belongs_to = (metadata.get("labels") or {}).get(PART_OF, "")
        ours = {"", self._parent.id if self._parent else ""}
        if belongs_to not in ours and not self._force:
            raise ConfigError(
                f"it belongs to another set of objects. Remove it with that one."
                f" {which_set(belongs_to)}"
            )
        return Found(name, str(metadata["uid"]), tuple(metadata.get("finalizers") or ()))

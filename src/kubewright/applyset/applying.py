"""Applies one object of a set, and says what that changed."""

from collections.abc import Iterable
from typing import Any

from kubewright.api.kind import GroupVersionKind, RESTMapping
from kubewright.api.unstructured import Unstructured
from kubewright.applyset.member import Document, Member, ObjectName
from kubewright.applyset.parent import MADE_BY, PART_OF, Parent, which_set
from kubewright.applyset.reach import find_mapping, metadata_of
from kubewright.applyset.report import Change
from kubewright.client import Client
from kubewright.errors import ConfigError, NoMatchError, NotFoundError
from kubewright.runs.change import Change as FieldChange
from kubewright.runs.change import changes_between

__all__ = ["Applied", "Applier"]

_RETRY = 0.5  # seconds; discovery shows a new kind a moment after it is established
Applied = tuple[Change, str]
"""What was done to an object, and its uid."""


class Applier:
    """Applies objects of one set.

    Args:
        client: Where to.
        parent: The set; ``None`` for objects that belong to none.
        members: All that are applied, since objects may be of a kind that others define.
        field_owner: Who owns the fields.
        force: Whether to take over fields and objects of others.
        dry_run: Whether the server only says what it would do.
        timeout: Seconds within which a new kind must be served.
    """

    def __init__(  # noqa: PLR0913  # how one object is applied
        self,
        client: Client,
        parent: Parent | None,
        members: Iterable[Member],
        *,
        field_owner: str,
        force: bool,
        dry_run: bool,
        timeout: float,
    ) -> None:
        self._client = client
        self._parent = parent
        self._field_owner = field_owner
        self._force = force
        self.is_dry_run: bool = dry_run
        self._timeout = timeout
        everything = list(members)
        self._defined = {gvk for one in everything for gvk, _ in one.defines}
        self._namespaces = {one.name.key.name for one in everything if one.name.is_namespace}

    async def apply(self, member: Member) -> Applied:
        """Apply one object.

        Raises:
            NoMatchError: The server does not have its kind.
            ConfigError: The object belongs to another set, or is being deleted.
            APIError: The server refuses it.
        """
        mapping = await self._find_mapping(member.name.gvk)
        if mapping is None:
            return await self._guess(member)
        name = member.name
        before = await self._client.find(mapping, name.key)
        document = self._document(member.document, name, before)
        try:
            after = await self._client.apply(
                Unstructured(document),
                field_owner=self._field_owner,
                force=self._force,
                dry_run=self.is_dry_run,
            )
        except NotFoundError as error:
            if not (self.is_dry_run and self._is_about_new_namespace(error, name)):
                raise
            note = "not checked: its namespace is new"
            return Change("created", name, note=note), ""
        return _change(name, before, after), after.metadata.uid or ""

    async def _find_mapping(self, gvk: GroupVersionKind) -> RESTMapping | None:
        """Return where *gvk* lives; ``None`` if only after the set has been applied in earnest.

        Raises:
            NoMatchError: The server does not have it, and the set does not bring it.
        """
        end = self._client.clock.monotonic() + self._timeout
        while True:
            try:
                return await self._client.mapper.mapping(gvk)
            except NoMatchError:
                if gvk not in self._defined:
                    raise
                if self.is_dry_run:
                    return None
                if self._client.clock.monotonic() >= end:
                    raise
            await self._client.clock.sleep(_RETRY)
            self._client.mapper.reset()

    async def _guess(self, member: Member) -> Applied:
        """Return what would be done to an object whose kind does not exist in this version yet."""
        name = member.name
        other = await find_mapping(self._client, name.gvk.group_kind)
        there = None if other is None else await self._client.find(other, name.key)
        note = f"not checked: {name.gvk} is new"
        change = Change("configured" if there else "created", name, note=note)
        return change, str(metadata_of(there).get("uid", ""))

    def _document(
        self, document: Document, name: ObjectName, before: Unstructured | None
    ) -> dict[str, Any]:
        """Return what to send: *document* with its namespace and the label of its set."""
        metadata = dict(metadata_of(document))
        labels = dict(metadata.get("labels") or {})
        there = metadata_of(before)
        belongs_to = (there.get("labels") or {}).get(PART_OF)
        if there.get("deletionTimestamp"):
            raise ConfigError("it is being deleted. Wait until it is gone, and try again")
        if self._parent is None:
            # An object of a set stays in it, although it is applied alone.
            belongs = {PART_OF: belongs_to} if belongs_to else {}
        else:
            if belongs_to not in {None, self._parent.id} and not self._force:
                raise ConfigError(
                    f"it belongs to another set of objects, and whoever applies that one would"
                    f" delete it or change it back. {which_set(belongs_to)}"
                )
            belongs = {PART_OF: self._parent.id}
        if name.key.namespace:
            metadata["namespace"] = name.key.namespace
        else:
            metadata.pop("namespace", None)
        if labels | belongs:
            metadata["labels"] = labels | belongs
        if name.is_namespace and (mark := self._mark(before)):
            metadata["annotations"] = {**(metadata.get("annotations") or {}), MADE_BY: mark}
        metadata.pop("creationTimestamp", None)  # generators of Go write null
        return {
            **{field: value for field, value in document.items() if field != "status"},
            "metadata": metadata,
        }

    def _mark(self, before: Unstructured | None) -> str:
        """Return the set that has made a namespace; empty if it was there before all sets.

        An apply takes away what it leaves out, so the mark is in each of them.
        """
        if before is None:
            return self._parent.id if self._parent else ""
        mark = (metadata_of(before).get("annotations") or {}).get(MADE_BY, "")
        return mark if self._parent is None or mark == self._parent.id else ""

    def _is_about_new_namespace(self, error: NotFoundError, name: ObjectName) -> bool:
        details = error.status.details
        missing = details is not None and details.kind == "namespaces"
        return missing and name.key.namespace in self._namespaces


def _change(name: ObjectName, before: Unstructured | None, after: Unstructured) -> Change:
    if before is None:
        return Change("created", name)
    fields = tuple(_fields(name, before, after))
    return Change("configured" if fields else "unchanged", name, fields)


def _fields(name: ObjectName, before: Unstructured, after: Unstructured) -> Iterable[FieldChange]:
    if before.resource_version == after.resource_version and before == after:
        return
    # The status is not ours: controllers may have written it in between.
    old, new = ({k: v for k, v in one.items() if k != "status"} for one in (before, after))
    yield from changes_between(old, new, secret=name.gvk.kind == "Secret")

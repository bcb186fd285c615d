"""`ApplySet`: objects that are applied together, and pruned when they leave the set."""

from collections.abc import Collection, Container, Iterable, Sequence

from kubewright.api.kind import GroupKind
from kubewright.api.unstructured import Unstructured
from kubewright.applyset.applying import Applier
from kubewright.applyset.course import Course
from kubewright.applyset.deleting import Deletion, last_first, remove
from kubewright.applyset.guarding import Instances
from kubewright.applyset.instances import instances_of
from kubewright.applyset.listener import Listener
from kubewright.applyset.member import Document, Member, members_of
from kubewright.applyset.order import Phase, phases_of
from kubewright.applyset.parent import Contents, Parent
from kubewright.applyset.placing import placed
from kubewright.applyset.reach import Found, each
from kubewright.applyset.removing import Remover
from kubewright.applyset.report import Change, Failure, Report
from kubewright.applyset.waiting import Waiting
from kubewright.client import Client
from kubewright.errors import APIError, ConfigError

__all__ = ["ApplySet"]


class ApplySet:
    """Objects that are applied together, in an order in which each finds what it needs.

    It is the ApplySet of kubectl (KEP-3659): a ConfigMap says which kinds of objects it has and in
    which namespaces, and each object has a label with its id. So the next apply knows which objects
    were in the set before, and deletes those that are not in it any more.

    Args:
        client: Where the objects are.
        parent: Which set it is. ``None`` for objects that are only applied: none is ever pruned.
        field_owner: Who owns the fields that are applied.
        timeout: Seconds to wait for definitions to be served, and for deleted objects to be gone.
        listener: Hears how far it is.

    Example:
        >>> shop = ApplySet(client, Parent("shop", "shop-system"))  # doctest: +SKIP
        >>> report = await shop.apply(documents)  # doctest: +SKIP
        >>> [str(change.name) for change in report.changes]  # doctest: +SKIP
        ['namespace/shop-system', 'deployment.apps/shop in shop-system']
    """

    def __init__(
        self,
        client: Client,
        parent: Parent | None,
        *,
        field_owner: str = "kubewright",
        timeout: float = 60.0,
        listener: Listener | None = None,
    ) -> None:
        self._client = client
        self._parent = parent
        self._field_owner = field_owner
        self._timeout = timeout
        self._listener = listener or Listener()
        self._waiting = Waiting(client, timeout, self._listener)

    async def apply(
        self,
        documents: Iterable[Document],
        *,
        force: bool = False,
        dry_run: bool = False,
        prune: bool = True,
    ) -> Report:
        """Apply *documents* by server-side apply, and prune what is not among them any more.

        Namespaces come first, then CRDs until the server serves them, accounts and settings,
        workloads, custom objects, and webhooks at the end. Objects that need not wait for one
        another are applied at the same time. If some of them fail, the others are still applied;
        what comes after them is not, and nothing is pruned.

        Namespaces are never pruned, and CRDs only if they have no objects: all that is in them
        would go, too.

        Args:
            documents: The objects.
            force: Take over fields that others own, and objects that belong to other sets.
            dry_run: Let the server check everything, and change nothing.
            prune: Whether to delete what has left the set.

        Returns:
            What was done, and what failed: that raises no exception.

        Raises:
            ConfigError: The documents are no objects, or the set belongs to another tool.
            TransportError: The server cannot be reached.
        """
        members = await self._placed(documents)
        before = await self.find_contents()
        self._listener.begin(len(members))
        applier = Applier(
            self._client, self._parent, members, field_owner=self._field_owner, force=force,
            dry_run=dry_run, timeout=self._timeout,
        )  # fmt: skip
        course = Course(self._listener)
        latest = Contents.of(one.name for one in members)
        before_and_after = latest | (before or latest)
        parent = _ParentWriter(self._client, self._parent, course, dry_run=dry_run)
        uids: set[str] = set()
        for phase, some in phases_of(members):
            if phase is not Phase.NAMESPACES and not course.failed:
                # Before the objects, so that a set that is interrupted knows what it may have.
                await parent.write(before_and_after)
            if course.failed:
                course.leave(one.name for one in some)
                continue
            uids |= await self._apply_phase(phase, some, applier, course)
        if not course.failed:
            await parent.write(before_and_after)
        if prune and before is not None and not course.failed:
            kept = await self._prune(before, uids, course, dry_run=dry_run)
            if not course.failed:
                await parent.write(latest | Contents.of(one.name for one in kept))
        return course.report

    async def delete(
        self,
        documents: Iterable[Document] = (),
        *,
        keep: Collection[GroupKind] = (),
        instances: Instances = "members",
        residents: bool = False,
        force: bool = False,
        dry_run: bool = False,
    ) -> Report:
        """Delete all objects of the set and those in *documents*, the last ones first, and wait.

        A CRD takes all objects of its kind with it, and a namespace all that is in it. If there
        are some that must not go, or if objects belong to other sets, nothing is deleted. A
        namespace that was there before the set is not deleted: it leaves the set.

        Args:
            documents: Objects that are deleted even if no apply of this set has made them.
            keep: Kinds whose objects stay on the server, and leave the set. With CRDs, the objects
                of their kinds stay, too.
            instances: Which objects may go with the CRD that defines them: ``"none"``, those that
                are ``"members"`` of the set, or ``"all"``; the latter are deleted first, while
                their operator runs.
            residents: Delete namespaces also if others have objects in them.
            force: Delete objects that belong to other sets, too.
            dry_run: Only say what would be deleted.

        Returns:
            What was done, and what failed: that raises no exception. If objects of one phase
            cannot be deleted, those which they may need are left.

        Raises:
            ConfigError: The documents are no objects, or the set belongs to another tool.
            TransportError: The server cannot be reached.
        """
        deletion = Deletion(
            self._client, self._parent, self._listener, field_owner=self._field_owner,
            timeout=self._timeout, keep=keep, instances=instances, residents=residents,
            force=force, dry_run=dry_run,
        )  # fmt: skip
        return await deletion.run(await self._placed(documents), await self.find_contents())

    async def find_contents(self) -> Contents | None:
        """Return where the objects of the set may be; ``None`` if it was never applied.

        Raises:
            ConfigError: The parent is not one of ours.
        """
        if self._parent is None:
            return None
        name = self._parent.object
        there = await self._client.find(name.gvk, name.key)
        return None if there is None else self._parent.contents(there)

    async def _placed(self, documents: Iterable[Document]) -> list[Member]:
        members = await placed(self._client, members_of(documents))
        parent = self._parent.object if self._parent else None
        for one in members:
            if parent and (one.name.gvk, one.name.key) == (parent.gvk, parent.key):
                raise ConfigError(
                    f"{parent} stands for the set, so it cannot be in it. Give it another name"
                )
        return members

    async def _apply_phase(
        self, phase: Phase, members: Sequence[Member], applier: Applier, course: Course
    ) -> set[str]:
        """Apply objects of one phase; return their uids."""
        applied, failures = await each(members, applier.apply, name_of=lambda one: one.name)
        course.note([change for change, _ in applied], failures)
        if phase is Phase.DEFINITIONS and not applier.is_dry_run:
            names = [change.name for change, _ in applied]
            course.note((), await self._waiting.until_established(names))
        return {uid for _, uid in applied if uid}

    async def _prune(
        self, before: Contents, uids: Container[str], course: Course, *, dry_run: bool
    ) -> list[Found]:
        """Delete what has left the set; return what stays in it all the same."""
        remover = Remover(self._client, self._parent, dry_run=dry_run)
        stale = [one for one in await remover.labelled(before) if one.uid not in uids]
        kept = await self._kept(stale, course)

        async def prune(found: Found) -> Change:
            return await remover.delete(found, action="pruned")

        waiting = None if dry_run else self._waiting
        for batch in last_first([one for one in stale if one not in kept], frozenset()):
            going = batch
            if batch[0].name.is_definition and not dry_run and not course.failed:
                # Again: since the first look, somebody may have made another object.
                kept += (late := await self._kept(batch, course))
                going = [one for one in batch if one not in late]
            if not course.failed:
                await remove(going, prune, course, waiting)
        return kept

    async def _kept(self, stale: Sequence[Found], course: Course) -> list[Found]:
        """Return what is not pruned, although it has left the set."""

        async def look(found: Found) -> Change | None:
            if found.name.is_namespace:
                return Change("kept", found.name, note="all that is in it would go, too")
            return await self._keep_of(found) if found.name.is_definition else None

        answers, failures = await each(stale, look, name_of=lambda one: one.name)
        changes = [one for one in answers if one is not None]
        course.note(changes, failures)
        names = {one.name for one in changes}
        return [one for one in stale if one.name in names]

    async def _keep_of(self, definition: Found) -> Change | None:
        try:
            number = len(await instances_of(self._client, definition.name))
        except ConfigError as error:
            return Change("kept", definition.name, note=str(error))
        said = f"{number} object{'' if number == 1 else 's'} of it would go, too"
        return Change("kept", definition.name, note=said) if number else None


class _ParentWriter:
    """Writes what the set has to its parent; the same contents only once."""

    def __init__(
        self, client: Client, parent: Parent | None, course: Course, *, dry_run: bool
    ) -> None:
        self._client = client
        self._parent = None if dry_run else parent
        self._course = course
        self._written: Contents | None = None

    async def write(self, contents: Contents) -> None:
        if self._parent is None or contents == self._written:
            return
        document = Unstructured(self._parent.document(contents))
        try:
            owner = f"{self._parent.tool}-applyset"
            await self._client.apply(document, field_owner=owner, force=True)
        except APIError as error:
            self._course.note((), [Failure(self._parent.object, error)])
        self._written = contents

"""Deletes a set, once it is clear that nothing else would be lost with it."""

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence

from kubewright.api.kind import GroupKind
from kubewright.applyset.course import Course
from kubewright.applyset.guarding import Guard, Instances
from kubewright.applyset.instances import delete_instances, instances_of
from kubewright.applyset.listener import Listener
from kubewright.applyset.member import Member
from kubewright.applyset.order import Phase, phase_of
from kubewright.applyset.parent import Contents, Parent
from kubewright.applyset.reach import Found, each
from kubewright.applyset.removing import Remover
from kubewright.applyset.report import Change, Report
from kubewright.applyset.waiting import Waiting
from kubewright.client import Client
from kubewright.errors import ConfigError

__all__ = ["Deletion", "last_first", "remove"]

_OLDER = "it was there before"


class Deletion:
    """One delete of a set: it looks at everything first, and then deletes the last ones first.

    Args:
        client: Where the objects are.
        parent: The set; ``None`` for objects that belong to none.
        listener: Hears how far it is.
        field_owner: Who owns the fields that the set has applied.
        timeout: Seconds to wait for objects to be gone.
        keep: Kinds whose objects are released.
        instances: Which objects may go with their CRD.
        residents: Whether objects of others may go with their namespace.
        force: Whether to delete objects of other sets.
        dry_run: Whether nothing is deleted.
    """

    def __init__(  # noqa: PLR0913  # how a set is deleted
        self,
        client: Client,
        parent: Parent | None,
        listener: Listener,
        *,
        field_owner: str,
        timeout: float,
        keep: Collection[GroupKind],
        instances: Instances,
        residents: bool,
        force: bool,
        dry_run: bool,
    ) -> None:
        self._client = client
        self._parent = parent
        self._listener = listener
        self._timeout = timeout
        self._keep = keep
        self._dry_run = dry_run
        self._remover = Remover(
            client, parent, force=force, dry_run=dry_run, field_owner=field_owner
        )
        self._guard = Guard(
            client, instances, residents=residents, parent=parent.object if parent else None
        )
        self._course = Course(listener)
        self._waiting = Waiting(client, timeout, listener)

    async def run(self, members: Sequence[Member], contents: Contents | None) -> Report:
        """Delete what the documents name, and what *contents* says the set has."""
        course = self._course
        targets = await self._find(members, contents)
        deleted, released = await self._parted(targets)
        going = {one.uid for one in deleted}
        # Before the first object goes: who has to refuse in the middle leaves a half.
        instances, failures = await self._guard.instances(deleted, going)
        failures += await self._guard.namespaces(deleted, going)
        self._listener.begin(len(targets) + sum(map(len, instances.values())))
        course.note((), failures)
        if not course.failed:
            await self._clear(instances)
        defined = frozenset(gvk.group_kind for one in members for gvk, _ in one.defines)
        is_ended = False
        for batch in last_first(deleted, defined):
            if not course.failed and not self._dry_run:
                # Again: since the first look, somebody may have made another one.
                course.note((), (await self._guard.instances(batch))[1])
                course.note((), await self._guard.namespaces(batch, going))
            if not is_ended and batch[0].name.is_namespace and not course.failed:
                await self._end(released)
                is_ended = True
            if course.failed:
                failed = {failure.name for failure in course.report.failures}
                course.leave(one.name for one in batch if one.name not in failed)
                continue
            waiting = None if self._dry_run else self._waiting
            await remove(batch, self._remover.delete, course, waiting)
        if not is_ended and not course.failed:
            await self._end(released)
        return course.report

    async def _find(self, members: Iterable[Member], contents: Contents | None) -> list[Found]:
        found, failures = await self._remover.named(members)
        self._course.note([one for one in found if isinstance(one, Change)], failures)
        targets = {one.uid: one for one in found if isinstance(one, Found)}
        if contents is not None:
            targets |= {one.uid: one for one in await self._remover.labelled(contents)}
        return list(targets.values())

    async def _parted(
        self, targets: Sequence[Found]
    ) -> tuple[list[Found], list[tuple[Found, str]]]:
        """Return what is deleted, and what is only released, with the reason."""
        kept = [one for one in targets if one.name.gvk.group_kind in self._keep]
        staying = await self._instances_of(one for one in kept if one.name.is_definition)

        async def part(found: Found) -> tuple[Found, str | None]:
            if found in kept:
                return found, ""
            if found.uid in staying:
                return found, "its kind stays"
            if found.name.is_namespace and await self._remover.was_there_before(found):
                return found, _OLDER
            return found, None

        parted, failures = await each(targets, part, name_of=lambda one: one.name)
        self._course.note((), failures)
        return (
            [found for found, why in parted if why is None],
            [(found, why) for found, why in parted if why is not None],
        )

    async def _instances_of(self, definitions: Iterable[Found]) -> set[str]:
        """Return the uids of the objects of CRDs that stay: who keeps a kind means its objects."""

        async def look(definition: Found) -> list[Found]:
            try:
                return await instances_of(self._client, definition.name)
            except ConfigError:
                return []  # nobody can list them, so nobody has found one of them to delete

        answers, failures = await each(definitions, look, name_of=lambda one: one.name)
        self._course.note((), failures)
        return {one.uid for some in answers for one in some}

    async def _clear(self, instances: Mapping[str, Sequence[Found]]) -> None:
        """Delete objects of custom kinds while their operator runs, for the finalizers' sake."""
        if self._dry_run:
            for found in instances.values():
                self._course.note(Change("deleted", one.name) for one in found)
            return
        # The listener hears of them at once, not when all are gone.
        changes, failures = await delete_instances(
            self._client, instances, timeout=self._timeout, listener=self._listener
        )
        self._course.report.changes += changes
        self._course.report.failures += failures

    async def _end(self, released: Sequence[tuple[Found, str]]) -> None:
        """End the set: what stays leaves it, and its parent goes."""

        async def release(one: tuple[Found, str]) -> Change:
            found, why = one
            if why == _OLDER:
                return await self._remover.withdraw(found, why)
            return await self._remover.release(found, why)

        changes, failures = await each(released, release, name_of=lambda one: one[0].name)
        self._course.note(changes, failures)
        if self._parent is None or self._course.failed or self._dry_run:
            return
        name = self._parent.object
        await self._client.delete(name.gvk, name.key, missing_ok=True)


async def remove(
    batch: Sequence[Found],
    act: Callable[[Found], Awaitable[Change]],
    course: Course,
    waiting: Waiting | None,
) -> None:
    """Delete objects of one phase; with *waiting*, wait until they are gone."""
    changes, failures = await each(batch, act, name_of=lambda one: one.name)
    course.note(changes, failures)
    if waiting is not None:
        done = {change.name for change in changes}
        course.note((), await waiting.until_gone([one for one in batch if one.name in done]))


def last_first(found: Iterable[Found], defined: frozenset[GroupKind]) -> list[list[Found]]:
    """Return the objects by phase, in the order in which they are removed."""
    phases: dict[Phase, list[Found]] = {}
    for one in found:
        phases.setdefault(phase_of(one.name, defined), []).append(one)
    return [phases[phase] for phase in sorted(phases, reverse=True)]

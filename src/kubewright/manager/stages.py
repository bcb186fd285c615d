"""The runnables of a manager, stage by stage."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextvars import copy_context

from kubewright._aio import Fence, fenced
from kubewright.errors import StopTimeoutError
from kubewright.manager.member import Failed, Member, place_of
from kubewright.runnable import Runnable, Stage

_PASSES = 100
"""How often to cancel what must end at once; more than any clean-up has steps."""


class Group:
    """The runnables of one stage: they start together, and end together."""

    def __init__(self, stage: Stage, failed: Failed) -> None:
        self.stage: Stage = stage
        self.members: list[Member] = []
        self.fence: Fence | None = None
        """What its members, and all that they start, are behind."""
        self._failed = failed
        self._open = False
        # That of the manager: who adds something later, a reconciler say, is not who it works for.
        self._context = copy_context()

    def add(self, member: Member) -> None:
        """Take *member* in; it starts with the others, or at once if they run."""
        self.members.append(member)
        if self._open:
            self._start(member)

    async def remove(self, members: Sequence[Member]) -> None:
        """End *members*, while the others go on, and wait for that."""
        for member in members:
            if member.task is None:
                self.members.remove(member)  # it never started, and never will
            elif not member.is_cancelled:  # a second time would cut its clean-up short
                member.cancel()
        if tasks := {member.task for member in members if member.task is not None}:
            await asyncio.wait(tasks)

    def open(self) -> None:
        """Start all members."""
        self._open = True
        self._context = copy_context()
        for member in list(self.members):
            self._start(member)

    async def wait_ready(self) -> None:
        """Return once later stages can build on every member."""
        while waiting := self.waiting:
            await waiting[0].wait_ready(self._failed)

    @property
    def waiting(self) -> list[Member]:
        """The members that are not known to be ready yet."""
        return [member for member in self.members if not member.ready]

    @property
    def running(self) -> list[Member]:
        """The members that have started and not ended."""
        return [member for member in self.members if member.task and not member.task.done()]

    def cancel(self) -> None:
        """Ask all members to end; nobody is started any more."""
        self._open = False
        for member in self.running:
            member.cancel()

    async def kill(self) -> None:
        """Cancel all members again and again, which interrupts a clean-up at each of its steps."""
        for _ in range(_PASSES):
            if not self.running:
                return
            self.cancel()
            await asyncio.sleep(0)

    async def wait(self) -> None:
        """Wait until all members have ended."""
        while running := self.running:
            await asyncio.wait({member.task for member in running if member.task})

    def _start(self, member: Member) -> None:
        task = self._context.copy().run(self._start_fenced, member)
        task.add_done_callback(lambda _: self.members.remove(member))  # it may be one of thousands

    def _start_fenced(self, member: Member) -> "asyncio.Task[None]":
        with fenced(self.fence):
            return member.start(self._failed)


class Stages:
    """All runnables: started stage by stage, and stopped in the reverse order."""

    def __init__(self, failed: Failed) -> None:
        self._groups: dict[Stage, Group] = {stage: Group(stage, failed) for stage in Stage}

    def __getitem__(self, stage: Stage) -> Group:
        return self._groups[stage]

    @property
    def members(self) -> Iterator[Member]:
        """All members that have not ended."""
        return (member for group in self._groups.values() for member in group.members)

    @property
    def running(self) -> Iterator[Member]:
        """All members that have started and not ended."""
        return (member for group in self._groups.values() for member in group.running)

    @property
    def waiting(self) -> list[Member]:
        """The members not known to be ready, of the first stage that has any."""
        return next((group.waiting for group in self._groups.values() if group.waiting), [])

    async def start(self, stage: Stage) -> None:
        """Start all of *stage*, and return once later stages can build on it."""
        self._groups[stage].open()
        await self._groups[stage].wait_ready()

    async def remove(self, runnables: Sequence[Runnable]) -> None:
        """End *runnables*, stage by stage, the last one first; others go on."""
        chosen = {id(one) for one in runnables}
        for stage in reversed(Stage):
            group = self._groups[stage]
            await group.remove([one for one in group.members if id(one.runnable) in chosen])

    async def stop(self, after: Callable[[Stage], Awaitable[None]]) -> None:
        """End all, stage by stage; *after* is called between a stage and the one below it."""
        for stage in reversed(Stage):
            self._groups[stage].cancel()
            await self._groups[stage].wait()
            await after(stage)

    async def kill(self) -> None:
        """End all members that can be ended, in the reverse order."""
        for stage in reversed(Stage):
            await self._groups[stage].kill()

    def cancel(self) -> None:
        """Ask everybody to end, in no order."""
        for group in self._groups.values():
            group.cancel()

    async def wait(self) -> None:
        """Wait until everybody has ended."""
        for group in self._groups.values():
            await group.wait()

    def overrun(self, grace: float) -> StopTimeoutError:
        """Return the error that names the members that did not end within *grace* seconds."""
        groups = (self._groups[stage] for stage in reversed(Stage))
        late = next((group.running for group in groups if group.running), [])
        names = ", ".join(_described(member) for member in late)
        return StopTimeoutError(
            f"cannot stop within {grace:g} seconds: {names or 'leader election'} did not end when"
            " it was cancelled. Look for a caught CancelledError, shielded work or a clean-up that"
            " takes long; or give it more time with grace_period."
        )


def _described(member: Member) -> str:
    place = place_of(member)
    return f"{member.name} (stage {member.stage.name}{f', at {place}' if place else ''})"

"""A system outside of Kubernetes, which notes all that is done to it."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from kubewright._aio import Clock

TAKES = 0.2
"""Seconds that each call takes, in which much can happen."""


class Landlord:
    """Signs a contract for each shop, and ends it; whoever asks twice gets what is there.

    Args:
        clock: Where time comes from.
        may_sign: Says what speaks against signing for a shop at this moment, if anything does.

    Attributes:
        wrongs: What must never happen, and did.
        signed: How often a contract was made, by the uid of the shop.
        ended: How often one was ended.
        asked: How often each was asked for, by what and uid.
    """

    def __init__(self, clock: Clock, may_sign: Callable[[str], str]) -> None:
        self.wrongs: list[str] = []
        self.signed: Counter[str] = Counter()
        self.ended: Counter[str] = Counter()
        self.asked: Counter[tuple[str, str]] = Counter()
        self._clock = clock
        self._may_sign = may_sign
        self._visitors: dict[str, str] = {}

    @property
    def open(self) -> set[str]:
        """The contracts that are not ended."""
        return set(self.signed) - set(self.ended)

    def door(self, by: str, hear: Callable[[], Awaitable[None]]) -> "Door":
        """Return what the process *by* comes through; *hear* waits until it can hear an answer."""
        return Door(self, by, hear)

    async def call(self, uid: str, *, by: str) -> None:
        """Come by, only to say hello."""
        with self._visit("call", uid, by):
            await self._clock.sleep(TAKES)

    async def sign(self, uid: str, *, by: str) -> bool:
        """Make a contract unless there is one; say whether it is new."""
        with self._visit("sign", uid, by):
            if uid in self.ended:
                self.wrongs.append(f"{by} signs for {uid}, whose contract was ended")
            if objection := self._may_sign(uid):
                self.wrongs.append(f"{by} signs for {uid}, but {objection}")
            await self._clock.sleep(TAKES)
            if uid in self.signed:
                return False
            self.signed[uid] += 1
            return True

    async def end(self, uid: str, *, by: str) -> None:
        """End a contract; there may be none, or it may be ended already."""
        with self._visit("end", uid, by):
            await self._clock.sleep(TAKES)
            if uid in self.open:
                self.ended[uid] += 1

    @contextmanager
    def _visit(self, what: str, uid: str, by: str) -> Iterator[None]:
        self.asked[what, uid] += 1
        if uid in self._visitors:
            self.wrongs.append(f"{by} comes about {uid} while {self._visitors[uid]} does")
        others = set(self._visitors.values()) - {by}
        if others:
            self.wrongs.append(f"{by} works while {others} does: two leaders")
        self._visitors[uid] = by
        try:
            yield
        finally:
            self._visitors.pop(uid, None)


class Door:
    """The landlord as one process knows him; a process that is paused hears no answers."""

    def __init__(self, landlord: Landlord, by: str, hear: Callable[[], Awaitable[None]]) -> None:
        self._landlord = landlord
        self._by = by
        self._hear = hear

    async def call(self, uid: str) -> None:
        """Come by, only to say hello."""
        await self._landlord.call(uid, by=self._by)
        await self._hear()

    async def sign(self, uid: str) -> bool:
        """Make a contract unless there is one; say whether it is new."""
        is_new = await self._landlord.sign(uid, by=self._by)
        await self._hear()
        return is_new

    async def end(self, uid: str) -> None:
        """End a contract if there is one."""
        await self._landlord.end(uid, by=self._by)
        await self._hear()

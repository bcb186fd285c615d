"""Things to run that do what a test tells them to, and say what happened to them."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress

from kubewright._aio import Clock
from kubewright.runnable import Problem, Stage


class Worker:
    """Works until it is cancelled, and writes both into *diary*."""

    def __init__(self, diary: list[str], name: str, stage: Stage = Stage.ALWAYS) -> None:
        self.diary = diary
        self.name = name
        self.stage = stage

    async def run(self) -> None:
        self.diary.append(f"+{self.name}")
        try:
            await asyncio.Event().wait()
        finally:
            self.diary.append(f"-{self.name}")


class Gated(Worker):
    """Is ready when *gate* is set."""

    def __init__(self, diary: list[str], name: str, stage: Stage = Stage.ALWAYS) -> None:
        super().__init__(diary, name, stage)
        self.gate = asyncio.Event()

    async def wait_ready(self) -> None:
        await self.gate.wait()


class Slow(Worker):
    """Takes *seconds* to clean up; a second cancellation ends that."""

    def __init__(
        self, diary: list[str], name: str, stage: Stage, *, clock: Clock, seconds: float
    ) -> None:
        super().__init__(diary, name, stage)
        self.clock = clock
        self.seconds = seconds

    async def run(self) -> None:
        try:
            await super().run()
        finally:
            await self.clock.sleep(self.seconds)
            self.diary.append(f"cleaned {self.name}")


class Deaf:
    """Does not end when it is told to, but when `free` is set."""

    name = "deaf"

    def __init__(self, stage: Stage = Stage.ALWAYS) -> None:
        self.stage = stage
        self.free = asyncio.Event()

    async def run(self) -> None:
        while not self.free.is_set():
            with suppress(asyncio.CancelledError):
                await self.free.wait()


class Failing:
    """Raises *error* as soon as `now` is set."""

    name = "failing"

    def __init__(self, error: BaseException, stage: Stage = Stage.ALWAYS) -> None:
        self.error = error
        self.stage = stage
        self.now = asyncio.Event()

    async def run(self) -> None:
        await self.now.wait()
        raise self.error


class Ailing(Worker):
    """Has *problems*."""

    def __init__(self, *problems: Problem, name: str = "ailing") -> None:
        super().__init__([], name)
        self.problems = list(problems)

    def health(self) -> Iterable[Problem]:
        return self.problems

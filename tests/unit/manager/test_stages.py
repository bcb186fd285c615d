import asyncio

from kubewright.manager.member import Member
from kubewright.manager.stages import Group, Stages
from kubewright.runnable import Stage
from tests.unit.manager.runnables import Deaf, Gated, Worker


def ignore(name: str, error: Exception) -> None:
    """Nothing fails here."""
    raise AssertionError(name) from error


async def no_more(stage: Stage) -> None:
    """Nothing happens between two stages."""


async def ended(stages: Stages) -> None:
    """End all."""
    stages.cancel()
    await stages.wait()


async def test_a_stage_starts_together_and_ends_together() -> None:
    """Nobody of a stage may rely on another one of it."""
    diary: list[str] = []
    group = Group(Stage.ALWAYS, ignore)
    for name in "ab":
        group.add(Member(Worker(diary, name), Stage.ALWAYS))

    group.open()
    await asyncio.sleep(0)
    group.cancel()
    await group.wait()

    assert diary == ["+a", "+b", "-a", "-b"]


async def test_who_comes_late_starts_at_once() -> None:
    """Its stage has begun."""
    diary: list[str] = []
    group = Group(Stage.ALWAYS, ignore)
    group.open()

    group.add(Member(Worker(diary, "late"), Stage.ALWAYS))
    await asyncio.sleep(0)

    assert diary == ["+late"]
    group.cancel()
    await group.wait()


async def test_who_is_added_while_others_get_ready_is_waited_for_too() -> None:
    """The stage after it builds on all of them."""
    first, second = Gated([], "first"), Gated([], "second")
    group = Group(Stage.CACHES, ignore)
    group.add(Member(first, Stage.CACHES))
    group.open()
    waiting = asyncio.create_task(group.wait_ready())
    await asyncio.sleep(0)

    group.add(Member(second, Stage.CACHES))
    first.gate.set()
    await asyncio.wait([waiting], timeout=0)

    assert not waiting.done()
    second.gate.set()
    await waiting
    group.cancel()
    await group.wait()


async def test_what_has_ended_by_itself_is_forgotten() -> None:
    """A program that adds a short job each minute must not grow."""

    class Short:
        async def run(self) -> None:
            pass

    stages = Stages(ignore)
    stages[Stage.ALWAYS].add(Member(Short(), Stage.ALWAYS))

    await stages.start(Stage.ALWAYS)
    await stages.wait()
    await asyncio.sleep(0)

    assert not list(stages.members)


async def test_stages_stop_in_the_reverse_order() -> None:
    """A controller reads a cache to its end."""
    diary: list[str] = []
    stages = Stages(ignore)
    for stage in Stage:
        stages[stage].add(Member(Worker(diary, stage.name, stage), stage))
        await stages.start(stage)
        await asyncio.sleep(0)
    diary.clear()

    async def after(stage: Stage) -> None:
        diary.append(f"after {stage.name}")

    await stages.stop(after)

    assert diary[:4] == ["-LEADER", "after LEADER", "-ALWAYS", "after ALWAYS"]
    assert diary[4:] == ["-CACHES", "after CACHES", "-SERVERS", "after SERVERS"]


async def test_an_overrun_names_who_is_waited_for_and_where() -> None:
    """Who reads it has to find the line."""
    deaf = Deaf(Stage.LEADER)
    stages = Stages(ignore)
    stages[Stage.ALWAYS].add(Member(Worker([], "good"), Stage.ALWAYS))
    stages[Stage.LEADER].add(Member(deaf, Stage.LEADER))
    for stage in (Stage.ALWAYS, Stage.LEADER):
        await stages.start(stage)
    stopping = asyncio.create_task(stages.stop(no_more))
    await asyncio.sleep(0)

    error = stages.overrun(30.0)

    assert str(error).startswith("cannot stop within 30 seconds: Deaf deaf (stage LEADER, at ")
    assert "good" not in str(error)
    deaf.free.set()
    await stopping


async def test_who_is_killed_does_not_get_to_clean_up() -> None:
    """Each step of a clean-up is an await, and each is interrupted."""
    diary: list[str] = []

    class Thorough(Worker):
        async def run(self) -> None:
            try:
                await super().run()
            finally:
                for step in range(3):
                    try:
                        await asyncio.Event().wait()
                    finally:
                        self.diary.append(f"interrupted {step}")

    stages = Stages(ignore)
    stages[Stage.LEADER].add(Member(Thorough(diary, "a"), Stage.LEADER))
    await stages.start(Stage.LEADER)
    await asyncio.sleep(0)

    await stages.kill()

    assert diary == ["+a", "-a", "interrupted 0"]
    assert not list(stages.running)


async def test_who_cannot_be_killed_is_left() -> None:
    """A loop that goes on for ever would be worse."""
    deaf = Deaf()
    stages = Stages(ignore)
    stages[Stage.ALWAYS].add(Member(deaf, Stage.ALWAYS))
    await stages.start(Stage.ALWAYS)
    await asyncio.sleep(0)

    await stages.kill()

    assert [member.runnable for member in stages.running] == [deaf]
    deaf.free.set()
    await stages.wait()


async def test_nobody_starts_in_a_stage_that_was_told_to_end() -> None:
    """Least of all after the lease was lost, however close the two moments are."""
    diary: list[str] = []
    group = Group(Stage.LEADER, ignore)
    group.open()
    group.cancel()

    group.add(Member(Worker(diary, "late", Stage.LEADER), Stage.LEADER))
    await asyncio.sleep(0)

    assert diary == []

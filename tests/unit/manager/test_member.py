import asyncio

import pytest

from kubewright.errors import LifecycleError
from kubewright.manager.member import Member, name_of, place_of
from kubewright.runnable import Stage
from tests.unit.manager.runnables import Deaf, Failing, Gated, Worker


class Heard:
    """Remembers the errors that it is told of."""

    def __init__(self) -> None:
        self.errors: list[tuple[str, Exception]] = []

    def __call__(self, name: str, error: Exception) -> None:
        self.errors.append((name, error))


async def test_an_error_is_reported_and_not_raised() -> None:
    """The manager decides what becomes of it."""
    failing, heard = Failing(ValueError("no")), Heard()
    member = Member(failing, Stage.ALWAYS)
    task = member.start(heard)

    failing.now.set()
    await task

    assert heard.errors == [("Failing failing", failing.error)]


async def test_what_is_no_exception_is_reported_too() -> None:
    """An extension that panics raises such; unheard, the manager would look well without it."""

    class Panic(BaseException):
        pass

    class Panicking:
        async def run(self) -> None:
            raise Panic

    heard = Heard()
    await Member(Panicking(), Stage.ALWAYS).start(heard)

    ((name, error),) = heard.errors
    assert name == "Panicking"
    assert str(error) == "Panicking raised Panic()"


async def test_a_cancellation_from_elsewhere_is_an_error() -> None:
    """Something that should run does not; silence would hide it."""
    heard = Heard()
    member = Member(Worker([], "a"), Stage.ALWAYS)
    task = member.start(heard)
    await asyncio.sleep(0)

    task.cancel()
    await asyncio.wait([task])

    ((name, error),) = heard.errors
    assert name == "Worker a"
    assert isinstance(error, LifecycleError)
    assert str(error) == "Worker a was cancelled, but not by its manager"


async def test_our_own_cancellation_is_none() -> None:
    """It is how everything ends."""
    heard = Heard()
    member = Member(Worker([], "a"), Stage.ALWAYS)
    task = member.start(heard)
    await asyncio.sleep(0)

    member.cancel()
    await asyncio.wait([task])

    assert task.cancelled()
    assert not heard.errors


async def test_it_is_ready_when_it_says_so() -> None:
    """Later stages build on it."""
    gated = Gated([], "a")
    member = Member(gated, Stage.CACHES)
    task = member.start(Heard())
    waiting = asyncio.create_task(member.wait_ready(Heard()))
    await asyncio.sleep(0)
    before = member.ready

    gated.gate.set()
    await waiting

    assert (before, member.ready) == (False, True)
    member.cancel()
    await asyncio.wait([task])


async def test_nobody_waits_for_one_that_is_over() -> None:
    """It would never be ready."""

    class Short:
        async def run(self) -> None:
            pass

        async def wait_ready(self) -> None:
            await asyncio.Event().wait()

    member = Member(Short(), Stage.ALWAYS)
    member.start(Heard())

    await member.wait_ready(Heard())

    assert member.ready


async def test_an_error_while_waiting_is_reported() -> None:
    """A runnable may find out there that it cannot work."""

    class Unready(Worker):
        async def wait_ready(self) -> None:
            raise ValueError("never")

    heard = Heard()
    member = Member(Unready([], "a"), Stage.ALWAYS)
    task = member.start(heard)

    await member.wait_ready(heard)

    assert [str(error) for _, error in heard.errors] == ["never"]
    member.cancel()
    await asyncio.wait([task])


@pytest.mark.parametrize(("name", "expected"), [("shops", "Worker shops"), ("", "Worker")])
def test_the_name_is_what_people_call_it(name: str, expected: str) -> None:
    """An address in memory helps nobody."""
    assert name_of(Worker([], name)) == expected


async def test_the_place_is_where_it_waits_now() -> None:
    """That is the line which does not let it end."""
    deaf = Deaf()
    member = Member(deaf, Stage.ALWAYS)
    task = member.start(Heard())
    await asyncio.sleep(0)

    place = place_of(member)

    assert place.endswith("in wait")
    deaf.free.set()
    await task
    assert place_of(Member(deaf, Stage.ALWAYS)) == ""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from kubewright.embedded.controllers.batch import is_ending_namespace, run_all, said, slow_start
from kubewright.errors import (
    Attempt,
    ForbiddenError,
    Status,
    StatusCause,
    StatusDetails,
    TransportError,
)

ATTEMPT = Attempt("create", "pods")


def failing_after(count: int) -> tuple[list[int], Callable[[], Awaitable[None]]]:
    """Return a piece of work that fails after so many times, and the list of its calls."""
    calls: list[int] = []

    async def work() -> None:
        calls.append(len(calls))
        await asyncio.sleep(0)
        if len(calls) > count:
            raise TransportError("gone")

    return calls, work


async def test_all_is_done_when_all_goes_well() -> None:
    """Each once."""
    calls, work = failing_after(100)

    assert await slow_start([work] * 20) is None
    assert len(calls) == 20


async def test_a_failure_stops_what_has_not_begun() -> None:
    """A quota that is used up costs a few requests, not hundreds."""
    calls, work = failing_after(3)

    failure = await slow_start([work] * 500)

    assert isinstance(failure, TransportError)
    assert len(calls) == 1 + 2 + 4


async def test_one_failure_does_not_stop_the_others() -> None:
    """They run already."""
    done: list[str] = []

    async def good() -> None:
        await asyncio.sleep(0)
        done.append("good")

    async def bad() -> None:
        raise TransportError("gone")

    assert isinstance(await run_all([bad(), good()]), TransportError)
    assert done == ["good"]


async def test_a_mistake_of_the_program_is_raised() -> None:
    """It is not an answer of the server, and must not look like one."""

    async def wrong() -> None:
        raise TypeError("a mistake")

    with pytest.raises(TypeError, match="a mistake"):
        await run_all([wrong()])


def test_the_words_of_the_server_are_passed_on() -> None:
    """Without what we would add for the author of an operator."""
    error = ForbiddenError(ATTEMPT, Status(message="pods is forbidden: exceeded quota"))

    assert said(error) == "pods is forbidden: exceeded quota"
    assert said(TransportError("gone")) == "gone"


def test_a_namespace_that_goes_away_is_nobodys_fault() -> None:
    """And any other refusal is somebody's."""
    causes = [StatusCause(reason="NamespaceTerminating")]
    ending = ForbiddenError(ATTEMPT, Status(details=StatusDetails(causes=causes)))

    assert is_ending_namespace(ending)
    assert not is_ending_namespace(ForbiddenError(ATTEMPT, Status()))
    assert not is_ending_namespace(None)

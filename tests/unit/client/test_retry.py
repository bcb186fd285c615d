"""Retrying after a conflict, as often as client-go does and no more."""

import pytest

from kubewright.client import retry_on_conflict
from kubewright.errors import (
    AlreadyExistsError,
    Attempt,
    ConflictError,
    KubewrightError,
    Status,
    StatusCause,
    StatusDetails,
)
from tests.unit.client.test_rest import SkippingClock

UPDATE = Attempt("update", "pods", name="web")
CONFLICT = ConflictError(UPDATE, Status(reason="Conflict", code=409))
EXISTS = AlreadyExistsError(UPDATE, Status(reason="AlreadyExists", code=409))


class Change:
    """A change that fails as it is told to, and then succeeds."""

    def __init__(self, *failures: KubewrightError) -> None:
        self.calls = 0
        self._failures = list(failures)

    async def __call__(self) -> str:
        self.calls += 1
        if self._failures:
            raise self._failures.pop(0)
        return "done"


async def test_a_change_without_conflict_is_made_once() -> None:
    """The usual case costs nothing."""
    change, clock = Change(), SkippingClock()

    assert await retry_on_conflict(change, clock=clock) == "done"

    assert change.calls == 1
    assert clock.slept == []


async def test_a_conflict_is_tried_again_after_a_moment() -> None:
    """Ten milliseconds and a little more, so that two in conflict do not meet again."""
    change, clock = Change(CONFLICT, CONFLICT), SkippingClock()

    assert await retry_on_conflict(change, clock=clock) == "done"

    assert change.calls == 3
    assert all(0.01 <= slept <= 0.011 for slept in clock.slept)
    assert len(clock.slept) == 2


@pytest.mark.parametrize("tries", [1, 2, 5])
async def test_the_last_conflict_is_raised(tries: int) -> None:
    """Somebody writes all the time; the caller has to know."""
    change = Change(*[CONFLICT] * 10)

    with pytest.raises(ConflictError):
        await retry_on_conflict(change, tries=tries, clock=SkippingClock())

    assert change.calls == tries


async def test_five_tries_are_made_unless_told_otherwise() -> None:
    """client-go's default."""
    change = Change(*[CONFLICT] * 10)

    with pytest.raises(ConflictError):
        await retry_on_conflict(change, clock=SkippingClock())

    assert change.calls == 5


async def test_another_failure_is_raised_at_once() -> None:
    """AlreadyExists is a 409, too, but trying again does not help."""
    change = Change(EXISTS)

    with pytest.raises(AlreadyExistsError):
        await retry_on_conflict(change, clock=SkippingClock())

    assert change.calls == 1


async def test_a_conflict_of_owners_is_not_tried_again() -> None:
    """Nobody gives a field up by being asked five times."""
    cause = StatusCause(reason="FieldManagerConflict", field=".spec.replicas")
    status = Status(reason="Conflict", code=409, details=StatusDetails(causes=[cause]))
    tries = 0

    async def change() -> None:
        nonlocal tries
        tries += 1
        raise ConflictError(Attempt("patch", "deployments"), status)

    with pytest.raises(ConflictError):
        await retry_on_conflict(change)

    assert tries == 1

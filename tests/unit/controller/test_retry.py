from typing import Any

import pytest

from kubewright.controller.retry import Policies, Retry, is_quiet, patience
from kubewright.errors import (
    APIError,
    Attempt,
    ConflictError,
    Status,
    StatusCause,
    StatusDetails,
    TerminalError,
)

UPDATE = Attempt("update", "shops")


def test_delays_grow_up_to_the_cap() -> None:
    """A thing that stays broken is asked less and less often, but never forgotten."""
    retry = Retry(base=1.0, factor=3.0, cap=20.0)

    assert [retry.delay(failures) for failures in range(1, 6)] == [1.0, 3.0, 9.0, 20.0, 20.0]


def test_many_failures_do_not_overflow() -> None:
    """After some days of failing, the power is beyond a float."""
    assert Retry().delay(100_000) == 1000.0


def test_a_fixed_delay_does_not_grow() -> None:
    """A cloud that allows one call per minute gets one call per minute."""
    assert {Retry(after=60.0).delay(failures) for failures in (1, 2, 50)} == {60.0}


def test_the_limit_counts_retries() -> None:
    """Two retries are three tries."""
    retry = Retry(after=1.0, limit=2)

    assert [retry.delay(failures) for failures in (1, 2, 3)] == [1.0, 1.0, None]


@pytest.mark.parametrize("wrong", [{"base": -1}, {"factor": 0.5}, {"limit": -1}, {"after": -2.0}])
def test_numbers_that_make_no_sense_are_refused(wrong: dict[str, Any]) -> None:
    """The message names the number."""
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Retry(**wrong)


def test_the_nearest_class_of_the_exception_decides() -> None:
    """A policy for OSError does not undo the one for its subclass, whatever their order."""
    all_of_them, timeouts = Retry(after=1.0), Retry(after=2.0)
    policies = Policies({OSError: all_of_them, TimeoutError: timeouts})

    assert policies.find(TimeoutError()) is timeouts
    assert policies.find(FileNotFoundError()) is all_of_them
    assert policies.find(ValueError()) is None


def test_one_policy_is_for_everything_but_what_is_terminal() -> None:
    """Whoever slows down retries does not mean to begin retrying what is hopeless."""
    policies = Policies(Retry(after=5.0))

    assert policies.find(ValueError()) == Retry(after=5.0)
    assert policies.find(TerminalError()) is Retry.NEVER


def test_a_terminal_error_may_have_a_policy() -> None:
    """It is a default like any other."""
    assert Policies({TerminalError: Retry(after=9.0)}).find(TerminalError()) == Retry(after=9.0)


@pytest.mark.parametrize("wrong", [{"ValueError": Retry()}, {ValueError: 5.0}])
def test_policies_of_the_wrong_type_are_refused(wrong: Any) -> None:
    """The mistake shows before anything runs."""
    with pytest.raises(TypeError, match="ValueError"):
        Policies(wrong)


def test_patience_is_what_the_server_asks_for() -> None:
    """Retry-After comes as a header or in the status."""
    asked = StatusDetails(retry_after_seconds=7)

    assert patience(APIError(UPDATE, Status(details=asked))) == 7.0
    assert patience(APIError(UPDATE, Status())) == 0.0
    assert patience(ValueError()) == 0.0


def test_only_a_conflict_of_versions_is_quiet() -> None:
    """Somebody was faster, which is ordinary; a field that another owns will stay owned."""
    owned = StatusDetails(causes=[StatusCause(reason="FieldManagerConflict")])

    assert is_quiet(ConflictError(UPDATE, Status()))
    assert not is_quiet(ConflictError(UPDATE, Status(details=owned)))
    assert not is_quiet(ValueError())


def test_a_group_is_what_is_in_it() -> None:
    """A TaskGroup in a reconciler wraps whatever its tasks raise."""
    asked = APIError(UPDATE, Status(details=StatusDetails(retry_after_seconds=7)))
    conflict, final = ConflictError(UPDATE, Status()), TerminalError("no")
    cloud = Retry(after=30.0)
    policies = Policies({OSError: cloud})

    assert policies.find(ExceptionGroup("", [ExceptionGroup("", [final])])) is Retry.NEVER
    assert policies.find(ExceptionGroup("", [final, ValueError()])) is None
    assert policies.find(ExceptionGroup("", [final, OSError()])) is cloud
    assert patience(ExceptionGroup("", [final, asked])) == 7.0
    assert is_quiet(ExceptionGroup("", [conflict]))
    assert not is_quiet(ExceptionGroup("", [conflict, final]))


def test_an_error_is_expected_if_its_type_was_named() -> None:
    """Who names Exception, or gives one policy for all, names none in particular."""
    policies = Policies({OSError: Retry(after=30.0), Exception: Retry()})

    assert policies.is_expected(ConnectionError())
    assert policies.is_expected(ExceptionGroup("", [OSError()]))
    assert not policies.is_expected(ExceptionGroup("", [OSError(), ValueError()]))
    assert not policies.is_expected(ValueError())
    assert not Policies(Retry()).is_expected(ValueError())
    assert not Policies().is_expected(ValueError())


def test_what_is_no_policy_is_refused() -> None:
    """The message shows one."""
    with pytest.raises(TypeError, match=r"retry= takes a Retry, or one for each type .*not 3"):
        Policies(3)  # type: ignore[arg-type]  # wrong on purpose

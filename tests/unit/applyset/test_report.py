"""What is known after an apply."""

from kubewright.applyset import Change, Conflict, Failure, Report, members_of
from kubewright.errors import (
    Attempt,
    ConfigError,
    ConflictError,
    Status,
    StatusCause,
    StatusDetails,
)
from tests.unit.applyset.objects import config

(NAME,) = (one.name for one in members_of([config()]))


def test_a_conflict_names_each_field_and_its_owner() -> None:
    """The user decides field by field whether to take it over."""
    cause = StatusCause("FieldManagerConflict", 'conflict with "helm" using apps/v1', ".data.a")
    status = Status(reason="Conflict", code=409, details=StatusDetails(causes=[cause]))
    failure = Failure(NAME, ConflictError(Attempt("patch", "configmaps"), status))

    assert failure.conflicts == (Conflict(".data.a", "helm using apps/v1"),)


def test_other_failures_have_no_conflicts() -> None:
    """A conflict about the version is not about owners."""
    outdated = ConflictError(Attempt("patch", "configmaps"), Status(reason="Conflict", code=409))

    assert Failure(NAME, outdated).conflicts == ()
    assert Failure(NAME, ConfigError("no")).conflicts == ()
    assert str(Failure(NAME, ConfigError("no"))) == "configmap/settings in shop-system: no"


def test_a_report_counts_and_knows_whether_all_is_done() -> None:
    """A summary in one line, and an exit status."""
    report = Report([Change("created", NAME), Change("created", NAME), Change("pruned", NAME)])

    assert report.count() == {"created": 2, "pruned": 1}
    assert report.done
    assert not Report(left=[NAME]).done
    assert not Report(failures=[Failure(NAME, ConfigError("no"))]).done

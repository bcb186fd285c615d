"""What is printed about objects."""

from kubewright.api.kind import GroupVersionKind, ObjectKey
from kubewright.applyset import Change, Failure, ObjectName, Report, members_of
from kubewright.cli.deploy.texts import change_line, failure_text, summary, way_out
from kubewright.errors import (
    Attempt,
    ConfigError,
    ConflictError,
    ForbiddenError,
    InvalidError,
    Status,
    StatusCause,
    StatusDetails,
)
from kubewright.runs.change import Change as FieldChange
from tests.unit.applyset.objects import deployment

(NAME,) = (one.name for one in members_of([deployment()]))
ATTEMPT = Attempt("patch", "deployments", group="apps", namespace="shop-system", name="shop")


def test_a_change_is_one_line_whatever_it_changes() -> None:
    """The first fields of it, each no longer than a person reads."""
    fields = tuple(FieldChange(f"spec.a{number}", 1, "x" * 200) for number in range(5))

    line = change_line(Change("configured", NAME, fields))

    assert line.startswith("configured  deployment.apps/shop in shop-system: spec.a0 1 -> 'xxx")
    assert line.endswith("x…, and 2 more")
    assert change_line(Change("unchanged", NAME)) == ""
    assert change_line(Change("kept", NAME, note="why")) == (
        "kept        deployment.apps/shop in shop-system (why)"
    )
    assert change_line(Change("pruned", NAME), dry_run=True) == (
        "would prune      deployment.apps/shop in shop-system"
    )


def test_the_summary_counts() -> None:
    """What a pipeline greps for."""
    report = Report([Change("created", NAME), Change("unchanged", NAME)])
    failed = Report(failures=[Failure(NAME, ConfigError("no"))], left=[NAME, NAME])

    assert summary(report) == "2 objects: 1 created, 1 unchanged"
    assert summary(failed) == "3 objects: 1 failed, 2 not begun"
    assert summary(Report()) == "nothing to do"
    assert summary(Report([Change("created", NAME)]), dry_run=True) == (
        "1 object: 1 created (dry run: nothing was changed)"
    )


def test_a_conflict_names_fields_owners_and_the_way_out() -> None:
    """As kubectl does, with our own option."""
    cause = StatusCause("FieldManagerConflict", 'conflict with "helm" using apps/v1', ".spec.a")
    status = Status(reason="Conflict", code=409, details=StatusDetails(causes=[cause]))

    assert failure_text(Failure(NAME, ConflictError(ATTEMPT, status))) == (
        "cannot apply deployment.apps/shop in shop-system: others have set these fields to other"
        " values\n"
        "  .spec.a: helm using apps/v1\n"
        "Leave the fields to them, or take them over with --force-conflicts."
    )


def test_a_missing_right_is_printed_as_a_rule() -> None:
    """It is the user's own, and not the operator's."""
    status = Status(reason="Forbidden", code=403, message="you cannot patch it")

    assert failure_text(Failure(NAME, ForbiddenError(ATTEMPT, status))) == (
        "cannot apply deployment.apps/shop in shop-system: you cannot patch it\n"
        "Your user lacks this rule:\n"
        '  - apiGroups: ["apps"]\n'
        '    resources: ["deployments"]\n'
        '    verbs: ["patch"]'
    )


def test_a_field_that_cannot_be_changed_has_a_way_out() -> None:
    """The selector of a Deployment is the usual one."""
    status = Status(reason="Invalid", code=422, message="spec.selector: field is immutable")

    text = failure_text(Failure(NAME, InvalidError(ATTEMPT, status)), doing="apply")

    assert text.endswith(
        "Delete it, and try again: kubectl delete deployment.apps/shop -n shop-system"
    )


def test_who_may_not_list_all_kinds_of_a_namespace_has_a_way_out() -> None:
    """The rules would come one by one, and hardly anybody has them all."""
    shop = ObjectName(GroupVersionKind("", "v1", "Namespace"), ObjectKey("", "shop-system"))
    status = Status(reason="Forbidden", code=403, message="you cannot")
    looking, deleting = (
        Report(failures=[Failure(shop, ForbiddenError(Attempt(verb, "pods"), status))])
        for verb in ("list", "delete")
    )

    assert way_out(looking) == (
        "nothing was deleted. To see whose objects would go with the namespace, all kinds in it are"
        " listed. Without the rights to do so, leave the namespace with --keep-namespace, or let"
        " --delete-namespace delete it with all that is in it"
    )
    assert way_out(deleting) == "nothing was deleted"

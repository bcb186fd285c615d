"""The commands of ``kubewright rbac``."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from kubewright.cli.cluster.commands import path as _path
from kubewright.cli.parsing import examples

__all__ = ["rbac"]

EXAMPLES: str = examples(
    "kubewright rbac audit",
    "kubewright rbac audit tests/test_shop.py -- -k status",
    "kubewright rbac audit --operator at.py --role rbac.yaml test_at.py",
    "kubewright rbac audit --audit-log audit.log --user system:serviceaccount:shop-system:shop",
)

rbac: typer.Typer = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Compare the rights of an operator with what it does.",
)


class Output(StrEnum):
    """What ``--output`` takes."""

    TEXT = "text"
    JSON = "json"


@rbac.callback()
def _group() -> None:
    pass


@rbac.command(epilog=EXAMPLES)
def audit(  # noqa: PLR0913  # one for each option
    pytest: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PYTEST_ARGUMENT]...",
            help="What pytest is given, such as tests/test_shop.py; options after --.",
            show_default=False,
        ),
    ] = None,
    *,
    operator: Annotated[
        str | None,
        typer.Option(
            metavar="FILE_OR_MODULE[:NAME]",
            help="The operator; by default, that of the project in this folder.",
        ),
    ] = None,
    role: Annotated[
        list[Path] | None,
        typer.Option(
            parser=_path,
            metavar="FILE",
            help="Roles to compare with; can be repeated. By default those that config/rbac binds,"
            " or without a project what the operator declares.",
        ),
    ] = None,
    audit_log: Annotated[
        Path | None,
        typer.Option(
            parser=_path,
            metavar="FILE",
            help="Audit log of an API server to compare with, instead of running tests.",
        ),
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The operator's user in the audit log."),
    ] = None,
    allow_unused: Annotated[
        bool, typer.Option("--allow-unused", help="Accept rights that were never used.")
    ] = False,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Compare even if tests fail.")
    ] = False,
    fix: Annotated[
        bool,
        typer.Option(
            "--fix",
            help="Write the roles given by --role, or else add what is missing to the operator.",
        ),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="With --fix: only print what would be changed.")
    ] = False,
    output: Annotated[
        Output, typer.Option("--output", "-o", help="For people, or for programs.")
    ] = Output.TEXT,
    verbose: Annotated[
        bool,
        typer.Option("--verbose", "-v", help="Print what pytest prints, and rights that may stay."),
    ] = False,
) -> None:
    """Compare what an operator does in its tests with what its role allows.

    It runs pytest, and records each call of the operator, but not those of the tests themselves.

    Exit status: 0 if nothing is missing and nothing unused, 1 otherwise, or if tests fail, 2 for
    invalid input.
    """
    from kubewright.cli.rbac.audit import Options, run

    options = Options(
        pytest=tuple(pytest or ()),
        operator=operator,
        roles=tuple(role or ()),
        audit_log=audit_log,
        user=user,
        allow_unused=allow_unused,
        keep_going=keep_going,
        fix=fix,
        dry_run=dry_run,
        json=output is Output.JSON,
        verbose=verbose,
    )
    raise typer.Exit(run(options))

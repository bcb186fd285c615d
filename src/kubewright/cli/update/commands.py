"""The options of ``kubewright alpha``."""

from typing import Annotated

import typer

from kubewright.cli.parsing import Command, Commands, examples

__all__ = ["alpha"]

alpha: typer.Typer = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Commands that may still change.",
)


@alpha.callback()
def _alpha() -> None:
    pass


@alpha.command(
    cls=Command,
    epilog=examples(
        "kubewright alpha update --dry-run",
        "kubewright alpha update",
        "kubewright alpha update --from-branch main --output-branch renewed --force",
    ),
)
def update(
    *,
    from_version: Annotated[
        str,
        typer.Option(
            metavar="VERSION",
            help="Version of the templates that the project was made with; by default, cliVersion"
            " in PROJECT.",
        ),
    ] = "",
    to_version: Annotated[
        str, typer.Option(metavar="VERSION", help="Version to update to; by default, the newest.")
    ] = "",
    from_branch: Annotated[
        str,
        typer.Option(metavar="NAME", help="Branch to update; by default, the current one."),
    ] = "",
    output_branch: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="New branch for the result; by default kubewright-update-from-X-to-Y.",
        ),
    ] = "",
    force: Annotated[
        bool,
        typer.Option("--force", help="Make the branch also with conflicts, marked in the files."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would change, and where it conflicts.")
    ] = False,
) -> None:
    """Bring the scaffold of the project up to date, on a branch of its own.

    What changed in the templates since the project was made is merged into it, by a three-way
    merge in git. Your files are not touched; look at the branch, and merge it.

    Exit status: 0 for done, 1 for conflicts, 2 for invalid input.
    """
    from kubewright.cli.update.update import Options, run

    options = Options(
        from_version=from_version,
        to_version=to_version,
        from_branch=from_branch,
        output_branch=output_branch,
        force=force,
        dry_run=dry_run,
    )
    raise typer.Exit(run(options))

"""The options of ``kubewright manifests``."""

from pathlib import Path
from typing import Annotated

import typer

from kubewright.cli.cluster.commands import path as _path
from kubewright.cli.parsing import examples

__all__ = ["EXAMPLES", "manifests"]

EXAMPLES: str = examples(
    "kubewright manifests",
    "kubewright manifests --check --diff",
    "kubewright manifests at.py | kubectl apply -f -",
)


def manifests(  # noqa: PLR0913  # one for each option
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE_OR_MODULE[:NAME]]",
            help="The operator: at.py, shop.main, or at.py:name if there are several; by default,"
            " that of the project in this folder.",
            show_default=False,
        ),
    ] = None,
    *,
    check: Annotated[
        bool,
        typer.Option("--check", help="Write nothing; fail if a manifest is not up to date."),
    ] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="Write nothing; print the changes as a patch.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Write nothing; say which files would change.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            parser=_path,
            metavar="FOLDER",
            help="Where to write; by default config/ of the project, or the terminal for a single"
            " file.",
        ),
    ] = None,
    namespace: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="For a single file: the namespace in which it will run. In a project,"
            " config/default says that.",
        ),
    ] = "default",
    force: Annotated[
        bool, typer.Option("--force", help="Also overwrite files that were not made this way.")
    ] = False,
) -> None:
    """Write CRDs, RBAC roles and webhook configurations, made from the classes.

    In a project they go to config/crd/bases, config/rbac/role.yaml, config/webhook/manifests.yaml
    and config/default/crd_conversion_patch.yaml. Files that have not changed are left alone; those
    of kinds that are gone are removed.

    Exit status: 0 for done, 1 if --check finds something, 2 for invalid input.
    """
    from kubewright.cli.manifests.run import Options, run

    options = Options(
        target,
        check=check,
        diff=diff,
        dry_run=dry_run,
        output=output,
        namespace=namespace,
        force=force,
    )
    raise typer.Exit(run(options))

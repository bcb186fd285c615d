"""The command ``kubewright migrate-storage``."""

from pathlib import Path
from typing import Annotated

import typer

from kubewright.cli.cluster.commands import path as _path

__all__ = ["migrate_storage"]


def migrate_storage(  # noqa: PLR0913  # one for each option
    kinds: Annotated[
        list[str],
        typer.Argument(
            metavar="KIND...",
            help="Custom kinds, as kubectl calls them: shops, Shop, or shops.example.com.",
        ),
    ],
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be done.")
    ] = False,
    restart: Annotated[
        bool,
        typer.Option("--restart", help="Begin anew, whatever an interrupted run has done."),
    ] = False,
    page_size: Annotated[
        int, typer.Option(min=1, metavar="N", help="Number of objects to list at a time.")
    ] = 500,
    workers: Annotated[
        int, typer.Option(min=1, metavar="N", help="Number of objects to write at a time.")
    ] = 8,
    timeout: Annotated[
        float | None,
        typer.Option(
            min=0, metavar="SECONDS", help="Time after which to stop; by default, there is none."
        ),
    ] = None,
    kubeconfig: Annotated[
        Path | None,
        typer.Option(parser=_path, metavar="PATH", help="Kubeconfig file; by default, kubectl's."),
    ] = None,
    context: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Context to use instead of the current one."),
    ] = None,
) -> None:
    """Store all objects of a custom kind in its storage version.

    Each object is written anew, without a change. If all are, status.storedVersions of the CRD is
    trimmed, and older versions can be removed from it. An interrupted run goes on where it stopped.

    Exit status: 0 for done, 1 if not all objects are migrated, 2 for invalid input.
    """
    from kubewright.cli.migrate import Options, run

    options = Options(
        tuple(kinds),
        dry_run=dry_run,
        restart=restart,
        page_size=page_size,
        workers=workers,
        timeout=timeout,
        kubeconfig=kubeconfig,
        context=context,
    )
    raise typer.Exit(run(options))

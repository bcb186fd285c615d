"""The command ``kubewright dev``."""

from typing import Annotated

import typer

from kubewright.cli.options import LogLevel, Target

__all__ = ["dev"]


def dev(  # noqa: PLR0913  # one for each option
    target: Target = None,
    *,
    simulate: Annotated[
        bool,
        typer.Option("--simulate", help="Start no processes; containers only pretend to run."),
    ] = False,
    samples: Annotated[
        bool, typer.Option("--samples", help="Apply the project's samples at startup.")
    ] = False,
    nodes: Annotated[int, typer.Option(min=0, max=192, metavar="N", help="Number of nodes.")] = 1,
    no_rbac: Annotated[
        bool, typer.Option("--no-rbac", help="Let every user do everything.")
    ] = False,
    name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Use this running cluster instead of starting one."),
    ] = None,
    log_level: Annotated[
        LogLevel, typer.Option(case_sensitive=False, help="Lowest level to print.")
    ] = LogLevel.INFO,
) -> None:
    """Run an operator on its own cluster, and reload it on save.

    Container commands run as local processes under your user, unless --simulate is given.
    """
    from kubewright.cli.dev.dev import Options, run
    from kubewright.cli.project.folder import target_of
    from kubewright.cli.watchfile import find_watches

    status = run(
        Options(
            find_watches(target) or target_of(target),
            name=name,
            nodes=nodes,
            simulate=simulate,
            rbac=not no_rbac,
            samples=samples,
            log_level=log_level.value,
        )
    )
    raise typer.Exit(status)

"""The commands of ``kubewright cluster``."""

import sys
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["Name", "cluster", "path"]

NAME: str = "kubewright"


def path(text: str) -> Path:
    """Read a path; refuse an empty one, which would mean the current folder."""
    if not text:
        raise typer.BadParameter("it is empty. Name a path, or leave the option out.")
    return Path(text)


Name = Annotated[
    str, typer.Option(metavar="NAME", help="Name of the cluster; there can be several.")
]

cluster: typer.Typer = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Run Kubernetes clusters on this machine, in the background.",
)


@cluster.command()
def start(  # noqa: PLR0913  # one for each option
    *,
    name: Name = NAME,
    kubeconfig: Annotated[
        Path | None,
        typer.Option(
            parser=path, metavar="PATH", help="File to write a kubeconfig to; removed by stop."
        ),
    ] = None,
    data_dir: Annotated[
        Path | None,
        typer.Option(
            parser=path,
            metavar="PATH",
            help="Folder to keep objects in; by default, they are in memory.",
        ),
    ] = None,
    nodes: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=192,
            metavar="N",
            help="Number of nodes; by default 1, or as before in --data-dir.",
        ),
    ] = None,
    simulate: Annotated[
        bool | None,
        typer.Option(
            "--simulate/--no-simulate",
            help="Start no processes; containers only pretend to run. By default as before in"
            " --data-dir, or off.",
        ),
    ] = None,
    no_rbac: Annotated[
        bool,
        typer.Option("--no-rbac", help="Let every user do everything, including service accounts."),
    ] = False,
    port: Annotated[
        int,
        typer.Option(
            min=0, max=65535, metavar="N", help="Port of the API server; 0 picks a free one."
        ),
    ] = 0,
    wait: Annotated[
        float, typer.Option(min=1, metavar="SECONDS", help="How long to wait for it to be ready.")
    ] = 60.0,
) -> None:
    """Start a cluster, and return when it answers.

    Container commands run as local processes under your user, unless --simulate is given.

    Exit status: 0 if it runs, even if it did before; 1 if it failed; 2 for invalid input.
    """
    from kubewright.cli.cluster.start import Options, StartError
    from kubewright.cli.cluster.start import start as run

    options = Options(
        name=name,
        kubeconfig=kubeconfig,
        data_dir=data_dir,
        nodes=nodes,
        simulate=simulate,
        rbac=not no_rbac,
        port=port,
        wait=wait,
    )
    try:
        run(options)
    except StartError as error:
        print(f"kubewright: {error}", file=sys.stderr)  # noqa: T201  # this is where users look
        raise typer.Exit(1) from None


@cluster.command()
def stop(*, name: Name = NAME) -> None:
    """Stop a cluster and everything its pods have started."""
    from kubewright.cli.cluster.start import stop as run

    run(name)


@cluster.command()
def status(*, name: Name = NAME) -> None:
    """Show the status of a cluster.

    Exit status: 0 if it runs, 1 if it is dead or does not answer, 3 if there is none.
    """
    from kubewright.cli.cluster.status import status as run

    raise typer.Exit(run(name))


@cluster.command()
def kubeconfig(*, name: Name = NAME) -> None:
    """Print the kubeconfig of a cluster."""
    from kubewright.cli.cluster.status import kubeconfig as run

    run(name)


@cluster.command(name="list")
def list_command() -> None:
    """List your clusters."""
    from kubewright.cli.cluster.status import list_all

    list_all()

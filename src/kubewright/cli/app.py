"""What can be typed: commands and options. The work is done elsewhere."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from kubewright.errors import KubewrightError

__all__ = ["app", "main"]

app: typer.Typer = typer.Typer(
    name="kubewright",
    no_args_is_help=True,
    rich_markup_mode=None,  # rich would take longer to load than the server to start
    pretty_exceptions_enable=False,
    help="Kubernetes operators in Python, and a Kubernetes API server to try them on.",
)


def main() -> None:
    """Run the command that the user typed; a mistake of theirs is said in one line, status 2."""
    try:
        app()
    except KubewrightError as error:
        print(f"kubewright: {error}", file=sys.stderr)  # noqa: T201  # this is where users look
        sys.exit(2)


def _path(text: str) -> Path:
    """Read a path; an empty one would be the current folder, which nobody means."""
    if not text:
        raise typer.BadParameter("it is empty. Name a path, or leave the option out.")
    return Path(text)


def _version(*, wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415  # 20 ms, for this option only

        typer.echo(f"kubewright {version('kubewright')}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


@app.command()
def apiserver(  # one for each option
    *,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")
    ] = 0,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    kubeconfig: Annotated[
        Path | None,
        typer.Option(
            parser=_path,
            metavar="PATH",
            help="File to write a kubeconfig to, once the server answers.",
        ),
    ] = None,
    data_dir: Annotated[
        Path | None,
        typer.Option(
            parser=_path,
            metavar="PATH",
            help="Folder to keep objects in; without it, in memory.",
        ),
    ] = None,
    rbac: Annotated[
        bool, typer.Option("--rbac", help="Enforce RBAC; without it, everybody may do everything.")
    ] = False,
    audit_log: Annotated[
        Path | None,
        typer.Option(
            parser=_path,
            metavar="PATH",
            help="File to append an audit event to for every call.",
        ),
    ] = None,
) -> None:
    """Run a Kubernetes API server on this machine, until Ctrl-C.

    It is for development and tests. There are no nodes: a pod stays pending.
    """
    from kubewright.cli.apiserver import Options, run  # noqa: PLC0415  # --help needs no server

    run(
        Options(
            host=host,
            port=port,
            kubeconfig=kubeconfig,
            data_dir=data_dir,
            rbac=rbac,
            audit_log=audit_log,
        )
    )

"""Commands and options; the work is done in other modules."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from kubewright._version import VERSION
from kubewright.cli.cluster.commands import cluster
from kubewright.cli.cluster.commands import path as _path
from kubewright.cli.fatal import tell
from kubewright.errors import KubewrightError

__all__ = ["app", "main"]

app: typer.Typer = typer.Typer(
    name="kubewright",
    no_args_is_help=True,
    rich_markup_mode=None,  # rich would take longer to load than the server to start
    pretty_exceptions_enable=False,
    help="Kubernetes operators in Python, and a Kubernetes cluster to try them on.",
)
app.add_typer(cluster, name="cluster")


class LogLevel(StrEnum):
    """What ``--log-level`` takes."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class LogFormat(StrEnum):
    """What ``--log-format`` takes."""

    CONSOLE = "console"
    JSON = "json"


def main() -> None:
    """Run the command that the user typed; report their mistakes in one line, with status 2."""
    try:
        app()
    except KubewrightError as error:
        tell(str(error))
        sys.exit(2)


def _version(*, wanted: bool) -> None:
    if wanted:
        typer.echo(f"kubewright {VERSION}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    pass


@app.command()
def demo() -> None:
    """Show an operator at work in ten seconds.

    It starts a cluster on this machine, an operator, and one object for it, and leaves nothing
    behind. The command of the pod, "echo YAY", runs as a local process under your user.

    Exit status: 0 if it worked, 1 if it failed.
    """
    from kubewright.cli.demo.demo import run

    raise typer.Exit(run())


@app.command()
def dev(  # noqa: PLR0913  # one for each option
    target: Annotated[
        str,
        typer.Argument(
            metavar="FILE_OR_MODULE[:NAME]",
            help="The operator: at.py, shop.main, or at.py:name if there are several.",
        ),
    ],
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

    status = run(
        Options(
            target,
            name=name,
            nodes=nodes,
            simulate=simulate,
            rbac=not no_rbac,
            samples=samples,
            log_level=log_level.value,
        )
    )
    raise typer.Exit(status)


@app.command(name="run")
def run_command(  # noqa: PLR0913  # one for each option
    target: Annotated[
        str,
        typer.Argument(
            metavar="FILE_OR_MODULE[:NAME]",
            help="The operator: at.py, shop.main, or at.py:name if there are several.",
        ),
    ],
    *,
    kubeconfig: Annotated[
        Path | None,
        typer.Option(parser=_path, metavar="PATH", help="Kubeconfig file; by default, kubectl's."),
    ] = None,
    context: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Context to use instead of the current one."),
    ] = None,
    namespace: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Namespace to watch; can be repeated. By default, all of them.",
        ),
    ] = None,
    leader_elect: Annotated[
        bool,
        typer.Option("--leader-elect", help="Let only one of several replicas work at a time."),
    ] = False,
    leader_elect_namespace: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Namespace of the Lease; by default, the pod's own."),
    ] = None,
    leader_elect_name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Name of the Lease; by default, the operator's."),
    ] = None,
    leader_elect_lease_duration: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", help="Time after which a standby takes over from a silent leader."
        ),
    ] = 15.0,
    leader_elect_renew_deadline: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", help="How long a leader tries to renew its Lease before it stops."
        ),
    ] = 10.0,
    leader_elect_retry_period: Annotated[
        float, typer.Option(metavar="SECONDS", help="Time between two attempts.")
    ] = 2.0,
    metrics_bind_address: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="Address of /metrics, such as ':8080'; '0' for none."),
    ] = "0",
    health_probe_bind_address: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Address of /healthz and /readyz, such as ':8081'; '0' for none.",
        ),
    ] = "0",
    workers: Annotated[
        int,
        typer.Option(
            min=1, metavar="N", help="Number of objects each reconciler works on at a time."
        ),
    ] = 1,
    log_level: Annotated[
        LogLevel, typer.Option(case_sensitive=False, help="Lowest level to print.")
    ] = LogLevel.INFO,
    log_format: Annotated[
        LogFormat, typer.Option(help="Lines for people, or one JSON object per line.")
    ] = LogFormat.CONSOLE,
    install_crds: Annotated[
        bool, typer.Option("--install-crds", help="Install the CRDs of the operator's kinds first.")
    ] = False,
    check_rights: Annotated[
        bool,
        typer.Option(
            "--check-rights/--no-check-rights",
            help="Log at startup which permissions the operator lacks.",
        ),
    ] = True,
) -> None:
    """Run an operator against a cluster until Ctrl-C.

    Exit status: 0 after a signal, 1 if it fails while it runs, 2 for invalid input.
    """
    from kubewright.cli.run import Options, run

    options = Options(
        target,
        kubeconfig=kubeconfig,
        context=context,
        namespaces=tuple(namespace or ()),
        leader_elect=leader_elect,
        leader_elect_namespace=leader_elect_namespace,
        leader_elect_name=leader_elect_name,
        lease_duration=leader_elect_lease_duration,
        renew_deadline=leader_elect_renew_deadline,
        retry_period=leader_elect_retry_period,
        metrics_bind_address=metrics_bind_address,
        health_probe_bind_address=health_probe_bind_address,
        workers=workers,
        log_level=log_level.value,
        log_format=log_format.value,
        install_crds=install_crds,
        check_rights=check_rights,
    )
    try:
        status = run(options)
    except KubewrightError as error:
        tell(str(error), log_format.value)
        status = 2
    raise typer.Exit(status)


@app.command()
def apiserver(  # one for each option
    *,
    port: Annotated[
        int,
        typer.Option(min=0, max=65535, metavar="N", help="Port to listen on; 0 picks a free one."),
    ] = 0,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Address to listen on.")
    ] = "127.0.0.1",
    kubeconfig: Annotated[
        Path | None,
        typer.Option(
            parser=_path,
            metavar="PATH",
            help="File to write a kubeconfig to once the server answers.",
        ),
    ] = None,
    data_dir: Annotated[
        Path | None,
        typer.Option(
            parser=_path,
            metavar="PATH",
            help="Folder to keep objects in; by default, they are in memory.",
        ),
    ] = None,
    rbac: Annotated[
        bool,
        typer.Option(help="Enforce RBAC; without it, every user may do everything."),
    ] = True,
    audit_log: Annotated[
        Path | None,
        typer.Option(
            parser=_path,
            metavar="PATH",
            help="File to append an audit event to for every request.",
        ),
    ] = None,
) -> None:
    """Run a Kubernetes API server on this machine until Ctrl-C.

    It is for development and tests. There are no nodes, so pods stay pending. For a whole cluster,
    run "kubewright cluster start".
    """
    from kubewright.cli.apiserver import Options, run

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

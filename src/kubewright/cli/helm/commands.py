"""The options of ``kubewright helm``."""

from pathlib import Path
from typing import Annotated

import typer

from kubewright.cli.cluster.commands import path as _path
from kubewright.cli.fatal import tell
from kubewright.cli.options import LogFormat, LogLevel
from kubewright.cli.parsing import Command, Commands, examples
from kubewright.errors import KubewrightError

__all__ = ["helm", "run"]

helm: typer.Typer = typer.Typer(
    name="helm",
    cls=Commands,
    no_args_is_help=True,
    help="Run a Helm chart as an operator, without a project.",
)

_EXAMPLES = examples(
    "kubewright helm run ./shop --group example.com --version v1alpha1 --kind Shop --install-crds",
    "kubewright helm run shop-1.2.0.tgz --group example.com --version v1 --kind Shop",
)


@helm.command(cls=Command, epilog=_EXAMPLES)
def run(  # noqa: PLR0913  # one for each option
    chart: Annotated[
        Path, typer.Argument(parser=_path, metavar="CHART", help="The chart: a folder or a .tgz.")
    ],
    *,
    group: Annotated[str, typer.Option(metavar="NAME", help="API group of the kind.")],
    version: Annotated[str, typer.Option(metavar="NAME", help="Version of the kind.")],
    kind: Annotated[str, typer.Option(metavar="NAME", help="The kind, such as Shop.")],
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
    workers: Annotated[
        int, typer.Option(min=1, metavar="N", help="Number of releases to work on at a time.")
    ] = 1,
    leader_elect: Annotated[
        bool,
        typer.Option("--leader-elect", help="Let only one of several replicas work at a time."),
    ] = False,
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
    install_crds: Annotated[
        bool,
        typer.Option("--install-crds", help="Install a CRD for the kind first, for any values."),
    ] = False,
    log_level: Annotated[
        LogLevel, typer.Option(case_sensitive=False, help="Lowest level to print.")
    ] = LogLevel.INFO,
    log_format: Annotated[
        LogFormat, typer.Option(help="Lines for people, or one JSON object per line.")
    ] = LogFormat.CONSOLE,
) -> None:
    """Run a chart as an operator until Ctrl-C: each object of the kind is a release of it.

    Exit status: 0 after a signal, 1 if it fails while it runs, 2 for invalid input.
    """
    from kubewright.cli.helm.single import single_chart
    from kubewright.cli.run import Options
    from kubewright.cli.run import run as start

    try:
        status = start(
            Options(
                str(chart),
                kubeconfig=kubeconfig,
                context=context,
                namespaces=tuple(namespace or ()),
                leader_elect=leader_elect,
                metrics_bind_address=metrics_bind_address,
                health_probe_bind_address=health_probe_bind_address,
                workers=workers,
                log_level=log_level.value,
                log_format=log_format.value,
                install_crds=install_crds,
            ),
            single_chart(chart, group=group, version=version, kind=kind),
        )
    except KubewrightError as error:
        tell(str(error), log_format.value)
        status = 2
    raise typer.Exit(status)

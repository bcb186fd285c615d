"""The options of ``kubewright doctor``."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from kubewright.cli.cluster.commands import path
from kubewright.cli.parsing import examples

__all__ = ["EXAMPLES", "Output", "doctor"]

EXAMPLES: str = examples(
    "kubewright doctor",
    "kubewright doctor at.py --namespace at-system",
    "kubewright doctor --context prod --output json",
)


class Output(StrEnum):
    """What ``--output`` takes."""

    TEXT = "text"
    JSON = "json"


def doctor(  # noqa: PLR0913  # one for each option
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE_OR_MODULE[:NAME]]",
            help="The operator: at.py, shop.main, or at.py:name if there are several; by default,"
            " that of the project in this folder. Without one, the cluster alone is looked at.",
            show_default=False,
        ),
    ] = None,
    *,
    kubeconfig: Annotated[
        Path | None,
        typer.Option(parser=path, metavar="PATH", help="Kubeconfig file; by default, kubectl's."),
    ] = None,
    context: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Context to use instead of the current one."),
    ] = None,
    namespace: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Namespace of the Deployment; by default, PROJECT-system."
        ),
    ] = None,
    deployment: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="The Deployment of the operator, if it is not found by itself."
        ),
    ] = None,
    service_account: Annotated[
        str | None,
        typer.Option(
            metavar="NAMESPACE:NAME", help="Its service account; by default, the Deployment's."
        ),
    ] = None,
    output: Annotated[
        Output, typer.Option("--output", "-o", help="A report for people, or one JSON document.")
    ] = Output.TEXT,
    timeout: Annotated[
        float,
        typer.Option(min=0.1, metavar="SECONDS", help="Time that each check may take."),
    ] = 10.0,
    stuck_after: Annotated[
        float,
        typer.Option(min=0, metavar="SECONDS", help="Time after which a deletion counts as stuck."),
    ] = 300.0,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Tell what is fine, too.")
    ] = False,
) -> None:
    """Say what is wrong with a cluster and an operator, and how to mend it.

    It reads, and stores nothing: to see whether webhooks answer, it creates objects as a dry run.

    Without an operator, outside of a project, it looks at the cluster alone.

    Exit status: 0 if nothing is wrong, 1 if something is, 2 for wrong input or no cluster.
    """
    from kubewright.cli.doctor.doctor import Options, run

    options = Options(
        target,
        kubeconfig=kubeconfig,
        context=context,
        namespace=namespace,
        deployment=deployment,
        service_account=service_account,
        output=output.value,
        timeout=timeout,
        stuck_after=stuck_after,
        verbose=verbose,
    )
    raise typer.Exit(run(options))

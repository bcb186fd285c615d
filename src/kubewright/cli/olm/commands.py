"""The commands ``olm run-bundle`` and ``olm cleanup``."""

from pathlib import Path
from typing import Annotated

import typer

from kubewright.cli.cluster.commands import path as _path
from kubewright.cli.parsing import Command, Commands, examples

__all__ = ["olm"]

RUN_EXAMPLES: str = examples(
    "kubewright olm run-bundle bundle --namespace shop-system",
    "kubewright olm run-bundle bundle --watch shops --watch stalls",
    "kubewright olm run-bundle bundle-v2",
)
CLEANUP_EXAMPLES: str = examples(
    "kubewright olm cleanup shop --namespace shop-system",
    "kubewright olm cleanup shop --keep-crds",
)

olm: typer.Typer = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Try bundles on a cluster without OLM, installed as OLM would do it.",
)

Namespace = Annotated[
    str,
    typer.Option(
        "--namespace", "-n", metavar="NAME", help="Where it runs; by default, the context's."
    ),
]
Kubeconfig = Annotated[
    Path | None,
    typer.Option(parser=_path, metavar="PATH", help="Kubeconfig file; by default, kubectl's."),
]
Context = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Context to use instead of the current one."),
]
Timeout = Annotated[str, typer.Option(metavar="DURATION", help="How long each wait may take.")]


@olm.command(name="run-bundle", cls=Command, epilog=RUN_EXAMPLES)
def run_bundle(  # noqa: PLR0913  # one for each option
    folder: Annotated[Path, typer.Argument(parser=_path, metavar="FOLDER", help="The bundle.")],
    *,
    namespace: Namespace = "",
    watch: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Namespace that it looks after; can be repeated. By default all, or its own.",
        ),
    ] = None,
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Wait until the operator is ready.")
    ] = True,
    timeout: Timeout = "2m",
    force_conflicts: Annotated[
        bool, typer.Option("--force-conflicts", help="Take over fields that others have set.")
    ] = False,
    kubeconfig: Kubeconfig = None,
    context: Context = None,
) -> None:
    """Install a bundle as OLM would do it, or upgrade the version that is installed.

    Exit status: 0 for done, 1 if the bundle is not valid, the cluster refuses or the operator is
    not ready, 2 for invalid input.
    """
    from kubewright.cli.deploy.session import Access, seconds
    from kubewright.cli.olm.running import RunOptions
    from kubewright.cli.olm.running import run_bundle as run

    options = RunOptions(
        Access(kubeconfig, context),
        folder,
        namespace=namespace,
        watch=tuple(watch or ()),
        wait=wait,
        timeout=seconds("--timeout", timeout),
        force_conflicts=force_conflicts,
    )
    raise typer.Exit(run(options))


@olm.command(cls=Command, epilog=CLEANUP_EXAMPLES)
def cleanup(  # noqa: PLR0913  # one for each option
    package: Annotated[str, typer.Argument(metavar="PACKAGE", help="The package.")],
    *,
    namespace: Namespace = "",
    delete_objects: Annotated[
        bool,
        typer.Option("--delete-objects", help="Delete the objects of its kinds, too, and wait."),
    ] = False,
    keep_crds: Annotated[
        bool, typer.Option("--keep-crds", help="Leave its kinds and their objects.")
    ] = False,
    timeout: Timeout = "2m",
    kubeconfig: Kubeconfig = None,
    context: Context = None,
) -> None:
    """Remove an operator that `olm run-bundle` has installed.

    Exit status: 0 for done, 1 if it is not installed, there are objects or the cluster refuses, 2
    for invalid input.
    """
    from kubewright.cli.deploy.session import Access, seconds
    from kubewright.cli.olm.cleanup import CleanupOptions
    from kubewright.cli.olm.cleanup import cleanup as run

    options = CleanupOptions(
        Access(kubeconfig, context),
        package,
        namespace=namespace,
        delete_objects=delete_objects,
        keep_crds=keep_crds,
        timeout=seconds("--timeout", timeout),
    )
    raise typer.Exit(run(options))

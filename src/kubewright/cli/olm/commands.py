"""The commands ``olm install``, ``olm status`` and ``olm uninstall``."""

from pathlib import Path
from typing import Annotated

import typer

from kubewright.cli.cluster.commands import path as _path
from kubewright.cli.parsing import Command, Commands, examples

__all__ = ["olm"]

_FILES = "--from crds.yaml --from olm.yaml"
INSTALL_EXAMPLES: str = examples(
    f"kubewright olm install {_FILES}",
    "kubewright olm install --from https://example.com/olm/crds.yaml"
    " --from https://example.com/olm/olm.yaml",
)
STATUS_EXAMPLES: str = examples("kubewright olm status", f"kubewright olm status {_FILES}")
UNINSTALL_EXAMPLES: str = examples(
    "kubewright olm uninstall", f"kubewright olm uninstall {_FILES} --delete-objects"
)

olm: typer.Typer = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Install the Operator Lifecycle Manager from its own manifests, and look after it.",
)

From = Annotated[
    list[str] | None,
    typer.Option(
        "--from",
        metavar="FILE|URL",
        help="Manifests of OLM, such as crds.yaml and olm.yaml; can be repeated.",
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


@olm.command(cls=Command, epilog=INSTALL_EXAMPLES)
def install(
    *,
    sources: From = None,
    timeout: Timeout = "5m",
    force_conflicts: Annotated[
        bool, typer.Option("--force-conflicts", help="Take over fields that others have set.")
    ] = False,
    kubeconfig: Kubeconfig = None,
    context: Context = None,
) -> None:
    """Install OLM, or another version of it, and wait until it runs.

    Nothing is downloaded but what --from names. OLM's releases on GitHub, those of
    operator-framework/operator-lifecycle-manager, have crds.yaml and olm.yaml for each version.

    Exit status: 0 for done, 1 if the cluster refuses or OLM is not ready, 2 for invalid input.
    """
    from kubewright.cli.deploy.session import Access, seconds
    from kubewright.cli.olm.manager import ManagerOptions
    from kubewright.cli.olm.manager import install as run

    options = ManagerOptions(
        Access(kubeconfig, context),
        tuple(sources or ()),
        timeout=seconds("--timeout", timeout),
        force_conflicts=force_conflicts,
    )
    raise typer.Exit(run(options))


@olm.command(cls=Command, epilog=STATUS_EXAMPLES)
def status(
    *,
    sources: From = None,
    kubeconfig: Kubeconfig = None,
    context: Context = None,
) -> None:
    """Show the objects that OLM consists of, and how each is.

    Exit status: 0 if all are there and ready, 1 if not, 2 for invalid input.
    """
    from kubewright.cli.deploy.session import Access
    from kubewright.cli.olm.manager import ManagerOptions
    from kubewright.cli.olm.manager import status as run

    raise typer.Exit(run(ManagerOptions(Access(kubeconfig, context), tuple(sources or ()))))


@olm.command(cls=Command, epilog=UNINSTALL_EXAMPLES)
def uninstall(
    *,
    sources: From = None,
    delete_objects: Annotated[
        bool,
        typer.Option(
            "--delete-objects", help="Delete subscriptions and all else of its kinds, too."
        ),
    ] = False,
    timeout: Timeout = "5m",
    kubeconfig: Kubeconfig = None,
    context: Context = None,
) -> None:
    """Remove OLM, and wait until it is gone.

    Exit status: 0 for done, 1 if operators would go with it, it is not installed or the cluster
    refuses, 2 for invalid input.
    """
    from kubewright.cli.deploy.session import Access, seconds
    from kubewright.cli.olm.manager import ManagerOptions
    from kubewright.cli.olm.manager import uninstall as run

    options = ManagerOptions(
        Access(kubeconfig, context),
        tuple(sources or ()),
        timeout=seconds("--timeout", timeout),
        delete_objects=delete_objects,
    )
    raise typer.Exit(run(options))

"""The commands by their names; each is defined in a module of its own."""

import sys
from typing import Annotated, Any

import typer

from kubewright._version import VERSION
from kubewright.cli.bundle.commands import (
    PKGMAN_EXAMPLES,
    SCORECARD_EXAMPLES,
    bundle,
    catalog,
    pkgman_to_bundle,
    scorecard,
)
from kubewright.cli.bundle.generating import register as register_generating
from kubewright.cli.cluster.commands import cluster
from kubewright.cli.commands.apiserver import apiserver
from kubewright.cli.commands.demo import demo
from kubewright.cli.commands.dev import dev
from kubewright.cli.commands.migrate import migrate_storage
from kubewright.cli.commands.run import run
from kubewright.cli.deploy.commands import register as register_deploying
from kubewright.cli.doctor.commands import EXAMPLES as DOCTOR_EXAMPLES
from kubewright.cli.doctor.commands import doctor
from kubewright.cli.fatal import tell
from kubewright.cli.generate.commands import DIFF_EXAMPLES, diff_crd, generate
from kubewright.cli.helm.commands import helm
from kubewright.cli.manifests.commands import EXAMPLES as MANIFESTS_EXAMPLES
from kubewright.cli.manifests.commands import manifests
from kubewright.cli.olm.bundles import (
    CLEANUP_EXAMPLES,
    RUN_EXAMPLES,
    UPGRADE_EXAMPLES,
    cleanup,
    run_bundle,
    upgrade_bundle,
)
from kubewright.cli.olm.commands import olm
from kubewright.cli.parsing import Command, Commands
from kubewright.cli.project.commands import EDIT_EXAMPLES, INIT_EXAMPLES, create, edit, init
from kubewright.cli.rbac.commands import rbac
from kubewright.cli.shell.commands import (
    COMPLETION_EXAMPLES,
    HELP_EXAMPLES,
    complete,
    completion,
    show_help,
    version,
)
from kubewright.cli.update.commands import alpha
from kubewright.errors import KubewrightError

__all__ = ["app", "main"]

_FIRST = (
    "init", "create", "edit", "manifests", "generate", "diff-crd", "demo", "dev", "run", "helm",
    "install", "uninstall", "deploy", "undeploy", "build-installer", "docker-build", "docker-push",
    "docker-buildx", "bundle", "catalog", "scorecard", "run bundle", "run bundle-upgrade",
    "cleanup", "olm", "pkgman-to-bundle", "doctor", "rbac",
)  # fmt: skip
_LAST = ("completion", "version", "help")


class _Program(Commands):
    def list_commands(self, ctx: Any) -> list[str]:
        """Return the commands in the order in which one meets them."""
        names = super().list_commands(ctx)
        between = [name for name in names if name not in {*_FIRST, *_LAST}]
        return [name for name in (*_FIRST, *between, *_LAST) if name in names]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that *args* name, and the rest of them.

        `run bundle` is a command beside `run`, which takes a file or a module: a project has a
        folder ``bundle``, in which there is no operator.
        """
        both = " ".join(args[:2])
        if len(args) > 1 and self.get_command(ctx, both) is not None:
            args = [both, *args[2:]]
        return super().resolve_command(ctx, args)


app: typer.Typer = typer.Typer(
    name="kubewright",
    cls=_Program,
    no_args_is_help=True,
    rich_markup_mode=None,  # rich would take longer to load than the server to start
    pretty_exceptions_enable=False,
    add_completion=False,  # there is a command for it
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Kubernetes operators in Python, and a Kubernetes cluster to try them on.",
)


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
    show_version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    pass


app.command(cls=Command, epilog=INIT_EXAMPLES)(init)
app.add_typer(create, name="create")
app.command(cls=Command, epilog=EDIT_EXAMPLES)(edit)
app.command()(demo)
app.command()(dev)
app.command()(run)
app.command(cls=Command, epilog=MANIFESTS_EXAMPLES)(manifests)
app.add_typer(rbac, name="rbac", cls=Commands)
register_generating(generate)
app.add_typer(generate, name="generate", cls=Commands)
app.command(name="diff-crd", epilog=DIFF_EXAMPLES)(diff_crd)
register_deploying(app)
app.add_typer(bundle, name="bundle", cls=Commands)
app.add_typer(catalog, name="catalog", cls=Commands)
app.command(cls=Command, epilog=SCORECARD_EXAMPLES)(scorecard)
app.command(name="run bundle", cls=Command, epilog=RUN_EXAMPLES)(run_bundle)
app.command(name="run bundle-upgrade", cls=Command, epilog=UPGRADE_EXAMPLES)(upgrade_bundle)
app.command(cls=Command, epilog=CLEANUP_EXAMPLES)(cleanup)
app.add_typer(olm, name="olm", cls=Commands)
app.command(cls=Command, epilog=PKGMAN_EXAMPLES)(pkgman_to_bundle)
app.add_typer(alpha, name="alpha")
app.command(cls=Command, epilog=DOCTOR_EXAMPLES)(doctor)
app.add_typer(helm, name="helm", cls=Commands)
app.command()(apiserver)
app.command()(migrate_storage)
app.add_typer(cluster, name="cluster", cls=Commands)
app.command(epilog=COMPLETION_EXAMPLES)(completion)
app.command()(version)
app.command(name="help", epilog=HELP_EXAMPLES)(show_help)
app.command(name="__complete", hidden=True)(complete)

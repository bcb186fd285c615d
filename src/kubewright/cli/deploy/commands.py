"""The commands ``install``, ``deploy``, ``build-installer``, ``docker-build`` and their kin."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from kubewright.cli.cluster.commands import path as _path
from kubewright.cli.parsing import Command, examples

__all__ = ["register"]

Target = Annotated[
    str | None,
    typer.Argument(
        metavar="[FILE_OR_MODULE[:NAME]]",
        help="The operator whose CRDs are meant; by default, config/crd of the project in this"
        " folder.",
        show_default=False,
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
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Let the server check everything, and change nothing.")
]
Force = Annotated[
    bool, typer.Option("--force-conflicts", help="Take over fields that others have set.")
]
IgnoreNotFound = Annotated[
    bool, typer.Option("--ignore-not-found", help="It is fine if some of it is not there.")
]
DeleteObjects = Annotated[
    bool,
    typer.Option(
        "--delete-objects",
        "--force",
        help="Delete the objects of the kinds, too, and wait until they are gone.",
    ),
]
ImageOption = Annotated[
    str,
    typer.Option(
        envvar="IMG", metavar="IMAGE", help="Image of the operator, such as localhost:5000/shop:v1."
    ),
]
ImageArgument = Annotated[
    str, typer.Argument(envvar="IMG", metavar="IMG", help="The image, with its registry and tag.")
]
Overlay = Annotated[
    str, typer.Option(metavar="FOLDER", help="Folder with the kustomization to build.")
]
Namespace = Annotated[
    str, typer.Option(metavar="NAME", help="Namespace, instead of that in the kustomization.")
]
Tool = Annotated[
    str,
    typer.Option(
        metavar="docker|podman|buildah",
        help="What builds images; by default $CONTAINER_TOOL, or the first that is here.",
        show_default=False,
    ),
]
File = Annotated[
    Path | None,
    typer.Option("--file", "-f", parser=_path, metavar="PATH", help="The Dockerfile."),
]


def install(  # one for each option
    target: Target = None,
    *,
    dry_run: DryRun = False,
    force_conflicts: Force = False,
    timeout: Annotated[
        str, typer.Option(metavar="DURATION", help="How long the server may take to serve them.")
    ] = "1m",
    kubeconfig: Kubeconfig = None,
    context: Context = None,
) -> None:
    """Install the CRDs, and wait until the server serves them.

    Exit status: 0 for done, 1 if the cluster refuses, 2 for invalid input.
    """
    from kubewright.cli.deploy.install import InstallOptions
    from kubewright.cli.deploy.install import install as run
    from kubewright.cli.deploy.session import Access, seconds

    options = InstallOptions(
        Access(kubeconfig, context),
        target,
        dry_run=dry_run,
        timeout=seconds("--timeout", timeout),
        force_conflicts=force_conflicts,
    )
    raise typer.Exit(run(options))


def uninstall(  # noqa: PLR0913  # one for each option
    target: Target = None,
    *,
    ignore_not_found: IgnoreNotFound = False,
    delete_objects: DeleteObjects = False,
    dry_run: DryRun = False,
    timeout: Annotated[
        str, typer.Option(metavar="DURATION", help="How long to wait until they are gone.")
    ] = "1m",
    kubeconfig: Kubeconfig = None,
    context: Context = None,
) -> None:
    """Remove the CRDs, unless there are objects of them.

    Exit status: 0 for done, 1 if there are objects or the cluster refuses, 2 for invalid input.
    """
    from kubewright.cli.deploy.install import UninstallOptions
    from kubewright.cli.deploy.install import uninstall as run
    from kubewright.cli.deploy.session import Access, seconds

    options = UninstallOptions(
        Access(kubeconfig, context),
        target,
        dry_run=dry_run,
        timeout=seconds("--timeout", timeout),
        ignore_not_found=ignore_not_found,
        delete_objects=delete_objects,
    )
    raise typer.Exit(run(options))


def deploy(  # noqa: PLR0913  # one for each option
    *,
    image: ImageOption,
    overlay: Overlay = "config/default",
    namespace: Namespace = "",
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Wait until the operator is ready.")
    ] = True,
    timeout: Annotated[
        str, typer.Option(metavar="DURATION", help="How long it may take to be ready.")
    ] = "2m",
    dry_run: DryRun = False,
    force_conflicts: Force = False,
    kubeconfig: Kubeconfig = None,
    context: Context = None,
) -> None:
    """Deploy the operator of the project, and wait until it is ready.

    What an earlier deployment has made, and what is not in the project any more, is pruned.

    Exit status: 0 if it is ready, 1 if it is not or the cluster refuses, 2 for invalid input.
    """
    from kubewright.cli.deploy.deploy import DeployOptions
    from kubewright.cli.deploy.deploy import deploy as run
    from kubewright.cli.deploy.session import Access, seconds

    options = DeployOptions(
        Access(kubeconfig, context),
        image,
        overlay=overlay,
        namespace=namespace,
        wait=wait,
        timeout=seconds("--timeout", timeout),
        dry_run=dry_run,
        force_conflicts=force_conflicts,
    )
    raise typer.Exit(run(options))


def undeploy(  # noqa: PLR0913  # one for each option
    *,
    ignore_not_found: IgnoreNotFound = False,
    delete_objects: DeleteObjects = False,
    keep_crds: Annotated[
        bool, typer.Option("--keep-crds", help="Leave the CRDs, and so all objects of them.")
    ] = False,
    delete_namespace: Annotated[
        bool,
        typer.Option(
            "--delete-namespace", help="Delete the namespace, although others have objects in it."
        ),
    ] = False,
    keep_namespace: Annotated[
        bool, typer.Option("--keep-namespace", help="Leave the namespace, and what else is in it.")
    ] = False,
    overlay: Overlay = "config/default",
    namespace: Namespace = "",
    timeout: Annotated[
        str, typer.Option(metavar="DURATION", help="How long to wait at each step.")
    ] = "2m",
    dry_run: DryRun = False,
    kubeconfig: Kubeconfig = None,
    context: Context = None,
) -> None:
    """Remove the operator, its CRDs and the namespace that deploy has made.

    While there are objects of its kinds it refuses: without the operator, nobody would clean up
    after them. --delete-objects deletes them first, --keep-crds leaves them.

    It refuses, too, while others have objects in the namespace. A namespace that was there before
    the deployment stays.

    Exit status: 0 for done, 1 if something is left, 2 for invalid input.
    """
    from kubewright.cli.deploy.session import Access, seconds
    from kubewright.cli.deploy.undeploy import UndeployOptions
    from kubewright.cli.deploy.undeploy import undeploy as run

    options = UndeployOptions(
        Access(kubeconfig, context),
        overlay=overlay,
        namespace=namespace,
        ignore_not_found=ignore_not_found,
        delete_objects=delete_objects,
        keep_crds=keep_crds,
        delete_namespace=delete_namespace,
        keep_namespace=keep_namespace,
        timeout=seconds("--timeout", timeout),
        dry_run=dry_run,
    )
    raise typer.Exit(run(options))


def build_installer(  # one for each option
    *,
    image: ImageOption,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", parser=_path, metavar="PATH", help="File to write; - for stdout."
        ),
    ] = Path("dist/install.yaml"),
    overlay: Overlay = "config/default",
    namespace: Namespace = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what is written.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Also overwrite a file that was not made this way.")
    ] = False,
) -> None:
    """Write one file with everything that deploy would apply.

    Exit status: 0 for done, 2 for invalid input.
    """
    from kubewright.cli.deploy.installer import build_installer as run

    raise typer.Exit(
        run(image, output, overlay=overlay, namespace=namespace, dry_run=dry_run, force=force)
    )


def docker_build(image: ImageArgument, *, tool: Tool = "", file: File = None) -> None:
    """Build the image of the project, with docker, podman or buildah.

    Exit status: that of the tool; 2 for invalid input.
    """
    from kubewright.cli.deploy.container import build

    raise typer.Exit(build(image, tool=tool, file=file))


def docker_push(image: ImageArgument, *, tool: Tool = "") -> None:
    """Push the image of the project to its registry.

    Exit status: that of the tool; 2 for invalid input.
    """
    from kubewright.cli.deploy.container import push

    raise typer.Exit(push(image, tool=tool))


def docker_buildx(
    image: ImageArgument,
    *,
    platform: Annotated[
        str, typer.Option(metavar="LIST", help="The platforms.")
    ] = "linux/arm64,linux/amd64",
    tool: Tool = "",
    file: File = None,
) -> None:
    """Build the image of the project for several platforms, and push it.

    Exit status: that of the tool; 2 for invalid input.
    """
    from kubewright.cli.deploy.container import build_for_platforms

    raise typer.Exit(build_for_platforms(image, platform, tool=tool, file=file))


_EXAMPLES: dict[Callable[..., None], str] = {
    install: examples(
        "kubewright install",
        "kubewright install at.py --dry-run",
        "kubewright install --context kind",
    ),
    uninstall: examples("kubewright uninstall", "kubewright uninstall --delete-objects"),
    deploy: examples(
        "kubewright deploy --image registry.example.com/shop:v1",
        "kubewright deploy --image registry.example.com/shop:v1 --dry-run",
        "kubewright deploy --image localhost:5000/shop --timeout 5m",
    ),
    undeploy: examples(
        "kubewright undeploy",
        "kubewright undeploy --delete-objects --ignore-not-found",
        "kubewright undeploy --keep-crds",
    ),
    build_installer: examples(
        "kubewright build-installer --image registry.example.com/shop:v1",
        "kubewright build-installer --image registry.example.com/shop:v1 -o - | kubectl apply -f -",
    ),
    docker_build: examples(
        "kubewright docker-build registry.example.com/shop:v1",
        "kubewright docker-build localhost:5000/shop --tool podman",
    ),
    docker_push: examples("kubewright docker-push registry.example.com/shop:v1"),
    docker_buildx: examples(
        "kubewright docker-buildx registry.example.com/shop:v1",
        "kubewright docker-buildx registry.example.com/shop:v1 --platform linux/amd64,linux/s390x",
    ),
}


def register(app: typer.Typer) -> None:
    """Add the commands to *app*."""
    for command, epilog in _EXAMPLES.items():
        name = command.__name__.replace("_", "-")
        app.command(name=name, cls=Command, epilog=epilog)(command)

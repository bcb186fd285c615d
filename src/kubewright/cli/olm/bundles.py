"""The commands ``run bundle``, ``run bundle-upgrade`` and ``cleanup``."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kubewright.cli.cluster.commands import path as _path
from kubewright.cli.parsing import examples

if TYPE_CHECKING:
    from kubewright.bundle.subscription.objects import Settings

__all__ = [
    "CLEANUP_EXAMPLES",
    "RUN_EXAMPLES",
    "UPGRADE_EXAMPLES",
    "cleanup",
    "run_bundle",
    "upgrade_bundle",
]

RUN_EXAMPLES: str = examples(
    "kubewright run bundle bundle --namespace shop-system",
    "kubewright run bundle registry.example.com/shop-bundle:v0.1.0 --install-mode OwnNamespace",
    "kubewright run bundle bundle --direct --watch shops --watch stalls",
)
UPGRADE_EXAMPLES: str = examples(
    "kubewright run bundle-upgrade bundle-v2 --namespace shop-system",
    "kubewright run bundle-upgrade registry.example.com/shop-bundle:v0.2.0",
)
CLEANUP_EXAMPLES: str = examples(
    "kubewright cleanup shop --namespace shop-system",
    "kubewright cleanup shop --delete-objects",
    "kubewright cleanup shop --keep-crds",
)


class Security(StrEnum):
    """What ``--security-context-config`` takes."""

    RESTRICTED = "restricted"
    LEGACY = "legacy"


class PullPolicy(StrEnum):
    """What ``--image-pull-policy`` takes."""

    ALWAYS = "Always"
    MISSING = "IfNotPresent"
    NEVER = "Never"


Source = Annotated[
    str, typer.Argument(metavar="FOLDER|IMAGE", help="The bundle; images are read from registries.")
]
Namespace = Annotated[
    str,
    typer.Option(
        "--namespace", "-n", metavar="NAME", help="Where it runs; by default, the context's."
    ),
]
Direct = Annotated[
    bool, typer.Option("--direct", help="Go without OLM, in a cluster that does not have it.")
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
Wait = Annotated[
    bool,
    typer.Option("--wait/--no-wait", help="With --direct: wait until the operator is ready."),
]
Force = Annotated[
    bool,
    typer.Option("--force-conflicts", help="With --direct: take over fields that others have set."),
]
IndexImage = Annotated[
    str, typer.Option(metavar="IMAGE", help="Image with opm, which serves the catalog.")
]
PullSecret = Annotated[
    str, typer.Option(metavar="NAME", help="Secret to pull images with, in the namespace.")
]
Account = Annotated[
    str, typer.Option(metavar="NAME", help="Service account of the pod with the catalog.")
]
SecurityContext = Annotated[
    Security,
    typer.Option(
        case_sensitive=False, help="Pod Security Standard that the pod with the catalog keeps."
    ),
]
Policy = Annotated[
    PullPolicy | None,
    typer.Option(case_sensitive=False, help="When the image with opm is pulled."),
]
UseHTTP = Annotated[bool, typer.Option("--use-http", help="Read the bundle's image without TLS.")]
_OPM = "quay.io/operator-framework/opm:latest"


def run_bundle(  # noqa: PLR0913  # one for each option
    source: Source,
    *,
    namespace: Namespace = "",
    install_mode: Annotated[
        str,
        typer.Option(
            metavar="MODE[=NAMES]",
            help="AllNamespaces, OwnNamespace, SingleNamespace=other or MultiNamespace=one,other;"
            " by default the first of these that it supports.",
        ),
    ] = "",
    watch: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="The same: a namespace it looks after; can be repeated."),
    ] = None,
    direct: Direct = False,
    wait: Wait = True,
    timeout: Timeout = "2m",
    force_conflicts: Force = False,
    index_image: IndexImage = _OPM,
    image_pull_policy: Policy = None,
    pull_secret_name: PullSecret = "",
    service_account: Account = "",
    security_context_config: SecurityContext = Security.RESTRICTED,
    use_http: UseHTTP = False,
    kubeconfig: Kubeconfig = None,
    context: Context = None,
) -> None:
    """Install a bundle with OLM, or without it as OLM would do it.

    Exit status: 0 for done, 1 if the bundle is not valid, the cluster refuses or the operator is
    not ready, 2 for invalid input.
    """
    from kubewright.cli.deploy.session import Access, seconds
    from kubewright.cli.olm.running import RunOptions
    from kubewright.cli.olm.running import run_bundle as run

    options = RunOptions(
        Access(kubeconfig, context),
        source,
        namespace=namespace,
        mode=install_mode,
        watch=tuple(watch or ()),
        direct=direct,
        wait=wait,
        timeout=seconds("--timeout", timeout),
        force_conflicts=force_conflicts,
        use_http=use_http,
        settings=_settings(
            index_image, image_pull_policy, pull_secret_name, service_account,
            security_context_config,
        ),
    )  # fmt: skip
    raise typer.Exit(run(options))


def upgrade_bundle(  # noqa: PLR0913  # one for each option
    source: Source,
    *,
    namespace: Namespace = "",
    direct: Direct = False,
    wait: Wait = True,
    timeout: Timeout = "2m",
    force_conflicts: Force = False,
    index_image: IndexImage = _OPM,
    image_pull_policy: Policy = None,
    pull_secret_name: PullSecret = "",
    service_account: Account = "",
    security_context_config: SecurityContext = Security.RESTRICTED,
    use_http: UseHTTP = False,
    kubeconfig: Kubeconfig = None,
    context: Context = None,
) -> None:
    """Upgrade an operator that `run bundle` has installed to the version of another bundle.

    Exit status: 0 for done, 1 if the bundle is not valid, the cluster refuses or the operator is
    not ready, 2 for invalid input.
    """
    from kubewright.cli.deploy.session import Access, seconds
    from kubewright.cli.olm.running import RunOptions
    from kubewright.cli.olm.running import run_bundle as run

    options = RunOptions(
        Access(kubeconfig, context),
        source,
        namespace=namespace,
        upgrade=True,
        direct=direct,
        wait=wait,
        timeout=seconds("--timeout", timeout),
        force_conflicts=force_conflicts,
        use_http=use_http,
        settings=_settings(
            index_image, image_pull_policy, pull_secret_name, service_account,
            security_context_config,
        ),
    )  # fmt: skip
    raise typer.Exit(run(options))


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
    direct: Direct = False,
    timeout: Timeout = "2m",
    kubeconfig: Kubeconfig = None,
    context: Context = None,
) -> None:
    """Remove an operator that `run bundle` has installed.

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
        direct=direct,
        timeout=seconds("--timeout", timeout),
    )
    raise typer.Exit(run(options))


def _settings(
    image: str, policy: PullPolicy | None, secret: str, account: str, security: Security
) -> "Settings":
    from kubewright.bundle.subscription.objects import Settings
    from kubewright.cli.deploy.image import parse_image

    return Settings(
        str(parse_image(image, option="--index-image")),
        pull_policy=policy.value if policy else "",
        pull_secret=secret,
        account=account,
        restricted=security is Security.RESTRICTED,
    )

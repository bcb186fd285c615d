"""The commands ``generate kustomize manifests``, ``generate bundle`` and ``generate catalog``."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from kubewright.cli.cluster.commands import path as _path
from kubewright.cli.options import Target
from kubewright.cli.parsing import Command, Commands, examples
from kubewright.errors import ConfigError

__all__ = ["register"]

KUSTOMIZE_EXAMPLES: str = examples(
    "kubewright generate kustomize manifests",
    "kubewright generate kustomize manifests --interactive",
    "kubewright generate kustomize manifests --display-name 'Shop Operator' --provider Example",
)
BUNDLE_EXAMPLES: str = examples(
    "kubewright generate bundle --version 0.1.0 --image registry.example.com/shop:v0.1.0",
    "kubewright generate bundle --version 0.2.0 --channels stable,candidate"
    " --default-channel stable",
    "kustomize build config/manifests | kubewright generate bundle --version 0.1.0 --input-dir -",
    "kubewright generate bundle --version 0.1.0 --stdout",
)
CATALOG_EXAMPLES: str = examples(
    "kubewright generate catalog bundle --image registry.example.com/shop-bundle:v0.1.0",
    "kubewright generate catalog v1 v2 --image-base registry.example.com/shop-bundle --mode semver",
)

kustomize: typer.Typer = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Generate what kustomize builds.",
)

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say which files would be written.")]
Package = Annotated[
    str, typer.Option(metavar="NAME", help="The package; by default, the name of the project.")
]


class Mode(StrEnum):
    """What ``--mode`` takes."""

    REPLACES = "replaces"
    SEMVER = "semver"


@kustomize.callback()
def _kustomize() -> None:
    """Keep `manifests` a command of its own, though it is the only one."""


@kustomize.command(name="manifests", cls=Command, epilog=KUSTOMIZE_EXAMPLES)
def kustomize_manifests(  # noqa: PLR0913  # one for each option
    target: Target = None,
    *,
    package: Package = "",
    input_dir: Annotated[
        str,
        typer.Option(metavar="FOLDER", help="Where the base is now; by default, the output."),
    ] = "",
    output_dir: Annotated[
        str, typer.Option(metavar="FOLDER", help="Folder of the project to write to.")
    ] = "config/manifests",
    display_name: Annotated[
        str, typer.Option(metavar="TEXT", help="The operator's name, as people write it.")
    ] = "",
    description: Annotated[
        str, typer.Option(metavar="TEXT", help="What it is for; can be Markdown.")
    ] = "",
    provider: Annotated[str, typer.Option(metavar="NAME", help="Who provides it.")] = "",
    provider_url: Annotated[str, typer.Option(metavar="URL", help="Where to find them.")] = "",
    keyword: Annotated[
        list[str] | None,
        typer.Option(metavar="WORD", help="A word to find it by; can be repeated."),
    ] = None,
    maintainer: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME:EMAIL", help="Who looks after it; can be repeated."),
    ] = None,
    interactive: Annotated[
        bool, typer.Option("--interactive", help="Ask for what is missing, for a new base.")
    ] = False,
    quiet: Quiet = False,
    dry_run: DryRun = False,
) -> None:
    """Write the base of a ClusterServiceVersion, and the kustomization around it.

    A base that is there keeps what people have written; its list of kinds is brought up to date
    with the classes. The options about names and people are for a new one.

    Exit status: 0 for done, 2 for invalid input.
    """
    from kubewright.bundle.base import Metadata
    from kubewright.cli.bundle.kustomize import Options, generate_kustomize
    from kubewright.cli.bundle.questions import ask, read_maintainers

    said = Metadata(
        display_name,
        description,
        provider,
        provider_url,
        tuple(keyword or ()),
        read_maintainers(maintainer or ()),
    )
    options = Options(
        target,
        package=package,
        input_dir=input_dir,
        output_dir=output_dir,
        said=said,
        ask=ask if interactive else None,
        quiet=quiet,
        dry_run=dry_run,
    )
    raise typer.Exit(generate_kustomize(options))


def bundle(  # noqa: PLR0913  # one for each option
    *,
    version: Annotated[
        str, typer.Option("--version", "-v", metavar="VERSION", help="Such as 0.1.0.")
    ] = "",
    package: Package = "",
    channels: Annotated[
        str, typer.Option(metavar="NAMES", help="Channels that it is in, with commas between them.")
    ] = "alpha",
    default_channel: Annotated[
        str, typer.Option(metavar="NAME", help="Channel for those who name none.")
    ] = "",
    image: Annotated[
        str,
        typer.Option(
            envvar="IMG", metavar="IMAGE", help="Image of the operator, in place of controller."
        ),
    ] = "",
    input_dir: Annotated[
        str,
        typer.Option(
            metavar="FOLDER|-",
            help="Read objects from files, or from the input, instead of the project.",
        ),
    ] = "",
    deploy_dir: Annotated[
        Path | None,
        typer.Option(parser=_path, metavar="FOLDER", help="The same, beside --crds-dir."),
    ] = None,
    crds_dir: Annotated[
        Path | None,
        typer.Option(parser=_path, metavar="FOLDER", help="More files, with CRDs."),
    ] = None,
    kustomize_dir: Annotated[
        str, typer.Option(metavar="FOLDER", help="Folder of the project to build, and of the base.")
    ] = "config/manifests",
    output_dir: Annotated[
        str, typer.Option(metavar="FOLDER", help="Folder of the project to write to.")
    ] = "bundle",
    replaces: Annotated[
        str, typer.Option(metavar="NAME", help="What it replaces, such as shop.v0.1.0.")
    ] = "",
    extra_service_accounts: Annotated[
        str,
        typer.Option(
            metavar="NAMES", help="Service accounts whose rights it has, besides the pods' own."
        ),
    ] = "",
    manifests: Annotated[
        bool, typer.Option("--manifests", help="Write only the manifests.")
    ] = False,
    metadata: Annotated[
        bool, typer.Option("--metadata", help="Write only metadata and the Dockerfile.")
    ] = False,
    overwrite: Annotated[
        bool,
        typer.Option(
            "--overwrite/--no-overwrite",
            help="Overwrite metadata and the Dockerfile that are there.",
        ),
    ] = True,
    list_images: Annotated[
        bool,
        typer.Option("--list-images", help="List the images of all containers as related."),
    ] = False,
    use_image_digests: Annotated[
        bool,
        typer.Option(
            "--use-image-digests",
            help="Name all images by digests, which their registries are asked for.",
        ),
    ] = False,
    use_http: Annotated[
        bool, typer.Option("--use-http", help="Ask registries without TLS.")
    ] = False,
    stdout: Annotated[
        bool, typer.Option("--stdout", help="Print the manifests, and write nothing.")
    ] = False,
    quiet: Quiet = False,
    dry_run: DryRun = False,
) -> None:
    """Write a bundle for OLM: manifests, metadata, tests and a Dockerfile.

    It is checked first: of one that would not be valid, nothing is written.

    Exit status: 0 for done, 1 if it would not be valid, 2 for invalid input.
    """
    from kubewright.cli.bundle.generation import Options, generate_bundle

    options = Options(
        version=version,
        package=package,
        channels=channels,
        default_channel=default_channel,
        image="" if input_dir or deploy_dir else image,
        input_dir=input_dir,
        deploy_dir=deploy_dir,
        crds_dir=crds_dir,
        kustomize_dir=kustomize_dir,
        output_dir=output_dir,
        replaces=replaces,
        accounts=tuple(one for one in extra_service_accounts.split(",") if one),
        manifests=manifests,
        metadata=metadata,
        overwrite=overwrite,
        list_images=list_images,
        use_digests=use_image_digests,
        use_http=use_http,
        stdout=stdout,
        quiet=quiet,
        dry_run=dry_run,
    )
    raise typer.Exit(generate_bundle(options))


def catalog(  # noqa: PLR0913  # one for each option
    bundles: Annotated[
        list[str], typer.Argument(metavar="BUNDLE...", help="Folders of bundles, or their images.")
    ],
    *,
    image: Annotated[
        str, typer.Option(metavar="IMAGE", help="Image that the bundle is in, if it is one.")
    ] = "",
    image_base: Annotated[
        str,
        typer.Option(metavar="NAME", help="Images of all bundles, without :v and the version."),
    ] = "",
    output_dir: Annotated[
        Path, typer.Option(parser=_path, metavar="FOLDER", help="The catalog.")
    ] = Path("catalog"),
    base_image: Annotated[
        str, typer.Option(metavar="IMAGE", help="Image with opm, for a new Dockerfile.")
    ] = "quay.io/operator-framework/opm:latest",
    mode: Annotated[
        Mode,
        typer.Option(
            case_sensitive=False,
            help="What replaces what: as the bundles say, or each version the next lower one.",
        ),
    ] = Mode.REPLACES,
    use_http: Annotated[
        bool, typer.Option("--use-http", help="Read images of bundles without TLS.")
    ] = False,
    stdout: Annotated[
        bool, typer.Option("--stdout", help="Print the catalog, and write nothing.")
    ] = False,
    dry_run: DryRun = False,
) -> None:
    """Make a catalog of bundles, or add them to the one that is there.

    Exit status: 0 for done, 1 if a bundle or the catalog is not valid, 2 for invalid input.
    """
    from kubewright.cli.bundle.catalog import Options, generate_catalog

    if not bundles:
        raise ConfigError("which bundles? Name their folders")
    options = Options(
        tuple(bundles),
        image=image,
        image_base=image_base,
        output_dir=output_dir,
        base_image=base_image,
        by_version=mode is Mode.SEMVER,
        use_http=use_http,
        stdout=stdout,
        dry_run=dry_run,
    )
    raise typer.Exit(generate_catalog(options))


def register(generate: typer.Typer) -> None:
    """Add the commands to *generate*."""
    generate.add_typer(kustomize, name="kustomize", cls=Commands)
    generate.command(cls=Command, epilog=BUNDLE_EXAMPLES)(bundle)
    generate.command(cls=Command, epilog=CATALOG_EXAMPLES)(catalog)

"""The commands ``bundle validate``, ``catalog validate`` and ``pkgman-to-bundle``."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from kubewright.cli.cluster.commands import path as _path
from kubewright.cli.parsing import Command, Commands, examples
from kubewright.errors import ConfigError

__all__ = [
    "PKGMAN_EXAMPLES",
    "SCORECARD_EXAMPLES",
    "bundle",
    "catalog",
    "pkgman_to_bundle",
    "scorecard",
]

BUNDLE_EXAMPLES: str = examples(
    "kubewright bundle validate bundle",
    "kubewright bundle validate bundle --select-optional suite=operatorframework",
    "kubewright bundle validate bundle --select-optional name=alpha-deprecated-apis"
    " --optional-values k8s-version=1.25",
    "kubewright bundle validate bundle --output json-alpha1",
)
CATALOG_EXAMPLES: str = examples(
    "kubewright catalog validate catalog",
    "kubewright catalog validate catalog --output json-alpha1",
)
PKGMAN_EXAMPLES: str = examples(
    "kubewright pkgman-to-bundle packagemanifests",
    "kubewright pkgman-to-bundle packagemanifests --output-dir out --dry-run",
)

SCORECARD_EXAMPLES: str = examples(
    "kubewright scorecard bundle",
    "kubewright scorecard bundle --selector suite=olm --output xunit",
    "kubewright scorecard bundle --list",
)

bundle: typer.Typer = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Check bundles for OLM; `kubewright generate bundle` makes them.",
)
catalog: typer.Typer = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Check catalogs for OLM; `kubewright generate catalog` makes them.",
)


class Output(StrEnum):
    """What ``--output`` takes."""

    TEXT = "text"
    JSON = "json-alpha1"


class Format(StrEnum):
    """What ``--output`` of ``scorecard`` takes."""

    TEXT = "text"
    JSON = "json"
    XUNIT = "xunit"


class PodSecurity(StrEnum):
    """What ``--pod-security`` of ``scorecard`` takes."""

    LEGACY = "legacy"
    RESTRICTED = "restricted"


OutputOption = Annotated[
    Output, typer.Option("--output", "-o", case_sensitive=False, help="How to print the findings.")
]


@bundle.callback()
def _bundle() -> None:
    """Keep `validate` a command of its own, though it is the only one."""


@catalog.callback()
def _catalog() -> None:
    """Keep `validate` a command of its own, though it is the only one."""


@bundle.command(name="validate", cls=Command, epilog=BUNDLE_EXAMPLES)
def validate_bundle(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FOLDER|IMAGE", help="The bundle: what has manifests/ and metadata/."
        ),
    ] = "",
    *,
    select_optional: Annotated[
        str,
        typer.Option(
            metavar="SELECTOR",
            help="Run these validators, too: name=good-practices, suite=operatorframework,"
            " name in (a,b).",
        ),
    ] = "",
    optional_values: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE", help="A value for them: k8s-version=1.25; can be repeated."
        ),
    ] = None,
    list_optional: Annotated[
        bool, typer.Option("--list-optional", help="List them, and check nothing.")
    ] = False,
    output: OutputOption = Output.TEXT,
    use_http: Annotated[
        bool, typer.Option("--use-http", help="Ask registries without TLS.")
    ] = False,
) -> None:
    """Check whether OLM can install a bundle.

    Exit status: 0 if it can, 1 if there are errors, 2 for invalid input. Warnings do not count.
    """
    from kubewright.cli.bundle.validation import Options
    from kubewright.cli.bundle.validation import list_optional as show
    from kubewright.cli.bundle.validation import validate_bundle as run

    if list_optional:
        raise typer.Exit(show())
    if not source:
        raise ConfigError("which bundle? Name its folder: kubewright bundle validate bundle")
    options = Options(
        source,
        select=select_optional,
        values=tuple(optional_values or ()),
        output=output.value,
        use_http=use_http,
    )
    raise typer.Exit(run(options))


@catalog.command(name="validate", cls=Command, epilog=CATALOG_EXAMPLES)
def validate_catalog(
    folder: Annotated[
        Path,
        typer.Argument(parser=_path, metavar="FOLDER", help="The catalog: YAML or JSON files."),
    ],
    *,
    output: OutputOption = Output.TEXT,
) -> None:
    """Check whether OLM can serve a catalog: its names, and the upgrades in its channels.

    Exit status: 0 if it can, 1 if there are errors, 2 for invalid input.
    """
    from kubewright.cli.bundle.validation import validate_catalog as run

    raise typer.Exit(run(folder, output=output.value))


def pkgman_to_bundle(
    folder: Annotated[
        Path,
        typer.Argument(
            parser=_path,
            metavar="FOLDER",
            help="Package manifests: a file such as shop.package.yaml, and a folder for each"
            " version.",
        ),
    ],
    *,
    output_dir: Annotated[
        Path, typer.Option(parser=_path, metavar="FOLDER", help="Where to write the bundles.")
    ] = Path("bundles"),
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that differ.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say which files would be written.")
    ] = False,
) -> None:
    """Make bundles of package manifests, the format before them: one for each version.

    Exit status: 0 for done, 2 for invalid input.
    """
    from kubewright.cli.bundle.pkgman import convert

    raise typer.Exit(convert(folder, output_dir, force=force, dry_run=dry_run))


def scorecard(  # noqa: PLR0913  # one for each option
    source: Annotated[str, typer.Argument(metavar="FOLDER|IMAGE", help="The bundle.")],
    *,
    config: Annotated[
        Path | None,
        typer.Option(
            "--config",
            "-c",
            parser=_path,
            metavar="FILE",
            help="Which tests; by default, tests/scorecard/config.yaml of the bundle.",
        ),
    ] = None,
    selector: Annotated[
        str,
        typer.Option("--selector", "-l", metavar="SELECTOR", help="Only tests with these labels."),
    ] = "",
    output: Annotated[
        Format, typer.Option("--output", "-o", case_sensitive=False, help="How to print them.")
    ] = Format.TEXT,
    list_tests: Annotated[
        bool, typer.Option("--list", "-L", help="List the tests, and run none.")
    ] = False,
    namespace: Annotated[
        str,
        typer.Option(
            "--namespace", "-n", metavar="NAME", help="Where pods run; by default, the context's."
        ),
    ] = "",
    service_account: Annotated[
        str, typer.Option("--service-account", "-s", metavar="NAME", help="Whose rights pods have.")
    ] = "",
    wait_time: Annotated[
        str,
        typer.Option("--wait-time", "-w", metavar="DURATION", help="How long pods may take, all."),
    ] = "30s",
    skip_cleanup: Annotated[
        bool, typer.Option("--skip-cleanup", "-x", help="Leave the pods, to look at them.")
    ] = False,
    untar_image: Annotated[
        str,
        typer.Option(
            "--untar-image", "-u", metavar="IMAGE", help="Image with tar, for the bundle in pods."
        ),
    ] = "",
    pod_security: Annotated[
        PodSecurity,
        typer.Option(case_sensitive=False, help="Pod Security Standard that pods keep."),
    ] = PodSecurity.LEGACY,
    kubeconfig: Annotated[
        Path | None,
        typer.Option(parser=_path, metavar="PATH", help="Kubeconfig file; by default, kubectl's."),
    ] = None,
    context: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Context to use instead of the current one."),
    ] = None,
) -> None:
    """Run the tests of operator-sdk's scorecard on a bundle.

    Those that operator-sdk brings run here, without pods and without a cluster; others are images,
    and run as pods.

    Exit status: 0 if all pass, 1 if one does not, 2 for invalid input.
    """
    from kubewright.cli.bundle.scorecard import Options, run
    from kubewright.cli.deploy.session import Access, seconds

    options = Options(
        source,
        config=config,
        selector=selector,
        output=output.value,
        only_list=list_tests,
        access=Access(kubeconfig, context),
        namespace=namespace,
        account=service_account,
        timeout=seconds("--wait-time", wait_time),
        keep=skip_cleanup,
        untar_image=untar_image,
        restricted=pod_security is PodSecurity.RESTRICTED,
    )
    raise typer.Exit(run(options))

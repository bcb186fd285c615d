"""The commands of ``kubewright generate``, and ``kubewright diff-crd``."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from kubewright.cli.cluster.commands import path as _path
from kubewright.cli.options import Target
from kubewright.cli.parsing import Command, Commands, examples

__all__ = ["DIFF_EXAMPLES", "diff_crd", "generate"]

generate: typer.Typer = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Generate classes from CRDs, an API reference, and bundles for OLM.",
)

TYPES_EXAMPLES: str = examples(
    "kubewright generate types --from-crd certmanager.yaml --output shop/types",
    "kubewright generate types --from-crd cluster --group cert-manager.io --kind Certificate",
    "kubectl get crd shops.example.com -o yaml | kubewright generate types --from-crd -",
)
DOCS_EXAMPLES: str = examples(
    "kubewright generate docs",
    "kubewright generate docs shop.py --format html --output public",
    "kubewright generate docs --from-crd config/crd/bases --check",
)
DIFF_EXAMPLES: str = examples(
    "kubewright diff-crd cluster config/crd/bases",
    "kubewright diff-crd HEAD:config/crd/bases config/crd/bases --fail-on risky",
    "kubewright diff-crd v1.yaml v2.yaml --output json",
)

_FROM = "FILE|FOLDER|URL|-|cluster"

Kubeconfig = Annotated[
    Path | None,
    typer.Option(parser=_path, metavar="PATH", help="Kubeconfig file; by default, kubectl's."),
]
Context = Annotated[
    str | None, typer.Option(metavar="NAME", help="Context to use instead of the current one.")
]
Group = Annotated[
    list[str] | None,
    typer.Option("--group", metavar="NAME", help="Only kinds of this group; can be repeated."),
]
Kind = Annotated[
    list[str] | None,
    typer.Option("--kind", metavar="NAME", help="Only this kind; can be repeated."),
]


class Format(StrEnum):
    """What ``--format`` takes."""

    MARKDOWN = "markdown"
    HTML = "html"
    BOTH = "both"


class Output(StrEnum):
    """What ``--output`` of ``diff-crd`` takes."""

    TEXT = "text"
    JSON = "json"


class FailOn(StrEnum):
    """What ``--fail-on`` takes."""

    BREAKING = "breaking"
    RISKY = "risky"
    NEVER = "never"


@generate.command(cls=Command, epilog=TYPES_EXAMPLES)
def types(  # noqa: PLR0913  # one for each option
    *,
    from_crd: Annotated[
        list[str],
        typer.Option(
            metavar=_FROM,
            help="Where the CRDs are; can be repeated. REVISION:PATH reads from git.",
        ),
    ],
    group: Group = None,
    kind: Kind = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            parser=_path,
            metavar="FILE.py|FOLDER",
            help="Where to write: one module, or one for each group and version."
            " By default, one module to the standard output.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that differ.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say which files would be written.")
    ] = False,
    line_length: Annotated[
        int | None,
        typer.Option(min=40, max=320, metavar="N", help="By default, as ruff is told, or 88."),
    ] = None,
    kubeconfig: Kubeconfig = None,
    context: Context = None,
) -> None:
    """Generate Python classes from CustomResourceDefinitions.

    The classes give the same schemas again. Objects of other kinds in the files are ignored.

    Exit status: 0 for done, 2 for invalid input.
    """
    from kubewright.cli.generate.source import Source
    from kubewright.cli.generate.types import Options, run

    options = Options(
        tuple(Source(one, kubeconfig, context) for one in from_crd),
        groups=tuple(group or ()),
        kinds=tuple(kind or ()),
        output=output,
        force=force,
        dry_run=dry_run,
        line_length=line_length,
    )
    raise typer.Exit(run(options))


@generate.command(cls=Command, epilog=DOCS_EXAMPLES)
def docs(  # noqa: PLR0913  # one for each option
    target: Target = None,
    *,
    from_crd: Annotated[
        list[str] | None,
        typer.Option(
            metavar=_FROM,
            help="Describe these CRDs, instead of those of an operator; can be repeated.",
        ),
    ] = None,
    group: Group = None,
    kind: Kind = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            parser=_path,
            metavar="FOLDER",
            help="Where to write; by default docs/api, of the project if there is one.",
        ),
    ] = None,
    form: Annotated[
        Format, typer.Option("--format", case_sensitive=False, help="What to write.")
    ] = Format.BOTH,
    samples: Annotated[
        Path | None,
        typer.Option(
            parser=_path,
            metavar="FOLDER",
            help="Objects to show as examples; by default config/samples, likewise.",
        ),
    ] = None,
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The title of the reference.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail if a file is not up to date.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say which files would be written.")
    ] = False,
    kubeconfig: Kubeconfig = None,
    context: Context = None,
) -> None:
    """Generate an API reference of an operator's kinds, in Markdown and HTML.

    The page in HTML stands alone: it needs no other file, and no network.

    Exit status: 0 for done, 1 for not up to date (with --check), 2 for invalid input.
    """
    from kubewright.cli.generate.docs import Options, run
    from kubewright.cli.generate.source import Source

    options = Options(
        target=target,
        sources=tuple(Source(one, kubeconfig, context) for one in from_crd or ()),
        groups=tuple(group or ()),
        kinds=tuple(kind or ()),
        output=output,
        form=form.value,
        samples=samples,
        title=title,
        check=check,
        dry_run=dry_run,
    )
    raise typer.Exit(run(options))


def diff_crd(  # noqa: PLR0913  # one for each option
    old: Annotated[
        str, typer.Argument(metavar="OLD", help=f"What there is: {_FROM}|REVISION:PATH.")
    ],
    new: Annotated[str, typer.Argument(metavar="NEW", help="What there will be; likewise.")],
    *,
    output: Annotated[
        Output, typer.Option("--output", "-o", case_sensitive=False, help="How to print it.")
    ] = Output.TEXT,
    fail_on: Annotated[
        FailOn, typer.Option(case_sensitive=False, help="Which changes make it fail.")
    ] = FailOn.BREAKING,
    group: Group = None,
    kind: Kind = None,
    kubeconfig: Kubeconfig = None,
    context: Context = None,
) -> None:
    """Say which changes between CRDs break stored objects or clients.

    Exit status: 0 if nothing breaks, 1 if something does (see --fail-on), 2 for invalid input.
    """
    from kubewright.cli.generate.diff import Options, run
    from kubewright.cli.generate.source import Source

    options = Options(
        Source(old, kubeconfig, context),
        Source(new, kubeconfig, context),
        output=output.value,
        fail_on=fail_on.value,
        groups=tuple(group or ()),
        kinds=tuple(kind or ()),
    )
    raise typer.Exit(run(options))

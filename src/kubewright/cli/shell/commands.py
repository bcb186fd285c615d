"""The commands ``version``, ``help`` and ``completion``."""

from enum import StrEnum
from typing import Annotated, Any

import typer

from kubewright._version import VERSION
from kubewright.cli.parsing import examples

__all__ = ["COMPLETION_EXAMPLES", "HELP_EXAMPLES", "complete", "completion", "show_help", "version"]

HELP_EXAMPLES = examples("kubewright help", "kubewright help create api")
COMPLETION_EXAMPLES = examples(
    "source <(kubewright completion bash)",
    "kubewright completion zsh > ~/.zfunc/_kubewright",
    "kubewright completion fish > ~/.config/fish/completions/kubewright.fish",
    "kubewright completion powershell | Out-String | Invoke-Expression",
)


class Output(StrEnum):
    """What ``--output`` takes."""

    TEXT = "text"
    JSON = "json"


class Shell(StrEnum):
    """The shells that can complete."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"
    POWERSHELL = "powershell"


def version(
    *,
    output: Annotated[
        Output, typer.Option("--output", "-o", help="A line for people, or JSON.")
    ] = Output.TEXT,
) -> None:
    """Print the version."""
    from kubewright.cli.shell.about import versions

    found = versions()
    if output is Output.TEXT:
        typer.echo(f"kubewright {VERSION}")
        return
    from kubewright import _json

    typer.echo(_json.encode(found).decode())


def show_help(
    ctx: typer.Context,
    command: Annotated[
        list[str] | None, typer.Argument(metavar="[COMMAND...]", show_default=False)
    ] = None,
) -> None:
    """Print the help of a command."""
    typer.echo(_help_of(ctx.find_root(), command or []))


def completion(
    shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh, fish or powershell.")],
) -> None:
    """Print a script that completes commands and options.

    The shell has to read it: in each session, or once if it is where the shell looks for such
    scripts.
    """
    from kubewright.cli.shell.completion import SCRIPTS

    typer.echo(SCRIPTS[shell.value], nl=False)


def complete(
    ctx: typer.Context,
    words: Annotated[list[str] | None, typer.Argument()] = None,
    *,
    new: Annotated[bool, typer.Option("--new", help="The cursor is behind the last word.")] = False,
) -> None:
    """Print what the last of *words* may become, for the scripts of shells."""
    from kubewright.cli.shell.completion import candidates

    typed = [*(words or []), *([""] if new or not words else [])]
    for word, about in candidates(ctx.find_root().command, typed):
        typer.echo(f"{word}\t{about}" if about else word)


def _help_of(ctx: Any, words: list[str]) -> str:
    while words and hasattr(ctx.command, "resolve_command"):
        name, found, words = ctx.command.resolve_command(ctx, words)
        ctx = found.make_context(name, [], parent=ctx, resilient_parsing=True)
    return str(ctx.get_help())

"""Groups and commands that understand what people type from other tools, and what they mistype."""

from difflib import get_close_matches
from typing import Any

from typer.core import TyperCommand, TyperGroup

from kubewright.errors import ConfigError

__all__ = ["Command", "Commands", "examples"]


class Command(TyperCommand):
    """A command whose switches also take a value: ``--resource=false`` is ``--no-resource``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read *args*."""
        switches = {
            name: (name, off)
            for one in self.params
            for name, off in zip(one.opts, getattr(one, "secondary_opts", ()), strict=False)
        }
        return super().parse_args(ctx, [_switch(arg, switches) for arg in args])


class Commands(TyperGroup):
    """Commands that say, in one line, which of them was meant."""

    command_class: type[Command] | None = Command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that *args* name, and the rest of them.

        Raises:
            ConfigError: There is no such command.
        """
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            raise ConfigError(self._unknown(ctx, args[0]))
        return super().resolve_command(ctx, args)

    def _unknown(self, ctx: Any, word: str) -> str:
        names = [
            name
            for name in self.list_commands(ctx)
            if (one := self.get_command(ctx, name)) is not None and not one.hidden
        ]
        near = get_close_matches(word, names, n=1, cutoff=0.6)
        there = f"There are {', '.join(names)}." if len(names) > 1 else f"There is {names[0]}."
        hint = f"Did you mean {near[0]}?" if near else there
        return f"there is no command {' '.join((*_path(ctx), word))!r}. {hint}"


def examples(*lines: str) -> str:
    """Return *lines* as the end of a command's help, which no line of it is wrapped in."""
    listed = "\n".join(f"  {line}" for line in lines)
    return f"\b\nExamples:\n{listed}"


def _path(ctx: Any) -> list[str]:
    """Return the words before the command, without the program's name."""
    return [] if ctx.parent is None else [*_path(ctx.parent), str(ctx.info_name)]


def _switch(arg: str, switches: dict[str, tuple[str, str]]) -> str:
    name, equals, value = arg.partition("=")
    if equals and name in switches and value.lower() in {"true", "false"}:
        return switches[name][value.lower() == "false"]
    return arg

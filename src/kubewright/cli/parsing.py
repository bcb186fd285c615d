"""Groups and commands that understand what people type from other tools, and what they mistype."""

from difflib import get_close_matches
from typing import Any

from typer.core import TyperCommand, TyperGroup

from kubewright.cli.foreign import COMMANDS, find_folder, find_foreign
from kubewright.errors import ConfigError

_TRUE = ("1", "t", "true")
_FALSE = ("0", "f", "false")
_LONG = 400
"""More signs than any command needs for its first sentence."""

__all__ = ["Command", "Commands", "examples"]


class Command(TyperCommand):
    """A command whose switches also take a value: ``--resource=false`` is ``--no-resource``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read *args*.

        Raises:
            ConfigError: An option is one of other tools, or a switch has a value that is none.
        """
        known = [name for one in self.params for name in (*one.opts, *one.secondary_opts)]
        typed = " ".join(_path(ctx))
        if hint := find_foreign(typed, args, known) or find_folder(typed, args):
            raise ConfigError(hint)
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

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands with what they do, in as many lines as that takes."""
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        shown = [(name, one) for name, one in found if one is not None and not one.hidden]
        with formatter.section("Commands"):
            formatter.write_dl([(name, one.get_short_help_str(_LONG)) for name, one in shown])

    def _unknown(self, ctx: Any, word: str) -> str:
        typed = " ".join((*_path(ctx), word))
        if hint := COMMANDS.get(typed):
            return f"there is no command {typed!r}. {hint}"
        names = [
            name
            for name in self.list_commands(ctx)
            if (one := self.get_command(ctx, name)) is not None and not one.hidden
        ]
        near = get_close_matches(word, names, n=1, cutoff=0.6)
        there = f"There are {', '.join(names)}." if len(names) > 1 else f"There is {names[0]}."
        hint = f"Did you mean {near[0]}?" if near else there
        return f"there is no command {typed!r}. {hint}"


def examples(*lines: str) -> str:
    """Return *lines* as the end of a command's help, which no line of it is wrapped in."""
    listed = "\n".join(f"  {line}" for line in lines)
    return f"\b\nExamples:\n{listed}"


def _path(ctx: Any) -> list[str]:
    """Return the words before the command, without the program's name."""
    return [] if ctx.parent is None else [*_path(ctx.parent), str(ctx.info_name)]


def _switch(arg: str, switches: dict[str, tuple[str, str]]) -> str:
    name, equals, value = arg.partition("=")
    if not equals or name not in switches:
        return arg
    if value.lower() not in _TRUE + _FALSE:
        raise ConfigError(f"{name}: {value!r} is neither true nor false")
    return switches[name][value.lower() in _FALSE]

from typing import Annotated

import pytest
import typer
from typer.main import get_command
from typer.testing import CliRunner

from kubewright.cli.app import app as program
from kubewright.cli.parsing import Command, Commands, examples
from kubewright.errors import ConfigError

runner = CliRunner()
app = typer.Typer(cls=Commands, rich_markup_mode=None)


@app.command(cls=Command, epilog=examples("make --size big", "make"))
def make(*, big: Annotated[bool, typer.Option("--big/--no-big")] = True, name: str = "") -> None:
    """Make it."""
    typer.echo(f"{big} {name}")


@app.callback()
def _options() -> None:
    pass


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--big=false"], "False "),
        (["--big=True"], "True "),
        (["--no-big"], "False "),
        (["--big=0"], "False "),
        (["--big=T"], "True "),
        (["--name=false"], "True false"),
    ],
)
def test_switches_take_a_value_as_those_of_go_do(words: list[str], said: str) -> None:
    """People have ``--resource=false`` in their scripts."""
    assert runner.invoke(app, ["make", *words]).output == f"{said}\n"


def test_a_switch_takes_no_other_value() -> None:
    """It would be ignored, or taken for true."""
    with pytest.raises(ConfigError, match=r"^--big: 'maybe' is neither true nor false$"):
        runner.invoke(app, ["make", "--big=maybe"], catch_exceptions=False)


def test_what_commands_do_is_told_to_the_end_of_the_sentence() -> None:
    """In a terminal of 80 columns, half of them ended in three dots."""
    shown = runner.invoke(program, ["--help"], env={"COLUMNS": "80"}).output

    assert "..." not in shown.partition("Commands:")[2]


def test_the_help_is_also_there_for_a_single_dash() -> None:
    """As in kubectl, at all levels."""
    for words in ([], ["create"], ["create", "api"]):
        shown = [runner.invoke(program, [*words, flag]).output for flag in ("-h", "--help")]

        assert shown[0] == shown[1]
        assert "-h, --help" in shown[0]


def test_examples_are_not_wrapped() -> None:
    """They are there to be copied."""
    shown = runner.invoke(app, ["make", "--help"], env={"COLUMNS": "40"}).output

    assert "Examples:\n    make --size big\n    make\n" in shown


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["mak"], "there is no command 'mak'. Did you mean make?"),
        (["quite-another"], "there is no command 'quite-another'. There is make."),
    ],
)
def test_a_mistyped_command_is_recognised(words: list[str], hint: str) -> None:
    """In one line, like all other mistakes."""
    with pytest.raises(ConfigError) as refused:
        runner.invoke(app, words, catch_exceptions=False)

    assert str(refused.value) == hint


def test_every_group_of_the_program_recognises_mistyped_commands() -> None:
    """At all levels, also in those that are added later."""
    groups = [get_command(program)]

    for group in groups:
        assert isinstance(group, Commands), group.name
        groups += [one for one in group.commands.values() if hasattr(one, "commands")]

    assert len(groups) > 2


def test_the_words_before_a_mistyped_one_are_repeated() -> None:
    """``kubewright create`` has other commands than ``kubewright``."""
    with pytest.raises(ConfigError, match=r"no command 'create wbhook'\. Did you mean webhook\?"):
        runner.invoke(program, ["create", "wbhook"], catch_exceptions=False)

import json

import pytest
from typer.testing import CliRunner

from kubewright._version import VERSION
from kubewright.cli.app import app
from kubewright.errors import ConfigError

runner = CliRunner()


def test_the_version_is_a_line_or_json() -> None:
    """The first is for people, the second for scripts and reports of faults."""
    assert runner.invoke(app, ["version"]).output == f"kubewright {VERSION}\n"
    assert json.loads(runner.invoke(app, ["version", "--output", "json"]).output)["python"]
    assert runner.invoke(app, ["version", "-o", "xml"]).exit_code == 2


@pytest.mark.parametrize("words", [[], ["create"], ["create", "webhook"], ["version"]])
def test_help_is_what_the_option_says(words: list[str]) -> None:
    """Both are what people try."""
    helped = runner.invoke(app, ["help", *words])
    option = runner.invoke(app, [*words, "--help"])

    assert helped.exit_code == 0
    assert helped.output.split("\n", 1)[1] == option.output.split("\n", 1)[1]


def test_help_of_a_mistyped_command_says_which_was_meant() -> None:
    """Whoever asks for help does not know the word by heart."""
    with pytest.raises(ConfigError, match="Did you mean webhook"):
        runner.invoke(app, ["help", "create", "webhok"], catch_exceptions=False)


def test_completion_is_for_four_shells() -> None:
    """There is an error for another one, and no empty script."""
    assert "complete -o bashdefault" in runner.invoke(app, ["completion", "bash"]).output
    assert runner.invoke(app, ["completion", "tcsh"]).exit_code == 2


def test_scripts_of_shells_ask_for_words() -> None:
    """A name, and behind a tab what it is."""
    asked = runner.invoke(app, ["__complete", "--", "create", "w"])
    new = runner.invoke(app, ["__complete", "--new", "--", "create"])

    assert asked.output.startswith("webhook\tAdd webhooks to a kind")
    assert [line.split("\t")[0] for line in new.output.splitlines()] == ["api", "webhook"]
    assert "__complete" not in runner.invoke(app, ["--help"]).output

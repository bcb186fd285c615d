"""The commands as a user meets them: their help."""

import pytest
from typer.testing import CliRunner

from kubewright.cli import app as command


@pytest.mark.parametrize(
    "words", [["generate", "types"], ["generate", "docs"], ["diff-crd"]], ids=" ".join
)
def test_the_help_has_examples_and_exit_statuses(words: list[str]) -> None:
    """Whoever writes a script needs both."""
    done = CliRunner().invoke(command.app, [*words, "--help"])

    assert done.exit_code == 0
    assert f"kubewright {' '.join(words)}" in done.stdout
    assert "Exit status: 0" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["generate", "types"], "Missing option '--from-crd'"),
        (["generate", "docs", "--format", "pdf"], "'pdf' is not one of"),
        (["diff-crd", "one.yaml"], "Missing argument 'NEW'"),
        (["diff-crd", "a", "b", "--fail-on", "always"], "'always' is not one of"),
        (["generate", "types", "--from-crd", "a", "-o", ""], "it is empty. Name a path"),
    ],
)
def test_what_does_not_parse_is_refused(words: list[str], message: str) -> None:
    """By the parser, with the usage above it."""
    done = CliRunner().invoke(command.app, words)

    assert done.exit_code == 2
    assert message in done.stderr

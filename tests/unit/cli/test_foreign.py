import pytest
from typer.main import get_command
from typer.testing import CliRunner

from kubewright.cli.app import app
from kubewright.cli.foreign import _OPTIONS, COMMANDS, find_folder, find_foreign
from kubewright.errors import ConfigError

runner = CliRunner()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["init", "--domain", "example.com", "--repo", "example.com/shop"],
            (
                "--repo: there is no Go module; the Python package is called after the project,"
                " which --project-name names"
            ),
        ),
        (
            ["create", "api", "--make=false"],
            "--make: manifests are made from the code at once, unless you say --no-manifests",
        ),
        (
            ["create", "webhook", "--group", "a", "--validation"],
            "--validation: it is called --programmatic-validation",
        ),
        (
            ["edit", "--plugins", "helm"],
            "--plugins: the scaffold of a project is chosen once, by `kubewright init --plugins`",
        ),
        (
            ["init", "shop"],
            "'shop': a project is made in the current folder: `mkdir shop && cd shop` first",
        ),
        (
            ["alpha", "generate"],
            (
                "there is no command 'alpha generate'. `kubewright alpha update` makes the scaffold"
                " again, and merges it."
            ),
        ),
    ],
)
def test_the_words_of_kubebuilder_are_answered_by_what_to_do_here(
    words: list[str], said: str
) -> None:
    """People type them from memory, and "no such option" leaves them alone."""
    with pytest.raises(ConfigError) as refused:
        runner.invoke(app, words, catch_exceptions=False)

    assert str(refused.value) == said


def test_another_domain_for_a_project_is_refused_with_the_reason() -> None:
    """Its kinds would be others to a cluster."""
    with pytest.raises(ConfigError, match=r"^--domain: API groups would change, .* `kubewright in"):
        runner.invoke(app, ["edit", "--domain", "example.org"], catch_exceptions=False)


def test_every_hint_is_for_a_command_that_exists_and_for_an_option_that_it_has_not() -> None:
    """An option that is added later must not be answered by an old hint."""
    for words, hints in _OPTIONS.items():
        command = get_command(app)
        for word in words.split():
            command = command.commands[word]  # type: ignore[attr-defined]
        names = {name for one in command.params for name in one.opts}

        assert not names & hints.keys(), words

    assert all(len(words.split()) > 1 for words in COMMANDS)


def test_values_are_not_taken_for_options() -> None:
    """What follows two dashes is not an option, and neither is what the command knows."""
    assert not find_foreign("init", ["--", "--repo"], [])
    assert not find_foreign("init", ["--repo", "x"], ["--repo"])
    assert not find_foreign("demo", ["--repo"], [])
    assert not find_folder("init", ["--owner", "shop"])
    assert not find_folder("manifests", ["shop.py"])

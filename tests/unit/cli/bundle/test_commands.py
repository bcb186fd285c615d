"""The commands as people type them."""

import pytest

from tests.unit.cli.bundle.place import run


@pytest.mark.parametrize(
    ("words", "example"),
    [
        (("bundle", "validate"), "kubewright bundle validate bundle --output json-alpha1"),
        (("catalog", "validate"), "kubewright catalog validate catalog"),
        (("pkgman-to-bundle",), "kubewright pkgman-to-bundle packagemanifests"),
        (("scorecard",), "kubewright scorecard bundle --list"),
    ],
)
def test_the_help_has_examples(words: tuple[str, ...], example: str) -> None:
    """That is what people copy."""
    done = run(*words, "--help")

    assert done.status == 0
    assert example in done.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("bundl",), "there is no command 'bundl'. Did you mean bundle?"),
        (("bundle", "validat"), "there is no command 'bundle validat'. Did you mean validate?"),
        (("catalog", "check"), "there is no command 'catalog check'. There is validate."),
        (("pkgman-to-bundles",), "Did you mean pkgman-to-bundle?"),
    ],
)
def test_a_typo_is_answered_by_what_was_meant(words: tuple[str, ...], message: str) -> None:
    """At every level."""
    assert message in run(*words).err

"""The commands as people type them."""

import pytest

from tests.unit.cli.deploy.place import run


@pytest.mark.parametrize(
    ("words", "example"),
    [
        (("install",), "kubewright olm install --from crds.yaml --from olm.yaml"),
        (("status",), "kubewright olm status"),
        (("uninstall",), "--from olm.yaml --delete-objects"),
    ],
)
def test_the_help_has_examples(words: tuple[str, ...], example: str) -> None:
    """That is what people copy."""
    assert example in run("olm", *words, "--help").out


def test_a_typo_is_answered_by_what_was_meant() -> None:
    """At this level, too."""
    assert "Did you mean uninstall?" in run("olm", "uninst").err

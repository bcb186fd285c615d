"""The commands of two words, and `cleanup`, as people type them."""

import pytest

from tests.unit.cli.deploy.place import run


@pytest.mark.parametrize(
    ("words", "example"),
    [
        (("run", "bundle"), "kubewright run bundle bundle --namespace shop-system"),
        (("run", "bundle-upgrade"), "kubewright run bundle-upgrade bundle-v2"),
        (("cleanup",), "kubewright cleanup shop --keep-crds"),
        (("run",), "Run an operator against a cluster until Ctrl-C"),
        (("run", "shop.py"), "Run an operator against a cluster until Ctrl-C"),
    ],
)
def test_the_help_is_that_of_the_command(words: tuple[str, ...], example: str) -> None:
    """`run` takes a file, and has two further words that operator-sdk has."""
    assert example in run(*words, "--help").out

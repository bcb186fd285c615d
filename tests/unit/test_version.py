"""The version in the source is the one that is installed."""

from importlib.metadata import version

from kubewright._version import VERSION


def test_the_version_is_that_of_the_package() -> None:
    """Two places that say it would drift apart."""
    assert version("kubewright") == VERSION

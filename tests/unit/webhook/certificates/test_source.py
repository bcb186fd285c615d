"""Where a webhook server gets its certificate from."""

from pathlib import Path

import pytest

from kubewright._aio import VirtualClock
from kubewright.client import Client, Config
from kubewright.webhook.certificates import ManagedCertificate, MountedCertificate, Targets
from kubewright.webhook.certificates.source import CertificateSource


def managed(folder: Path) -> object:
    """Return the source that makes its certificate."""
    client = Client(Config(server="http://127.0.0.1:1"))
    return ManagedCertificate(
        client, secret="s", namespace="n", hosts=["a.example.com"], targets=Targets()
    )


def mounted(folder: Path) -> object:
    """Return the source that reads its certificate from files."""
    return MountedCertificate(folder, clock=VirtualClock())


@pytest.mark.parametrize("made", [managed, mounted])
def test_both_sources_can_stand_in_for_each_other(made: object, tmp_path: Path) -> None:
    """The server takes either, and must not have to know which one an operator has chosen."""
    assert callable(made)

    assert isinstance(made(tmp_path), CertificateSource)


def test_something_else_is_no_source() -> None:
    """The check would be of no use if everything passed it."""
    assert not isinstance(object(), CertificateSource)

"""`RealCRDServer` without the real programs; tests/conformance covers the rest."""

from pathlib import Path

import pytest

from kubewright.errors import ConfigError, LifecycleError
from kubewright.testing.crd_server import RealCRDServer


def test_a_missing_program_is_said_before_anything_starts(tmp_path: Path) -> None:
    """The assets of an ordinary envtest have no such program."""
    with pytest.raises(ConfigError, match="looked for apiextensions-apiserver in"):
        RealCRDServer(assets=tmp_path).start()


def test_users_with_certificates_are_refused() -> None:
    """The one address ends TLS, so a certificate would silently log in nobody."""
    with pytest.raises(LifecycleError, match="knows admin, reader and nobody only"):
        RealCRDServer().add_user("jane")


def test_before_the_start_there_is_no_core_server() -> None:
    """The message says what to do."""
    with pytest.raises(LifecycleError, match="does not run"):
        _ = RealCRDServer().core_url

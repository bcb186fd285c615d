"""The package: its names, and nothing loaded before it is used."""

import subprocess
import sys

import pytest

import kubewright.apiserver
from kubewright.apiserver.authentication.user import UserInfo
from kubewright.apiserver.server import APIServer


def test_the_server_is_found_in_the_package() -> None:
    """Under one name; others do not exist."""
    assert kubewright.apiserver.APIServer is APIServer
    assert kubewright.apiserver.UserInfo is UserInfo
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = kubewright.apiserver.Nothing  # type: ignore[attr-defined]  # as it should be


def test_values_can_be_had_without_the_server() -> None:
    """A transport that only makes requests does not pay for a server."""
    code = (
        "import sys, kubewright.apiserver.wire.request;"
        "sys.exit('kubewright.apiserver.server' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

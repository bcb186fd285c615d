"""The key of the tokens."""

from pathlib import Path

import pytest

from kubewright.apiserver.authentication.signing import FILE, check_signing_key, prepare_signing_key
from kubewright.errors import ConfigError


def test_a_folder_keeps_the_key(tmp_path: Path) -> None:
    """Tokens are good after a restart; nobody else may read it."""
    first, second = prepare_signing_key(tmp_path), prepare_signing_key(tmp_path)

    assert first.pem == second.pem
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600


def test_a_key_that_was_restored_is_made_private_again(tmp_path: Path) -> None:
    """Who can read it can be any service account."""
    prepare_signing_key(tmp_path)
    (tmp_path / FILE).chmod(0o644)

    check_signing_key(tmp_path)

    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600


def test_without_a_folder_each_key_is_new() -> None:
    """Tokens end with the server."""
    assert prepare_signing_key(None).pem != prepare_signing_key(None).pem


@pytest.mark.parametrize("content", [b"", b"junk"])
def test_what_is_no_key_is_seen_at_the_start(content: bytes, tmp_path: Path) -> None:
    """Not when the first token is asked for."""
    check_signing_key(tmp_path)
    (tmp_path / FILE).write_bytes(content)

    with pytest.raises(ConfigError, match=f"cannot use .*{FILE}: it holds no private key"):
        check_signing_key(tmp_path)


def test_a_key_that_is_cut_off_is_named_when_it_is_needed(tmp_path: Path) -> None:
    """To load it at the start would take too long."""
    pem = prepare_signing_key(tmp_path).pem
    (tmp_path / FILE).write_bytes(pem[:60])

    check_signing_key(tmp_path)

    with pytest.raises(ConfigError, match=f"cannot use .*{FILE}: it holds no private key"):
        prepare_signing_key(tmp_path)

"""The key of the tokens."""

from pathlib import Path

from kubewright.apiserver.signing import FILE, signing_key


def test_a_folder_keeps_the_key(tmp_path: Path) -> None:
    """Tokens are good after a restart; nobody else may read it."""
    first, second = signing_key(tmp_path), signing_key(tmp_path)

    assert first.pem == second.pem
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600


def test_without_a_folder_each_key_is_new() -> None:
    """Tokens end with the server."""
    assert signing_key(None).pem != signing_key(None).pem

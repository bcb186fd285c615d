from pathlib import Path

import pytest

from kubewright._pki.authority import RENEWAL
from kubewright._pki.certificate_files import prepare_certificates
from kubewright.errors import ConfigError

HOSTS = ("127.0.0.1", "localhost")


def test_without_a_folder_each_server_has_its_own() -> None:
    """Two servers on one machine must not be taken for one another."""
    first, second = prepare_certificates(None, HOSTS), prepare_certificates(None, HOSTS)

    assert first.authority.certificate != second.authority.certificate


def test_what_is_kept_is_used_again(tmp_path: Path) -> None:
    """A kubeconfig from yesterday works today."""
    first = prepare_certificates(tmp_path / "pki", HOSTS)

    second = prepare_certificates(tmp_path / "pki", HOSTS)

    assert second.authority.certificate == first.authority.certificate
    assert second.serving == first.serving


def test_other_hosts_need_another_certificate_of_the_same_authority(tmp_path: Path) -> None:
    """Clients go on trusting; only the names have changed."""
    first = prepare_certificates(tmp_path, HOSTS)

    second = prepare_certificates(tmp_path, (*HOSTS, "example.org"))

    assert second.authority.certificate == first.authority.certificate
    assert second.serving != first.serving
    assert prepare_certificates(tmp_path, (*HOSTS, "example.org")).serving == second.serving


@pytest.mark.parametrize("content", [b"", b"junk", b"-----BEGIN CERTIFICATE-----\nMIIB"])
@pytest.mark.parametrize("name", ["ca.crt", "ca.key"])
def test_an_authority_that_is_damaged_is_not_replaced(
    name: str, content: bytes, tmp_path: Path
) -> None:
    """Clients trust it; whoever has a copy can restore it."""
    prepare_certificates(tmp_path, HOSTS)
    (tmp_path / name).write_bytes(content)

    with pytest.raises(ConfigError, match=f"cannot use .*/{name}: it is damaged"):
        prepare_certificates(tmp_path, HOSTS)

    assert (tmp_path / name).read_bytes() == content


def test_halves_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    """A certificate of another key signs nothing."""
    prepare_certificates(tmp_path / "a", HOSTS)
    prepare_certificates(tmp_path / "b", HOSTS)
    (tmp_path / "a" / "ca.key").write_bytes((tmp_path / "b" / "ca.key").read_bytes())

    with pytest.raises(ConfigError, match=r"ca\.key: .* do not fit"):
        prepare_certificates(tmp_path / "a", HOSTS)


def test_an_authority_that_has_expired_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody can trust it any more."""
    with monkeypatch.context() as patch:
        patch.setattr("kubewright._pki.authority.AUTHORITY_LIFETIME", RENEWAL)
        old = prepare_certificates(tmp_path, HOSTS)

    new = prepare_certificates(tmp_path, HOSTS)

    assert new.authority.certificate != old.authority.certificate
    assert prepare_certificates(tmp_path, HOSTS).serving == new.serving


@pytest.mark.parametrize("name", ["ca.crt", "ca.key", "serving.crt", "serving.key"])
def test_a_missing_file_is_made(name: str, tmp_path: Path) -> None:
    """Together with its other half."""
    prepare_certificates(tmp_path, HOSTS)
    (tmp_path / name).unlink()

    made = prepare_certificates(tmp_path, HOSTS)

    assert prepare_certificates(tmp_path, HOSTS).serving == made.serving


@pytest.mark.parametrize("name", ["serving.crt", "serving.key"])
def test_a_file_that_was_cut_off_is_made_anew(name: str, tmp_path: Path) -> None:
    """A full disk yesterday must not stop the server today."""
    prepare_certificates(tmp_path, HOSTS)
    (tmp_path / name).write_bytes((tmp_path / name).read_bytes()[:60])

    made = prepare_certificates(tmp_path, HOSTS)

    assert prepare_certificates(tmp_path, HOSTS).serving == made.serving


def test_nobody_else_can_read_the_files(tmp_path: Path) -> None:
    """Who has the key of the authority is administrator."""
    prepare_certificates(tmp_path / "pki", HOSTS)

    modes = {path.stat().st_mode & 0o077 for path in [tmp_path / "pki", *tmp_path.glob("pki/*")]}

    assert modes == {0}


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    """The path is a file: whoever typed it can see why."""
    (tmp_path / "file").write_text("")

    with pytest.raises(ConfigError, match=r"cannot keep certificates in .*file"):
        prepare_certificates(tmp_path / "file", HOSTS)


def test_keys_that_were_restored_are_made_private_again(tmp_path: Path) -> None:
    """Who can read the key of the authority can be everybody."""
    prepare_certificates(tmp_path, ["127.0.0.1"])
    for file in tmp_path.iterdir():
        file.chmod(0o644)

    prepare_certificates(tmp_path, ["127.0.0.1"])

    assert {file.stat().st_mode & 0o777 for file in tmp_path.glob("*.key")} == {0o600}

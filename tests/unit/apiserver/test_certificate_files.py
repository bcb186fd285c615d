from pathlib import Path

import pytest

from kubewright.apiserver.certificate_files import certificates, write_private
from kubewright.errors import ConfigError

HOSTS = ("127.0.0.1", "localhost")


def test_without_a_folder_each_server_has_its_own() -> None:
    """Two servers on one machine must not be taken for one another."""
    first, second = certificates(None, HOSTS), certificates(None, HOSTS)

    assert first.authority.certificate != second.authority.certificate


def test_what_is_kept_is_used_again(tmp_path: Path) -> None:
    """A kubeconfig from yesterday works today."""
    first = certificates(tmp_path / "pki", HOSTS)

    second = certificates(tmp_path / "pki", HOSTS)

    assert second.authority.certificate == first.authority.certificate
    assert second.serving == first.serving


def test_other_hosts_need_another_certificate_of_the_same_authority(tmp_path: Path) -> None:
    """Clients go on trusting; only the names have changed."""
    first = certificates(tmp_path, HOSTS)

    second = certificates(tmp_path, (*HOSTS, "example.org"))

    assert second.authority.certificate == first.authority.certificate
    assert second.serving != first.serving
    assert certificates(tmp_path, (*HOSTS, "example.org")).serving == second.serving


@pytest.mark.parametrize("name", ["ca.crt", "ca.key", "serving.crt", "serving.key"])
def test_a_file_that_was_cut_off_is_made_anew(name: str, tmp_path: Path) -> None:
    """A full disk yesterday must not stop the server today."""
    certificates(tmp_path, HOSTS)
    (tmp_path / name).write_bytes((tmp_path / name).read_bytes()[:60])

    made = certificates(tmp_path, HOSTS)

    assert certificates(tmp_path, HOSTS).serving == made.serving


def test_nobody_else_can_read_the_files(tmp_path: Path) -> None:
    """Who has the key of the authority is administrator."""
    certificates(tmp_path / "pki", HOSTS)

    modes = {path.stat().st_mode & 0o077 for path in [tmp_path / "pki", *tmp_path.glob("pki/*")]}

    assert modes == {0}


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    """The path is a file: whoever typed it can see why."""
    (tmp_path / "file").write_text("")

    with pytest.raises(ConfigError, match=r"cannot keep certificates in .*file"):
        certificates(tmp_path / "file", HOSTS)


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    """Whoever waits for the file to appear may read it at once."""
    path = tmp_path / "file"
    path.mkdir()

    with pytest.raises(OSError, match="file"):
        write_private(path, b"content")

    assert [found.name for found in tmp_path.iterdir()] == ["file"]

from pathlib import Path

import pytest

from kubewright.apiserver.kubeconfig import check_target, credentials, document, write
from kubewright.client import Config
from kubewright.errors import ConfigError

URL = "https://127.0.0.1:6443"
OURS = document(URL, ("admin", credentials(token="secret")), ca_data=None)


def test_what_is_written_is_what_a_client_reads(tmp_path: Path) -> None:
    """Kubectl reads the same."""
    write(tmp_path / "config", OURS)

    config = Config.from_kubeconfig(tmp_path / "config")

    assert (config.server, config.token) == (URL, "secret")


def test_a_certificate_goes_with_its_key() -> None:
    """One without the other is of no use, and clients refuse it."""
    assert set(credentials(certificate=b"c", key=b"k")) == {
        "client-certificate-data",
        "client-key-data",
    }
    assert credentials(certificate=b"c") == {}


def test_only_we_can_read_it_and_it_comes_whole(tmp_path: Path) -> None:
    """Whoever has it is administrator; whoever waits for it reads it at once."""
    write(tmp_path / "config", OURS)
    write(tmp_path / "config", OURS)

    assert [path.name for path in tmp_path.iterdir()] == ["config"]
    assert (tmp_path / "config").stat().st_mode & 0o777 == 0o600


def test_our_own_file_may_be_written_again(tmp_path: Path) -> None:
    """The server was started before, with another port."""
    write(tmp_path / "config", OURS)
    (tmp_path / "empty").touch()

    check_target(tmp_path / "config")
    check_target(tmp_path / "empty")
    check_target(tmp_path / "new")


@pytest.mark.parametrize("name", ["missing/config", "folder", "other", "broken"])
def test_what_belongs_to_others_is_not_overwritten(name: str, tmp_path: Path) -> None:
    """``--kubeconfig ~/.kube/config`` would be the end of somebody's clusters."""
    (tmp_path / "folder").mkdir()
    write(tmp_path / "other", document(URL, ("me", {}), ca_data=None, name="production"))
    (tmp_path / "broken").write_text("{")

    with pytest.raises(ConfigError, match=f"cannot write .*{name}"):
        check_target(tmp_path / name)


def test_a_folder_that_is_gone_is_said(tmp_path: Path) -> None:
    """It was there when we started."""
    with pytest.raises(ConfigError, match="No such file"):
        write(tmp_path / "missing" / "config", OURS)

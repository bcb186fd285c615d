from pathlib import Path

from kubewright.client import Config
from kubewright.testing.access import Access, write_private
from kubewright.testing.server import User


class Somewhere(Access):
    """A server that is nowhere."""

    def __init__(self, folder: Path) -> None:
        self.admin = User("admin", token="secret")
        self._folder = folder

    @property
    def url(self) -> str:
        return "https://127.0.0.1:1"

    @property
    def folder(self) -> Path:
        return self._folder

    @property
    def ca_data(self) -> bytes:
        return b"authority"


def test_the_file_and_the_configuration_say_the_same(tmp_path: Path) -> None:
    """Kubectl and our client get in the same way."""
    server = Somewhere(tmp_path)

    written = Config.from_kubeconfig(server.write_kubeconfig(server.kubeconfig_file))
    direct = server.config()

    assert (
        (written.server, written.token)
        == (direct.server, direct.token)
        == (
            "https://127.0.0.1:1",
            server.token,
        )
    )
    assert written.tls.ca_data == direct.tls.ca_data == b"authority"


def test_a_file_with_a_key_is_ours_alone(tmp_path: Path) -> None:
    """Test machines have other users."""
    write_private(tmp_path / "file", b"key")

    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600

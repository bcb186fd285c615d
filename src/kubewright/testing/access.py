"""How a test logs in to a server that it has started: files, configurations and users."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from kubewright.testing.server import User, kubeconfig

if TYPE_CHECKING:
    from kubewright.client.config import Config

__all__ = ["Access", "write_private"]


class Access:
    """What every server that tests start has in common.

    Attributes:
        admin: A user who may do everything.
        reader: A user who may read everything.
        nobody: A user who may do nothing.
    """

    admin: User
    reader: User
    nobody: User

    @property
    def url(self) -> str:
        """The address."""
        raise NotImplementedError

    @property
    def folder(self) -> Path:
        """A folder of files for this run. It is removed on stop."""
        raise NotImplementedError

    @property
    def ca_data(self) -> bytes:
        """The certificate authority in PEM."""
        raise NotImplementedError

    @property
    def ca_file(self) -> Path:
        """The certificate authority, as a file."""
        return self.folder / "ca.crt"

    @property
    def token(self) -> str:
        """The token of the administrator."""
        assert self.admin.token is not None
        return self.admin.token

    @property
    def kubeconfig_file(self) -> Path:
        """A kubeconfig for the administrator."""
        return self.folder / "admin.kubeconfig"

    def kubeconfig(self, user: User | None = None) -> dict[str, Any]:
        """Return a kubeconfig for *user*, or for the administrator."""
        return kubeconfig(self.url, user or self.admin, ca_data=self.ca_data)

    def config(self, user: User | None = None) -> "Config":
        """Return the configuration of a `Client` for *user*, or for the administrator."""
        from kubewright.client.config import Config, TLSConfig

        user = user or self.admin
        tls = TLSConfig(ca_data=self.ca_data, cert_data=user.certificate, key_data=user.key)
        return Config(server=self.url, tls=tls, token=user.token, source="the test server")

    def write_kubeconfig(self, path: Path, user: User | None = None) -> Path:
        """Write a kubeconfig for *user* to *path*, with private permissions, and return *path*."""
        import yaml

        write_private(path, yaml.safe_dump(self.kubeconfig(user), sort_keys=False).encode())
        return path


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only this user can read."""
    path.touch(mode=0o600)
    path.write_bytes(content)

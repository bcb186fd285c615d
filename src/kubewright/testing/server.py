"""What every server offers to a test."""

import base64
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self

from kubewright.errors import ConfigError

__all__ = ["KubeconfigServer", "Server", "User"]


@dataclass(frozen=True, slots=True)
class User:
    """A user of a server, with a token, or with a client certificate and key in PEM."""

    name: str
    groups: tuple[str, ...] = ()
    token: str | None = None
    certificate: bytes | None = None
    key: bytes | None = None

    def __repr__(self) -> str:
        # pytest prints the arguments of a failed test; tokens and keys must not be among them.
        return f"User(name={self.name!r}, groups={self.groups!r})"


class Server(Protocol):
    """A running API server, and an administrator of it.

    The real server, the embedded one and one from a kubeconfig are all of this shape.
    """

    @property
    def url(self) -> str:
        """The address, such as ``https://127.0.0.1:6443``."""
        ...

    @property
    def ca_data(self) -> bytes | None:
        """The certificate authority of the server in PEM; None to trust the machine's."""
        ...

    @property
    def admin(self) -> User:
        """A user who may do everything."""
        ...

    @property
    def kubeconfig_file(self) -> Path:
        """A kubeconfig whose current context is the administrator on this server."""
        ...


def kubeconfig(url: str, user: User, *, ca_data: bytes | None = None) -> dict[str, Any]:
    """Return a kubeconfig with one context: *user* on the server at *url*."""
    from kubewright._pki.kubeconfig import credentials, document

    entry = credentials(token=user.token, certificate=user.certificate, key=user.key)
    return document(url, (user.name, entry), ca_data=ca_data, name="test")


@dataclass(frozen=True, slots=True)
class KubeconfigServer:
    """A server that runs already: the current context of a kubeconfig file."""

    url: str
    ca_data: bytes | None
    admin: User
    kubeconfig_file: Path

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read the current context of the file at *path*.

        Tokens, token files and client certificates are understood; exec plugins are not.

        Raises:
            ConfigError: The file is missing or broken, or uses another way to log in.
        """
        config = _read(path)
        try:
            context = _entry(config, "context", config["current-context"])
            cluster = _entry(config, "cluster", context["cluster"])
            user = _entry(config, "user", context["user"])
            return cls(
                url=cluster["server"],
                ca_data=_data(path, cluster, "certificate-authority"),
                admin=_user(path, context["user"], user),
                kubeconfig_file=path,
            )
        except (KeyError, TypeError, ValueError, OSError) as error:
            raise ConfigError(
                f"cannot use the kubeconfig {path}: {_said(error)}."
                " `kubectl config view --minify` shows what it says."
            ) from error


def _said(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"no {error.args[0]!r}"
    return str(error)


def _read(path: Path) -> dict[str, Any]:
    import yaml

    try:
        document = yaml.safe_load(path.read_text())
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise ConfigError(f"cannot read the kubeconfig {path}: {error}") from error
    if not isinstance(document, dict):
        raise ConfigError(f"cannot read the kubeconfig {path}: it is not a YAML mapping")
    return document


def _entry(config: dict[str, Any], kind: str, name: str) -> dict[str, Any]:
    for entry in config.get(f"{kind}s") or ():
        if entry["name"] == name:
            found: dict[str, Any] = entry[kind]
            return found
    raise KeyError(f"{kind} {name}")


def _data(path: Path, entry: dict[str, Any], name: str) -> bytes | None:
    """Return what *entry* holds inline or names a file for; file names are relative to *path*."""
    if inline := entry.get(f"{name}-data"):
        return base64.b64decode(inline, validate=True)
    if file := entry.get(name):
        return Path(path.parent, file).read_bytes()
    return None


def _user(path: Path, name: str, entry: dict[str, Any]) -> User:
    token = entry.get("token")
    if not token and (file := entry.get("tokenFile")):
        token = (path.parent / file).read_text().strip()
    certificate, key = _data(path, entry, "client-certificate"), _data(path, entry, "client-key")
    if not token and not (certificate and key):
        raise ValueError(f"user {name!r} has neither a token nor a client certificate with its key")
    return User(name, token=token, certificate=certificate, key=key)

"""Which API server to talk to and as whom: the `Config`, with client-go's rules for finding it."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any, Self, TypedDict, Unpack
from urllib.parse import SplitResult, urlsplit

import msgspec

from kubewright._aio import Clock
from kubewright._version import VERSION
from kubewright.client.auth import (
    Impersonation,
    StaticCredentials,
    TokenFileCredentials,
    basic,
    bearer,
)
from kubewright.client.exec_config import ExecConfig
from kubewright.client.proxy import checked_proxy, find_proxy
from kubewright.client.redaction import redacted_repr, redacted_url
from kubewright.client.tls import TLSConfig, TLSContexts, check_tls, read_file
from kubewright.client.transport import Credentials
from kubewright.errors import ConfigError

__all__ = ["Config", "ConnectionSettings", "ExecConfig", "Impersonation", "Overrides", "TLSConfig"]

_GO_ARCHITECTURES = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "i686": "386"}


class Overrides(TypedDict, total=False):
    """Settings of a caller or a command line that replace those in the files.

    As with kubectl: another ``server`` also drops the server name that its certificate should
    have, and ``insecure`` and ``ca_file`` each drop the other's setting.
    """

    server: str
    namespace: str
    cluster: str
    user: str
    token: str
    token_file: str
    ca_file: str
    insecure: bool
    server_name: str
    impersonate: Impersonation
    proxy_url: str


class ConnectionSettings(msgspec.Struct, frozen=True):
    """Everything that a transport needs from a `Config`, ready to use."""

    url: str
    credentials: Credentials
    tls: TLSContexts | None
    proxy: str | None
    user_agent: str

    def __repr__(self) -> str:
        proxy = redacted_url(self.proxy) if self.proxy else None
        return (
            f"ConnectionSettings(url={self.url!r}, proxy={proxy!r}, user_agent={self.user_agent!r})"
        )

    def __rich_repr__(self) -> list[tuple[str, str]]:
        return [("", repr(self))]


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """Where the API server is, how to verify it, and which credentials to use.

    Get one with `load`, as kubectl would find it. Change one with `replace`: it is a value.

    Attributes:
        server: A URL, with a path if the server is behind one; or a host, or host:port.
        namespace: The namespace of requests that name none.
        tls: How the server is verified, and our client certificate.
        token: A bearer token.
        token_file: A file with a bearer token, read again every minute; it wins over *token*.
        username: For basic authentication.
        password: For basic authentication.
        impersonate: The user to act as.
        exec: A program that returns credentials; used if there are no others.
        proxy_url: The proxy, instead of what the environment says.
        user_agent: Our name for the server; made from the program's name if empty.
        qps: Requests per second; below 0 is no limit, as the server has its own (API priority and
            fairness).
        burst: Requests that may go out at once before *qps* holds them back.
        timeout: Seconds that a request may take; None for no limit.
        disable_compression: Never ask for compressed answers.
        connections: Requests that may run at once, each on a connection; the others wait. Watches
            and other streams do not count. 0 is no limit.
        source: Where all this comes from, for errors.
    """

    server: str
    namespace: str = "default"
    tls: TLSConfig = TLSConfig()
    token: str | None = None
    token_file: str | None = None
    username: str | None = None
    password: str | None = None
    impersonate: Impersonation | None = None
    exec: ExecConfig | None = None
    proxy_url: str | None = None
    user_agent: str = ""
    qps: float = -1.0
    burst: int = 10
    timeout: float | None = None
    disable_compression: bool = False
    connections: int = 100
    source: str = "the configuration"

    def __post_init__(self) -> None:
        _parse_server(self.server, self.source)
        check_tls(self.tls, self.source)
        if self.impersonate is not None:
            self.impersonate.headers()
        if self.connections < 0:
            raise ConfigError(
                f"cannot use {self.source}: connections is {self.connections}. Give the number of"
                " requests that may be under way at once, or 0 for no limit."
            )
        if (self.token or self.token_file) and (self.username or self.password):
            raise ConfigError(
                f"cannot use {self.source}: it has both a token and a user name with a password."
                " Remove one of the two."
            )

    @classmethod
    def load(
        cls,
        kubeconfig: str | Path | None = None,
        context: str | None = None,
        *,
        environ: Mapping[str, str] | None = None,
        home: Path | None = None,
        **overrides: Unpack[Overrides],
    ) -> "Config":
        """Find the configuration as a controller in Go would.

        It is the first of these that exists: the file *kubeconfig*, the files in ``$KUBECONFIG``
        merged, the service account of the pod that we run in, ``~/.kube/config``.

        Args:
            kubeconfig: A file; it must exist.
            context: A context in the files, instead of their current one. With it, we do not look
                whether we run in a pod.
            environ: The environment; this process's by default.
            home: The home folder; the user's by default.
            **overrides: Settings that replace those in the configuration.

        Raises:
            ConfigError: There is no configuration, or something is wrong with it. The message says
                which file, which entry and what to do.
        """
        from kubewright.client import loading

        _check_overrides(overrides)
        where = loading.Places(environ=os.environ if environ is None else environ, home=home)
        path = Path(kubeconfig) if kubeconfig else None
        return loading.load(path, context, where=where, overrides=overrides)

    @classmethod
    def from_kubeconfig(
        cls,
        kubeconfig: str | Path | Mapping[str, Any],
        context: str | None = None,
        **overrides: Unpack[Overrides],
    ) -> "Config":
        """Return the configuration in one kubeconfig: a file, or its content.

        Raises:
            ConfigError: Something is wrong with it; the message says which entry and what to do.
        """
        from kubewright.client import loading

        _check_overrides(overrides)
        if isinstance(kubeconfig, Mapping):
            return loading.from_document(kubeconfig, context, overrides=overrides)
        return loading.from_file(Path(kubeconfig), context, overrides=overrides)

    @classmethod
    def in_cluster(
        cls,
        *,
        environ: Mapping[str, str] | None = None,
        folder: Path | None = None,
        **overrides: Unpack[Overrides],
    ) -> "Config":
        """Return the configuration of a pod: its service account.

        Args:
            environ: The environment; this process's by default.
            folder: Where the service account is mounted, if not at the usual place.
            **overrides: Settings that replace those in the configuration.

        Raises:
            ConfigError: We do not run in a pod, or its service account is not mounted.
        """
        from kubewright.client import incluster

        _check_overrides(overrides)
        environ = os.environ if environ is None else environ
        return incluster.load(environ, folder, overrides=overrides)

    def replace(self, **changes: Any) -> Self:
        """Return a copy with *changes*.

        Example:
            >>> Config(server="https://a:6443").replace(namespace="shop").namespace
            'shop'
        """
        return msgspec.structs.replace(self, **changes)

    @property
    def url(self) -> str:
        """The server's URL with its scheme, and without a slash at its end."""
        parts = _parse_server(self.server, self.source)
        scheme = parts.scheme or ("https" if self._wants_tls else "http")
        return f"{scheme}://{parts.netloc}{parts.path.rstrip('/')}"

    @property
    def _wants_tls(self) -> bool:
        return self.tls.has_ca or self.tls.has_certificate or self.tls.insecure

    def credentials(self, clock: Clock, *, environ: Mapping[str, str] | None = None) -> Credentials:
        """Return the credentials, which provide the headers of requests.

        Raises:
            ConfigError: A token or a name has characters that a header cannot carry.
        """
        extra = self.impersonate.headers() if self.impersonate else ()
        if self.token_file:
            return TokenFileCredentials(self.token_file, clock, token=self.token, extra=extra)
        if self.token:
            return StaticCredentials((*bearer(self.token), *extra))
        if self.username or self.password:
            return StaticCredentials((*basic(self.username or "", self.password or ""), *extra))
        if self.exec and not self.tls.has_certificate:
            from kubewright.client.exec_plugin import ExecCredentials

            cluster = self._cluster_info() if self.exec.provide_cluster_info else None
            return ExecCredentials(self.exec, clock, cluster=cluster, extra=extra, environ=environ)
        return StaticCredentials(extra)

    def tls_contexts(
        self, clock: Clock, credentials: Credentials | None = None
    ) -> TLSContexts | None:
        """Return what gives the TLS contexts, or None where the server speaks plain HTTP.

        Args:
            clock: The source of time.
            credentials: What `credentials` returned; an exec plugin may give a certificate.
        """
        if not self.url.startswith("https:"):
            return None
        # Only a plugin's credentials have one. An isinstance check would load the plugin's module.
        source = getattr(credentials, "certificate", None)
        return TLSContexts(self.tls, clock, source=self.source, certificate=source)

    def find_proxy(self, environ: Mapping[str, str] | None = None) -> str | None:
        """Return the URL of the proxy to go through, or None.

        Raises:
            ConfigError: The proxy is of a kind that is not supported, or not a URL.
        """
        if self.proxy_url:
            return checked_proxy(self.proxy_url, self.source)
        return find_proxy(self.url, environ)

    def connection(
        self, clock: Clock | None = None, *, environ: Mapping[str, str] | None = None
    ) -> ConnectionSettings:
        """Return everything that a transport needs.

        Raises:
            ConfigError: The proxy cannot be used, or a token cannot be sent.
        """
        clock = clock or Clock()
        credentials = self.credentials(clock, environ=environ)
        return ConnectionSettings(
            url=self.url,
            credentials=credentials,
            tls=self.tls_contexts(clock, credentials),
            proxy=self.find_proxy(environ),
            user_agent=self.user_agent or default_user_agent(),
        )

    def _cluster_info(self) -> dict[str, Any]:
        """Return the cluster information for an exec plugin; names are those of the API."""
        info: dict[str, Any] = {"server": self.server}
        if self.tls.server_name:
            info["tls-server-name"] = self.tls.server_name
        if self.tls.insecure:
            info["insecure-skip-tls-verify"] = True
        ca = self.tls.ca_data or read_file(self.tls.ca_file, "certificate authority", self.source)
        if ca:
            info["certificate-authority-data"] = ca  # bytes become base64 in JSON
        if self.proxy_url:
            info["proxy-url"] = self.proxy_url
        if self.disable_compression:
            info["disable-compression"] = True
        return info

    def __repr__(self) -> str:
        return redacted_repr(self, secret=("token", "password"), urls=("proxy_url",))

    def __rich_repr__(self) -> list[tuple[str, str]]:
        return [("", repr(self))]


def _check_overrides(overrides: Overrides) -> None:
    """Refuse a misspelt setting: ignoring it could reach the wrong server."""
    for name in overrides:
        if name not in Overrides.__annotations__:
            from difflib import get_close_matches

            close = get_close_matches(name, Overrides.__annotations__, 1)
            meant = f"did you mean {close[0]!r}?" if close else "see Overrides"
            raise TypeError(f"there is no setting {name!r}: {meant}")


def default_user_agent(program: str | None = None) -> str:
    """Return how *program*, by default this one, introduces itself to the server.

    Servers log it, and audits and priority levels use it.
    """
    path = PurePath(program if program is not None else (sys.argv[0] if sys.argv else ""))
    name = path.parent.name if path.name == "__main__.py" else path.name
    name = "".join(char for char in name if char.isascii() and (char.isalnum() or char in "._-"))
    name = "python" if name in ("-c", "-m", "-") else name
    machine = os.uname().machine.lower()
    system = f"{os.uname().sysname.lower()}/{_GO_ARCHITECTURES.get(machine, machine)}"
    return f"{name or 'unknown'}/{VERSION} ({system}) kubewright/{VERSION}"


def _parse_server(server: str, source: str) -> SplitResult:
    """Split *server*; without a scheme in it there is none in the result."""
    has_scheme = "://" in server
    try:
        parts = urlsplit(server if has_scheme else f"//{server}")
        _ = parts.port  # read to have it checked
    except ValueError as error:
        raise _bad_server(server, source, str(error)) from error
    if has_scheme and parts.scheme not in ("http", "https"):
        raise _bad_server(server, source, f"its scheme is {parts.scheme!r}")
    if not parts.hostname or any(char.isspace() for char in server):
        raise _bad_server(server, source, "there is no host in it")
    if parts.username is not None:
        raise _bad_server("it", source, "it has a user in it, which belongs to the user's entry")
    if not has_scheme and parts.path not in ("", "/"):
        raise _bad_server(server, source, "it has a path but no scheme")
    return parts


def _bad_server(server: str, source: str, problem: str) -> ConfigError:
    return ConfigError(
        f"cannot use the server {server!r} of {source}: {problem}."
        " It must be a URL such as https://10.0.0.1:6443, or host:port."
    )

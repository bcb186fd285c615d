"""Reads the file that says where a webhook is: a kubeconfig, as kube-apiserver takes it.

The cluster in it is the webhook, and the user is this server.
"""

import base64
import binascii
import ssl
from pathlib import Path
from typing import Any, NoReturn

from msgspec import Struct

from kubewright._http.endpoint import Endpoint, endpoint_of
from kubewright._pki.trust import Trust
from kubewright._serve.tls import load_pair
from kubewright.errors import ConfigError

_FOREIGN = ("exec", "auth-provider")


class WebhookConfig(Struct, frozen=True):
    """Where a webhook is, how it is trusted, and who we are to it.

    Attributes:
        path: What is posted to; never empty.
        server_name: The name that its certificate must have.
        authorization: The value of the Authorization header; empty if none is sent.
    """

    endpoint: Endpoint
    path: str
    server_name: str
    trust: Trust
    authorization: str = ""

    def __repr__(self) -> str:
        return f"WebhookConfig({self.endpoint}{self.path})"  # without what is secret


def read_config(path: Path) -> WebhookConfig:
    """Read the file at *path*.

    Raises:
        ConfigError: It cannot be used; the text says what is wrong in it.
    """
    cluster, user = _chosen(_File(path))
    server = cluster.text("server")
    if not server:
        cluster.fail("it names no server. Set server to the URL of the webhook.")
    try:
        endpoint, prefix = endpoint_of(server)
    except ConfigError as error:
        cluster.fail(str(error))
    if cluster.body.get("proxy-url"):
        cluster.fail("proxy-url is not supported here. Leave it out.")
    name = cluster.text("tls-server-name") or endpoint.host
    return WebhookConfig(endpoint, prefix or "/", name, _trust(cluster, user), _login(user))


def _trust(cluster: "_Entry", user: "_Entry") -> Trust:
    authority = cluster.content("certificate-authority")
    insecure = cluster.body.get("insecure-skip-tls-verify") is True
    if authority and insecure:
        cluster.fail("it has a certificate-authority and insecure-skip-tls-verify. Choose one.")
    try:
        trust = Trust(authority.decode("ascii"))
    except (ssl.SSLError, ValueError):
        cluster.fail("its certificate-authority is no certificate in PEM.")
    if insecure:
        trust.context.check_hostname, trust.context.verify_mode = False, ssl.CERT_NONE
    certificate, key = user.content("client-certificate"), user.content("client-key")
    if bool(certificate) is not bool(key):
        user.fail("client-certificate and client-key belong together: give both or none.")
    if certificate:
        try:
            load_pair(trust.context, certificate + b"\n" + key)
        except (ssl.SSLError, ValueError):
            user.fail("client-certificate and client-key are no certificate in PEM with its key.")
    return trust


def _login(user: "_Entry") -> str:
    for field in _FOREIGN:
        if user.body.get(field):
            user.fail(f"{field} is not supported here. Use a client certificate or a token.")
    token = user.text("token")
    file = user.text("tokenFile")
    if file:
        token = user.read(file, "tokenFile").decode("utf-8", "replace").strip()
    name, password = user.text("username"), user.text("password")
    if token and name:
        user.fail("it has a token and a username. Choose one.")
    if not (token or name).isprintable() or not token.isascii():
        user.fail("its token or username has characters that no header can carry.")
    if token:
        return f"Bearer {token}"
    coded = base64.b64encode(f"{name}:{password}".encode()).decode()
    return f"Basic {coded}" if name else ""


def _chosen(file: "_File") -> tuple["_Entry", "_Entry"]:
    """Return the cluster and the user of the current context; the user may be empty."""
    current = file.document.get("current-context")
    if not current:
        file.fail("it has no current-context. Name the context with the webhook there.")
    context = file.get("context", str(current))
    cluster, user = context.text("cluster"), context.text("user")
    if not cluster:
        context.fail("it names no cluster.")
    return file.get("cluster", cluster), file.get("user", user) if user else _Entry(file, "user")


class _File:
    """A kubeconfig as it was read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.document: dict[str, Any] = self._load()

    def fail(self, problem: str) -> NoReturn:
        raise ConfigError(f"cannot use the webhook config file {self.path}: {problem}")

    def _load(self) -> dict[str, Any]:
        import yaml

        try:
            found = yaml.safe_load(self.path.read_bytes())
        except OSError as error:
            self.fail(f"{error.strerror or error}. Check the path.")
        except (yaml.YAMLError, ValueError) as error:
            self.fail(f"it is not YAML ({' '.join(str(error).split())}).")
        if not isinstance(found, dict):
            self.fail("it is not a kubeconfig: a mapping with clusters, users and contexts.")
        return found

    def get(self, kind: str, name: str) -> "_Entry":
        listed = self.document.get(f"{kind}s") or []
        if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
            self.fail(f"{kind}s must be a list of mappings.")
        found = next((one for one in listed if one.get("name") == name), None)
        if found is None:
            self.fail(f"there is no {kind} {name!r} in it.")
        body = found.get(kind) or {}
        if not isinstance(body, dict):
            self.fail(f"the {kind} {name!r} must be a mapping.")
        return _Entry(self, kind, name, body)


class _Entry:
    """A cluster, user or context of a file."""

    def __init__(
        self, file: _File, kind: str, name: str = "", body: dict[str, Any] | None = None
    ) -> None:
        self._file = file
        self._what = f"the {kind} {name!r}"
        self.body: dict[str, Any] = body or {}

    def fail(self, problem: str) -> NoReturn:
        self._file.fail(f"{self._what}: {problem}")

    def text(self, field: str) -> str:
        """Return a string, empty where it is absent."""
        found = self.body.get(field)
        if found is not None and not isinstance(found, str):
            self.fail(f"{field} must be a string. Put it in quotes.")
        return found or ""

    def content(self, field: str) -> bytes:
        """Return what *field* names as a file, or holds as data in base64; data wins."""
        data = self.text(f"{field}-data")
        if data:
            try:
                return base64.b64decode("".join(data.split()), validate=True)
            except (binascii.Error, ValueError):
                self.fail(f"{field}-data is not base64.")
        name = self.text(field)
        return self.read(name, field) if name else b""

    def read(self, name: str, field: str) -> bytes:
        """Return a file; its name is relative to the folder of the kubeconfig."""
        path = self._file.path.absolute().parent / name
        try:
            return path.read_bytes()
        except OSError as error:
            self.fail(f"cannot read its {field} {path}: {error.strerror or error}.")

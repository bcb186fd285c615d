"""Credentials from a program: the ``exec`` of a kubeconfig's user, as cloud providers use it.

The program (a "client-go credential plugin") prints an ``ExecCredential`` with a token, a client
certificate, or both. It runs again once they have expired, and when the server refuses them.
"""

import asyncio
import os
import sys
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import msgspec

from kubewright import _json
from kubewright._aio import Clock
from kubewright.client.auth import bearer
from kubewright.client.exec_config import ExecConfig
from kubewright.client.exec_process import MAX_OUTPUT, printable, run
from kubewright.client.tls import ClientCertificate, load_client_certificate, new_context
from kubewright.client.transport import Headers
from kubewright.errors import ConfigError, KubewrightError, TransportError, TransportTimeoutError
from kubewright.log import get_logger

_log = get_logger(__name__)

DOCUMENTATION = (
    "https://kubernetes.io/docs/reference/access-authn-authz/authentication/"
    "#client-go-credential-plugins"
)


class _Status(msgspec.Struct, rename="camel"):
    token: str | None = None
    client_certificate_data: str | None = None
    client_key_data: str | None = None
    expiration_timestamp: Annotated[datetime, msgspec.Meta(tz=True)] | None = None

    def __repr__(self) -> str:
        return "_Status(***)"

    def __rich_repr__(self) -> list[tuple[str, str]]:
        return [("", repr(self))]


class _ExecCredential(msgspec.Struct, rename="camel"):
    kind: str | None = None
    api_version: str | None = None
    status: _Status | None = None


class _Issued(msgspec.Struct, frozen=True):
    """The result of one run of the plugin."""

    headers: Headers
    certificate: ClientCertificate | None
    expires: datetime | None

    def __repr__(self) -> str:
        return f"_Issued(***, expires={self.expires})"

    def __rich_repr__(self) -> list[tuple[str, str]]:
        return [("", repr(self))]


class ExecCredentials:
    """Runs an exec plugin when credentials are needed, once for all waiting callers."""

    static = None

    def __init__(
        self,
        config: ExecConfig,
        clock: Clock,
        *,
        cluster: Mapping[str, Any] | None = None,
        extra: Headers = (),
        environ: Mapping[str, str] | None = None,
        is_terminal: Callable[[], bool] | None = None,
    ) -> None:
        """Run nothing yet.

        Args:
            config: The program.
            clock: The source of time.
            cluster: The cluster information for a program that asks for it.
            extra: Headers to send besides the token.
            environ: The environment; this process's by default.
            is_terminal: Tells whether standard input is a terminal.
        """
        self._config = config
        self._clock = clock
        self._cluster = cluster
        self._extra = extra
        self._environ = environ
        self._is_terminal = is_terminal or _stdin_is_terminal
        self._lock = asyncio.Lock()
        self._issued: _Issued | None = None
        self._runs = 0
        self._failure: KubewrightError | None = None

    def certificate(self) -> ClientCertificate | None:
        """Return the client certificate of the last run, if there is one."""
        return self._issued.certificate if self._issued else None

    @property
    def interactive(self) -> bool:
        """Whether the plugin may talk to a person, which can take any time."""
        return self._config.interactive_mode != "Never" and self._is_terminal()

    async def headers(self) -> Headers:
        """Return the headers, after running the plugin where there are none or they expired.

        Raises:
            ConfigError: The plugin is missing, or its output is invalid.
            TransportError: The plugin failed or took too long; another try may succeed.
        """
        issued = self._issued
        if issued is None or self._has_expired(issued):
            issued = await self._run_once(issued)
        return issued.headers

    async def rejected(self, used: Headers) -> bool:
        """Run the plugin again unless another caller just did; return whether anything is new."""
        before = self._issued
        if before is None or before.headers != used:
            return before is not None
        try:
            after = await self._run_once(before)
        except KubewrightError as error:
            _log.warning("credentials not refreshed after a 401", error=str(error))
            return False
        return (after.headers, after.certificate) != (before.headers, before.certificate)

    def _has_expired(self, issued: _Issued) -> bool:
        return issued.expires is not None and self._clock.now() > issued.expires

    async def _run_once(self, stale: _Issued | None) -> _Issued:
        """Replace *stale*. Callers that waited while another one ran the plugin use its result."""
        runs = self._runs
        async with self._lock:
            if self._runs != runs:
                if self._failure is not None:
                    raise self._failure
                if self._issued is not None and self._issued is not stale:
                    return self._issued
            try:
                issued = await self._run()
            except KubewrightError as error:
                self._runs, self._failure = self._runs + 1, error
                raise
            self._runs, self._failure, self._issued = self._runs + 1, None, issued
            return issued

    async def _run(self) -> _Issued:
        interactive = self._is_interactive()
        command = [self._resolved_command(), *self._config.args]
        limit = None if interactive else self._config.timeout
        try:
            async with self._clock.timeout(limit):
                ended = await run(command, self._child_environment(interactive), tty=interactive)
        except TimeoutError:
            raise TransportTimeoutError(
                f"{self._attempt()}: it gave no answer in {limit:g} s. Run it by hand to see what"
                " it waits for."
            ) from None
        except (OSError, ValueError) as error:
            raise ConfigError(f"{self._attempt()}: it cannot be started: {error}.") from error
        if ended.code:
            raise TransportError(
                f"{self._attempt()}: it failed with exit code {ended.code}{ended.complaint}"
            )
        return self._parse(ended.output)

    def _attempt(self) -> str:
        return f"cannot get credentials from the plugin {self._config.command!r} of {self._source}"

    @property
    def _source(self) -> str:
        return self._config.source

    def _is_interactive(self) -> bool:
        mode = self._config.interactive_mode
        if mode == "Never":
            return False
        terminal = self._is_terminal()
        if mode == "Always" and not terminal:
            raise ConfigError(
                f"{self._attempt()}: it must talk to a person (interactiveMode: Always), and"
                " standard input is not a terminal. Run it in a terminal, or use another user."
            )
        return terminal

    def _resolved_command(self) -> str:
        """Return the path of the program, looked up in our PATH as client-go does."""
        command = self._config.command
        path = self._environment().get("PATH", os.defpath)
        from shutil import which

        found = which(command, path=path)
        if found is None and os.sep in command and Path(command).is_file():
            raise ConfigError(
                f"{self._attempt()}: the file is not executable. Run `chmod +x {command}`."
            )
        if found is None:
            hint = self._config.install_hint
            raise ConfigError(
                f"{self._attempt()}: there is no such program. Install it, or put its folder into"
                f" PATH. See {DOCUMENTATION}" + (f"\n{printable(hint)}" if hint else "")
            )
        return found

    def _environment(self) -> Mapping[str, str]:
        return os.environ if self._environ is None else self._environ

    def _child_environment(self, interactive: bool) -> dict[str, str]:
        spec: dict[str, Any] = {"interactive": interactive}
        if self._config.provide_cluster_info and self._cluster is not None:
            spec["cluster"] = {**self._cluster, "config": self._config.cluster_config}
        info = {"kind": "ExecCredential", "apiVersion": self._config.api_version, "spec": spec}
        return {
            **self._environment(),
            **dict(self._config.env),
            "KUBERNETES_EXEC_INFO": _json.encode(info).decode(),
        }

    def _parse(self, output: bytes) -> _Issued:
        """Parse the plugin's output. No part of it goes into an error: it may be the token."""
        if len(output) > MAX_OUTPUT:
            raise ConfigError(
                f"{self._attempt()}: it printed more than a megabyte, which is not an"
                " ExecCredential. Run it by hand to see what it prints."
            )
        try:
            credential = msgspec.json.decode(output, type=_ExecCredential)
        except msgspec.DecodeError as error:
            raise ConfigError(
                f"{self._attempt()}: what it printed is not an ExecCredential in JSON: {error}."
                " Run it by hand to see what it prints."
            ) from None
        self._check_version(credential)
        status = credential.status or _Status()
        certificate = self._certificate_of(status)
        if not status.token and certificate is None:
            raise ConfigError(
                f"{self._attempt()}: it printed no credentials: status has neither a token nor"
                " clientCertificateData and clientKeyData. You may have to log in with it first."
            )
        headers = (*(bearer(status.token) if status.token else ()), *self._extra)
        return _Issued(headers, certificate, status.expiration_timestamp)

    def _check_version(self, credential: _ExecCredential) -> None:
        if credential.kind != "ExecCredential":
            raise ConfigError(
                f"{self._attempt()}: it printed the kind {credential.kind!r}, not"
                " 'ExecCredential'. Check that this is a credential plugin."
            )
        if credential.api_version != self._config.api_version:
            raise ConfigError(
                f"{self._attempt()}: it printed the apiVersion {credential.api_version!r}, and is"
                f" configured for {self._config.api_version!r}. Change apiVersion in its exec"
                " entry, or update the plugin."
            )

    def _certificate_of(self, status: _Status) -> ClientCertificate | None:
        certificate, key = status.client_certificate_data, status.client_key_data
        if not certificate and not key:
            return None
        if not certificate or not key:
            raise ConfigError(
                f"{self._attempt()}: it printed only one of clientCertificateData and"
                " clientKeyData. They work only together."
            )
        client = ClientCertificate(certificate.encode(), key.encode())
        where = f"the client certificate from the plugin {self._config.command!r} of {self._source}"
        load_client_certificate(new_context(), client, where)
        return client


def _stdin_is_terminal() -> bool:
    try:
        return sys.stdin.isatty()
    except (AttributeError, ValueError):  # there is none, or it is closed
        return False

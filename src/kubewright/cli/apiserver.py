"""The command ``kubewright apiserver``."""

import asyncio
import contextlib
import os
import signal
import socket
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shlex import quote

from kubewright._pki import kubeconfig
from kubewright.apiserver.server import APIServer
from kubewright.apiserver.webhook.options import AuthenticationWebhook, AuthorizationWebhook
from kubewright.cli.loop import loop_factory
from kubewright.embedded import LocalServer
from kubewright.errors import ConfigError

__all__ = ["Options", "run", "stop_on_signal"]

ADMIN: str = "kubernetes-admin"
MASTERS: tuple[str, ...] = ("system:masters",)
GRACE: float = 5.0


@dataclass(frozen=True, slots=True)
class Options:
    """What the user wants; see ``kubewright apiserver --help``."""

    host: str = "127.0.0.1"
    port: int = 0
    kubeconfig: Path | None = None
    data_dir: Path | None = None
    rbac: bool = True
    audit_log: Path | None = None
    authorization_webhook: AuthorizationWebhook | None = None
    authentication_webhook: AuthenticationWebhook | None = None


def run(options: Options) -> None:
    """Serve until a signal comes.

    Raises:
        ConfigError: The options cannot be used; nothing was written.
    """
    _check(options)
    with _kubeconfig_file(options) as path, asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(_serve(options, path))


def _check(options: Options) -> None:
    if options.kubeconfig is not None:
        kubeconfig.check_target(options.kubeconfig)
    elif options.data_dir is not None and (options.data_dir / "kubeconfig").exists():
        kubeconfig.check_target(options.data_dir / "kubeconfig")
    _check_host(options.host)


def _check_host(host: str) -> None:
    if not host:
        raise ConfigError("cannot listen on an empty address. Leave out --host, or name one.")
    try:
        socket.getaddrinfo(host, None)
    except (OSError, UnicodeError) as error:
        raise ConfigError(
            f"cannot listen on {host}: there is no host of that name. Choose an address of this"
            " machine."
        ) from error


@contextlib.contextmanager
def _kubeconfig_file(options: Options) -> Iterator[Path]:
    """Yield the file that the user named; else one in the data folder, or a temporary one."""
    if options.kubeconfig is not None:
        yield options.kubeconfig
    elif options.data_dir is not None:
        yield options.data_dir / "kubeconfig"
    else:
        with tempfile.TemporaryDirectory(prefix="kubewright-") as folder:
            yield Path(folder) / "kubeconfig"


async def _serve(options: Options, path: Path) -> None:
    server = LocalServer(
        partial(
            APIServer,
            data_dir=options.data_dir,
            rbac=options.rbac,
            audit_log=options.audit_log,
            authorization_webhook=options.authorization_webhook,
            authentication_webhook=options.authentication_webhook,
        ),
        host=options.host,
        port=options.port,
        folder=options.data_dir / "pki" if options.data_dir else None,
    )
    stopped = stop_on_signal()
    async with contextlib.AsyncExitStack() as stack:
        await server.start()
        stack.push_async_callback(server.stop, GRACE)
        _write_kubeconfig(server, path)
        _say(_welcome(server.url, options, path))
        await stopped.wait()
        _say("stopping; Ctrl-C again stops at once")


def _write_kubeconfig(server: LocalServer[APIServer], path: Path) -> None:
    pair = server.client_pair(ADMIN, MASTERS)
    entry = kubeconfig.credentials(certificate=pair.certificate, key=pair.key)
    kubeconfig.write(path, kubeconfig.document(server.url, (ADMIN, entry), ca_data=server.ca_data))


def _welcome(url: str, options: Options, path: Path) -> str:
    rights = "RBAC is on" if options.rbac else "RBAC is off: every user may do everything"
    kept = (
        f"objects are kept in {options.data_dir}" if options.data_dir else "objects are in memory"
    )
    everywhere = options.host in {"0.0.0.0", "::"}  # noqa: S104  # what the user asked for
    reach = "It listens on all addresses of this machine.\n" if everywhere else ""
    return (
        f"Kubernetes API server at {url} ({rights}, {kept})\n"
        f"{reach}"
        f"  export KUBECONFIG={quote(str(path.absolute()))}\n"
        "  kubectl get namespaces\n"
        "Ctrl-C stops it."
    )


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201  # this is what the command is for


def stop_on_signal() -> asyncio.Event:
    """Handle signals: the first sets the event that is returned, the second ends the process."""
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()

    def stop(number: int) -> None:
        if stopped.is_set():
            # Every write that was answered is on disk by then.
            os._exit(128 + number)
        stopped.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop, number)
    return stopped

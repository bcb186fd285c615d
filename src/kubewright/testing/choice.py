"""Which server to test against, chosen by an argument or by the environment."""

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from kubewright.errors import ConfigError
from kubewright.testing.server import KubeconfigServer, Server

__all__ = ["CHOICES", "Choice", "choose", "open_server"]

Choice: TypeAlias = Literal["embedded", "real", "real-crd", "kubeconfig"]
CHOICES: tuple[Choice, ...] = get_args(Choice)


def choose(choice: str | None = None, *, environ: Mapping[str, str] | None = None) -> Choice:
    """Return which server to use: *choice*, else what the environment says, else ours.

    ``$KUBEWRIGHT_SERVER`` names one. ``USE_EXISTING_CLUSTER=true``, which Go's envtest reads, is
    the cluster of the current kubeconfig.

    Raises:
        ConfigError: There is no server of that name.
    """
    environ = os.environ if environ is None else environ
    named = choice or environ.get("KUBEWRIGHT_SERVER")
    if not named:
        existing = environ.get("USE_EXISTING_CLUSTER", "").lower() == "true"
        return "kubeconfig" if existing else "embedded"
    for known in CHOICES:
        if named == known:
            return known
    origin = "" if choice else " (from $KUBEWRIGHT_SERVER)"
    raise ConfigError(f"cannot test against {named!r}{origin}: write one of {', '.join(CHOICES)}.")


@contextlib.contextmanager
def open_server(
    choice: str | None = None,
    *,
    kubeconfig: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> Iterator[Server]:
    """Start the server of *choice* for a block; a server of a kubeconfig runs already.

    Args:
        choice: ``"embedded"``, ``"real"``, ``"real-crd"`` or ``"kubeconfig"``; see `choose`.
        kubeconfig: The file for ``"kubeconfig"``; ``$KUBECONFIG`` or ``~/.kube/config`` unless
            given.
        environ: The environment, instead of the process's own.

    Raises:
        ConfigError: That server is not available here; the message says what is missing.

    Example:
        with open_server("embedded") as server:
            subprocess.run(["kubectl", "--kubeconfig", server.kubeconfig_file, "get", "ns"])
    """
    environ = os.environ if environ is None else environ
    chosen = choose(choice, environ=environ)
    if chosen == "kubeconfig":
        yield KubeconfigServer.load(kubeconfig or _default_kubeconfig(environ))
        return
    with _server_for(chosen) as server:
        yield server


def _server_for(choice: Choice) -> "contextlib.AbstractContextManager[Server]":
    if choice == "real":
        from kubewright.testing.envtest import RealServer

        return RealServer()
    if choice == "real-crd":
        from kubewright.testing.crd_server import RealCRDServer

        return RealCRDServer()
    from kubewright.testing.embedded import EmbeddedServer

    return EmbeddedServer()


def _default_kubeconfig(environ: Mapping[str, str]) -> Path:
    listed = environ.get("KUBECONFIG", "").split(os.pathsep)
    first = next(filter(None, listed), None)
    return Path(first) if first else Path.home() / ".kube" / "config"

"""The command lines of a real cluster's programs, for the installed versions."""

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from kubewright._pki.files import PathLike
from kubewright.errors import ConfigError

__all__ = [
    "apiserver_command",
    "controller_manager_command",
    "crd_server_command",
    "etcd_command",
]

Webhooks: TypeAlias = tuple[PathLike | None, PathLike | None]

HOST: str = "127.0.0.1"
ISSUER: str = "https://kubernetes.default.svc"
NO_FSYNC_SINCE: tuple[int, ...] = (3, 4, 10)
ASK_TIMEOUT: float = 60


def etcd_command(program: Path, folder: Path, *, port: int, peer_port: int) -> list[str]:
    """Return the command for an etcd with its data in *folder*."""
    url, peer_url = f"http://{HOST}:{port}", f"http://{HOST}:{peer_port}"
    flags = {
        "data-dir": folder / "etcd",
        "listen-client-urls": url,
        "advertise-client-urls": url,
        "listen-peer-urls": peer_url,
        "initial-advertise-peer-urls": peer_url,
        "initial-cluster": f"default={peer_url}",
    }
    # Nothing here outlives the tests. Decided by version: 3.4 has the flag, but not in its help.
    extra = ["--unsafe-no-fsync"] if _version(program) >= NO_FSYNC_SINCE else []
    return [str(program), *_as_flags(flags), *extra]


def apiserver_command(
    program: Path, folder: Path, *, port: int, etcd_url: str, webhooks: Webhooks = (None, None)
) -> list[str]:
    """Return the command for a kube-apiserver with its certificates and tokens in *folder*.

    Args:
        program: Its path.
        folder: Where its files are.
        port: Where it listens.
        etcd_url: Where its etcd is.
        webhooks: The config files of the webhooks that authorize and that authenticate.
    """
    flags: dict[str, object] = {
        "etcd-servers": etcd_url,
        "bind-address": HOST,
        "advertise-address": HOST,
        "secure-port": port,
        "tls-cert-file": folder / "serving.crt",
        "tls-private-key-file": folder / "serving.key",
        "cert-dir": folder / "apiserver",
        "client-ca-file": folder / "ca.crt",
        "token-auth-file": folder / "tokens.csv",
        "service-account-issuer": ISSUER,
        "service-account-key-file": folder / "accounts.key",
        "service-account-signing-key-file": folder / "accounts.key",
        "service-cluster-ip-range": "10.0.0.0/24",
        "authorization-mode": "RBAC",
        "endpoint-reconciler-type": "none",
        "disable-admission-plugins": "ServiceAccount",  # no controller creates the accounts in time
        "allow-privileged": "true",
    }
    if "--insecure-port" in _output(program, "--help"):
        flags["insecure-port"] = 0  # servers before 1.20 open it; those after 1.23 lack the flag
    flags |= _webhook_flags(*webhooks)
    return [str(program), *_as_flags(flags)]


def crd_server_command(
    program: Path, folder: Path, *, port: int, etcd_url: str, kubeconfig: Path
) -> list[str]:
    """Return the command for an apiextensions-apiserver.

    It asks the core server of *kubeconfig* who a user is, what they may do, and which namespaces
    and webhooks there are.
    """
    flags: dict[str, object] = {
        "etcd-servers": etcd_url,
        "etcd-prefix": "/custom",  # the core server keeps its objects in the same etcd
        "bind-address": HOST,
        "secure-port": port,
        "tls-cert-file": folder / "serving.crt",
        "tls-private-key-file": folder / "serving.key",
        "cert-dir": folder / "custom",
        "kubeconfig": kubeconfig,
        "authentication-kubeconfig": kubeconfig,
        "authorization-kubeconfig": kubeconfig,
        "authentication-skip-lookup": "true",
        # A core server of 1.20 lacks the kinds with which these are configured.
        "enable-priority-and-fairness": "false",
        "disable-admission-plugins": "MutatingAdmissionPolicy,ValidatingAdmissionPolicy",
    }
    return [str(program), *_as_flags(flags)]


def controller_manager_command(
    program: Path, folder: Path, *, port: int, kubeconfig: Path
) -> list[str]:
    """Return the command for a kube-controller-manager that acts as the user of *kubeconfig*."""
    flags: dict[str, object] = {
        "kubeconfig": kubeconfig,
        "bind-address": HOST,
        "secure-port": port,
        "tls-cert-file": folder / "serving.crt",
        "tls-private-key-file": folder / "serving.key",
        "service-account-private-key-file": folder / "accounts.key",
        "root-ca-file": folder / "ca.crt",
        "leader-elect": "false",
        # Its usual limit of 20 requests a second protects a shared server; tests have their own.
        "kube-api-qps": 500,
        "kube-api-burst": 500,
    }
    if "--port int" in _output(program, "--help"):
        flags["port"] = 0  # versions before 1.24 serve without TLS on all addresses
    return [str(program), *_as_flags(flags)]


def _webhook_flags(
    authorization: PathLike | None, authentication: PathLike | None
) -> dict[str, object]:
    flags: dict[str, object] = {}
    if authorization is not None:
        flags["authorization-mode"] = "RBAC,Webhook"
        flags["authorization-webhook-config-file"] = os.fspath(authorization)
        flags["authorization-webhook-version"] = "v1"
    if authentication is not None:
        flags["authentication-token-webhook-config-file"] = os.fspath(authentication)
        flags["authentication-token-webhook-version"] = "v1"
    return flags


def _as_flags(flags: Mapping[str, object]) -> list[str]:
    return [f"--{name}={value}" for name, value in flags.items()]


def _version(program: Path) -> tuple[int, ...]:
    found = re.search(r"(\d+)\.(\d+)\.(\d+)", _output(program, "--version"))
    return tuple(int(part) for part in found.groups()) if found else (0,)


def _output(program: Path, flag: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603  # the program was chosen by whoever runs the tests
            [program, flag], capture_output=True, text=True, timeout=ASK_TIMEOUT, check=False
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ConfigError(f"cannot run {program} {flag}: {error}. Build it again.") from error
    return done.stdout + done.stderr

from pathlib import Path

import pytest

from kubewright.errors import ConfigError
from kubewright.testing.commands import (
    apiserver_command,
    controller_manager_command,
    crd_server_command,
    etcd_command,
)


def program(folder: Path, output: str) -> Path:
    """Make a program that prints *output* whatever it is asked."""
    path = folder / "program"
    path.write_text(f"#!/bin/sh\ncat <<'END'\n{output}\nEND\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("version", "expected"),
    [("3.4.9", False), ("3.4.10", True), ("3.5.0", True), ("unknown", False)],
)
def test_etcd_skips_fsync_where_it_can(tmp_path: Path, version: str, *, expected: bool) -> None:
    """It starts in a tenth of the time; an etcd that lacks the flag would not start at all."""
    etcd = program(tmp_path, f"etcd Version: {version}\nGo Version: go1.19.8")

    command = etcd_command(etcd, tmp_path, port=1, peer_port=2)

    assert ("--unsafe-no-fsync" in command) is expected


def test_etcd_listens_on_loopback_only(tmp_path: Path) -> None:
    """An etcd without a password must not be reachable from elsewhere."""
    etcd = program(tmp_path, "etcd Version: 3.5.0")

    command = etcd_command(etcd, tmp_path, port=1, peer_port=2)

    listens = [flag for flag in command if flag.startswith("--listen")]
    assert listens == [
        "--listen-client-urls=http://127.0.0.1:1",
        "--listen-peer-urls=http://127.0.0.1:2",
    ]


def test_apiserver_closes_the_insecure_port_where_there_is_one(tmp_path: Path) -> None:
    """Before 1.20 it is open to everybody by default; after 1.23 the flag is an error."""
    old = program(tmp_path, "  --insecure-port int   The port")
    old_command = apiserver_command(old, tmp_path, port=1, etcd_url="http://e")
    new = program(tmp_path, "  --secure-port int   The port")
    new_command = apiserver_command(new, tmp_path, port=1, etcd_url="http://e")

    assert "--insecure-port=0" in old_command
    assert not [flag for flag in new_command if "insecure-port" in flag]


def test_apiserver_asks_the_webhooks_after_rbac(tmp_path: Path) -> None:
    """Each mode once: kube-apiserver refuses to start if one is repeated."""
    server = program(tmp_path, "")

    plain = apiserver_command(server, tmp_path, port=1, etcd_url="http://e")
    command = apiserver_command(
        server, tmp_path, port=1, etcd_url="http://e", webhooks=("a.yaml", Path("b.yaml"))
    )

    assert set(plain) - set(command) == {"--authorization-mode=RBAC"}
    assert sorted(set(command) - set(plain)) == [
        "--authentication-token-webhook-config-file=b.yaml",
        "--authentication-token-webhook-version=v1",
        "--authorization-mode=RBAC,Webhook",
        "--authorization-webhook-config-file=a.yaml",
        "--authorization-webhook-version=v1",
    ]


def test_controller_manager_closes_its_plain_port_where_there_is_one(tmp_path: Path) -> None:
    """Before 1.24 it serves without TLS on every address of the machine."""
    old = program(tmp_path, "  --port int   The port\n  --secure-port int  The port")
    old_command = controller_manager_command(old, tmp_path, port=1, kubeconfig=tmp_path / "k")
    new = program(tmp_path, "  --secure-port int   The port")
    new_command = controller_manager_command(new, tmp_path, port=1, kubeconfig=tmp_path / "k")

    assert "--port=0" in old_command
    assert "--port=0" not in new_command


def test_the_crd_server_asks_the_core_server_and_keeps_apart_in_etcd(tmp_path: Path) -> None:
    """Users, rights and namespaces are the core server's; the objects are not."""
    kubeconfig = tmp_path / "core.kubeconfig"

    command = crd_server_command(
        tmp_path / "program", tmp_path, port=1, etcd_url="http://e", kubeconfig=kubeconfig
    )

    asked = [flag for flag in command if flag.endswith(f"kubeconfig={kubeconfig}")]
    assert len(asked) == 3
    assert "--etcd-prefix=/custom" in command
    assert "--bind-address=127.0.0.1" in command


def test_a_program_that_does_not_run_is_named(tmp_path: Path) -> None:
    """A binary for another processor fails here and not in a time-out later."""
    broken = tmp_path / "etcd"
    broken.write_bytes(b"\x7fELF nonsense")
    broken.chmod(0o755)

    with pytest.raises(ConfigError, match=r"cannot run .*etcd --version"):
        etcd_command(broken, tmp_path, port=1, peer_port=2)

"""Without a kubeconfig, other users of the machine cannot use a cluster."""

import asyncio
import json
import os
import socket
import ssl
import subprocess
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from kubewright.testing import KubeconfigServer, User, probe
from tests.cluster.command import Commands

EXEC = "/api/v1/namespaces/default/pods/web/exec?command=id&stdout=true"
CLOSED = ("/api", "/apis", "/openapi/v3", "/metrics", "/api/v1/pods", "/api/v1/secrets", EXEC)
OPEN = ("/healthz", "/livez", "/readyz", "/version")
OPERATOR = """
import kubewright as kw

@kw.resource(group="example.com", version="v1")
class Shop(kw.Resource):
    pass

operator = kw.Operator("shops")

@operator.reconciler(Shop)
async def reconcile(shop: Shop, ctx: kw.Context) -> None:
    pass
"""
NOBODY = 65534

pytestmark = pytest.mark.timeout(120)


def statuses(url: str, paths: tuple[str, ...]) -> set[int]:
    """Return the answers to a client without credentials that does not verify the server."""

    async def ask_all() -> set[int]:
        found = set()
        for path in paths:
            # The address of the service ``kubernetes``, as long as nothing stands behind it.
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                found.add(await _ask(url, path))
        return found

    return asyncio.run(ask_all())


async def _ask(url: str, path: str) -> int:
    # Not with urllib: Python 3.11's SSLSocket leaks its file if the peer resets the connection
    # before the handshake (SSLSocket._create).
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    server = urlsplit(url)
    async with asyncio.timeout(10):
        reader, writer = await asyncio.open_connection(server.hostname, server.port, ssl=context)
        try:
            writer.write(f"GET {path} HTTP/1.1\r\nHost: kubernetes\r\n\r\n".encode())
            return int((await reader.readuntil(b"\r\n")).split()[1])
        finally:
            writer.transport.abort()


def listening(folder: Path) -> list[str]:
    """Return the addresses at which processes that know *folder* listen."""
    inodes = set()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            said = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
            if str(folder).encode() in said:
                inodes |= {str(link.readlink()) for link in (process / "fd").iterdir()}
    found = set[str]()
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        words = line.split()
        if words[3] == "0A" and f"socket:[{words[9]}]" in inodes:
            host, port = words[1].split(":")
            address = socket.inet_ntoa(bytes.fromhex(host)[::-1])
            found.add(f"https://{address}:{int(port, 16)}")
    return sorted(found)


@pytest.mark.parametrize("rights", [(), ("--no-rbac",)])
def test_cluster_start_answers_strangers_with_401(
    commands: Commands, rights: tuple[str, ...]
) -> None:
    """Or whoever shares the machine could run commands as us; at all addresses that it has."""
    commands.run("cluster", "start", *rights)
    path = commands.state / "clusters" / "kubewright" / "kubeconfig"
    server = KubeconfigServer.load(path)
    urls = listening(commands.state)

    assert server.url in urls
    assert statuses(server.url, CLOSED) == {401}
    assert all(statuses(url, CLOSED) <= {401} for url in urls)
    assert statuses(server.url, OPEN) == {200}
    assert probe.ask(server, "GET", "/api/v1/secrets").status == 200


@pytest.mark.parametrize(("rights", "allowed"), [((), 403), (("--no-rbac",), 200)])
def test_a_service_account_has_what_rbac_gives_it(
    commands: Commands, rights: tuple[str, ...], allowed: int
) -> None:
    """A pod that was taken over is not the cluster, unless the user wanted it so."""
    commands.run("cluster", "start", "--simulate", *rights)
    path = commands.state / "clusters" / "kubewright" / "kubeconfig"
    server = KubeconfigServer.load(path)
    wanted = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    accounts = "/api/v1/namespaces/default/serviceaccounts"
    made = probe.ask(server, "POST", f"{accounts}/default/token", body=wanted)
    pod = User("a pod", token=json.loads(made.body)["status"]["token"])

    status = probe.request(
        server.url, "GET", "/api/v1/secrets", user=pod, ca_data=server.ca_data
    ).status

    assert status == allowed


def test_dev_answers_strangers_with_401(commands: Commands, tmp_path: Path) -> None:
    """A short-lived cluster must be as safe as any other."""
    (tmp_path / "shop.py").write_text(OPERATOR)

    with commands.running("dev", tmp_path / "shop.py") as dev:
        url = dev.wait_for(r"a cluster of its own: (\S+)")[1]
        dev.wait_for("Ctrl-C stops everything")
        urls = listening(commands.state)
        found = {one: statuses(one, CLOSED) for one in urls}
        status = dev.end()

    assert found[url] == {401}
    assert all(answers <= {401} for answers in found.values())
    assert status == 0


def test_demo_answers_strangers_with_401(commands: Commands) -> None:
    """Ten seconds are enough for a loop with curl."""
    with commands.running("demo") as demo:
        url = demo.wait_for(r"(https://\S+), after")[1]
        found = statuses(url, CLOSED)

    assert found == {401}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_another_user_can_read_neither_the_kubeconfig_nor_the_data(
    commands: Commands, tmp_path: Path
) -> None:
    """The objects are Secrets, too, and the keys make certificates of administrators."""
    data, config = tmp_path / "data", tmp_path / "config"
    commands.run("cluster", "start", "--simulate", "--data-dir", data, "--kubeconfig", config)
    for folder in (tmp_path, *list(tmp_path.parents)[:3]):
        if str(folder) != "/tmp":
            folder.chmod(folder.stat().st_mode | 0o055)  # pytest's own folders are closed
    files = [path for top in (data, commands.state) for path in top.rglob("*") if path.is_file()]
    try_all = 'for file; do test -r "$file" && echo "$file"; done; true'

    as_nobody = subprocess.run(
        ["/bin/sh", "-c", try_all, "sh", *map(str, [*files, config])],
        user=NOBODY, group=NOBODY, extra_groups=[], capture_output=True, text=True, check=True,
        cwd="/",
    )  # fmt: skip

    assert {"objects.db", "ca.key", "kubeconfig"} <= {path.name for path in files}
    assert as_nobody.stdout == ""

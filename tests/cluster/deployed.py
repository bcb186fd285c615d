"""A scaffolded project on the embedded cluster: made, deployed and looked at as people do it."""

import os
import ssl
import subprocess
import sys
from http.client import HTTPSConnection
from pathlib import Path
from typing import NamedTuple

from kubewright.client import Client, Config
from kubewright.client.config import TLSConfig
from kubewright.kinds.authentication.v1 import TokenRequest
from kubewright.kinds.core.v1 import Service, ServiceAccount
from tests.cluster.command import PROGRAM, Commands, Done

NAMESPACE: str = "shop-operator-system"
IMAGE: str = "localhost:5000/shop-operator:v1"
GROUP: str = "shops.example.com"
_API = ("--group", "shops", "--version", "v1", "--kind", "Shop")
_VALIDATION = """
    if shop.spec.foo == "bad":
        ctx.refuse("spec.foo", "nobody wants that")
"""


class Answer(NamedTuple):
    """What a server said."""

    status: int
    text: str


class DeployedProject:
    """A project, and a cluster for it.

    Args:
        commands: What runs commands whose cluster this is.
        root: An empty folder for the project.
    """

    def __init__(self, commands: Commands, root: Path) -> None:
        self._commands = commands
        self.root: Path = root
        self.kubeconfig: Path = root.parent / "kubeconfig"

    def kubewright(self, *words: str) -> Done:
        """Run a command in the folder of the project."""
        done = subprocess.run(
            [*PROGRAM, *words],
            cwd=self.root,
            env={**self._commands.environment, "KUBECONFIG": str(self.kubeconfig)},
            capture_output=True,
            text=True,
            check=False,
            timeout=90,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def scaffold(self) -> None:
        """Make the project: a kind, its controller and its webhooks, of which one refuses."""
        self.root.mkdir()
        for words in (
            ("init", "--domain", "example.com", "--project-name", "shop-operator"),
            ("create", "api", *_API, "--resource", "--controller"),
            ("create", "webhook", *_API, "--defaulting", "--programmatic-validation"),
        ):
            done = self.kubewright(*words)
            assert done.status == 0, done
        webhook = self.root / "shop_operator" / "webhook" / "v1" / "shop.py"
        webhook.write_text(webhook.read_text() + _VALIDATION)

    def start(self) -> None:
        """Start a cluster on whose machine the program of the image is."""
        folder = self.root.parent / "bin"
        folder.mkdir()
        program = folder / "kubewright"
        program.write_text(
            f'#!/bin/sh\nPYTHONPATH={self.root} exec {sys.executable} -m kubewright "$@"\n'
        )
        program.chmod(0o755)
        done = self._commands.run(
            "cluster", "start", "--kubeconfig", self.kubeconfig,
            PATH=f"{folder}:{os.environ['PATH']}",
        )  # fmt: skip
        assert done.status == 0, done

    def deploy(self, *words: str) -> Done:
        """Deploy the operator, and wait until it is ready."""
        return self.kubewright("deploy", "--image", IMAGE, "--timeout", "60s", *words)

    def config(self) -> Config:
        """Return the configuration of the administrator."""
        return Config.from_kubeconfig(self.kubeconfig)

    def client(self) -> Client:
        """Return a client of the administrator."""
        return Client(self.config(), field_owner="test")


async def token_of(client: Client, account: str, namespace: str) -> str:
    """Return a token of a service account."""
    made = await client.subresource("token").post(
        ServiceAccount, account, TokenRequest(), namespace=namespace
    )
    assert made.status.token
    return made.status.token


def as_account(config: Config, token: str) -> Client:
    """Return a client with the rights of a service account only."""
    return Client(
        config.replace(token=token, tls=TLSConfig(ca_data=config.tls.ca_data)), field_owner="test"
    )


async def address_of(client: Client, service: str) -> str:
    """Return the address of a Service of the operator."""
    found = await client.get(Service, service, namespace=NAMESPACE)
    assert found.spec.cluster_ip
    return found.spec.cluster_ip


def get(host: str, port: int, path: str, token: str = "") -> Answer:
    """Ask by HTTPS, whatever the certificate."""
    context = ssl._create_unverified_context()
    connection = HTTPSConnection(host, port, context=context, timeout=10)
    try:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return Answer(answer.status, answer.read().decode())
    finally:
        connection.close()

"""The command ``kubewright run``, as a process against a server on this machine."""

import asyncio
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import kubewright as kw
from kubewright.cli.run import Options, run
from kubewright.errors import ConfigError
from kubewright.kinds.core.v1 import ConfigMap
from kubewright.testing import EmbeddedServer
from kubewright.testing.ports import free_ports

PROGRAM = """
import kubewright as kw
from kubewright.kinds.core.v1 import ConfigMap

class ShopSpec(kw.Model):
    size: int = 1

class ShopStatus(kw.Model):
    observed_generation: int | None = None

@kw.resource(group="example.com", version="v1")
class Shop(kw.Resource):
    spec: ShopSpec = kw.field(default_factory=ShopSpec)
    status: ShopStatus = kw.field(default_factory=ShopStatus)

operator = kw.Operator("shops")

@operator.reconciler(Shop, owns=[ConfigMap])
async def reconcile(shop: Shop, ctx: kw.Context) -> None:
    await ctx.apply(ConfigMap(metadata=kw.ObjectMeta(name=shop.metadata.name)))
"""
FAILING = """
class Beside:
    async def run(self):
        raise RuntimeError("the roof is gone")

operator.add(Beside())
"""
EXITING = """
class Beside:
    async def run(self):
        raise SystemExit(3)

operator.add(Beside())
"""
BESIDE = """
import asyncio
import sys

class Beside:
    async def run(self):
        names = sorted(task.get_name() for task in asyncio.all_tasks())
        print("beside me:", *names, "in all", file=sys.stderr, flush=True)

operator.add(Beside())
"""
DEAF = """
import asyncio
from kubewright.manager import Manager

Manager.__init__.__kwdefaults__["grace_period"] = 0.1

class Deaf:
    async def run(self):
        while True:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                pass

operator.add(Deaf())
"""
BUSY = """
import asyncio
import time

class Busy:
    async def run(self):
        await asyncio.to_thread(time.sleep, 3600)

operator.add(Busy())
"""


POLICIES = """
import kubewright as kw
from kubewright.kinds.core.v1 import Pod

operator = kw.Operator("policies")

@operator.validator(Pod)
def check(pod):
    pass
"""
SECURE = ("--metrics-bind-address=:8443", "--metrics-secure")


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddedServer]:
    with EmbeddedServer() as started:
        yield started


class Running:
    """The command as a process; what it logs is read as it comes."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        self.said = ""

    def wait_for(self, text: str) -> None:
        """Read what it logs until *text* is there."""
        assert self.process.stderr is not None
        while text not in self.said:
            select.select([self.process.stderr], [], [], 15)
            data = os.read(self.process.stderr.fileno(), 65536)
            assert data, f"it ended after: {self.said}"
            self.said += data.decode()

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(15)


@contextmanager
def running(folder: Path, server: EmbeddedServer, *arguments: str) -> Iterator[Running]:
    """Run the command in *folder* until the block is left."""
    environment = {**os.environ, "KUBECONFIG": str(server.kubeconfig_file)}
    command = [sys.executable, "-m", "kubewright", "run", *arguments]
    with subprocess.Popen(
        command, cwd=folder, env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
    ) as process:
        try:
            yield Running(process)
        finally:
            process.kill()


def wait_for_child(server: EmbeddedServer, name: str) -> None:
    async def look() -> None:
        async with server.client() as client:
            shop = kw.Unstructured(
                apiVersion="example.com/v1", kind="Shop", metadata={"name": name}
            )
            await client.create(shop)
            await kw.wait_for(client, ConfigMap, name, lambda one: one is not None, timeout=10)

    asyncio.run(look())


def test_it_installs_the_crds_and_works_until_it_is_told_to_stop(
    tmp_path: Path, server: EmbeddedServer
) -> None:
    """From a file to a child on the server, and a polite end."""
    (tmp_path / "shops.py").write_text(PROGRAM)

    with running(tmp_path, server, "shops.py", "--install-crds", "--namespace=default") as command:
        command.wait_for("workers started")
        wait_for_child(server, "first")
        command.wait_for("reconciled")
        status = command.end(signal.SIGINT)

    assert status == 0


def test_leaders_metrics_probes_and_json(tmp_path: Path, server: EmbeddedServer) -> None:
    """The flags that Kubernetes people know."""
    (tmp_path / "shops.py").write_text(PROGRAM)
    flags = (
        "--leader-elect",
        "--leader-elect-namespace=kube-system",
        "--leader-elect-name=shops-lock",
        "--leader-elect-lease-duration=6",
        "--leader-elect-renew-deadline=4",
        "--leader-elect-retry-period=0.5",
        "--metrics-bind-address=127.0.0.1:0",
        "--health-probe-bind-address=127.0.0.1:0",
        "--workers=3",
        "--log-format=json",
        "--log-level=debug",
        "--install-crds",
    )

    with running(tmp_path, server, "shops:operator", *flags) as command:
        command.wait_for("workers started")
        command.wait_for("\n")
        status = command.end()

    lines = [json.loads(line) for line in command.said.splitlines() if line.endswith("}")]
    started = next(line for line in lines if "workers started" in line.values())
    assert started["workers"] == 3
    leads = next(line for line in lines if "became leader" in line.values())
    assert leads["lease"] == "kube-system/shops-lock"
    assert status == 0


def test_a_failure_while_running_is_status_1(tmp_path: Path, server: EmbeddedServer) -> None:
    """A supervisor starts it again."""
    (tmp_path / "shops.py").write_text(PROGRAM + FAILING)

    with running(tmp_path, server, "shops.py", "--install-crds") as command:
        command.wait_for("the roof is gone")
        status = command.process.wait(15)

    assert status == 1


def test_rights_that_are_missing_are_said_at_once(tmp_path: Path, server: EmbeddedServer) -> None:
    """All of them, and not the first that a request needs; the operator goes on."""
    (tmp_path / "shops.py").write_text(PROGRAM)
    user = server.write_kubeconfig(tmp_path / "nobody", server.nobody)

    with running(tmp_path, server, "shops.py", "--kubeconfig", str(user)) as command:
        command.wait_for('resources: ["shops/status"]')
        command.wait_for('verbs: ["patch"]')
        status = command.end()

    assert command.said.count("add these rules to its roles") == 1
    assert 'resources: ["configmaps"]' in command.said
    assert status == 0


@pytest.mark.parametrize(("address", "named"), [("127.0.0.1:0", True), ("0", False)])
def test_secure_metrics_need_two_more_rights(
    tmp_path: Path, server: EmbeddedServer, address: str, named: bool
) -> None:
    """If they are served at all."""
    (tmp_path / "shops.py").write_text(PROGRAM)
    user = server.write_kubeconfig(tmp_path / "nobody", server.nobody)
    flags = ("--kubeconfig", str(user), f"--metrics-bind-address={address}", "--metrics-secure")

    with running(tmp_path, server, "shops.py", *flags) as command:
        command.wait_for('resources: ["shops/status"]')
        status = command.end()

    assert ('resources: ["tokenreviews"]' in command.said) is named
    assert status == 0


@pytest.mark.parametrize(("flag", "checked"), [("--check-rights", 1), ("--no-check-rights", 0)])
def test_who_does_not_want_to_hear_of_rights_is_not_told(
    tmp_path: Path, server: EmbeddedServer, flag: str, checked: int
) -> None:
    """Some servers should get no requests except for the operator's own."""
    (tmp_path / "shops.py").write_text(PROGRAM + BESIDE)

    with running(tmp_path, server, "shops.py", "--install-crds", flag) as command:
        command.wait_for("beside me: ")
        command.wait_for(" in all")
        status = command.end()

    line = next(line for line in command.said.splitlines() if "beside me: " in line)
    assert line.count("RightsCheck") == checked
    assert status == 0


@pytest.mark.parametrize(("what", "named"), [(DEAF, "Deaf"), (BUSY, "thread")])
def test_what_does_not_stop_does_not_keep_the_process(
    tmp_path: Path, server: EmbeddedServer, what: str, named: str
) -> None:
    """It may be work that another process has taken over; and nobody likes to send SIGKILL."""
    (tmp_path / "shops.py").write_text(PROGRAM + what)

    with running(tmp_path, server, "shops.py", "--install-crds") as command:
        command.wait_for("workers started")
        status = command.end()
        assert command.process.stderr is not None
        said = command.process.stderr.read().decode()

    assert status == 1
    assert named in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.py"], "kubewright: cannot load nothing.py: there is no such file"),
        (["shops.py", "--kubeconfig", "none"], "cannot read the kubeconfig none"),
        (["shops.py", "--context", "none"], "none"),
        (["shops.py", "--metrics-bind-address", "8080"], "--metrics-bind-address: '8080' is no"),
        (["shops.py", "--metrics-cert-path=a"], "--metrics-cert-path: 'a' would not be used"),
        (
            ["shops.py", *SECURE, "--metrics-cert-path=a", "--metrics-cert-name=b.crt"],
            "--metrics-cert-path: cannot read a/b.crt: No such file or directory.",
        ),
        (
            ["shops.py", *SECURE, "--metrics-cert-path=a", "--metrics-cert-key="],
            "--metrics-cert-key: it is empty. Name a file in a.",
        ),
        (
            ["shops.py", *SECURE, "--health-probe-bind-address=:8443"],
            "--health-probe-bind-address: the port 8443 is that of",
        ),
        (["shops.py", "--workers", "0"], "--workers"),
        (["shops.py", "--namespace", "Bad_NS"], "--namespace: 'Bad_NS' is not a valid name"),
        (["shops.py", "--leader-elect-namespace", "B"], "--leader-elect-namespace: 'B' is not"),
        (["shops.py", "--webhook-namespace", "B"], "--webhook-namespace: 'B' is not"),
        (["shops.py", "--webhook-cert-key", "a.key"], "--webhook-cert-key: 'a.key' would not be"),
        (["shops.py", "--webhook-port", "70000"], "--webhook-port: 70000 is no port"),
        (["shops.py", "--webhook-url", "http://a"], "--webhook-url: API servers cannot call"),
        (["shops.py", "--no-webhooks", "--install-webhooks"], "--install-webhooks: webhooks that"),
        (["shops.py", "--log-level", "loud"], "--log-level"),
        (
            ["shops.py", "--leader-elect", "--leader-elect-lease-duration=5"],
            "leaseDuration must be greater than renewDeadline: --leader-elect-lease-duration=5,",
        ),
        (
            ["shops.py", "--leader-elect", "--leader-elect-retry-period=9"],
            "retryPeriod*JitterFactor: --leader-elect-renew-deadline=10, --leader-elect-retry-per",
        ),
        (
            ["shops.py", "--leader-elect", "--leader-elect-retry-period=0"],
            "retryPeriod must be greater than zero: --leader-elect-retry-period=0",
        ),
        (["shops.py", "--leader-elect", "--leader-elect-name="], "give the Lease a name"),
        (["shops.py", "--leader-elect-name=Bad_Name"], "--leader-elect-name: 'Bad_Name' is not"),
    ],
)
def test_wrong_input_is_status_2(
    tmp_path: Path, server: EmbeddedServer, arguments: list[str], message: str
) -> None:
    """With one message and no traceback of ours."""
    (tmp_path / "shops.py").write_text(PROGRAM)

    with running(tmp_path, server, *arguments) as command:
        command.wait_for(message)
        status = command.process.wait(15)
        assert command.process.stderr is not None
        said = command.said + command.process.stderr.read().decode()

    assert status == 2
    assert "Traceback" not in said


def ended(folder: Path, server: EmbeddedServer, *arguments: str) -> tuple[int, list[str]]:
    """Run the command until it ends by itself; return its status and what it said."""
    with running(folder, server, *arguments) as command:
        _, said = command.process.communicate(timeout=15)
    return command.process.returncode, said.decode().splitlines()


def test_a_schema_that_cannot_be_is_status_2(tmp_path: Path, server: EmbeddedServer) -> None:
    """It is a mistake in the file, and a restart does not help."""
    (tmp_path / "shops.py").write_text(PROGRAM.replace("size: int = 1", "size: complex = 1j"))

    status, said = ended(tmp_path, server, "shops.py", "--install-crds")

    assert status == 2
    assert "Shop.spec.size" in said[0]


@pytest.mark.parametrize(
    ("text", "status", "error"),
    [
        ("import nothing_of_the_kind", 2, "No module named 'nothing_of_the_kind'"),
        (PROGRAM + FAILING, 1, "the roof is gone"),
        (PROGRAM + EXITING, 3, "the operator's code ends the program, with SystemExit(3)"),
    ],
)
def test_last_words_are_json_where_the_log_is(
    tmp_path: Path, server: EmbeddedServer, text: str, status: int, error: str
) -> None:
    """They are what one looks for when a pod has ended."""
    (tmp_path / "shops.py").write_text(text)

    found, said = ended(tmp_path, server, "shops.py", "--log-format=json", "--install-crds")

    lines = [json.loads(line) for line in said if line.startswith("{")]
    assert found == status
    assert error in lines[-1]["error"]


def test_who_may_not_install_crds_is_told_whom_to_ask(tmp_path: Path) -> None:
    """In most companies it is a right that few have."""
    (tmp_path / "shops.py").write_text(PROGRAM)
    with EmbeddedServer(rbac=True) as server:
        user = server.write_kubeconfig(tmp_path / "config", server.add_user("nobody"))

        flags = ("--install-crds", "--kubeconfig", str(user))
        with running(tmp_path, server, "shops.py", *flags) as command:
            command.wait_for("Or let an administrator install the CRDs")
            status = command.process.wait(15)

    assert status == 1
    assert "Add this rule" in command.said


def test_an_operator_may_have_webhooks_only(tmp_path: Path, server: EmbeddedServer) -> None:
    """Policies for objects of others need no reconciler."""
    (tmp_path / "lonely.py").write_text(POLICIES.replace('"policies"', '"lonely"'))

    with running(tmp_path, server, "lonely.py", "--webhook-port=0") as command:
        command.wait_for("webhook server listens")
        command.wait_for("no API server asks them")
        status = command.end()

    assert status == 0


def test_who_installs_webhooks_is_told_that_they_stay(
    tmp_path: Path, server: EmbeddedServer
) -> None:
    """The next write would be refused, and nobody would know why."""
    (tmp_path / "policies.py").write_text(POLICIES)
    (port,) = free_ports(1)
    flags = (f"--webhook-port={port}", "--webhook-host=127.0.0.1", "--install-webhooks")

    with running(tmp_path, server, "policies.py", *flags) as command:
        command.wait_for("webhooks registered")
        command.process.send_signal(signal.SIGTERM)
        command.wait_for("kubectl delete validatingwebhookconfiguration policies-validating-")
        status = command.process.wait(15)

    assert status == 0


def test_an_operator_that_does_nothing_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Most likely a decorator was forgotten."""
    (tmp_path / "idle_operator.py").write_text("import kubewright as kw\nop = kw.Operator('idle')")
    monkeypatch.setattr(sys, "path", list(sys.path))

    with pytest.raises(ConfigError, match="the operator 'idle' does nothing"):
        run(Options(str(tmp_path / "idle_operator.py")))

    del sys.modules["idle_operator"]

import asyncio
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kubewright.apiserver.wire.http import HTTPServer
from kubewright.apiserver.wire.request import Answer, Request
from kubewright.cli.apiserver import Options, run, stop_on_signal
from kubewright.errors import ConfigError
from kubewright.testing import KubeconfigServer, probe


class Nobody:
    """A handler that is never asked."""

    async def handle(self, request: Request) -> Answer:
        raise AssertionError


class Running:
    """The command as a process."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.said = ""

    def wait_for(self, text: str) -> None:
        """Read what it prints until *text* is there."""
        assert self.process.stdout is not None
        while text not in self.said:
            select.select([self.process.stdout], [], [], 15)
            data = os.read(self.process.stdout.fileno(), 65536)
            assert data, f"it ended after: {self.said}"
            self.said += data.decode()

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(15)


@contextmanager
def running(*arguments: str | Path) -> Iterator[Running]:
    """Run ``kubewright apiserver`` until the block is left."""
    command = [sys.executable, "-m", "kubewright", "apiserver", *map(str, arguments)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            yield Running(process)
        finally:
            process.kill()


def test_it_writes_a_kubeconfig_once_it_answers_and_stops_politely(tmp_path: Path) -> None:
    """Whoever waits for the file can connect at once."""
    path = tmp_path / "config"
    audit = tmp_path / "audit.log"

    with running("--kubeconfig", path, "--rbac", "--audit-log", audit) as server:
        while not path.exists():
            time.sleep(0.01)  # as a script would
        answer = probe.ask(KubeconfigServer.load(path), "GET", "/api/v1/namespaces/default")
        server.wait_for(f"export KUBECONFIG={path}")
        status = server.end(signal.SIGINT)

    assert answer.status == 200
    assert status == 0
    assert path.stat().st_mode & 0o777 == 0o600
    events = [json.loads(line) for line in audit.read_text().splitlines()]
    assert events[-1]["user"]["username"] == "kubernetes-admin"


def test_objects_and_credentials_outlive_the_process(tmp_path: Path) -> None:
    """With a data folder, a kubeconfig from yesterday works today."""
    data = tmp_path / "data"
    with running("--data-dir", data) as server:
        server.wait_for("Ctrl-C")
        first = KubeconfigServer.load(data / "kubeconfig")
        body = {"metadata": {"name": "kept"}}
        made = probe.ask(first, "POST", "/api/v1/namespaces", body=body)
        server.end(signal.SIGKILL)
    port = first.url.rpartition(":")[2]

    with running("--data-dir", data, "--port", port) as server:
        server.wait_for("Ctrl-C")
        found = probe.ask(first, "GET", "/api/v1/namespaces/kept")
        status = server.end()

    assert made.status == 201
    assert found.status == 200
    assert status == 0


def test_a_data_folder_has_one_server(tmp_path: Path) -> None:
    """Two would write over one another."""
    with running("--data-dir", tmp_path) as first:
        first.wait_for("Ctrl-C")

        with running("--data-dir", tmp_path, "--kubeconfig", tmp_path / "second") as second:
            status = second.process.wait(15)
            assert second.process.stdout is not None
            said = second.process.stdout.read()

    assert status == 2
    assert "another server has it open" in said
    assert not (tmp_path / "second").exists()


async def test_a_port_that_is_taken_is_said_and_nothing_written(tmp_path: Path) -> None:
    """Also not the kubeconfig of a server that is not there."""
    path = tmp_path / "config"
    async with HTTPServer(Nobody()) as other:
        with running("--port", str(other.address[1]), "--kubeconfig", path) as server:
            status = server.process.wait(15)
            assert server.process.stdout is not None
            said = server.process.stdout.read()

    assert status == 2
    assert "Choose another port" in said
    assert "Traceback" not in said
    assert not path.exists()


@pytest.mark.parametrize(
    ("host", "problem"),
    [("", "an empty address"), ("no.such.host.invalid", "there is no host of that name")],
)
def test_a_host_that_is_none_is_said(host: str, problem: str) -> None:
    """Before anything is started or written."""
    with pytest.raises(ConfigError, match=problem):
        run(Options(host=host))


def test_it_says_when_others_can_reach_it() -> None:
    """The address that it prints is only one of many."""
    with running("--host", "0.0.0.0", "--rbac") as server:
        server.wait_for("listens on all addresses")
        server.wait_for("Ctrl-C")
        assert server.end() == 0


def test_a_kubeconfig_of_others_in_the_data_folder_is_kept(tmp_path: Path) -> None:
    """``--data-dir .`` where somebody works."""
    (tmp_path / "kubeconfig").write_text("{contexts: [{name: production}]}")

    with pytest.raises(ConfigError, match="the context production, which would be lost"):
        run(Options(data_dir=tmp_path))


@pytest.mark.parametrize(
    "options",
    [
        lambda path: Options(data_dir=path),
        lambda path: Options(audit_log=path),
        lambda path: Options(kubeconfig=path),
    ],
    ids=["data_dir", "audit_log", "kubeconfig"],
)
def test_a_place_that_cannot_be_written_to_is_said(
    options: Callable[[Path], Options], tmp_path: Path
) -> None:
    """With its name; and nothing is left behind."""
    (tmp_path / "file").touch()

    with pytest.raises(ConfigError, match=str(tmp_path / "file")):
        run(options(tmp_path / "file" / "inside"))

    assert list(tmp_path.rglob("*")) == [tmp_path / "file"]


async def test_the_second_signal_ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever presses Ctrl-C twice does not want to wait."""
    ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    monkeypatch.setattr(os, "_exit", ended.set_result)
    stopped = stop_on_signal()

    os.kill(os.getpid(), signal.SIGINT)
    await stopped.wait()
    os.kill(os.getpid(), signal.SIGINT)

    assert await ended == 130
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().remove_signal_handler(number)

"""The command ``kubewright migrate-storage``, against a server on this machine."""

import io
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from kubewright._aio import VirtualClock
from kubewright.cli import app as command
from kubewright.cli import main
from kubewright.cli.migrate import Reporter, state_folder
from kubewright.testing import EmbeddedServer, probe
from tests.unit.application.migration.village import SHOPS, shop_crd

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
OBJECTS = "/apis/example.com/v1/namespaces/default/shops"


@pytest.fixture
def server() -> Iterator[EmbeddedServer]:
    """A server with three shops that are stored in v1, while new ones are stored in v2."""
    with EmbeddedServer() as started:
        assert probe.ask(started, "POST", CRDS, body=dict(shop_crd())).status == 201
        while probe.ask(started, "GET", OBJECTS).status != 200:
            pass
        for name in ("a", "b", "c"):
            body = {"metadata": {"name": name}, "apiVersion": "example.com/v1", "kind": "Shop"}
            assert probe.ask(started, "POST", OBJECTS, body=body).status == 201
        crd = probe.ask(started, "GET", f"{CRDS}/{SHOPS}").json()
        for one in crd["spec"]["versions"]:
            one["storage"] = one["name"] == "v2"
        assert probe.ask(started, "PUT", f"{CRDS}/{SHOPS}", body=crd).status == 200
        yield started


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where progress is kept."""
    monkeypatch.setenv("KUBEWRIGHT_STATE", str(tmp_path))
    return tmp_path / "migrations"


def migrate(server: EmbeddedServer, *arguments: str) -> Result:
    """Run the command as a user types it."""
    config = ["--kubeconfig", str(server.kubeconfig_file)]
    return CliRunner().invoke(command.app, ["migrate-storage", *arguments, *config])


def stored_versions(server: EmbeddedServer) -> list[str]:
    """Return what the CRD says."""
    crd = probe.ask(server, "GET", f"{CRDS}/{SHOPS}").json()
    found: list[str] = crd["status"]["storedVersions"]
    return found


@pytest.mark.usefixtures("state")
def test_it_says_what_it_would_do_and_what_it_did(server: EmbeddedServer) -> None:
    """On stdout, for the log of a pipeline; the second time, there is nothing to do."""
    plan = migrate(server, "shops", "--dry-run")
    before = stored_versions(server)
    done = migrate(server, "shops")
    again = migrate(server, "Shop", SHOPS)

    assert plan.stdout == (
        f"{SHOPS}: would migrate 3 objects to v2, and then trim storedVersions from v1, v2 to v2\n"
    )
    assert before == ["v1", "v2"]
    assert done.stdout == (
        f"{SHOPS}: 3 objects migrated to v2, storedVersions trimmed from v1, v2 to v2\n"
    )
    assert done.stderr == ""
    assert again.stdout == f"{SHOPS}: nothing to do, storedVersions is v2 already\n"
    assert {plan.exit_code, done.exit_code, again.exit_code} == {0}
    assert stored_versions(server) == ["v2"]


def test_what_cannot_be_written_is_named_and_the_status_is_1(
    server: EmbeddedServer, state: Path
) -> None:
    """A pipeline stops before the release that removes the old version."""
    crd = probe.ask(server, "GET", f"{CRDS}/{SHOPS}").json()
    crd["spec"]["versions"][1]["schema"]["openAPIV3Schema"]["required"] = ["spec"]
    assert probe.ask(server, "PUT", f"{CRDS}/{SHOPS}", body=crd).status == 200

    done = migrate(server, "shops")

    assert done.exit_code == 1
    assert done.stdout == f"{SHOPS}: 0 objects migrated to v2, storedVersions is still v1, v2\n"
    assert f"kubewright: {SHOPS} is not migrated: not every object could be written" in done.stderr
    assert "  default/a: cannot patch shops.example.com 'a' in namespace 'default'" in done.stderr
    assert stored_versions(server) == ["v1", "v2"]
    assert len(list(state.iterdir())) == 1


@pytest.mark.usefixtures("state")
def test_a_mistake_in_any_name_is_found_before_anything_is_written(
    server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not after an hour with the first kind."""
    config = ["--kubeconfig", str(server.kubeconfig_file)]
    monkeypatch.setattr(sys, "argv", ["kubewright", "migrate-storage", "shops", "shosp", *config])

    with pytest.raises(SystemExit) as ended:
        main()

    assert ended.value.code == 2
    assert f"Did you mean {SHOPS}?" in capsys.readouterr().err
    assert stored_versions(server) == ["v1", "v2"]


def test_ctrl_c_says_how_to_go_on(tmp_path: Path) -> None:
    """The server here takes the connection and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = tmp_path / "kubeconfig"
        config.write_text(
            "{apiVersion: v1, kind: Config, current-context: a,"
            " contexts: [{name: a, context: {cluster: a, user: a}}], users: [{name: a}],"
            f" clusters: [{{name: a, cluster: {{server: 'http://127.0.0.1:"
            f"{listener.getsockname()[1]}'}}}}]}}"
        )
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "kubewright",
                "migrate-storage",
                SHOPS,
                f"--kubeconfig={config}",
            ],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "KUBEWRIGHT_STATE": str(tmp_path)},
        )
        connection, _ = listener.accept()
        with connection:
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=30)

    assert process.returncode == 1
    assert said == (
        "kubewright: interrupted. The same command goes on where this one stopped; with --restart"
        " it begins anew.\n"
    )


@pytest.mark.usefixtures("state")
def test_no_time_left_is_said(server: EmbeddedServer) -> None:
    """The status is 1, since nothing is wrong with the input."""
    done = migrate(server, "shops", "--timeout", "0")

    assert done.exit_code == 1
    assert "stopped after 0 seconds. The same command goes on where this one" in done.stderr


class Terminal(io.StringIO):
    """A stream that a person looks at."""

    def isatty(self) -> bool:
        """Say so."""
        return True


async def test_progress_is_one_line_on_a_terminal() -> None:
    """It appears after a second, and changes every second."""
    clock, stream = VirtualClock(), Terminal()
    reporter = Reporter(stream, clock)

    reporter.begin(SHOPS)
    reporter.show(1, 2000)
    await clock.advance(1)
    reporter.show(1000, 2000)
    reporter.show(1001, 2000)
    await clock.advance(1)
    reporter.show(1500, None)
    reporter.end()

    assert stream.getvalue() == (
        f"\r{SHOPS}: 1,000 of about 2,000 objects\x1b[K\r{SHOPS}: 1,500 objects\x1b[K\n"
    )


async def test_progress_is_a_line_now_and_then_in_a_file() -> None:
    """The log of a pipeline is not filled with it."""
    clock, stream = VirtualClock(), io.StringIO()
    reporter = Reporter(stream, clock)

    reporter.begin(SHOPS)
    for done in range(14):
        await clock.advance(1)
        reporter.show(done, 14)
    reporter.end()

    assert stream.getvalue() == (
        f"{SHOPS}: 0 of about 14 objects\n{SHOPS}: 10 of about 14 objects\n"
    )


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"KUBEWRIGHT_STATE": "/s"}, "/s/migrations"),
        ({"XDG_STATE_HOME": "/x"}, "/x/kubewright/migrations"),
        ({"XDG_STATE_HOME": "x"}, str(Path.home() / ".local/state/kubewright/migrations")),
    ],
)
def test_progress_is_kept_where_the_user_keeps_state(environ: dict[str, str], folder: str) -> None:
    """A relative path in XDG_STATE_HOME is ignored, as its specification says."""
    assert str(state_folder(environ)) == folder

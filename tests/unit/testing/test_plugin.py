import json
import subprocess
import sys
from pathlib import Path

import pytest

from kubewright.testing.server import User, kubeconfig

TESTS = """
import pytest

@pytest.mark.asyncio
async def test_client(kube_client, kube_namespace):
    from kubewright.api import ObjectMeta
    from kubewright.kinds.core.v1 import ConfigMap
    made = await kube_client.create(ConfigMap(metadata=ObjectMeta(name="a")))
    assert made.metadata.namespace == kube_namespace

def test_server(kube_server, kube_namespace):
    from kubewright.testing import probe
    assert probe.ask(kube_server, "GET", f"/api/v1/namespaces/{kube_namespace}").status == 200
"""
CLUSTER = """
import pytest

@pytest.mark.asyncio
async def test_pods_run(kube_cluster):
    from kubewright.api import ObjectMeta
    from kubewright.client import wait_for
    from kubewright.kinds.core.v1 import Container, Pod, PodSpec
    spec = PodSpec(containers=[Container(name="web", image="nginx")])
    async with kube_cluster.client() as client:
        await client.create(Pod(metadata=ObjectMeta(name="web"), spec=spec))
        await wait_for(client, Pod, "web", lambda one: one.status.phase == "Running", timeout=10)

def test_each_has_its_own(kube_cluster):
    from kubewright.testing import probe
    found = probe.ask(kube_cluster, "GET", "/api/v1/namespaces/default/pods/web")
    assert found.status == 404
"""
NOTHING = """
import sys

def test_nothing():
    ours = [name for name in sys.modules if name.startswith("kubewright")]
    plugin = ["kubewright.testing", "kubewright.testing.plugin"]
    assert sorted(ours) == ["kubewright", "kubewright._lazy", *plugin]
    assert "cryptography" not in sys.modules
"""


def run(folder: Path, code: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run pytest on *code*, as a user would."""
    (folder / "test_it.py").write_text(code)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_fixtures_are_there_without_any_setting(tmp_path: Path) -> None:
    """A server, a namespace and a client, with whatever mode of pytest-asyncio."""
    done = run(tmp_path, TESTS)

    assert "2 passed" in done.stdout, done.stdout


def test_each_test_has_a_cluster_of_its_own_if_it_asks(tmp_path: Path) -> None:
    """Pods run there, and the next test does not find them."""
    done = run(tmp_path, CLUSTER, "-p", "no:randomly")

    assert "2 passed" in done.stdout, done.stdout


def test_a_run_without_our_fixtures_loads_nothing_of_ours(tmp_path: Path) -> None:
    """Everybody who has Kubewright installed pays for what the plugin loads."""
    done = run(tmp_path, NOTHING)

    assert "1 passed" in done.stdout, done.stdout


@pytest.mark.parametrize("choice", ["reel", "real"])
def test_a_server_that_is_not_to_be_had_is_said(
    choice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what to do about it."""
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(tmp_path))

    done = run(tmp_path, TESTS, f"--kube-server={choice}")

    assert done.returncode
    assert ("write one of" if choice == "reel" else "KUBEBUILDER_ASSETS") in done.stdout


def test_a_cluster_that_does_not_answer_ends_the_run_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every test would fail in the same way."""
    document = kubeconfig("https://127.0.0.1:1", User("me", token="secret"))
    (tmp_path / "config").write_text(json.dumps(document))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "config"))

    done = run(tmp_path, TESTS, "--kube-server=kubeconfig")

    assert done.returncode
    assert "cannot test against https://127.0.0.1:1: " in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    assert "ConfigError" not in done.stdout


def test_calls_are_recorded_if_a_folder_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``kubewright rbac audit`` runs the tests in that way."""
    folder = tmp_path / "calls"
    folder.mkdir()
    monkeypatch.setenv("KUBEWRIGHT_RECORD_CALLS", str(folder))

    done = run(tmp_path, "def test_nothing(): pass")

    assert "1 passed" in done.stdout, done.stdout
    assert [file.read_text() for file in folder.iterdir()] == ["[]"]

"""From an empty folder to a reconciled object, by the commands that everybody begins with."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.cluster import EndToEndCluster
from tests.e2e.kubectl import Kubectl

PATIENCE = 60
SAMPLE = "config/samples/traefik_v1_traefikservice.yaml"
PLURAL = "traefikservices.traefik.first.magedu.com"
"""With its group: a sample operator has a kind of that name, too."""


class Terminal:
    """A shell in the folder of a project, in an activated environment.

    Args:
        folder: That folder.
        kubeconfig: The cluster of the user.
    """

    def __init__(self, folder: Path, kubeconfig: Path) -> None:
        self.folder: Path = folder
        binaries = Path(sys.executable).parent
        self._environment = {
            **os.environ,
            "KUBECONFIG": str(kubeconfig),
            "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}",
        }

    def run(self, *words: str) -> str:
        """Run a command, which must succeed; return what it prints."""
        done = subprocess.run(
            words,
            cwd=self.folder,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start a command that goes on until Ctrl-C."""
        return subprocess.Popen(
            words,
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,  # Ctrl-C reaches make and what it has started
        )


@pytest.fixture
def terminal(cluster: EndToEndCluster, tmp_path: Path) -> Iterator[Terminal]:
    """A terminal in an empty folder, which becomes a project; its CRDs are gone afterwards."""
    folder = tmp_path / "traefik-operator"
    folder.mkdir()
    terminal = Terminal(folder, cluster.kubeconfig_file)
    yield terminal
    terminal.run("kubewright", "uninstall", "--ignore-not-found", "--force")


def wait_for_line(process: subprocess.Popen[str], *words: str) -> str:
    """Return the first line that has all *words*; the time-out of the test bounds the wait."""
    assert process.stdout is not None
    seen = []
    for line in process.stdout:
        seen.append(line)
        if all(word in line for word in words):
            return line
    raise AssertionError(f"it ended without a line with {words}:\n{''.join(seen)}")


@pytest.mark.timeout(180)
def test_the_first_object_is_reconciled(terminal: Terminal, kubectl: Kubectl) -> None:
    """Whoever types what kubebuilder's quick start has sees a log line of their own reconciler."""
    terminal.run("kubewright", "init", "--domain", "first.magedu.com")
    api = ("--group", "traefik", "--version", "v1", "--kind", "TraefikService")
    terminal.run("kubewright", "create", "api", *api, "--resource", "--controller")

    terminal.run("make", "manifests")
    installed = terminal.run("make", "install")
    operator = terminal.start("make", "run")
    try:
        wait_for_line(operator, "workers started")
        kubectl("apply", "-f", str(terminal.folder / SAMPLE))
        line = wait_for_line(operator, "reconciled", "traefikservice-sample")
        kubectl("wait", f"{PLURAL}/traefikservice-sample", "--for=condition=Ready")
    finally:
        os.killpg(operator.pid, signal.SIGINT)
        said, _ = operator.communicate(timeout=PATIENCE)

    assert f"customresourcedefinition.apiextensions.k8s.io/{PLURAL}" in installed
    assert "outcome=success" in line
    assert "operator stopped" in said

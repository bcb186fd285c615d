"""The real kubectl, as a user types it."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

TIMEOUT = 60.0


class Kubectl:
    """Runs kubectl in one namespace and returns what it prints.

    Args:
        kubeconfig: The cluster to use.
        namespace: The namespace of every command that names no other.
        home: A folder for its cache of discovery, which must not be shared between clusters.
    """

    def __init__(self, kubeconfig: Path, *, namespace: str, home: Path) -> None:
        program = shutil.which("kubectl")
        if program is None:
            pytest.skip("kubectl is not on the PATH")
        self._command = [program, "--kubeconfig", str(kubeconfig), "--namespace", namespace]
        self._environment = {**os.environ, "HOME": str(home)}

    def __call__(self, *arguments: str, stdin: str = "") -> str:
        """Run a command that must succeed; return its standard output."""
        done = self._run(*arguments, stdin=stdin)
        assert done.returncode == 0, f"kubectl {' '.join(arguments)}: {done.stderr}"
        return done.stdout

    def warnings(self, *arguments: str, stdin: str = "") -> list[str]:
        """Run a command that must succeed; return the lines that it printed besides its output."""
        done = self._run(*arguments, stdin=stdin)
        assert done.returncode == 0, f"kubectl {' '.join(arguments)}: {done.stderr}"
        return done.stderr.splitlines()

    def run_refused(self, *arguments: str, stdin: str = "") -> str:
        """Run a command that must fail; return its standard error."""
        done = self._run(*arguments, stdin=stdin)
        assert done.returncode != 0, f"kubectl {' '.join(arguments)} succeeded: {done.stdout}"
        return done.stderr

    def _run(self, *arguments: str, stdin: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self._command, *arguments],
            input=stdin,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )

"""Runs commands in a project, as its owner does, and gives its CRDs to a server."""

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from kubewright.testing import EmbeddedServer, probe

__all__ = ["DEFINITIONS", "crds_of", "run", "wait_until_served"]

BIN = Path(sys.executable).parent
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run *command* in the project, as its owner does in an activated environment."""
    environment = os.environ | {
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return subprocess.run(
        shlex.split(command),
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def crds_of(root: Path) -> list[dict[str, Any]]:
    """Return the CRDs of a project."""
    return [yaml.safe_load(path.read_text()) for path in root.glob("config/crd/bases/*.yaml")]


def wait_until_served(server: EmbeddedServer, path: str) -> None:
    """Wait until the kind at *path* can be asked for."""
    for _ in range(1000):
        if probe.ask(server, "GET", path).status == 200:
            return
    raise AssertionError(path)

"""The Ansible that samples are run with: that of ``make e2e``."""

import os
from pathlib import Path

import pytest

__all__ = ["ansible_environment"]

PROGRAM = "bin/ansible-playbook"
COLLECTION = "collections/ansible_collections/kubernetes/core"


def ansible_environment(folder: Path) -> dict[str, str]:
    """Return the variables that lead to it; the test is skipped if it is not installed.

    Args:
        folder: For the files of runs.
    """
    home = os.environ.get("E2E_VENV")
    if home is None:
        pytest.skip("E2E_VENV does not name the Python with Ansible: run `make e2e`")
    for path in (PROGRAM, COLLECTION):
        if not Path(home, path).exists():
            pytest.skip(f"{home} has no {path}, which runs of roles need: run `make e2e`")
    return {
        "KUBEWRIGHT_ANSIBLE_PYTHON": f"{home}/bin/python",
        "ANSIBLE_COLLECTIONS_PATH": f"{home}/collections",
        "TMPDIR": str(folder),
    }

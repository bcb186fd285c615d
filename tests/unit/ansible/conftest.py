"""Ansible itself is replaced: what runs a role does the steps that the object says."""

import sys

import pytest

from tests.unit.ansible.stalls import SCRIPTED


@pytest.fixture(autouse=True)
def scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the worker find our ``ansible_runner``."""
    monkeypatch.setenv("KUBEWRIGHT_ANSIBLE_PYTHON", sys.executable)
    monkeypatch.setenv("PYTHONPATH", str(SCRIPTED))
    monkeypatch.delenv("ANSIBLE_COLLECTIONS_PATH", raising=False)

"""Where helm is."""

import sys
from pathlib import Path

import pytest

from kubewright.errors import ConfigError
from kubewright.helm.binary import find_helm, get_helm


def test_helm_beside_this_python_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is the one of ``kubewright[helm]``, in an environment that need not be activated."""
    (tmp_path / "helm").touch()
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))

    assert find_helm() == str(tmp_path / "helm")


def test_helm_is_found_in_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of those who have installed it as its makers say."""
    program = tmp_path / "helm"
    program.touch(mode=0o755)
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    monkeypatch.setenv("PATH", str(tmp_path))

    assert find_helm() == str(program)


def test_missing_helm_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first thing that users of a plain install see."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(ConfigError, match=r'pip install "kubewright\[helm\]"'):
        get_helm()
    assert find_helm() is None

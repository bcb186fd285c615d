"""The project that a command is about."""

import sys
from pathlib import Path

import pytest

from kubewright.cli.project.folder import find_project, get_project, target_of
from kubewright.errors import ConfigError

PROJECT = """\
domain: example.com
layout: [python.kubewright.dev/v1]
projectName: shop-operator
repo: shop_operator
version: "3"
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a project with a folder in it, and go there."""
    (tmp_path / "config").mkdir()
    (tmp_path / "PROJECT").write_text(PROJECT)
    monkeypatch.chdir(tmp_path / "config")
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


def test_a_project_is_found_from_the_folders_in_it(root: Path) -> None:
    """Like git, a command works wherever in the project it is run."""
    found = get_project()

    assert (found.root, found.project.project_name) == (root, "shop-operator")


def test_the_operator_of_the_project_is_taken_if_none_is_named(root: Path) -> None:
    """``kubewright run`` in a project is enough."""
    assert target_of(None) == "shop_operator.main"
    assert target_of("at.py") == "at.py"
    assert str(root) in sys.path


def test_outside_of_a_project_the_command_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newcomer has most likely not changed into the folder."""
    monkeypatch.chdir(tmp_path)

    assert find_project() is None
    with pytest.raises(ConfigError, match=r"no file PROJECT in .* `kubewright init`"):
        get_project()
    with pytest.raises(ConfigError, match="which operator"):
        target_of(None)


def test_a_file_is_read_or_missing(root: Path) -> None:
    """Commands read the manifests of the project by their paths in it."""
    (root / "config/a.yaml").write_text("a: 1\n")
    found = get_project()

    assert found.find_text("config/a.yaml") == "a: 1\n"
    assert found.find_text("config/b.yaml") is None
    with pytest.raises(ConfigError, match="cannot read"):
        found.find_text("config")


def test_a_project_of_another_tool_is_refused_by_name(root: Path) -> None:
    """In a project of kubebuilder, the commands would do harm."""
    (root / "PROJECT").write_text('version: "3"\nlayout: [go.kubebuilder.io/v4]\n')

    with pytest.raises(ConfigError, match=r"PROJECT: its layout is go\.kubebuilder\.io/v4"):
        get_project()

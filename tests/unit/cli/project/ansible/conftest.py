from pathlib import Path

import pytest

from tests.unit.cli.project.running import run


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an empty folder, and go there."""
    made = tmp_path / "town"
    made.mkdir()
    monkeypatch.chdir(made)
    return made


@pytest.fixture
def project(folder: Path) -> Path:
    """Make a project without a kind, and go there."""
    run("init", "--plugins", "ansible", "--domain", "example.com")
    return folder

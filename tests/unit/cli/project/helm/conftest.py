from pathlib import Path

import pytest

from tests.unit.cli.project.running import run


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an empty folder beside a chart, and go there."""
    made = tmp_path / "town"
    made.mkdir()
    chart = tmp_path / "memcached"
    (chart / "templates").mkdir(parents=True)
    (chart / "Chart.yaml").write_text("apiVersion: v2\nname: memcached\nversion: 1.0.0\n")
    (chart / "values.yaml").write_text("# -- How many.\nsize: 1\n")
    (chart / "templates/a.yaml").write_text("apiVersion: apps/v1\nkind: Deployment\n")
    monkeypatch.chdir(made)
    return made


@pytest.fixture
def project(folder: Path) -> Path:
    """Make a project without a kind, and go there."""
    run("init", "--plugins", "helm", "--domain", "example.com")
    return folder

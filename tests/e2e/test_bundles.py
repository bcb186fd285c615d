"""The samples that are projects, as bundles for OLM."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.e2e.program import EXAMPLES
from tests.e2e.projects import PROJECTS

BIN = Path(sys.executable).parent


def make(folder: Path, *words: str) -> str:
    """Run make in a project, as its owner does, and return what it prints."""
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        ["make", *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.timeout(60)
@pytest.mark.parametrize("sample", PROJECTS)
def test_a_sample_has_a_bundle_and_a_catalog(sample: str, tmp_path: Path) -> None:
    """With the kinds, the rights and the samples of the project, and upgrades between versions."""
    root = tmp_path / sample
    shutil.copytree(EXAMPLES / sample, root, ignore=shutil.ignore_patterns("__pycache__"))
    [sample_file, *_] = (root / "config/samples").glob("*_*.yaml")

    for version in ("0.1.0", "0.2.0"):
        said = make(root, "bundle", "catalog", f"VERSION={version}", "CHANNELS=stable")
        assert "bundle is valid\n" in said

    [path] = (root / "bundle/manifests").glob("*.clusterserviceversion.yaml")
    csv = yaml.safe_load(path.read_text())
    [catalog] = (root / "catalog").glob("*/catalog.yaml")
    [_, channel, *bundles] = yaml.safe_load_all(catalog.read_text())
    kinds = [one["kind"] for one in csv["spec"]["customresourcedefinitions"]["owned"]]
    assert yaml.safe_load(sample_file.read_text())["kind"] in kinds
    assert csv["spec"]["install"]["spec"]["clusterPermissions"][0]["rules"]
    assert channel["entries"][1]["replaces"] == channel["entries"][0]["name"]
    assert len(bundles) == 2

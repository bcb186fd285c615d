"""Classes that are generated from CRDs, as a type checker sees them."""

import subprocess
import sys
from pathlib import Path

import pytest

from kubewright.crd.package import package_from
from tests.golden.crd.every import every_crd
from tests.typing.expectations import ROOT


@pytest.mark.timeout(300)  # without a cache, mypy reads everything first
def test_generated_classes_pass_strictly(tmp_path: Path) -> None:
    """They go into the projects of users, who check all that is there."""
    for path, text in package_from([every_crd()]).items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    command = [sys.executable, "-m", "mypy", "--strict", "--python-version", "3.11"]

    done = subprocess.run(
        [*command, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr

"""The project that the tests of ``kubewright rbac`` share."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.cli.rbac.world import FILES


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Make the project, and go there; its modules are forgotten afterwards."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:cacheprovider -p no:randomly")
    yield tmp_path
    for name in [one for one in sys.modules if one.partition(".")[0] == "shop_operator"]:
        del sys.modules[name]

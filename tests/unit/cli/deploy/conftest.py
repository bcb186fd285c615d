"""A project as the current folder, and servers."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kubewright.testing import EmbeddedServer
from tests.unit.cli.deploy.place import Place


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A project; it is the current folder."""
    for name in ("IMG", "CONTAINER_TOOL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "no-kubeconfig"))
    made = Place(tmp_path / "shop")
    monkeypatch.chdir(made.root)
    return made


@pytest.fixture
def server() -> Iterator[EmbeddedServer]:
    """A server without nodes."""
    with EmbeddedServer() as started:
        yield started

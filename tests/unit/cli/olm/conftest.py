"""Clusters, and an empty folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kubewright.testing import EmbeddedCluster, EmbeddedServer


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder of its own."""
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "no-kubeconfig"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def cluster() -> Iterator[EmbeddedServer]:
    """A cluster whose containers are pretended."""
    with EmbeddedCluster() as started:
        yield started


@pytest.fixture
def server() -> Iterator[EmbeddedServer]:
    """A server without nodes."""
    with EmbeddedServer() as started:
        yield started

"""A registry, and nobody's passwords."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.cli.registry.server import RegistryServer, serving


@pytest.fixture(autouse=True)
def _no_passwords(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))


@pytest.fixture
def registry() -> Iterator[RegistryServer]:
    """A registry on this machine."""
    with serving() as found:
        yield found

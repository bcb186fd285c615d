"""Commands with a folder of their own for each test; whatever a test leaves running is stopped."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kubewright.cli.cluster.clusters import Clusters
from tests.cluster.command import Commands


@pytest.fixture
def commands(tmp_path: Path) -> Iterator[Commands]:
    """Return what runs commands."""
    made = Commands(tmp_path / "state")
    yield made
    for folder in Clusters(made.state / "clusters").all():
        made.run("cluster", "stop", "--name", folder.name)

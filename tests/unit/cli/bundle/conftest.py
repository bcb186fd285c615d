"""A project as the current folder."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.cli.bundle.place import Place


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """A project; it is the current folder, and nothing of it stays imported."""
    monkeypatch.delenv("IMG", raising=False)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    made = Place(tmp_path / "stalls")
    monkeypatch.chdir(made.root)
    yield made
    made.forget()


@pytest.fixture
def ready(place: Place) -> Place:
    """The project, with the folder that a bundle is built from."""
    place.prepare()
    return place

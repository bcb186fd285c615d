"""Fixtures for samples that write routes; tests name this module in ``pytest_plugins``."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.traefik import VENV, EtcdServer, TraefikServer


@pytest.fixture
def etcd(tmp_path: Path) -> Iterator[EtcdServer]:
    """The etcd that Traefik reads; another one than that of Kubernetes."""
    assert VENV.is_dir(), f"no {VENV}: run `make {VENV.name}/.installed`"
    with EtcdServer(tmp_path) as running:
        yield running


@pytest.fixture
def traefik(etcd: EtcdServer, tmp_path: Path) -> Iterator[TraefikServer]:
    """Traefik, which follows that etcd."""
    with TraefikServer(etcd, tmp_path) as running:
        yield running

from pathlib import Path

import pytest

from kubewright._aio import Clock
from kubewright._pki.authority import Authority
from kubewright._serve.messages import Response
from kubewright.errors import ConfigError
from kubewright.manager.metrics_access import MetricsAccess
from kubewright.manager.metrics_protection import protect_metrics
from kubewright.testing import EmbeddedServer
from tests.unit._serve.clients import Scripted


async def test_a_page_gets_a_certificate_and_a_guard(tmp_path: Path) -> None:
    """The files are read when the port is opened: a Secret may be mounted until then."""
    async with EmbeddedServer() as server, server.client() as client:
        made = protect_metrics(client, None, "tls.crt", "tls.key", clock=Clock())
        mounted = protect_metrics(client, tmp_path, "a.crt", "a.key", clock=Clock())
    pair = Authority().serving("metrics.shop.svc")
    (tmp_path / "a.crt").write_bytes(pair.certificate)
    (tmp_path / "a.key").write_bytes(pair.key)

    assert isinstance(made.guard(Scripted(Response(200))), MetricsAccess)
    assert made.certificate().certificate.startswith(b"-----BEGIN CERTIFICATE-----")
    assert mounted.certificate().certificate == pair.certificate


def test_without_a_cluster_there_is_nobody_to_ask() -> None:
    """The message says both ways out."""
    with pytest.raises(ConfigError, match="Give the manager one, or serve them to everybody"):
        protect_metrics(None, None, "tls.crt", "tls.key", clock=Clock())

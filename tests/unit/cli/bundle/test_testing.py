"""Tests in pods: as local processes, and on a server where no pod ever starts."""

from pathlib import Path

import pytest

from kubewright.bundle.scoring import Stage, Wanted
from kubewright.bundle.testrun import PodSettings
from kubewright.cli.bundle.testing import TestRun
from kubewright.cli.deploy.screen import Screen
from kubewright.client import Client, Config
from kubewright.errors import ForbiddenError, NotFoundError
from kubewright.testing import EmbeddedCluster, EmbeddedServer
from tests.unit.bundle.sample import bundle, files

MINE = Wanted(("echo", '{"results": [{"name": "mine", "state": "pass"}]}'), "a.b/mine:v1", {})
OURS = Wanted(("scorecard-test", "basic-check-spec"), "quay.io/x/scorecard-test:v1", {})


def run_of(client: Client, *, namespace: str = "default", timeout: float = 20) -> TestRun:
    """Return a run of the sample."""
    return TestRun(
        client, Screen(client.clock), bundle(), files(),
        settings=PodSettings(namespace), timeout=timeout,
    )  # fmt: skip


@pytest.mark.parametrize("parallel", [True, False])
async def test_stages_run_and_nothing_is_left(parallel: bool) -> None:
    """Those of our own in between."""
    with EmbeddedCluster(simulate=False) as server:
        async with Client(Config.load(server.kubeconfig_file)) as client:
            found = await run_of(client).run([Stage((MINE, OURS), parallel), Stage((MINE,))])

            left = await client.list("pods", namespace="default", labels="testrun")
            maps = await client.list("configmaps", namespace="default", labels="testrun")

    assert [(one.result.name, one.result.state) for one in found] == [
        ("mine", "pass"), ("basic-check-spec", "pass"), ("mine", "pass"),
    ]  # fmt: skip
    assert [one for one in left if not one.metadata.deletion_timestamp] == []
    assert list(maps) == []


async def test_a_pod_that_does_not_start_is_an_error_in_time(tmp_path: Path) -> None:
    """It says what it waits for."""
    with EmbeddedServer() as server:
        async with Client(Config.load(server.kubeconfig_file)) as client:
            [found] = await run_of(client, timeout=0.2).run([Stage((MINE,))])

    assert found.result.state == "error"
    assert "it has not ended within 0.2 seconds: pod scorecard-test-" in found.result.errors[0]
    assert "See --wait-time" in found.result.errors[0]


async def test_a_namespace_that_is_not_there_is_told() -> None:
    """By the server; cleaning up finds nothing, and that is fine."""
    with EmbeddedServer() as server:
        async with Client(Config.load(server.kubeconfig_file)) as client:
            with pytest.raises((NotFoundError, ForbiddenError), match="nowhere"):
                await run_of(client, namespace="nowhere").run([Stage((MINE,))])

"""The command ``kubewright helm run``, as users type it."""

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import kubewright as kw
from kubewright.cli.app import app
from kubewright.testing import EmbeddedServer
from tests.e2e.program import RUN, Program
from tests.unit.helm.charts import Shop, chart, shop

KIND = ("--group", "example.com", "--version", "v1alpha1", "--kind", "Shop")


@pytest.mark.timeout(60)  # a process of its own
async def test_chart_runs_without_a_project(tmp_path: Path) -> None:
    """One command from a chart to an operator, its CRD included."""
    place = chart().write_to(tmp_path)
    command = [sys.executable, "-c", RUN, "helm", "run", str(place), *KIND, "--install-crds"]
    with (
        EmbeddedServer() as server,
        Program(command, kubeconfig=server.kubeconfig_file, namespace="default") as program,
    ):
        program.wait_for_line("workers started")
        async with kw.Client(kw.Config.load(server.kubeconfig_file)) as client:
            await client.create(shop())
            found = await kw.wait_for(
                client,
                Shop,
                "corner",
                lambda one: one is not None and "deployedRelease" in one.status,
                timeout=30,
            )
            assert found is not None
        assert program.stop() == 0


def test_missing_chart_is_told_in_one_line(tmp_path: Path) -> None:
    """With the status for invalid input."""
    done = CliRunner().invoke(app, ["helm", "run", str(tmp_path / "none"), *KIND])

    assert done.exit_code == 2
    assert "there is no chart" in done.output

"""The operator is started in this folder, on a cluster of its own, and each sample is applied."""

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubewright as kw
import pytest
import yaml
from kubewright.testing import EmbeddedCluster

ROOT = Path(__file__).parent.parent
SAMPLES = sorted((ROOT / "config/samples").glob("*_*.yaml"))
PATIENCE = 120.0


@pytest.fixture
def operator(kube_cluster: EmbeddedCluster) -> Iterator[None]:
    """Run the operator as ``make install run`` does."""
    if why := missing():
        pytest.skip(why)
    program = [sys.executable, "-m", "kubewright"]
    environment = os.environ | {"KUBECONFIG": str(kube_cluster.kubeconfig_file)}
    subprocess.run([*program, "install"], cwd=ROOT, env=environment, check=True)
    with subprocess.Popen([*program, "run"], cwd=ROOT, env=environment) as running:
        yield
        running.terminate()


def missing() -> str:
    """Return what Ansible lacks here to run a role; nothing if it is all there."""
    galaxy = shutil.which("ansible-galaxy")
    if galaxy is None:
        return "Ansible is not installed: make setup"
    listing = [galaxy, "collection", "list", "kubernetes.core"]
    found = subprocess.run(listing, capture_output=True, text=True, check=False)
    if found.returncode or "kubernetes.core" not in found.stdout:
        return "the collection kubernetes.core is not installed: make setup"
    return ""


@pytest.mark.usefixtures("operator")
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_a_run_succeeds(kube_cluster: EmbeddedCluster, sample: Path) -> None:
    """If not, the output of the operator says why."""
    asyncio.run(apply_and_wait(kube_cluster, yaml.safe_load(sample.read_text())))


async def apply_and_wait(cluster: EmbeddedCluster, sample: dict[str, Any]) -> None:
    """Apply an object, and wait until the run for it has succeeded."""
    kind = kw.Kind(sample["apiVersion"], sample["kind"])
    async with cluster.client() as client:
        made = kind(metadata=sample["metadata"], spec=sample["spec"])
        await client.apply(made, field_owner="tests")
        name = sample["metadata"]["name"]
        await kw.wait_for(client, kind, name, has_succeeded, timeout=PATIENCE)


def has_succeeded(one: kw.Unstructured | None) -> bool:
    """Tell whether the last run for an object has succeeded."""
    conditions = one.status.get("conditions", []) if one is not None else []
    said = {each["type"]: each["status"] for each in conditions}
    return said.get("Successful") == "True"

"""The samples that are projects, as bundles for OLM; and an operator from a bundle."""

import asyncio
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from kubewright.api.kind_reference import Kind
from kubewright.api.unstructured import Unstructured
from kubewright.bundle.document import at
from kubewright.client import Client, Config, wait_for
from kubewright.testing import EmbeddedCluster
from tests.e2e.program import EXAMPLES, RUN
from tests.e2e.projects import PROJECTS
from tests.unit.cli.deploy.place import Done
from tests.unit.cli.olm.place import write_bundle

BIN = Path(sys.executable).parent


def make(folder: Path, *words: str) -> str:
    """Run make in a project, as its owner does, and return what it prints."""
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        ["make", *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.timeout(60)
@pytest.mark.parametrize("sample", PROJECTS)
def test_a_sample_has_a_bundle_and_a_catalog(sample: str, tmp_path: Path) -> None:
    """With the kinds, the rights and the samples of the project, and upgrades between versions."""
    root = tmp_path / sample
    shutil.copytree(EXAMPLES / sample, root, ignore=shutil.ignore_patterns("__pycache__"))
    [sample_file, *_] = (root / "config/samples").glob("*_*.yaml")

    for version in ("0.1.0", "0.2.0"):
        said = make(root, "bundle", "catalog", f"VERSION={version}", "CHANNELS=stable")
        assert "bundle is valid\n" in said

    [path] = (root / "bundle/manifests").glob("*.clusterserviceversion.yaml")
    csv = yaml.safe_load(path.read_text())
    [catalog] = (root / "catalog").glob("*/catalog.yaml")
    [_, channel, *bundles] = yaml.safe_load_all(catalog.read_text())
    kinds = [one["kind"] for one in csv["spec"]["customresourcedefinitions"]["owned"]]
    assert yaml.safe_load(sample_file.read_text())["kind"] in kinds
    assert csv["spec"]["install"]["spec"]["clusterPermissions"][0]["rules"]
    assert channel["entries"][1]["replaces"] == channel["entries"][0]["name"]
    assert len(bundles) == 2


OPERATOR = Path(__file__).parent / "olm/shop.py"
CONFIG_MAPS = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["patch", "create"]}
SECRETS = {"apiGroups": [""], "resources": ["secrets"], "verbs": ["patch", "create"]}
SHOPS = [
    {
        "apiGroups": ["example.com"],
        "resources": ["shops", "shops/status"],
        "verbs": ["get", "list", "watch", "patch"],
    },
    {"apiGroups": ["", "events.k8s.io"], "resources": ["events"], "verbs": ["create", "patch"]},
]


def bundle_of(version: str, *rules: object, **spec: object) -> Path:
    """Write a bundle whose operator is a process on this machine, with these rights."""
    command = [sys.executable, "-c", RUN, "run", str(OPERATOR)]
    container = {"name": "manager", "image": "example.com/shop:v1", "command": command}
    labels = {"matchLabels": {"app": "shop"}}
    template = {
        "metadata": {"labels": {"app": "shop"}},
        "spec": {"serviceAccountName": "shop-manager", "containers": [container]},
    }
    rights = {"serviceAccountName": "shop-manager", "rules": [*SHOPS, *rules]}
    deployment = {"name": "shop-manager", "spec": {"selector": labels, "template": template}}
    install = {"deployments": [deployment], "clusterPermissions": [rights]}
    strategy = {"strategy": "deployment", "spec": install}
    return write_bundle(f"bundle-{version}", version, install=strategy, **spec)


@pytest.mark.timeout(120)
async def test_an_operator_has_the_rights_of_its_bundle_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without OLM; its next version has others, and after cleaning up nothing is left."""
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "no-kubeconfig"))
    monkeypatch.chdir(tmp_path)
    bundle_of("0.1.0", CONFIG_MAPS)
    bundle_of("0.2.0", CONFIG_MAPS, SECRETS, replaces="shop.v0.1.0")
    shop = Kind("example.com/v1", "Shop")
    with EmbeddedCluster(simulate=False) as server:

        async def command(*words: str) -> Done:
            at = ("--direct", "--namespace", "here", "--kubeconfig", str(server.kubeconfig_file))
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-c", RUN, *words, *at,
                stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            )  # fmt: skip
            out, err = await process.communicate()
            return Done(process.returncode or 0, out.decode(), err.decode())

        async with Client(Config.load(server.kubeconfig_file)) as client:

            async def worked(number: int) -> bool:
                found = await wait_for(
                    client, shop, "corner",
                    lambda one: at(one, "status", "size") == number,
                    namespace="here", timeout=30,
                )  # fmt: skip
                return found is not None

            first = await command("run", "bundle", "bundle-0.1.0")
            metadata = {"name": "corner", "namespace": "here"}
            await client.create(
                Unstructured({"apiVersion": "example.com/v1", "kind": "Shop", "metadata": metadata})
            )
            assert first.status == 0, first.err
            assert await worked(1)

            second = await command("run", "bundle-upgrade", "bundle-0.2.0")
            assert second.status == 0, second.err
            assert await worked(2)

            removed = await command("cleanup", "shop", "--delete-objects")
            assert removed.status == 0, removed.err
            for kind in ("deployments.apps", "serviceaccounts", "roles", "rolebindings"):
                listed = await client.list(kind, namespace="here")
                assert [one.name for one in listed if one.name != "default"] == []
            for kind in ("clusterroles", "clusterrolebindings", "customresourcedefinitions"):
                assert not [one.name for one in await client.list(kind) if "shop" in one.name]

"""Bundles on a cluster with OLM, or with what plays its part; and OLM itself."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kubewright.client import Client, Config, wait_for
from kubewright.crd.manifest import from_yaml, to_yaml
from kubewright.testing import EmbeddedCluster, EmbeddedServer, probe
from tests.e2e.olm.lifecycle import BROKEN
from tests.e2e.olm.manifests import crds, everything
from tests.e2e.program import RUN, Program
from tests.unit.cli.deploy.place import Done, run
from tests.unit.cli.olm.place import write_bundle

pytestmark = pytest.mark.timeout(120)
LIFECYCLE = Path(__file__).parent / "olm/lifecycle.py"
FROM = ("--from", "crds.yaml", "--from", "olm.yaml")
HERE = ("--namespace", "here")
V1ALPHA1 = "/apis/operators.coreos.com/v1alpha1/namespaces/here"
CSVS = f"{V1ALPHA1}/clusterserviceversions"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddedServer]:
    """A cluster whose containers are pretended, with OLM's manifests in the current folder."""
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "no-kubeconfig"))
    monkeypatch.chdir(tmp_path)
    Path("crds.yaml").write_text(crds())
    Path("olm.yaml").write_text(everything())
    with EmbeddedCluster() as started:
        yield started


@pytest.fixture
def cluster(server: EmbeddedServer) -> Iterator[EmbeddedServer]:
    """The same, and OLM runs."""
    assert run("olm", "install", "--from", "crds.yaml", server=server).status == 0
    command = [sys.executable, "-c", RUN, "run", str(LIFECYCLE), "--namespace", "olm"]
    with Program(command, kubeconfig=server.kubeconfig_file, namespace="here"):
        done = run("olm", "install", *FROM, server=server)
        assert done.status == 0, done.err
        yield server


def names(server: EmbeddedServer, path: str) -> list[str]:
    """Return the names of what is at a path of the API."""
    return [one["metadata"]["name"] for one in probe.ask(server, "GET", path).json()["items"]]


def left(server: EmbeddedServer) -> set[str]:
    """Return what there is in the namespace, but for what every namespace has."""
    kinds = {
        "deployments": "/apis/apps/v1/namespaces/here/deployments",
        "pods": "/api/v1/namespaces/here/pods",
        "configmaps": "/api/v1/namespaces/here/configmaps",
        "operatorgroups": "/apis/operators.coreos.com/v1/namespaces/here/operatorgroups",
        **{
            kind: f"{V1ALPHA1}/{kind}"
            for kind in (
                "clusterserviceversions", "subscriptions", "catalogsources", "installplans",
            )
        },
    }  # fmt: skip
    found = {f"{kind}/{one}" for kind, path in kinds.items() for one in names(server, path)}
    return found - {"configmaps/kube-root-ca.crt"}


def install(server: EmbeddedServer, folder: str = "one") -> Done:
    """Install a bundle."""
    return run("run", "bundle", folder, *HERE, server=server)


def mark(folder: str, key: str, value: str) -> None:
    """Give the version in a bundle an annotation."""
    [path] = Path(folder).glob("manifests/*.clusterserviceversion.yaml")
    [csv] = from_yaml(path.read_text())
    metadata: dict[str, Any] = csv["metadata"]
    metadata.setdefault("annotations", {})[key] = value
    path.write_text(to_yaml(csv))


def test_a_bundle_is_installed_upgraded_and_removed(cluster: EmbeddedServer) -> None:
    """Through catalog, group, subscription and plan, as OLM wants it; and nothing is left."""
    write_bundle("one")
    write_bundle("two", "0.2.0", replaces="shop.v0.1.0")

    first = install(cluster)
    again = install(cluster)
    installed = names(cluster, CSVS)
    upgraded = run("run", "bundle-upgrade", "two", *HERE, server=cluster)
    pods = [one for one in names(cluster, "/api/v1/namespaces/here/pods") if "catalog" in one]
    removed = run("cleanup", "shop", *HERE, server=cluster)

    assert first.status == 0, first.err
    assert first.out.splitlines()[-1] == "shop.v0.1.0 in here: Succeeded"
    assert again.status == 0, again.err
    assert installed == ["shop.v0.1.0"]
    assert upgraded.status == 0, upgraded.err
    assert upgraded.out.endswith("shop.v0.2.0 has replaced shop.v0.1.0\n")
    assert len(pods) == 1, "the catalog of the version before is still served"
    assert removed.status == 0, removed.err
    assert "shops.example.com" not in names(cluster, CRDS)


def test_olm_comes_and_goes(cluster: EmbeddedServer) -> None:
    """With a table of what it consists of, and not while there are operators."""
    write_bundle("one")
    assert install(cluster).status == 0

    shown = run("olm", "status", server=cluster)
    named = run("olm", "status", *FROM, server=cluster)
    refused = run("olm", "uninstall", server=cluster)
    run("cleanup", "shop", *HERE, server=cluster)
    removed = run("olm", "uninstall", server=cluster)
    absent = run("olm", "status", server=cluster)
    missing = run("olm", "status", *FROM, server=cluster)

    assert shown.status == 0, shown.out
    assert shown.out == named.out
    lines = [line.split(maxsplit=3) for line in shown.out.splitlines()]
    assert lines[0] == ["NAME", "NAMESPACE", "KIND", "STATUS"]
    assert ["packageserver", "olm", "ClusterServiceVersion", "Succeeded"] in lines
    assert ["catalog-operator", "olm", "Deployment", "1 of 1 replicas ready"] in lines
    assert refused.status == 1
    assert "would go, too" in refused.err
    assert removed.status == 0, removed.err
    assert names(cluster, CRDS) == []
    assert absent.status == 1
    assert "OLM is not installed" in absent.err
    assert missing.status == 1
    assert "Missing" in missing.out


async def test_nothing_is_left(cluster: EmbeddedServer) -> None:
    """Not of us, and not of OLM: what it has made for the package goes with its owners."""
    write_bundle("one")
    await asyncio.to_thread(install_in_process, cluster)
    async with Client(Config.load(cluster.kubeconfig_file)) as client:
        before = left(cluster)
        done = await asyncio.to_thread(run_in_process, cluster, "cleanup", "shop")

        for one in before:
            kind, _, name = one.partition("/")
            await wait_for(client, kind, name, lambda it: it is None, namespace="here", timeout=30)

    assert done == 0
    assert {one.partition("/")[0] for one in before} >= {"subscriptions", "catalogsources", "pods"}
    assert left(cluster) == set()


def test_a_version_that_fails_says_why_and_is_not_upgraded(cluster: EmbeddedServer) -> None:
    """OLM goes on only from what has succeeded."""
    write_bundle("one")
    mark("one", BROKEN, "the image is from another planet")
    write_bundle("two", "0.2.0")

    failed = install(cluster)
    upgraded = run("run", "bundle-upgrade", "two", *HERE, server=cluster)
    removed = run("cleanup", "shop", *HERE, server=cluster)
    write_bundle("one")
    again = install(cluster)

    assert failed.status == 1
    assert "shop.v0.1.0 in here: Failed (InstallComponentFailed: the image is from" in failed.err
    assert upgraded.status == 2
    assert "OLM upgrades only what has succeeded. Mend it, or `kubewright cleanup" in upgraded.err
    assert removed.status == 0
    assert again.status == 0, again.err


def test_an_upgrade_that_fails_leaves_a_way_on(cluster: EmbeddedServer) -> None:
    """The broken version is told of; cleaning up and installing the next one works."""
    write_bundle("one")
    write_bundle("two", "0.2.0", replaces="shop.v0.1.0")
    mark("two", BROKEN, "no")
    install(cluster)

    failed = run("run", "bundle-upgrade", "two", *HERE, server=cluster)
    mended = run("cleanup", "shop", *HERE, server=cluster)

    assert failed.status == 1
    assert "shop.v0.2.0 in here: Failed (InstallComponentFailed: no)" in failed.err
    assert mended.status == 0, mended.err
    assert names(cluster, CSVS) == []
    assert "shops.example.com" not in names(cluster, CRDS)


def test_what_a_version_needs_is_named(cluster: EmbeddedServer) -> None:
    """It waits for ever otherwise, and people wonder for what."""
    needed = {"name": "stalls.example.com", "kind": "Stall", "version": "v1"}
    owned = {"name": "shops.example.com", "kind": "Shop", "version": "v1"}
    write_bundle("one", customresourcedefinitions={"owned": [owned], "required": [needed]})

    done = run("run", "bundle", "one", *HERE, "--timeout", "2s", server=cluster)

    assert done.status == 1
    assert "shop.v0.1.0 in here: Pending (RequirementsNotMet: it is Pending) after 2" in done.err
    assert "CustomResourceDefinition stalls.example.com: NotPresent: CRD is not" in done.err


def test_objects_are_not_deleted_unasked(cluster: EmbeddedServer) -> None:
    """They may be somebody's database."""
    write_bundle("one")
    install(cluster)
    shop = {"apiVersion": "example.com/v1", "kind": "Shop", "metadata": {"name": "corner"}}
    probe.ask(cluster, "POST", "/apis/example.com/v1/namespaces/here/shops", body=shop)

    refused = run("cleanup", "shop", *HERE, server=cluster)
    running = names(cluster, CSVS)
    kept = run("cleanup", "shop", *HERE, "--keep-crds", server=cluster)
    install(cluster)
    removed = run("cleanup", "shop", *HERE, "--delete-objects", server=cluster)

    assert refused.status == 1
    assert "shops.example.com: 1 object of it would go, too" in refused.err
    assert running == ["shop.v0.1.0"]
    assert kept.status == 0
    assert removed.status == 0, removed.err
    assert "deleted     shop.example.com/corner in here\n" in removed.out
    assert "shops.example.com" not in names(cluster, CRDS)


def test_a_kind_of_two_packages_stays_until_the_second_goes(cluster: EmbeddedServer) -> None:
    """Its objects are those of the other operator, too."""
    write_bundle("one")
    write_bundle("two")
    for path in Path("two").rglob("*.yaml"):
        text = path.read_text().replace("shop.v0.1.0", "stall.v0.1.0")
        text = text.replace("shop-manager", "stall-manager")
        path.write_text(text.replace("package.v1: shop", "package.v1: stall"))
    install(cluster)
    assert install(cluster, "two").status == 0

    first = run("cleanup", "shop", *HERE, server=cluster)
    between = names(cluster, CRDS)
    second = run("cleanup", "stall", *HERE, server=cluster)

    kept = "kept        customresourcedefinition/shops.example.com (stall.v0.1.0 in here owns it"
    assert kept in first.out
    assert first.status == second.status == 0
    assert "shops.example.com" in between
    assert "shops.example.com" not in names(cluster, CRDS)


@pytest.mark.parametrize("gone", ["subscriptions", "clusterserviceversions", "catalogsources"])
def test_a_cleanup_that_was_killed_goes_on(cluster: EmbeddedServer, gone: str) -> None:
    """Whatever it had deleted by then."""
    write_bundle("one")
    install(cluster)
    for name in names(cluster, f"{V1ALPHA1}/{gone}"):
        probe.ask(cluster, "DELETE", f"{V1ALPHA1}/{gone}/{name}")

    done = run("cleanup", "shop", *HERE, server=cluster)
    again = run("cleanup", "shop", *HERE, server=cluster)

    assert done.status == 0, done.err
    assert again.status == 1
    assert "the package shop is not installed in here" in again.err
    assert names(cluster, CSVS) == []


@pytest.mark.parametrize(
    "line", ["created     pod/", " serves shop.v0.1.0", "created     subscription/", "approved  "]
)
def test_an_installation_that_is_killed_goes_on(cluster: EmbeddedServer, line: str) -> None:
    """By the same command, wherever it was."""
    write_bundle("one")
    command = [sys.executable, "-c", RUN, "run", "bundle", "one"]
    with Program(command, kubeconfig=cluster.kubeconfig_file, namespace="here") as killed:
        killed.wait_for_line(line)

    done = install(cluster)

    assert done.status == 0, done.err
    assert names(cluster, CSVS) == ["shop.v0.1.0"]
    assert len(names(cluster, f"{V1ALPHA1}/installplans")) == 1


@pytest.mark.parametrize("line", ["subscription/", "customresourcedefinition/", "serviceversion/"])
def test_a_cleanup_that_is_killed_goes_on(cluster: EmbeddedServer, line: str) -> None:
    """Until nothing is left."""
    write_bundle("one")
    install(cluster)
    command = [sys.executable, "-c", RUN, "cleanup", "shop"]
    with Program(command, kubeconfig=cluster.kubeconfig_file, namespace="here") as killed:
        killed.wait_for_line(line)

    run("cleanup", "shop", *HERE, server=cluster)

    assert names(cluster, CSVS) == names(cluster, f"{V1ALPHA1}/catalogsources") == []
    assert "shops.example.com" not in names(cluster, CRDS)


def run_in_process(server: EmbeddedServer, *words: str) -> int:
    """Run a command in a process of its own, while this one does something else."""
    at = ("--kubeconfig", str(server.kubeconfig_file))
    done = subprocess.run(
        [sys.executable, "-c", RUN, *words, *HERE, *at], check=False, capture_output=True
    )
    return done.returncode


def install_in_process(server: EmbeddedServer) -> None:
    """Install a bundle from a process of its own."""
    assert run_in_process(server, "run", "bundle", "one") == 0

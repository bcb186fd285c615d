"""``kubewright cleanup --direct``."""

import pytest

from kubewright.testing import EmbeddedServer, probe
from tests.unit.cli.deploy.place import run
from tests.unit.cli.olm.place import write_bundle

HERE = ("--direct", "--namespace", "here")
CLEANUP = ("cleanup", "shop", *HERE)
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
SHOPS = "/apis/example.com/v1/namespaces/here/shops"


@pytest.fixture
def installed(cluster: EmbeddedServer) -> EmbeddedServer:
    """A cluster with the operator, and one object of its kind."""
    write_bundle("bundle")
    assert run("run", "bundle", "bundle", *HERE, server=cluster).status == 0
    shop = {"apiVersion": "example.com/v1", "kind": "Shop", "metadata": {"name": "corner"}}
    probe.ask(cluster, "POST", SHOPS, body=shop)
    return cluster


def test_nothing_is_left(installed: EmbeddedServer) -> None:
    """Objects go first, while the operator runs, and only if that is said."""
    refused = run(*CLEANUP, server=installed)
    done = run(*CLEANUP, "--delete-objects", server=installed)
    again = run(*CLEANUP, server=installed)

    assert refused.status == 1
    assert "shops.example.com: 1 object of it would go, too" in refused.err
    assert done.status == 0
    assert done.out.startswith("deleted     shop.example.com/corner in here\n")
    assert done.out.endswith("shop.v0.1.0 in here is gone\n")
    assert again.status == 1
    assert "the package shop is not installed in here. Is it in another namespace?" in again.err
    assert probe.ask(installed, "GET", CRDS).json()["items"] == []


def test_kinds_can_stay(installed: EmbeddedServer) -> None:
    """With their objects."""
    done = run(*CLEANUP, "--keep-crds", server=installed)

    assert done.status == 0
    assert "released    customresourcedefinition.apiextensions.k8s.io/shops.example.com" in done.out
    assert len(probe.ask(installed, "GET", SHOPS).json()["items"]) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "Missing argument 'PACKAGE'"),
        (("shop", "--timeout", "soon"), "cannot use --timeout: "),
        (("shop", "--kubeconfig", ""), "it is empty. Name a path"),
    ],
)
def test_wrong_input_is_refused(words: tuple[str, ...], message: str) -> None:
    """Before anything is sent."""
    done = run("cleanup", *words)

    assert done.status == 2
    assert message in " ".join(done.err.split())


def test_a_lost_record_is_no_obstacle(installed: EmbeddedServer) -> None:
    """Somebody has deleted the ClusterServiceVersion, and thought that this is all."""
    csvs = "/apis/operators.coreos.com/v1alpha1/namespaces/here/clusterserviceversions"
    probe.ask(installed, "DELETE", f"{csvs}/shop.v0.1.0")

    done = run(*CLEANUP, "--delete-objects", server=installed)

    assert done.status == 0, done.err
    assert probe.ask(installed, "GET", CRDS).json()["items"] == []


def test_a_set_that_nobody_knows_is_not_forgotten(installed: EmbeddedServer) -> None:
    """Its objects would stay for ever."""
    probe.ask(installed, "DELETE", "/api/v1/namespaces/here/configmaps/shop-bundle")

    lost = run(*CLEANUP, "--delete-objects", server=installed)
    run("run", "bundle", "bundle", *HERE, server=installed)
    done = run(*CLEANUP, "--delete-objects", server=installed)

    assert lost.status == 2
    assert "configmap/shop-bundle in here, which says what belongs to shop.v0.1.0, is g" in lost.err
    assert done.status == 0
    assert done.out.count("deleted") > 8

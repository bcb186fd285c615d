"""`cleanup` where OLM's kinds are, and nobody does anything about their objects."""

from typing import Any

import pytest

from kubewright.testing import EmbeddedServer, probe
from tests.e2e.olm.manifests import definitions
from tests.unit.cli.deploy.place import Done, run

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
BASE = "/apis/operators.coreos.com/v1alpha1/namespaces/default"
LABEL = {"operators.coreos.com/shop.default": ""}


@pytest.fixture
def olm(server: EmbeddedServer) -> EmbeddedServer:
    """A server with OLM's kinds."""
    for one in definitions():
        probe.ask(server, "POST", CRDS, body=one)
    return server


def put(server: EmbeddedServer, kind: str, name: str, **parts: Any) -> None:
    """Make an object of OLM."""
    body = {
        "apiVersion": "operators.coreos.com/v1alpha1", "kind": kind,
        "metadata": {"name": name, **parts.get("metadata", {})}, "spec": parts.get("spec", {}),
    }  # fmt: skip
    assert probe.ask(server, "POST", f"{BASE}/{kind.lower()}s", body=body).status == 201


def cleanup(server: EmbeddedServer) -> Done:
    """Clean up, and do not wait for long."""
    return run("cleanup", "shop", "--timeout", "0.3s", server=server)


def test_a_catalog_of_others_is_left(olm: EmbeddedServer) -> None:
    """It serves other packages, too."""
    put(olm, "CatalogSource", "hub")
    spec = {"name": "shop", "source": "hub", "sourceNamespace": "default"}
    put(olm, "Subscription", "mine", spec=spec)
    put(olm, "ClusterServiceVersion", "shop.v1", metadata={"labels": LABEL})

    done = cleanup(olm)

    assert done.status == 0, done.err
    assert done.out.splitlines() == [
        "deleted     subscription/mine in default",
        "deleted     clusterserviceversion/shop.v1 in default",
    ]


def test_a_copy_of_a_version_is_nobodys(olm: EmbeddedServer) -> None:
    """OLM copies versions that look after all namespaces into each of them."""
    labels = LABEL | {"olm.copiedFrom": "elsewhere"}
    put(olm, "ClusterServiceVersion", "shop.v1", metadata={"labels": labels})

    done = cleanup(olm)

    assert done.status == 1
    assert "the package shop is not installed in default" in done.err


def test_what_is_held_up_is_told(olm: EmbeddedServer) -> None:
    """OLM puts finalizers on versions, and may not run."""
    metadata = {"labels": LABEL, "finalizers": ["operators.coreos.com/csv-cleanup"]}
    put(olm, "ClusterServiceVersion", "shop.v1", metadata=metadata)

    done = cleanup(olm)

    assert done.status == 1
    assert (
        "clusterserviceversion/shop.v1 in default is deleted, and not gone within 0.3 seconds."
        " Is OLM running?" in done.err
    )

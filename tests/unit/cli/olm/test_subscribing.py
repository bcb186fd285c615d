"""`run bundle` where OLM's kinds are, and nobody does anything about their objects."""

from typing import Any

import pytest

from kubewright.testing import EmbeddedServer, probe
from tests.e2e.olm.manifests import definitions
from tests.unit.cli.deploy.place import Done, run
from tests.unit.cli.olm.place import write_bundle

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
V1ALPHA1 = "operators.coreos.com/v1alpha1"
V1 = "operators.coreos.com/v1"
PLANS = f"/apis/{V1ALPHA1}/namespaces/default/installplans"
GROUPS = f"/apis/{V1}/namespaces/default/operatorgroups"
OURS = {"kubewright.dev/run-bundle": "shop"}
MODES = [{"type": mode, "supported": True} for mode in ("OwnNamespace", "SingleNamespace")]


@pytest.fixture
def olm(server: EmbeddedServer) -> EmbeddedServer:
    """A server with OLM's kinds, and without pods."""
    return _with_kinds(server)


@pytest.fixture
def nodes(cluster: EmbeddedServer) -> EmbeddedServer:
    """The same with pods."""
    return _with_kinds(cluster)


def _with_kinds(server: EmbeddedServer) -> EmbeddedServer:
    for one in definitions():
        probe.ask(server, "POST", CRDS, body=one)
    return server


def put(server: EmbeddedServer, version: str, kind: str, name: str, **parts: Any) -> None:
    """Make an object of OLM."""
    labels = parts.pop("labels", {})
    metadata = {"name": name, "namespace": "default", "labels": labels}
    path = f"/apis/{version}/namespaces/default/{kind.lower()}s"
    body = {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": parts["spec"]}
    probe.ask(server, "POST", path, body=body)
    if status := parts.get("status"):
        change(server, f"{path}/{name}", "status", **status)


def change(server: EmbeddedServer, path: str, part: str, **fields: Any) -> None:
    """Change fields of the spec or the status of an object, as OLM would."""
    found = probe.ask(server, "GET", path).json()
    found[part] = {**found.get(part, {}), **fields}
    where = f"{path}/status" if part == "status" else path
    assert probe.ask(server, "PUT", where, body=found).status == 200


def put_status(server: EmbeddedServer, path: str, **status: Any) -> None:
    """Write the status of an object, as OLM would."""
    change(server, f"/apis/{V1ALPHA1}/namespaces/default/{path}", "status", **status)


def install(server: EmbeddedServer, *words: str) -> Done:
    """Install the sample, not for long."""
    return run("run", "bundle", "bundle", "--timeout", "1s", *words, server=server)


def test_a_catalog_that_does_not_run_is_told(olm: EmbeddedServer) -> None:
    """With the reason that its pod has, and where the image comes from."""
    write_bundle("bundle")

    done = install(olm, "--index-image", "example.com/opm:v9")

    assert done.status == 1
    assert "the catalog does not run within 1 seconds: pod shop-catalog-" in done.err
    assert "Its image is example.com/opm:v9; --index-image names another one" in done.err


def test_a_plan_that_does_not_come_is_told(nodes: EmbeddedServer) -> None:
    """With what the subscription says, or with whom to look at."""
    write_bundle("bundle")

    silent = install(nodes)
    put_status(nodes, "subscriptions/shop-v0-1-0-sub", conditions=[
        {"type": "ResolutionFailed", "status": "True", "message": "no such channel"},
    ])  # fmt: skip
    told = install(nodes)

    assert silent.status == told.status == 1
    assert "OLM has not planned shop.v0.1.0 within 1 seconds: it does not say why" in silent.err
    assert "within 1 seconds: ResolutionFailed: no such channel" in told.err


def test_a_plan_that_fails_is_told(nodes: EmbeddedServer) -> None:
    """With its own reason; and one that is about others is not approved."""
    write_bundle("bundle")
    install(nodes)
    put_status(
        nodes, "subscriptions/shop-v0-1-0-sub", currentCSV="shop.v0.1.0",
        installPlanRef={"name": "plan"},
    )  # fmt: skip
    names = {"clusterServiceVersionNames": ["other.v1"], "approved": False}
    put(nodes, V1ALPHA1, "InstallPlan", "plan", spec=names)

    foreign = install(nodes)
    approved = probe.ask(nodes, "GET", f"{PLANS}/plan").json()["spec"]["approved"]
    named = ["shop.v0.1.0", "db.v1"]
    change(nodes, f"{PLANS}/plan", "spec", clusterServiceVersionNames=named)
    put_status(nodes, "installplans/plan", phase="Failed", message="crd is refused")
    failed = install(nodes)

    assert foreign.status == 2
    assert "installplan/plan in default is not about shop.v0.1.0, but about other.v1" in foreign.err
    assert approved is False
    assert failed.status == 1
    assert "the plan installs db.v1, too\n" in failed.out
    assert "installplan/plan in default has failed: crd is refused" in failed.err


def test_a_group_that_does_not_suit_is_refused(olm: EmbeddedServer) -> None:
    """There is one for each namespace, and OLM does nothing if there are two."""
    write_bundle("bundle", installModes=MODES)
    put(olm, V1, "OperatorGroup", "theirs", spec={"targetNamespaces": ["other"]})

    differing = install(olm, "--install-mode", "OwnNamespace")
    change(olm, f"{GROUPS}/theirs", "spec", targetNamespaces=[])
    unfit = install(olm)
    put(olm, V1, "OperatorGroup", "second", spec={})
    two = install(olm)

    assert differing.status == unfit.status == two.status == 2
    assert "operatorgroup/theirs in default is for other, and not for default" in differing.err
    assert "cannot be installed in the mode AllNamespaces, only in OwnNamespace" in unfit.err
    assert "there are several OperatorGroups in default, and OLM installs nothing" in two.err


def test_what_others_have_made_is_left_to_them(olm: EmbeddedServer) -> None:
    """A subscription to the same package, a catalog of the same name."""
    write_bundle("bundle")
    put(olm, V1ALPHA1, "CatalogSource", "shop-catalog", spec={})
    catalog = install(olm)
    spec = {"name": "shop", "source": "hub", "sourceNamespace": "olm", "startingCSV": "shop.v0.0.1"}
    put(olm, V1ALPHA1, "Subscription", "theirs", spec=spec)

    second = install(olm)
    upgrade = run("run", "bundle-upgrade", "bundle", server=olm)

    assert catalog.status == second.status == upgrade.status == 2
    assert "there is a catalogsource/shop-catalog in default already, which" in catalog.err
    assert "subscription/theirs in default is to the same package, with shop.v0.0.1" in second.err
    assert "follows the catalogsource/hub in olm, which `kubewright run bundle` has" in upgrade.err


def test_an_upgrade_needs_something_to_begin_with(olm: EmbeddedServer) -> None:
    """And a version that one gets on from."""
    write_bundle("bundle", replaces="shop.v0.0.8")
    spec = {"name": "shop", "source": "shop-catalog", "sourceNamespace": "default"}

    nothing = run("run", "bundle-upgrade", "bundle", server=olm)
    put(olm, V1ALPHA1, "CatalogSource", "shop-catalog", spec={}, labels=OURS)
    put(olm, V1ALPHA1, "Subscription", "ours", spec=spec, status={"installedCSV": "shop.v0.0.9"})
    missing = run("run", "bundle-upgrade", "bundle", server=olm)
    put(olm, V1ALPHA1, "ClusterServiceVersion", "shop.v0.0.9", spec={"version": "0.0.9"})
    apart = run("run", "bundle-upgrade", "bundle", server=olm)

    assert nothing.status == missing.status == apart.status == 2
    assert "no subscription in default is to shop, so there is nothing to upgrade" in nothing.err
    assert "subscription/ours in default has nothing installed yet" in missing.err
    assert "shop.v0.0.9 is installed, and shop.v0.1.0 replaces shop.v0.0.8" in apart.err


def test_an_older_version_is_not_installed_over_a_newer_one(olm: EmbeddedServer) -> None:
    """The subscription began with it, and has gone on since."""
    write_bundle("bundle")
    spec = {"name": "shop", "source": "shop-catalog", "startingCSV": "shop.v0.1.0"}
    status = {"installedCSV": "shop.v0.2.0"}
    put(olm, V1ALPHA1, "Subscription", "ours", spec=spec, labels=OURS, status=status)

    done = install(olm)

    assert done.status == 2
    assert "subscription/ours in default is to the same package, with shop.v0.2.0." in done.err

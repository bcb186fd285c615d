"""Waits for OLM, and what they say when it is late; more of it in test_subscribing."""

from typing import Any

import pytest

from kubewright.cli.deploy.screen import Screen
from kubewright.cli.olm.waiting import Waiting
from kubewright.client import Client, Config
from kubewright.errors import WaitTimeoutError
from kubewright.testing import EmbeddedServer, probe
from tests.e2e.olm.manifests import definitions

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
V1ALPHA1 = "operators.coreos.com/v1alpha1"


def put(server: EmbeddedServer, kind: str, plural: str, status: dict[str, Any]) -> None:
    """Make an object of OLM that is called like the version."""
    for one in definitions():
        probe.ask(server, "POST", CRDS, body=one)
    path = f"/apis/{V1ALPHA1}/namespaces/default/{plural}"
    body = {"apiVersion": V1ALPHA1, "kind": kind, "metadata": {"name": "shop.v1"}, "spec": {}}
    made = probe.ask(server, "POST", path, body=body).json()
    probe.ask(server, "PUT", f"{path}/shop.v1/status", body={**made, "status": status})


def waiting(client: Client) -> Waiting:
    """Return waits that do not last."""
    return Waiting(client, Screen(client.clock), "default", 0.3)


async def test_a_subscription_that_is_gone_is_told(server: EmbeddedServer) -> None:
    """Somebody has cleaned up meanwhile."""
    put(server, "Subscription", "subscriptions", {})
    async with Client(Config.load(server.kubeconfig_file)) as client:
        with pytest.raises(WaitTimeoutError, match=r"subscription/other in default is gone"):
            await waiting(client).plan("other", "shop.v1")


@pytest.mark.parametrize(
    ("status", "before", "plan"),
    [
        ({"installPlanRef": {"name": "p"}, "currentCSV": "shop.v1"}, "", "p"),
        ({"installPlanRef": {"name": "p"}}, "old", "p"),
        ({"installedCSV": "shop.v1"}, "", ""),
        ({"installPlanRef": {"name": "old"}, "currentCSV": "shop.v1"}, "old", None),
        ({"installPlanRef": {"name": "p"}, "currentCSV": "shop.v0"}, "", None),
    ],
)
async def test_only_the_plan_for_the_version_counts(
    server: EmbeddedServer, status: dict[str, Any], before: str, plan: str | None
) -> None:
    """One of an earlier version is done, and one of another version nobody has asked for."""
    put(server, "Subscription", "subscriptions", status)
    async with Client(Config.load(server.kubeconfig_file)) as client:
        wait = waiting(client).plan("shop.v1", "shop.v1", before=before)
        if plan is None:
            with pytest.raises(WaitTimeoutError, match=r"OLM has not planned shop.v1"):
                await wait
        else:
            assert await wait == plan


async def test_a_plan_that_takes_too_long_is_told(server: EmbeddedServer) -> None:
    """With its phase, if it says nothing else."""
    put(server, "InstallPlan", "installplans", {"phase": "Installing"})
    async with Client(Config.load(server.kubeconfig_file)) as client:
        with pytest.raises(WaitTimeoutError, match=r"not complete within 0.3 .* is Installing"):
            await waiting(client).completed("shop.v1")


async def test_a_version_that_never_comes_is_told(server: EmbeddedServer) -> None:
    """The plan was complete, and yet."""
    put(server, "ClusterServiceVersion", "clusterserviceversions", {})
    async with Client(Config.load(server.kubeconfig_file)) as client:
        with pytest.raises(WaitTimeoutError, match=r"shop.v2 in default: OLM has not made it yet"):
            await waiting(client).succeeded("shop.v2")

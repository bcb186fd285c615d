"""The pod with the catalog; where it does not run, see test_subscribing."""

import pytest

from kubewright.bundle.subscription.objects import Settings
from kubewright.cli.deploy.screen import Screen
from kubewright.cli.olm.catalog import SOURCE, Publisher
from kubewright.client import Client, Config, wait_for
from kubewright.testing import EmbeddedServer, probe
from tests.e2e.olm.manifests import definitions

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


@pytest.fixture
def olm(cluster: EmbeddedServer) -> EmbeddedServer:
    """A cluster with OLM's kinds."""
    for one in definitions():
        probe.ask(cluster, "POST", CRDS, body=one)
    return cluster


async def test_a_catalog_is_served_once_and_replaced(olm: EmbeddedServer) -> None:
    """The same one keeps its pod; another one gets another, and the old one goes."""
    async with Client(Config.load(olm.kubeconfig_file)) as client:
        publisher = Publisher(
            client, Screen(client.clock), "default", settings=Settings(), timeout=20
        )

        async def pods() -> list[str]:
            return [one.name for one in await client.list("pods", namespace="default")]

        await publisher.publish("shop", "shop.v1", ["{}\n", "{}\n"])
        first = await pods()
        await publisher.publish("shop", "shop.v1", ["{}\n", "{}\n"])
        second = await pods()
        await publisher.publish("shop", "shop.v2", ["[]\n"])
        await wait_for(
            client, "pods", first[0], lambda one: one is None, namespace="default", timeout=20
        )
        third = await pods()
        source = await client.get(SOURCE, "shop-catalog", namespace="default")
        pod = await client.get("pods", third[0], namespace="default")

    assert first == second
    assert len(third) == 1
    assert source["spec"]["address"] == f"{pod['status']['podIP']}:50051"
    assert (
        source.metadata.annotations["operators.operatorframework.io/injected-bundles"] == "shop.v2"
    )


async def test_a_pod_that_is_gone_is_made_again(olm: EmbeddedServer) -> None:
    """Its node was drained, or somebody has cleaned up."""
    async with Client(Config.load(olm.kubeconfig_file)) as client:
        publisher = Publisher(
            client, Screen(client.clock), "default", settings=Settings(), timeout=20
        )
        await publisher.publish("shop", "shop.v1", ["{}\n"])
        [pod] = await client.list("pods", namespace="default")
        await client.delete(pod, grace_period=30)

        await publisher.publish("shop", "shop.v1", ["{}\n"])
        [made] = await client.list("pods", namespace="default")

    assert made.name == pod.name
    assert made.metadata.uid != pod.metadata.uid


async def test_a_pod_of_a_source_that_is_gone_is_not_used(olm: EmbeddedServer) -> None:
    """It will go with that, only later: after a cleanup, when one installs again at once."""
    async with Client(Config.load(olm.kubeconfig_file)) as client:
        publisher = Publisher(
            client, Screen(client.clock), "default", settings=Settings(), timeout=20
        )
        await publisher.publish("shop", "shop.v1", ["{}\n"])
        [pod] = await client.list("pods", namespace="default")
        await client.delete(SOURCE, "shop-catalog", namespace="default", propagation="Orphan")
        await wait_for(
            client, SOURCE, "shop-catalog", lambda one: one is None, namespace="default", timeout=9
        )

        await publisher.publish("shop", "shop.v1", ["{}\n"])
        source = await client.get(SOURCE, "shop-catalog", namespace="default")
        made = await client.get("pods", pod.name, namespace="default")

    assert made.metadata.uid != pod.metadata.uid
    assert [one.uid for one in made.metadata.owner_references] == [source.metadata.uid]

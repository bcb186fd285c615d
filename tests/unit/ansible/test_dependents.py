"""What runs make is watched by its kind, from the first object on."""

from pathlib import Path

import kubewright as kw
from kubewright.ansible.dependents import Dependents
from kubewright.api.kind_reference import Kind
from kubewright.cluster import Cluster
from kubewright.testing import EmbeddedServer
from tests.unit.ansible.stalls import ConfigMap, make, market, sign, stall, watch

NAMESPACES = "/api/v1/namespaces"
NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "street"}}


async def test_other_objects_of_the_kind_are_kept_without_their_content(tmp_path: Path) -> None:
    """A cluster has many ConfigMaps, and large ones."""
    async with market(tmp_path) as test:
        large = ConfigMap(
            metadata={"name": "large", "namespace": "default"}, data={"a": "b" * 9999}
        )
        await test.client.create(large)
        await test.client.create(stall(make()))
        await test.ran(1)
        await test.settled()

        (cluster,) = test.manager.clusters
        assert isinstance(cluster, kw.Cluster)
        (informer,) = [one for one in cluster.cache if "configmaps" in str(one.selection)]
        entry = informer.store.find_entry(large.key)
        assert entry is not None
        assert len(entry.raw) < 1000


async def test_owner_that_cannot_be_referred_to_is_found_by_its_annotation(
    tmp_path: Path,
) -> None:
    """An object without a namespace has no owner in one."""
    async with market(tmp_path, watch_cluster_scoped_resources=True) as test:
        await test.client.create(stall(["POST", NAMESPACES, NAMESPACE]))
        await test.ran(1)
        made = await test.there(Kind("v1", "Namespace"), "street")
        assert made.metadata.annotations["operator-sdk/primary-resource"] == "default/corner"

        await test.client.patch("Namespace", "street", {"metadata": {"labels": {"a": "b"}}})

        await test.ran(2)


async def test_what_may_not_be_watched_is_not(tmp_path: Path) -> None:
    """By the blacklist, by its scope, or at all."""
    async with EmbeddedServer() as server, server.client() as client:
        cluster = Cluster(client)
        plain = Dependents(watch(tmp_path), cluster)
        blacklist = watch(tmp_path, blacklist=frozenset({Kind("v1", "ConfigMap")}))

        assert plain.follow(ConfigMap, is_namespaced=True)
        assert not plain.follow(ConfigMap, is_namespaced=False)
        assert not Dependents(blacklist, cluster).follow(ConfigMap, is_namespaced=True)
        unwatched = Dependents(watch(tmp_path, watch_dependent_resources=False), cluster)
        assert not unwatched.follow(ConfigMap, is_namespaced=True)


async def test_what_is_beyond_the_namespaces_of_the_operator_is_looked_at_each_period(
    tmp_path: Path,
) -> None:
    """It is not watched, and a change of it counts all the same."""
    path = "/api/v1/namespaces/other/configmaps"
    made = {**sign(text="open"), "metadata": {"name": "sign", "namespace": "other"}}
    steps = [["DELETE", f"{path}/sign"], ["POST", path, made]]
    async with market(tmp_path, namespaces=["default"], settings={"reconcile_period": 0.2}) as test:
        await test.client.create(Kind("v1", "Namespace")(metadata={"name": "other"}))
        await test.client.create(ConfigMap(metadata=made["metadata"], data=made["data"]))
        await test.client.create(stall(*steps))
        await test.ran(1)
        await test.settled()

        await test.client.patch(ConfigMap, "sign", {"data": {"text": "shut"}}, namespace="other")

        await kw.wait_for(
            test.client, ConfigMap, "sign",
            lambda one: one is not None and one["data"] == {"text": "open"},
            namespace="other", timeout=30,
        )  # fmt: skip

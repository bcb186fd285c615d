"""Releases in Secrets."""

import pytest
from msgspec.structs import replace

import kubewright as kw
from kubewright.errors import RetryAfter
from kubewright.helm.release import Release
from kubewright.helm.storage import KEPT, LABELS, SECRET, Storage
from kubewright.testing import EmbeddedServer
from tests.unit.helm.charts import ConfigMap, Secret

RELEASE = Release(name="corner", namespace="default", version=1, status="deployed", inputs="a")


async def test_what_was_written_is_known_at_once() -> None:
    """The next step depends on it, and the watch may be slow."""
    async with EmbeddedServer() as server, server.client() as client:
        cluster = kw.Cluster(client)
        informer = cluster.cache.informer(SECRET, labels=LABELS)
        async with kw.Manager(cluster):
            storage = Storage(cluster, informer)

            await storage.create(RELEASE, None)
            await storage.create(replace(RELEASE, version=10), None)
            done = await storage.update(RELEASE, "superseded")

            records = storage.records("corner", "default")
            assert [(one.version, one.status) for one in records] == [
                (1, "superseded"),
                (10, "deployed"),
            ]
            assert records[0].inputs == "a"
            assert storage.get(records[0]) == done
            assert storage.get(records[1]) is storage.get(records[1])


async def test_revision_that_was_replaced_is_not_held_in_memory() -> None:
    """Ten of each release, with their charts, would be most of the memory of an operator."""
    async with EmbeddedServer() as server, server.client() as client:
        cluster = kw.Cluster(client)
        informer = cluster.cache.informer(SECRET, labels=LABELS)
        async with kw.Manager(cluster):
            storage = Storage(cluster, informer)
            await storage.create(RELEASE, None)
            (deployed,) = storage.records("corner", "default")
            assert storage.get(deployed) is storage.get(deployed)

            await storage.update(RELEASE, "superseded")
            (record,) = storage.records("corner", "default")

            assert storage.get(record) is not storage.get(record)


async def test_revision_of_another_owner_is_not_written_over() -> None:
    """It was not there a moment ago, so nobody has looked whose it is."""
    async with EmbeddedServer() as server, server.client() as client:
        cluster = kw.Cluster(client)
        informer = cluster.cache.informer(SECRET, labels=LABELS)
        other = await client.create(ConfigMap(metadata={"name": "a", "namespace": "default"}))
        first, second, gone = (
            {"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": uid}
            for uid in (other.metadata.uid, "second", "gone")
        )
        async with kw.Manager(cluster):
            storage = Storage(cluster, informer)
            await storage.create(RELEASE, gone, frozenset({"x", "y"}))

            await storage.create(RELEASE, first)
            with pytest.raises(RetryAfter, match="ConfigMap 'a' has begun this release"):
                await storage.create(replace(RELEASE, inputs="b"), second)

            (record,) = storage.records("corner", "default")
            assert (record.inputs, record.found) == ("a", frozenset({"x", "y"}))
            assert record.holder is not None
            assert record.holder.uid == other.metadata.uid


async def test_trim_keeps_what_is_deployed() -> None:
    """However old it is."""
    async with EmbeddedServer() as server, server.client() as client:
        cluster = kw.Cluster(client)
        informer = cluster.cache.informer(SECRET, labels=LABELS)
        async with kw.Manager(cluster):
            storage = Storage(cluster, informer)
            await storage.create(RELEASE, None)
            for version in range(2, KEPT + 4):
                await storage.create(replace(RELEASE, version=version, status="failed"), None)

            await storage.trim("corner", "default")

            records = storage.records("corner", "default")
            assert len(records) == KEPT
            assert records[0].version == 1
            await storage.remove_all("corner", "default")
            assert not await client.list(Secret, namespace="default", labels={"owner": "helm"})


async def test_labels_of_anybody_do_no_harm() -> None:
    """One text instead of a number would stop the release, and its removal."""
    async with EmbeddedServer() as server, server.client() as client:
        cluster = kw.Cluster(client)
        informer = cluster.cache.informer(SECRET, labels=LABELS)
        async with kw.Manager(cluster):
            storage = Storage(cluster, informer)
            await storage.create(RELEASE, None)
            key = storage.records("corner", "default")[0].key
            labels = {"modifiedAt": "x", "createdAt": "y"}
            await client.patch(SECRET, key, {"metadata": {"labels": labels}})

            (record,) = storage.records("corner", "default")

            assert (record.version, record.modified) == (1, 0)


async def test_record_that_cannot_be_read_is_not_readable() -> None:
    """The others are enough to remove a release."""
    async with EmbeddedServer() as server, server.client() as client:
        cluster = kw.Cluster(client)
        informer = cluster.cache.informer(SECRET, labels=LABELS)
        async with kw.Manager(cluster):
            storage = Storage(cluster, informer)
            await storage.create(RELEASE, None)
            await storage.create(replace(RELEASE, version=2), None)
            first, second = storage.records("corner", "default")
            await client.patch(SECRET, second.key, {"data": {"release": "JSUl"}})

            records = storage.records("corner", "default")

            assert len(records) == 2
            assert storage.readable(records) == [first]


async def test_name_that_is_no_label_has_no_records() -> None:
    """The server accepts longer names of objects than of labels."""
    async with EmbeddedServer() as server, server.client() as client:
        cluster = kw.Cluster(client)
        informer = cluster.cache.informer(SECRET, labels=LABELS)
        async with kw.Manager(cluster):
            assert Storage(cluster, informer).records("x" * 64, "default") == []

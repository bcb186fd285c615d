"""Data in volumes: with real processes, from the pod's side."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kubewright.client import Client, wait_for
from kubewright.embedded import LocalCluster
from kubewright.kinds.apps.v1 import StatefulSet
from kubewright.kinds.core.v1 import (
    HostPathVolumeSource,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
)
from tests.unit.embedded.storage.samples import claim, reference, volume

pytestmark = pytest.mark.timeout(60)

NOTE_START = "echo $HOSTNAME >> /data/starts; cat /data/starts; exec sleep 1000"


def database(**spec: Any) -> StatefulSet:
    """Return a set of two pods that note each start in their own claim, and show the notes."""
    mounts = [{"name": "data", "mountPath": "/data"}]
    container = {"name": "db", "image": "busybox", "command": ["sh", "-c", NOTE_START]}
    document = {
        "metadata": {"name": "db"},
        "spec": {
            "serviceName": "db",
            "replicas": 2,
            "selector": {"matchLabels": {"app": "db"}},
            "template": {
                "metadata": {"labels": {"app": "db"}},
                "spec": {
                    "terminationGracePeriodSeconds": 0,
                    "containers": [{**container, "volumeMounts": mounts}],
                },
            },
            "volumeClaimTemplates": [
                {
                    "metadata": {"name": "data"},
                    "spec": {
                        "accessModes": ["ReadWriteOnce"],
                        "resources": {"requests": {"storage": "1Gi"}},
                    },
                }
            ],
            **spec,
        },
    }
    return msgspec.convert(document, StatefulSet)


async def ready(client: Client) -> None:
    """Wait until both pods are ready."""
    await wait_for(
        client, StatefulSet, "db", lambda one: one is not None and one.status.ready_replicas == 2
    )


async def starts(client: Client, pod: str, count: int) -> list[str]:
    """Return what *pod* has noted, once that is so many starts."""
    async with asyncio.timeout(20):
        while True:
            found = (await client.logs(pod)).split()
            if len(found) >= count:
                return found
            await asyncio.sleep(0.05)


async def remove(client: Client) -> None:
    """Delete the set, and wait until its pods are gone."""
    await client.delete(StatefulSet, "db", propagation="Foreground")
    for kind, name in ((StatefulSet, "db"), (Pod, "db-0"), (Pod, "db-1")):
        await wait_for(client, kind, name, lambda one: one is None)


async def test_a_stateful_set_keeps_its_data() -> None:
    """Each pod has its own: after the pod, and after the set."""
    async with LocalCluster(nodes=2, simulate=False) as cluster, cluster.client() as client:
        await client.create(database())
        await ready(client)
        before = await client.get(Pod, "db-0")
        await client.delete(before)
        await wait_for(
            client,
            Pod,
            "db-0",
            lambda one: (
                one is not None
                and one.metadata.uid != before.metadata.uid
                and one.status.phase == "Running"
            ),
        )
        again = await starts(client, "db-0", 2)
        await remove(client)
        await client.create(database())
        await ready(client)

        assert again == ["db-0", "db-0"]
        assert await starts(client, "db-0", 3) == ["db-0"] * 3
        assert await starts(client, "db-1", 2) == ["db-1"] * 2


async def test_a_stateful_set_that_says_so_takes_its_data_with_it(tmp_path: Path) -> None:
    """Claims, volumes and folders, by its policy."""
    policy = {"whenDeleted": "Delete", "whenScaled": "Retain"}
    cluster = LocalCluster(data_dir=tmp_path, simulate=False)
    async with cluster, cluster.client() as client:
        await client.create(database(persistentVolumeClaimRetentionPolicy=policy))
        await ready(client)
        volumes = [one.metadata.name for one in await client.list(PersistentVolume)]
        await remove(client)
        for name in ("data-db-0", "data-db-1"):
            await wait_for(client, PersistentVolumeClaim, name, lambda one: one is None)
        for name in volumes:
            await wait_for(client, PersistentVolume, name, lambda one: one is None)

    assert len(volumes) == 2
    assert list((tmp_path / "claims").iterdir()) == []


async def test_a_volume_of_a_user_is_mounted_at_its_path_and_stays(tmp_path: Path) -> None:
    """Both before its claim and after."""
    (tmp_path / "starts").write_text("user\n")
    async with LocalCluster(simulate=False) as cluster, cluster.client() as client:
        source = HostPathVolumeSource(path=str(tmp_path), type="Directory")
        await client.create(volume(host_path=source, claim_ref=reference("mine")))
        await client.create(claim("mine"))
        document = {
            "metadata": {"name": "reader"},
            "spec": {
                "restartPolicy": "Never",
                "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "mine"}}],
                "containers": [
                    {
                        "name": "main",
                        "image": "busybox",
                        "command": ["sh", "-c", "cat /data/starts; echo pod >> /data/starts"],
                        "volumeMounts": [{"name": "v", "mountPath": "/data"}],
                    }
                ],
            },
        }
        await client.create(msgspec.convert(document, Pod))
        await wait_for(
            client, Pod, "reader", lambda one: one is not None and one.status.phase == "Succeeded"
        )
        said = await client.logs("reader")
        await client.delete(Pod, "reader")
        await client.delete(PersistentVolumeClaim, "mine")
        released = await wait_for(
            client,
            PersistentVolume,
            "disk",
            lambda one: one is not None and one.status.phase == "Released",
        )

    assert said == "user\n"
    assert released is not None
    assert (tmp_path / "starts").read_text() == "user\npod\n"

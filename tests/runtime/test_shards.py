"""Shards, on a server that selects them itself: Kubernetes' own code must agree with ours."""

import asyncio
from collections.abc import Iterator

import msgspec
import pytest

import kubewright as kw
from kubewright.api.requests import Place, list_, selection
from kubewright.api.resource import mapping_of
from kubewright.application.install import install_crds
from kubewright.testing import RealCRDServer
from kubewright.testing.assets import get_program
from kubewright.testing.crd_server import PROGRAM
from tests.runtime.shops import Shop

pytestmark = pytest.mark.timeout(120)

COUNT = 60
SHARDS = [kw.Shard(index, 3) for index in range(3)]


@pytest.fixture
def sharding() -> Iterator[RealCRDServer]:
    """Return a server that knows shards, an alpha feature of Kubernetes 1.36."""
    try:
        get_program(PROGRAM)
    except kw.ConfigError as error:
        pytest.skip(str(error))
    with RealCRDServer(flags=["--feature-gates=ShardedListAndWatch=true"]) as running:
        yield running


async def test_the_server_and_we_put_each_object_into_the_same_shard(
    sharding: RealCRDServer,
) -> None:
    """Where the server selects, we must not drop what it sends, nor miss what it does not."""
    async with kw.Client(sharding.config(sharding.admin), field_owner="test") as client:
        await install_crds(client, [Shop])
        clusters = [kw.Cluster(client, shard=shard) for shard in SHARDS]
        informers = [cluster.cache.informer(Shop) for cluster in clusters]
        running = [asyncio.create_task(cluster.run()) for cluster in clusters]
        for number in range(COUNT // 2):
            await client.create(Shop(metadata=kw.ObjectMeta(name=f"shop-{number}")))
        for informer in informers:
            await informer.wait_for_sync()
        for number in range(COUNT // 2, COUNT):
            await client.create(Shop(metadata=kw.ObjectMeta(name=f"shop-{number}")))

        listed = [await _listed(client, shard) for shard in SHARDS]
        whole = {shop.metadata.uid for shop in await client.list(Shop)}
        while sum(len(informer.store) for informer in informers) < COUNT:  # noqa: ASYNC110  # not ours
            await asyncio.sleep(0.01)  # another process: its time is not ours
        kept = [{shop.metadata.uid for shop in informer.store.list()} for informer in informers]
        for task in running:
            task.cancel()
        await asyncio.wait(running)

    assert len(whole) == COUNT
    assert listed == [{uid for uid in whole if shard.owns(uid)} for shard in SHARDS]
    assert kept == listed


async def _listed(client: kw.Client, shard: kw.Shard) -> set[str]:
    """Return the uids of what the server itself takes for the objects of *shard*."""
    request = list_(Place(mapping_of(Shop), "default"), selection(shard_selector=shard.selector))
    document = msgspec.json.decode((await client.rest.send(request)).body)
    return {item["metadata"]["uid"] for item in document["items"]}

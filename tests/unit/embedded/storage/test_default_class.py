from kubewright.embedded.storage.default_class import ensure_default_class
from kubewright.kinds.storage.v1 import StorageClass
from kubewright.testing import EmbeddedServer
from tests.unit.embedded.storage.samples import storage_class


async def test_a_new_cluster_has_a_default_class() -> None:
    """Claims that say nothing of a class work, as on kind and minikube."""
    async with EmbeddedServer() as server, server.client() as client:
        await ensure_default_class(client)

        [found] = await client.list(StorageClass)

    assert found.metadata.name == "standard"
    assert found.metadata.annotations == {"storageclass.kubernetes.io/is-default-class": "true"}
    assert found.provisioner == "kubewright.dev/folder"
    assert found.volume_binding_mode == "WaitForFirstConsumer"
    assert found.reclaim_policy == "Delete"
    assert found.allow_volume_expansion is True


async def test_what_the_user_made_of_it_stays() -> None:
    """After a restart it is neither back nor the default again."""
    async with EmbeddedServer() as server, server.client() as client:
        await ensure_default_class(client)
        await client.delete(StorageClass, "standard")
        await ensure_default_class(client)

        assert list(await client.list(StorageClass)) == []


async def test_a_class_of_that_name_is_not_touched() -> None:
    """Somebody was faster, or a start was cut short."""
    async with EmbeddedServer() as server, server.client() as client:
        await client.create(storage_class("standard", provisioner="mine.example.com"))
        await ensure_default_class(client)

        found = await client.get(StorageClass, "standard")

    assert found.provisioner == "mine.example.com"

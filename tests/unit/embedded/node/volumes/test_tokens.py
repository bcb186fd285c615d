import kubewright as kw
from kubewright.embedded.node.volumes.tokens import find_tokens
from kubewright.kinds.core.v1 import (
    ProjectedVolumeSource,
    ServiceAccount,
    ServiceAccountTokenProjection,
    Volume,
    VolumeProjection,
)
from tests.unit.embedded.node.world import a_server, pod


def volume(path: str, audience: str | None = None) -> Volume:
    """Return a volume that wants a token."""
    token = ServiceAccountTokenProjection(path=path, audience=audience)
    sources = [VolumeProjection(service_account_token=token)]
    return Volume(name=path, projected=ProjectedVolumeSource(sources=sources))


async def test_a_token_of_the_account_of_the_pod_is_made() -> None:
    """Programs in the pod talk to the API server with it."""
    async with a_server() as world:
        meta = kw.ObjectMeta(name="robot", namespace="default")
        await world.client.create(ServiceAccount(metadata=meta))
        wanted = pod(
            volumes=[volume("token"), volume("vault", "vault")],
            service_account_name="robot",
            automount_service_account_token=False,
        )
        made = await world.client.create(wanted)

        found = await find_tokens(world.client, made)

        assert found.keys() == {"token", "vault"}
        assert all(text.count(".") == 2 for text in found.values())


async def test_a_server_that_makes_no_token_does_not_stop_the_pod() -> None:
    """Most pods never use it."""
    async with a_server() as world:
        lonely = pod(volumes=[volume("token")], service_account_name="nobody")
        lonely.metadata.uid = "1"

        assert await find_tokens(world.client, lonely) == {}

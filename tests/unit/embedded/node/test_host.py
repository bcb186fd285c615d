import kubewright as kw
from kubewright.embedded.node.host import find_references, new_id
from kubewright.embedded.node.volumes.references import Reference
from kubewright.kinds.core.v1 import ConfigMap, Secret
from tests.unit.embedded.node.world import a_server


async def test_what_a_pod_names_is_read_once() -> None:
    """What is not there is known not to be."""
    async with a_server() as world:
        meta = kw.ObjectMeta(name="a", namespace="default")
        await world.client.create(ConfigMap(metadata=meta, data={"k": "v"}))
        await world.client.create(Secret(metadata=meta, data={"k": b"s"}))
        wanted = [Reference("ConfigMap", "a"), Reference("Secret", "a"), Reference("Secret", "b")]

        found = await find_references(world.client, "default", [*wanted, *wanted])

        assert found.config_map("a") == {"k": "v"}
        assert found.secret("a") == {"k": b"s"}
        assert found.secrets["b"] is None
        assert len(world.server.api.audit.events(verb="get")) == 3


def test_no_two_containers_have_one_id() -> None:
    """Sixty-four digits, as runtimes have them."""
    assert len(new_id()) == 64
    assert new_id() != new_id()

"""The scale subresource."""

from typing import Any

from kubewright.client import Client, Config
from kubewright.kinds.apps.v1 import StatefulSet
from tests.unit.client.scripted import ScriptedTransport, answer

CONFIG = Config(server="https://example.com", namespace="home")
SCALE: dict[str, Any] = {
    "kind": "Scale",
    "metadata": {"name": "db", "namespace": "home", "resourceVersion": "3"},
    "spec": {},
    "status": {"replicas": 0, "selector": "app=db"},
}


async def test_no_replicas_wanted_is_read_as_nothing() -> None:
    """Go leaves a zero out of the spec; the status says what there is."""
    client = Client(CONFIG, transport=ScriptedTransport(answer(SCALE)))

    scale = await client.scale.get(StatefulSet, "db")

    assert not scale.spec.replicas
    assert scale.status.replicas == 0
    assert scale.status.selector == "app=db"


async def test_an_update_carries_the_version_that_was_read() -> None:
    """So that two autoscalers notice each other."""
    transport = ScriptedTransport(answer(SCALE), answer(SCALE))
    client = Client(CONFIG, transport=transport, field_owner="me")
    scale = await client.scale.get(StatefulSet, "db")

    scale.spec.replicas = 2
    await client.scale.update(StatefulSet, scale)

    assert transport.requests[1].method == "PUT"
    assert transport.bodies[0]["metadata"]["resourceVersion"] == "3"
    assert transport.requests[1].target.endswith("/statefulsets/db/scale?fieldManager=me")


async def test_a_dry_run_client_scales_nothing() -> None:
    """The client's defaults hold for every write."""
    transport = ScriptedTransport(answer(SCALE))
    client = Client(CONFIG, transport=transport, dry_run=True)

    await client.scale.set(StatefulSet, "db", 2)

    assert "dryRun=All" in transport.requests[0].target

"""Status, scale and other subresources: separate doors to one object."""

import pytest

from kubewright.api.meta import ObjectMeta
from kubewright.client import Client
from kubewright.errors import ConflictError, NotFoundError
from kubewright.kinds.apps.v1 import Deployment
from kubewright.kinds.authentication.v1 import TokenRequest
from kubewright.kinds.core.v1 import ConfigMap, Pod, ServiceAccount
from tests.conformance.objects import config_map, deployment, pod


async def test_the_main_resource_ignores_status(client: Client) -> None:
    """Users change the spec; only controllers change the status."""
    made = await client.create(deployment("a"))

    made.status.replicas = 9
    made.spec.replicas = 2
    updated = await client.update(made)

    assert updated.status.replicas is None
    assert updated.spec.replicas == 2


async def test_the_status_subresource_ignores_the_rest(client: Client) -> None:
    """A controller that writes status cannot undo a user's change by accident."""
    made = await client.create(deployment("a"))

    made.status.replicas = 9
    made.spec.replicas = 2
    updated = await client.status.update(made)

    assert updated.status.replicas == 9
    assert updated.spec.replicas == 1


async def test_a_change_of_status_does_not_move_the_generation(client: Client) -> None:
    """ObservedGeneration relies on it."""
    made = await client.create(deployment("a"))
    assert made.metadata.generation == 1

    made.status.replicas = 1
    with_status = await client.status.update(made)
    with_status.spec.replicas = 3
    with_spec = await client.update(with_status)

    assert with_status.metadata.generation == 1
    assert with_spec.metadata.generation == 2


async def test_status_can_be_patched_by_difference(client: Client) -> None:
    """Only what changed is sent, and nothing if nothing did."""
    made = await client.create(pod("a"))

    made.status.phase = "Running"
    patched = await client.status.patch(made)
    unchanged = await client.status.patch(patched)

    assert patched.status.phase == "Running"
    assert unchanged is patched


async def test_a_status_update_of_an_old_version_is_a_conflict(client: Client) -> None:
    """Optimistic locking covers the whole object."""
    made = await client.create(deployment("a"))
    await client.patch(Deployment, "a", {"spec": {"replicas": 2}})

    made.status.replicas = 1
    with pytest.raises(ConflictError):
        await client.status.update(made)


async def test_a_subresource_can_be_read(client: Client) -> None:
    """It shows the whole object."""
    await client.create(deployment("a"))

    found = await client.status.get(Deployment, "a")

    assert found.spec.replicas == 1


async def test_scale_reads_and_sets_replicas(client: Client) -> None:
    """Whatever the kind, one small object stands for it."""
    await client.create(deployment("a", replicas=2))

    before = await client.scale.get(Deployment, "a")
    after = await client.scale.set(Deployment, "a", 5)

    assert before.spec.replicas == 2
    assert after.spec.replicas == 5
    assert (await client.get(Deployment, "a")).spec.replicas == 5


async def test_scale_can_be_written_back(client: Client) -> None:
    """With the version that was read, so that two autoscalers do not overrun each other."""
    await client.create(deployment("a", replicas=2))
    scale = await client.scale.get(Deployment, "a")
    await client.scale.set(Deployment, "a", 5)

    scale.spec.replicas = 3
    with pytest.raises(ConflictError):
        await client.scale.update(Deployment, scale)


async def test_scaling_to_zero_is_not_leaving_it_out(client: Client) -> None:
    """Zero is a number that must reach the server."""
    await client.create(deployment("a", replicas=2))

    await client.scale.set("deploy", "a", 0)

    assert (await client.get(Deployment, "a")).spec.replicas == 0


async def test_a_kind_without_scale_says_so(client: Client) -> None:
    """As a missing resource, not as a crash."""
    await client.create(config_map("a"))

    with pytest.raises(NotFoundError):
        await client.scale.get(ConfigMap, "a")


async def test_a_token_is_made_through_a_subresource(client: Client) -> None:
    """Any subresource can be reached by its name."""
    await client.create(ServiceAccount(metadata=ObjectMeta(name="robot")))

    made = await client.subresource("token").post(ServiceAccount, "robot", TokenRequest())

    assert made.status.token


async def test_evicting_a_pod_deletes_it(client: Client) -> None:
    """Eviction respects disruption budgets; without one it is a delete."""
    await client.create(pod("a"))

    await client.evict("a", grace_period=0)

    assert await client.find(Pod, "a") is None

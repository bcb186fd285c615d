"""The reconciler of Memcached, on a whole cluster in this process, in virtual time."""

from typing import Any

import kubewright as kw
import pytest
from kubewright.kinds.apps.v1 import Deployment
from kubewright.kinds.core.v1 import Event, Pod
from kubewright.testing import OperatorTest, operator_test

from memcached_operator.api.v1alpha1.memcached import Memcached, MemcachedSpec
from memcached_operator.controller.memcached import deployment_for
from memcached_operator.main import operator

NAME = "sessions"
ROLLOUT = 60.0
MINUTE = 60.0
HOUR = 3600.0


def make_memcached(**spec: Any) -> Memcached:
    """Return the Memcached of a test."""
    return Memcached(metadata=kw.ObjectMeta(name=NAME), spec=MemcachedSpec(**spec))


async def get(test: OperatorTest) -> Memcached:
    """Return the Memcached as it is now."""
    return await test.client.get(Memcached, NAME)


async def get_conditions(test: OperatorTest) -> dict[str, tuple[str, str]]:
    """Return the status and the reason of each condition."""
    conditions = (await get(test)).status.conditions
    return {one.type: (one.status, one.reason) for one in conditions}


async def event_texts(test: OperatorTest) -> list[str]:
    """Return what was told of the Memcached."""
    events = await test.client.list(Event)
    about = [one for one in events if one.involved_object.kind == "Memcached"]
    return sorted(f"{one.reason}: {one.message}" for one in about)


async def test_a_deployment_is_there_and_the_status_names_its_pods() -> None:
    """What everybody tries first."""
    async with operator_test(operator, cluster=True) as test:
        await test.client.create(make_memcached(size=3, container_port=11222))
        await test.advance(ROLLOUT)

        deployment = await test.client.get(Deployment, NAME)
        status = (await get(test)).status
        ports = deployment.spec.template.spec.containers[0].ports
        assert deployment.status.ready_replicas == 3
        assert [port.container_port for port in ports] == [11222]
        assert status.nodes == sorted(pod.metadata.name for pod in await test.client.list(Pod))
        assert (status.replicas, status.observed_generation) == (3, 1)
        assert await event_texts(test) == ["Created: created a Deployment of size 3"]


async def test_the_conditions_say_that_all_is_well() -> None:
    """When all nodes are there, nothing is left to wait for."""
    async with operator_test(operator, cluster=True) as test:
        await test.client.create(make_memcached(size=2))
        await test.advance(ROLLOUT)

        assert await get_conditions(test) == {
            "Available": ("True", "NodesAvailable"),
            "Progressing": ("False", "Complete"),
            "Degraded": ("False", "AsExpected"),
        }


async def test_the_conditions_say_what_is_not_there_yet() -> None:
    """Here nobody makes pods, and at last the Deployment's controller gives up."""
    async with operator_test(operator) as test:
        await test.client.create(make_memcached(size=2))
        await test.settle()
        assert await get_conditions(test) == {
            "Available": ("False", "NoNodes"),
            "Progressing": ("True", "RollingOut"),
            "Degraded": ("False", "AsExpected"),
        }

        stuck = {"type": "Progressing", "status": "False", "message": "it takes too long"}
        status = {"status": {"conditions": [stuck]}}
        await test.client.status.patch(Deployment, NAME, status)
        await test.settle()

        (degraded,) = [one for one in (await get(test)).status.conditions if one.type == "Degraded"]
        assert (degraded.status, degraded.message) == ("True", "it takes too long")


async def test_kubectl_scale_changes_the_size() -> None:
    """And what autoscalers read is there: the number of pods, and what selects them."""
    async with operator_test(operator, cluster=True) as test:
        await test.client.create(make_memcached(size=1))
        await test.advance(ROLLOUT)

        await test.client.subresource("scale").patch(Memcached, NAME, {"spec": {"replicas": 4}})
        await test.advance(ROLLOUT)

        memcached = await get(test)
        pods = await test.client.list(Pod, labels=memcached.status.selector)
        assert memcached.spec.size == memcached.status.replicas == len(pods) == 4
        assert "Resized: changed the Deployment from size 1 to 4" in await event_texts(test)


async def test_what_others_change_is_undone() -> None:
    """The size is what the Memcached says."""
    async with operator_test(operator, cluster=True) as test:
        await test.client.create(make_memcached(size=2))
        await test.advance(ROLLOUT)

        await test.client.patch(Deployment, NAME, {"spec": {"replicas": 5}})
        await test.advance(ROLLOUT)

        assert (await test.client.get(Deployment, NAME)).spec.replicas == 2
        assert len((await get(test)).status.nodes) == 2


async def test_it_goes_with_all_that_it_made() -> None:
    """Deleting the custom resource leaves nothing behind."""
    async with operator_test(operator, cluster=True) as test:
        await test.client.create(make_memcached(size=2))
        await test.advance(ROLLOUT)

        await test.client.delete(Memcached, NAME)
        await test.advance(ROLLOUT)

        assert "Stopping: stopping 2 nodes" in await event_texts(test)
        assert await test.client.find(Memcached, NAME) is None
        assert await test.client.find(Deployment, NAME) is None
        assert list(await test.client.list(Pod)) == []


async def test_it_does_not_go_before_its_deployment() -> None:
    """The finalizer holds it, so that nobody takes it for gone while nodes still run."""
    async with operator_test(operator, cluster=True) as test:
        await test.client.create(make_memcached())
        await test.advance(ROLLOUT)
        held = {"metadata": {"finalizers": ["example.com/held"]}}
        await test.client.patch(Deployment, NAME, held)

        await test.client.delete(Memcached, NAME)
        await test.advance(HOUR)
        assert (await get(test)).metadata.deletion_timestamp is not None

        await test.client.patch(Deployment, NAME, {"metadata": {"finalizers": None}})
        await test.settle()
        assert await test.client.find(Memcached, NAME) is None


async def test_at_rest_nothing_is_written() -> None:
    """An operator that writes without need keeps everybody awake."""
    async with operator_test(operator, cluster=True) as test:
        await test.client.create(make_memcached(size=2))
        await test.advance(ROLLOUT)
        test.server.api.audit.clear()

        await test.advance(HOUR)

        for resource in ("memcacheds", "deployments", "events"):
            assert not test.server.api.audit.events(resource=resource, verb="patch")


def owned_by_another() -> Deployment:
    """Return a Deployment that something else controls."""
    deployment = deployment_for(make_memcached())
    owner = kw.OwnerReference(
        api_version="example.com/v1", kind="Sessions", name=NAME, uid="1", controller=True
    )
    deployment.metadata.owner_references = [owner]
    return deployment


def made_by_hand() -> Deployment:
    """Return a Deployment of other pods, which nothing controls."""
    labels = {"app": NAME}
    deployment = deployment_for(make_memcached())
    deployment.spec.selector.match_labels = labels
    deployment.spec.template.metadata.labels = labels
    return deployment


@pytest.mark.parametrize("foreign", [owned_by_another(), made_by_hand()])
async def test_a_deployment_of_somebody_else_is_left_alone_and_told(foreign: Deployment) -> None:
    """The name is taken: the condition says so; when it is free, the work goes on."""
    async with operator_test(operator, objects=[foreign]) as test:
        await test.client.create(make_memcached(size=3))
        await test.advance(HOUR)

        assert (await get_conditions(test))["Degraded"] == ("True", "DeploymentRefused")
        assert (await test.client.get(Deployment, NAME)).spec.replicas == 1

        await test.client.delete(Deployment, NAME)
        await test.advance(MINUTE)

        assert (await get_conditions(test))["Degraded"] == ("False", "AsExpected")
        assert (await test.client.get(Deployment, NAME)).spec.replicas == 3


@pytest.mark.parametrize(
    "wrong", [{"size": 0}, {"size": 6}, {"container_port": 0}, {"container_port": 65536}]
)
async def test_what_makes_no_sense_is_refused(wrong: dict[str, int]) -> None:
    """By the server, with the path of the field."""
    async with operator_test(operator) as test:
        with pytest.raises(kw.InvalidError, match=r"spec\."):
            await test.client.create(make_memcached(**wrong))


async def test_a_name_that_is_too_long_for_a_label_is_refused() -> None:
    """No Deployment could be made of it."""
    async with operator_test(operator) as test:
        with pytest.raises(kw.InvalidError, match=r"metadata\.name"):
            await test.client.create(Memcached(metadata=kw.ObjectMeta(name="x" * 64)))

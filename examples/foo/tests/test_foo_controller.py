"""The reconciler of Foo, on a whole cluster in this process, in virtual time."""

from typing import Any

import kubewright as kw
import pytest
from kubewright.api import is_controlled_by
from kubewright.kinds.apps.v1 import Deployment
from kubewright.kinds.core.v1 import Event
from kubewright.testing import OperatorTest, operator_test

from sample_controller.api.v1alpha1.foo import Foo, FooSpec
from sample_controller.controller.foo import deployment_for
from sample_controller.main import operator

NAME, DEPLOYMENT = "foo", "web"
ROLLOUT = 60.0
HOUR = 3600.0
SYNCED = ("Normal", "Synced", "Foo synced successfully")
TAKEN = (
    "Warning",
    "ErrResourceExists",
    'Resource "web" already exists and is not managed by Foo',
)


def make_foo(name: str = NAME, **spec: Any) -> Foo:
    """Return the Foo of a test."""
    spec = {"deployment_name": DEPLOYMENT, **spec}
    return Foo(metadata=kw.ObjectMeta(name=name, namespace="default"), spec=FooSpec(**spec))


def foreign_deployment() -> Deployment:
    """Return a Deployment that belongs to nobody."""
    deployment = deployment_for(make_foo("somebody"))
    deployment.metadata.namespace = "default"
    return deployment


async def get_status(test: OperatorTest) -> tuple[int, str]:
    """Return how many pods are available, and whether it is synced."""
    status = (await test.client.get(Foo, NAME)).status
    synced = kw.find_condition(status.conditions, "Synced")
    return status.available_replicas, synced.status if synced else ""


async def get_events(test: OperatorTest) -> list[tuple[str | None, str | None, str | None]]:
    """Return what was told of Foos, and how often."""
    events = await test.client.list(Event)
    about = [one for one in events if one.involved_object.kind == "Foo"]
    return [(one.type, one.reason, one.message) for one in about for _ in range(one.count or 1)]


async def test_creates_a_deployment_and_says_so() -> None:
    """What everybody tries first."""
    async with operator_test(operator, cluster=True) as test:
        foo = await test.client.create(make_foo(replicas=2))
        await test.advance(ROLLOUT)

        deployment = await test.client.get(Deployment, DEPLOYMENT)
        assert is_controlled_by(deployment, foo)
        assert deployment.spec.replicas == 2
        assert deployment.spec.template.metadata.labels == {"app": "nginx", "controller": NAME}
        assert await get_status(test) == (2, "True")
        assert await get_events(test) == [SYNCED]


async def test_is_silent_when_nothing_changes() -> None:
    """The original writes its status and an event every 30 seconds."""
    async with operator_test(operator, cluster=True) as test:
        await test.client.create(make_foo())
        await test.advance(ROLLOUT)
        test.server.api.audit.clear()

        await test.advance(HOUR)

        for resource in ("foos", "deployments", "events"):
            assert not test.server.api.audit.events(resource=resource, verb="patch")
        assert await get_events(test) == [SYNCED]


async def test_the_deployment_follows_the_foo_and_nobody_else() -> None:
    """A change of the Foo counts; one of the Deployment is undone; each is told once."""
    async with operator_test(operator, cluster=True) as test:
        await test.client.create(make_foo(replicas=1))
        await test.advance(ROLLOUT)

        await test.client.patch(Foo, NAME, {"spec": {"replicas": 3}})
        await test.advance(ROLLOUT)
        assert await get_status(test) == (3, "True")

        await test.client.patch(Deployment, DEPLOYMENT, {"spec": {"replicas": 5}})
        await test.advance(ROLLOUT)
        assert (await test.client.get(Deployment, DEPLOYMENT)).spec.replicas == 3
        assert await get_events(test) == [SYNCED] * 3


async def test_a_deployment_that_somebody_deletes_comes_back() -> None:
    """Level-triggered: it does not matter what happened, only what is missing."""
    async with operator_test(operator, cluster=True) as test:
        await test.client.create(make_foo())
        await test.advance(ROLLOUT)

        await test.client.delete(Deployment, DEPLOYMENT)
        await test.advance(ROLLOUT)

        assert await get_status(test) == (1, "True")


async def test_a_deployment_of_somebody_else_is_left_alone_and_told_once() -> None:
    """Whoever made it first has it."""
    async with operator_test(operator, cluster=True, objects=[foreign_deployment()]) as test:
        await test.client.create(make_foo(replicas=7))
        await test.advance(HOUR)

        deployment = await test.client.get(Deployment, DEPLOYMENT)
        assert deployment.spec.replicas == 1
        assert not deployment.metadata.owner_references
        assert await get_status(test) == (0, "False")
        assert await get_events(test) == [TAKEN]


async def test_two_foos_do_not_fight_for_a_deployment() -> None:
    """The second one is told; when the first one goes, its Deployment becomes the second one's."""
    async with operator_test(operator, cluster=True) as test:
        await test.client.create(make_foo("first", replicas=3))
        await test.advance(ROLLOUT)
        foo = await test.client.create(make_foo(replicas=2))
        await test.advance(HOUR)
        assert await get_events(test) == [SYNCED, TAKEN]

        await test.client.delete(Foo, "first")
        await test.advance(ROLLOUT)

        assert is_controlled_by(await test.client.get(Deployment, DEPLOYMENT), foo)
        assert await get_status(test) == (2, "True")


async def test_another_name_is_another_deployment() -> None:
    """The one of the earlier name goes, once the new one is there."""
    async with operator_test(operator, cluster=True) as test:
        await test.client.create(make_foo())
        await test.advance(ROLLOUT)

        await test.client.patch(Foo, NAME, {"spec": {"deploymentName": "site"}})
        await test.advance(ROLLOUT)

        names = [one.metadata.name for one in await test.client.list(Deployment)]
        assert names == ["site"]


async def test_it_goes_with_all_that_it_made() -> None:
    """Deleting the custom resource leaves nothing behind."""
    async with operator_test(operator, cluster=True) as test:
        await test.client.create(make_foo())
        await test.advance(ROLLOUT)

        await test.client.delete(Foo, NAME)
        await test.advance(ROLLOUT)

        assert await test.client.find(Deployment, DEPLOYMENT) is None


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"replicas": 0}, "spec.replicas"),
        ({"replicas": 11}, "spec.replicas"),
        ({"deployment_name": ""}, "spec.deploymentName"),
        ({"deployment_name": "Web Site"}, "spec.deploymentName"),
        ({"deployment_name": "x" * 254}, "spec.deploymentName"),
    ],
)
async def test_what_makes_no_sense_is_refused(wrong: dict[str, Any], path: str) -> None:
    """By the server, with the path of the field."""
    async with operator_test(operator) as test:
        with pytest.raises(kw.InvalidError, match=path):
            await test.client.create(make_foo(**wrong))

from typing import Any

import pytest

from kubewright.api.conditions import find_condition
from kubewright.errors import TooManyRequestsError
from kubewright.kinds.apps.v1 import Deployment
from kubewright.kinds.core.v1 import Pod
from kubewright.kinds.policy.v1 import Eviction, PodDisruptionBudget
from tests.unit.embedded.controllers.world import World, template, workload, world


def budget(**spec: Any) -> dict[str, Any]:
    """Return a budget for the pods of the deployment."""
    selector = {"matchLabels": {"app": "web"}}
    meta = {"name": "web", "namespace": "default"}
    return {"metadata": meta, "spec": {"selector": selector, **spec}}


async def counts(w: World) -> tuple[int | None, ...]:
    """Return expected, healthy, needed and allowed."""
    status = (await w.client.get(PodDisruptionBudget, "web")).status
    return (
        status.expected_pods,
        status.current_healthy,
        status.desired_healthy,
        status.disruptions_allowed,
    )


async def why(w: World) -> str:
    """Return the condition of the budget."""
    found = await w.client.get(PodDisruptionBudget, "web")
    condition = find_condition(found.status.conditions, "DisruptionAllowed")
    return f"{condition.status} {condition.reason}" if condition else ""


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"minAvailable": 2}, (3, 3, 2, 1)),
        ({"minAvailable": "50%"}, (3, 3, 2, 1)),
        ({"maxUnavailable": 1}, (3, 3, 2, 1)),
        ({"maxUnavailable": "50%"}, (3, 3, 1, 2)),
        ({"minAvailable": 3}, (3, 3, 3, 0)),
    ],
)
async def test_a_budget_counts_what_its_pods_can_spare(
    spec: dict[str, Any], expected: tuple[int, ...]
) -> None:
    """Percentages are of what the deployment wants, and always in favour of the pods."""
    async with world("deployment", "replicaset", "disruption") as w:
        await w.create(Deployment, workload(replicas=3))

        await w.create(PodDisruptionBudget, budget(**spec))

        assert await counts(w) == expected
        reason = "True SufficientPods" if expected[-1] else "False InsufficientPods"
        assert await why(w) == reason


async def test_in_a_rollout_the_wanted_number_counts_once() -> None:
    """The old and the new set belong to one deployment."""
    async with world("deployment", "replicaset", "disruption") as w:
        await w.create(Deployment, workload(replicas=4))
        await w.create(PodDisruptionBudget, budget(maxUnavailable=1))

        await w.patch(Deployment, "web", {"spec": {"template": template("bad", app="web")}})

        assert await counts(w) == (4, 3, 3, 0)


async def test_an_eviction_uses_up_the_budget_until_the_pod_is_replaced() -> None:
    """Two drains at a time must not take the last two pods."""
    async with world("deployment", "replicaset", "disruption") as w:
        await w.create(Deployment, workload(replicas=2))
        await w.create(PodDisruptionBudget, budget(minAvailable=1))
        first, second = await w.pods()
        w.node.held.add(first.metadata.name)

        await evict(w, first)
        with pytest.raises(TooManyRequestsError):
            await evict(w, second)
        w.node.release(first.metadata.name)
        await w.settle()

        assert await counts(w) == (2, 2, 1, 1)


async def test_an_eviction_that_nobody_carries_out_is_forgotten() -> None:
    """Otherwise a crashed server would block all drains for ever."""
    async with world("deployment", "replicaset", "disruption") as w:
        await w.create(Deployment, workload(replicas=2))
        await w.create(PodDisruptionBudget, budget(minAvailable=1))
        (pod, _) = await w.pods()
        granted = {pod.metadata.name: w.clock.now().replace(microsecond=0)}
        await w.client.status.patch(
            PodDisruptionBudget, "web", {"status": {"disruptedPods": granted}}
        )
        await w.settle()
        waiting = await counts(w)

        await w.settle(180)

        assert waiting == (2, 1, 1, 0)
        assert await counts(w) == (2, 2, 1, 1)
        assert any("expected by PDB default/web to be deleted" in one for one in await w.events())


async def test_pods_that_nobody_controls_are_said_to_be_a_problem() -> None:
    """A share of an unknown number is unknown."""
    async with world("disruption") as w:
        meta = {"name": "alone", "namespace": "default", "labels": {"app": "web"}}
        await w.create(Pod, {"metadata": meta, "spec": template()["spec"]})

        await w.create(PodDisruptionBudget, budget(maxUnavailable=1))

        assert await counts(w) == (0, 1, 0, 0)
        assert any(one.startswith("UnmanagedPods") for one in await w.events())


async def evict(w: World, pod: Pod) -> None:
    """Ask for the eviction of *pod*."""
    body = Eviction(metadata=type(pod.metadata)(name=pod.metadata.name, namespace="default"))
    await w.client.subresource("eviction").post(Pod, pod.key, body)

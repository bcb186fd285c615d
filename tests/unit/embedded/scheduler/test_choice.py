"""Which node is the best, and what is said when there is none."""

from typing import Any

from kubewright.embedded.scheduler import scheduler
from kubewright.kinds.core.v1 import (
    Affinity,
    ContainerPort,
    NodeAffinity,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    Pod,
    PreferredSchedulingTerm,
    Taint,
    Toleration,
)
from tests.unit.embedded.controllers.stage import Stage, staged
from tests.unit.embedded.scheduler.samples import add_node, node, places, pod

GPU = Taint(key="gpu", value="yes", effect="NoSchedule")


async def problem(stage: Stage, name: str) -> str:
    found: Pod = await stage.client.get(Pod, name)
    return found.status.conditions[-1].message or ""


async def test_every_reason_is_counted() -> None:
    """Each node has one, or several of what it lacks."""
    async with staged(scheduler) as stage:
        await add_node(stage, node("n1", taints=[GPU]))
        await add_node(stage, node("n2"), cpu="1", memory="1Gi")
        await add_node(stage, node("n3"), cpu="1")
        await add_node(stage, node("n4", disk="hdd"))

        wanted: dict[str, Any] = {"cpu": "2", "memory": "2Gi"}
        await stage.create(pod("a", node_selector={"disk": "ssd"}))
        await stage.create(pod("b", **wanted, node_selector={}))

        assert await problem(stage, "a") == (
            "0/4 nodes are available: 1 node(s) had untolerated taint {gpu: yes}, 3 node(s) didn't"
            " match Pod's node affinity/selector. preemption: 0/4 nodes are available: 4 Preemption"
            " is not helpful for scheduling."
        )
        assert (await places(stage))["b"] == "n4"


async def test_what_can_and_cannot_be_helped_is_told_apart() -> None:
    """Another pod's end helps against a lack of memory, and not against a taint."""
    async with staged(scheduler) as stage:
        await add_node(stage, node("n1", taints=[GPU]))
        await add_node(stage, node("n2"), cpu="1", memory="1Gi")

        await stage.create(pod("a", cpu="2", memory="2Gi"))

        assert await problem(stage, "a") == (
            "0/2 nodes are available: 1 Insufficient cpu, 1 Insufficient memory, 1 node(s) had"
            " untolerated taint {gpu: yes}. preemption: 0/2 nodes are available: 1 No preemption"
            " victims found for incoming pod, 1 Preemption is not helpful for scheduling."
        )


async def test_two_pods_cannot_have_one_port_of_the_host() -> None:
    """On one node."""
    async with staged(scheduler) as stage:
        await add_node(stage, node())
        for name in ("a", "b"):
            one = pod(name)
            one.spec.containers[0].ports = [ContainerPort(container_port=80, host_port=80)]
            await stage.create(one)

        assert await places(stage) == {"a": "n1", "b": None}
        text = "1 node(s) didn't have free ports for the requested pod ports."
        assert text in await problem(stage, "b")


async def test_tolerations_and_wishes_lead_to_a_node() -> None:
    """One that others cannot use, if it is what the pod likes best."""
    async with staged(scheduler) as stage:
        await add_node(stage, node("n1"))
        await add_node(stage, node("n2", taints=[GPU], accelerator="gpu"))
        likes = NodeSelectorRequirement(key="accelerator", operator="Exists")
        wish = PreferredSchedulingTerm(
            weight=50, preference=NodeSelectorTerm(match_expressions=[likes])
        )
        rule = NodeAffinity(preferred_during_scheduling_ignored_during_execution=[wish])

        await stage.create(
            pod("a", tolerations=[Toleration(key="gpu", operator="Exists")],
                affinity=Affinity(node_affinity=rule))
        )  # fmt: skip
        await stage.create(pod("b"))

        assert await places(stage) == {"a": "n2", "b": "n1"}


async def test_a_node_that_would_rather_not_is_taken_last() -> None:
    """PreferNoSchedule."""
    async with staged(scheduler) as stage:
        taint = Taint(key="old", effect="PreferNoSchedule")
        await add_node(stage, node("n1", taints=[taint]))
        await add_node(stage, node("n2"), pods="1")

        for name in ("a", "b"):
            await stage.create(pod(name))

        assert await places(stage) == {"a": "n2", "b": "n1"}


async def test_the_emptier_node_is_better() -> None:
    """By what is asked for, not by what is used."""
    async with staged(scheduler) as stage:
        await add_node(stage, node("n1"), cpu="8")
        await add_node(stage, node("n2"), cpu="2")

        for number in range(3):
            await stage.create(pod(f"p{number}", cpu="1"))

        assert set((await places(stage)).values()) == {"n1"}

"""Pods and the nodes that they get."""

import asyncio

import pytest

import kubewright as kw
from kubewright._aio import Clock
from kubewright.cache.entry import Event
from kubewright.controller import Reason, Request
from kubewright.embedded.scheduler import scheduler
from kubewright.embedded.scheduler.controller import PendingPods
from kubewright.kinds.core.v1 import Pod, PodSchedulingGate, Taint
from kubewright.kinds.scheduling.v1 import PriorityClass
from kubewright.testing import Lost, Refused, Unreachable
from kubewright.testing.faults import Fault
from tests.unit.embedded.controllers.pods import entry
from tests.unit.embedded.controllers.stage import NthWrite, Stage, staged
from tests.unit.embedded.scheduler.samples import add_node, node, places, pod


async def scheduled(stage: Stage, name: str) -> tuple[str, str | None, str | None]:
    """Return what the pod says about its node."""
    found = await stage.client.get(Pod, name)
    [one] = [each for each in found.status.conditions if each.type == "PodScheduled"]
    return one.status, one.reason, one.message


async def test_a_pod_gets_a_node_and_everybody_is_told() -> None:
    """In its spec, its conditions and an event."""
    async with staged(scheduler) as stage:
        await add_node(stage, node())

        await stage.create(pod("a"))

        assert await places(stage) == {"a": "n1"}
        assert await scheduled(stage, "a") == ("True", None, None)
        assert await stage.events("Scheduled") == ["Successfully assigned default/a to n1"]


async def test_pods_are_spread_over_nodes() -> None:
    """A node that fails should not take all with it."""
    async with staged(scheduler) as stage:
        for name in ("n1", "n2", "n3"):
            await add_node(stage, node(name))

        for number in range(6):
            await stage.create(pod(f"p{number}", cpu="100m"))

        found = list((await places(stage)).values())
        assert sorted(map(found.count, ("n1", "n2", "n3"))) == [2, 2, 2]


async def test_a_pod_that_fits_nowhere_says_why_and_gets_a_node_when_there_is_room() -> None:
    """In the words of Kubernetes."""
    async with staged(scheduler) as stage:
        await add_node(stage, node(), cpu="1")
        await stage.create(pod("big", cpu="800m"))
        await stage.create(pod("next", cpu="800m"))
        before = await scheduled(stage, "next")
        told = await stage.events("FailedScheduling")

        await stage.client.delete(Pod, "big", grace_period=0)

        text = (
            "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available:"
            " 1 No preemption victims found for incoming pod."
        )
        assert before == ("False", "Unschedulable", text)
        assert told == [text]
        assert await places(stage) == {"next": "n1"}


async def test_a_pod_waits_for_the_first_node() -> None:
    """And says so."""
    async with staged(scheduler) as stage:
        await stage.create(pod("a"))
        _, _, message = await scheduled(stage, "a")

        await add_node(stage, node())

        assert message == "no nodes available to schedule pods"
        assert await places(stage) == {"a": "n1"}


async def test_a_pod_that_has_ended_makes_room() -> None:
    """It is still there to be looked at, but takes nothing."""
    async with staged(scheduler) as stage:
        await add_node(stage, node(), pods="1")
        first = await stage.create(pod("a"))
        await stage.create(pod("b"))
        before = await places(stage)

        await stage.finish(first)

        assert before == {"a": "n1", "b": None}
        assert await places(stage) == {"a": "n1", "b": "n1"}


async def test_the_most_important_pod_comes_first() -> None:
    """When there is room for one of those that wait."""
    async with staged(scheduler) as stage:
        high = PriorityClass(metadata=kw.ObjectMeta(name="high"), value=1000)
        await stage.create(high)
        for name, important in (("a", ""), ("b", "high"), ("c", "")):
            await stage.create(pod(name, priority_class_name=important or None))

        await add_node(stage, node(), pods="1")

        assert await places(stage) == {"a": None, "b": "n1", "c": None}


async def test_a_gated_pod_waits_until_the_gate_is_gone() -> None:
    """Somebody else has to say that it may run."""
    async with staged(scheduler) as stage:
        await add_node(stage, node())
        made = await stage.create(pod("a", scheduling_gates=[PodSchedulingGate(name="x.io/y")]))
        before = await scheduled(stage, "a")

        await stage.change(made, lambda one: one.spec.scheduling_gates.clear())

        text = "Scheduling is blocked due to non-empty scheduling gates"
        assert before == ("False", "SchedulingGated", text)
        assert await places(stage) == {"a": "n1"}


async def test_a_pod_of_another_scheduler_is_left_alone() -> None:
    """SchedulerName says whose it is."""
    async with staged(scheduler) as stage:
        await add_node(stage, node())

        await stage.create(pod("a", scheduler_name="mine"))

        assert await places(stage) == {"a": None}


async def test_a_cordoned_node_gets_no_pods_until_it_is_uncordoned() -> None:
    """Kubectl cordon."""
    async with staged(scheduler) as stage:
        made = await add_node(stage, node())
        await stage.change(made, lambda one: setattr(one.spec, "unschedulable", True))
        await stage.create(pod("a"))
        _, _, message = await scheduled(stage, "a")

        await stage.change(made, lambda one: setattr(one.spec, "unschedulable", False))

        assert message is not None
        assert message.startswith("0/1 nodes are available: 1 node(s) were unschedulable.")
        assert await places(stage) == {"a": "n1"}


async def test_what_waits_is_not_told_again_and_again() -> None:
    """Every change of a pod may make room, but the sentence stays the same."""
    async with staged(scheduler) as stage:
        taint = Taint(key="a", value="b", effect="NoSchedule")
        await add_node(stage, node("n1", taints=[taint]))
        made = await stage.create(pod("a"))
        before = await stage.now(made)
        for number in range(5):
            other = await stage.create(pod(f"other{number}", node_name="n1"))
            await stage.client.delete(other, grace_period=0)
            await stage.clock.advance(1)

        after = await stage.now(made)

        assert after.metadata.resource_version == before.metadata.resource_version
        text = (
            "0/1 nodes are available: 1 node(s) had untolerated taint {a: b}. preemption: 0/1 nodes"
            " are available: 1 Preemption is not helpful for scheduling."
        )
        assert await scheduled(stage, "a") == ("False", "Unschedulable", text)


async def test_hundreds_of_pods_are_bound_without_overbooking() -> None:
    """What was decided counts at once, before the server tells of it."""
    async with staged(scheduler) as stage:
        for number in range(5):
            await add_node(stage, node(f"n{number}"), pods="60")
        for number in range(310):
            await stage.client.create(pod(f"p{number}"))

        found = list((await places(stage)).values())

        assert found.count(None) == 10
        assert {name: found.count(name) for name in found if name} == dict.fromkeys(
            ("n0", "n1", "n2", "n3", "n4"), 60
        )


@pytest.mark.parametrize("fault", [Unreachable(), Lost(), Refused(409), Refused(500)], ids=repr)
async def test_a_write_that_goes_wrong_is_made_good(fault: Fault) -> None:
    """No pod is forgotten, and no place is given twice or lost."""
    for number in range(4):
        async with staged(scheduler, faults=NthWrite(number, fault)) as stage:
            for name in ("a", "b"):
                await stage.create(pod(name))

            await add_node(stage, node(), pods="2")
            await stage.clock.advance(60)

            assert await places(stage) == {"a": "n1", "b": "n1"}, number


class Asked:
    """A sink that only notes what is asked for."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.names: list[str] = []

    def add(
        self,
        request: Request,
        reason: Reason,
        *,
        priority: int = 0,
        after: float = 0.0,
        mark: str = "",
    ) -> None:
        self.names.append(request.name)

    def known(self) -> list[Request]:
        return []


async def test_a_pod_that_takes_the_name_of_one_that_waits_is_looked_at() -> None:
    """The end of the other one was not seen: the watch was broken."""
    async with staged() as stage:
        queue, asked = PendingPods(stage.cluster), Asked(stage.clock)
        run = asyncio.create_task(queue.run(asked))
        await stage.clock.settle()
        old, new = (
            entry("a", uid=uid, generation=1, spec={"nodeName": ""}) for uid in ("one", "two")
        )
        queue.wait(old.object)

        queue._note_event(Event(old, old))
        queue._note_event(Event(old, new))

        run.cancel()
        assert asked.names == ["a"]

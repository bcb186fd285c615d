"""Pods that want to be near to others, or apart, or evenly spread."""

from typing import Any

import pytest

import kubewright as kw
from kubewright.embedded.scheduler import scheduler
from kubewright.kinds.core.v1 import (
    Affinity,
    Namespace,
    Pod,
    PodAffinity,
    PodAffinityTerm,
    PodAntiAffinity,
    TopologySpreadConstraint,
    WeightedPodAffinityTerm,
)
from tests.unit.embedded.controllers.stage import Stage, staged
from tests.unit.embedded.scheduler.samples import add_node, node, places, pod

HOST = "kubernetes.io/hostname"
WEB = kw.LabelSelector(match_labels={"app": "web"})


def term(key: str = HOST, **more: Any) -> PodAffinityTerm:
    return PodAffinityTerm(topology_key=key, label_selector=WEB, **more)


def near(*terms: PodAffinityTerm) -> Affinity:
    rule = PodAffinity(required_during_scheduling_ignored_during_execution=list(terms))
    return Affinity(pod_affinity=rule)


def apart(*terms: PodAffinityTerm) -> Affinity:
    rule = PodAntiAffinity(required_during_scheduling_ignored_during_execution=list(terms))
    return Affinity(pod_anti_affinity=rule)


def web(name: str, **spec: Any) -> Pod:
    return pod(name, labels={"app": "web"}, **spec)


async def nodes(stage: Stage, *names: str) -> None:
    for name in names:
        await add_node(stage, node(name, zone=name[0]))


async def message(stage: Stage, name: str) -> str:
    found = await stage.client.get(Pod, name)
    return (found.status.conditions[-1].message or "").partition(" preemption")[0]


async def test_a_pod_goes_where_those_are_that_it_wants_to_be_near() -> None:
    """And the first of them goes anywhere."""
    async with staged(scheduler) as stage:
        await nodes(stage, "a1", "b1", "b2")
        await stage.create(web("first", node_selector={HOST: "b2"}, affinity=near(term("zone"))))

        for number in range(4):
            await stage.create(web(f"w{number}", affinity=near(term("zone"))))

        assert set((await places(stage)).values()) == {"b1", "b2"}


async def test_a_pod_without_its_neighbours_waits_for_them() -> None:
    """Until one of them has a node."""
    async with staged(scheduler) as stage:
        await nodes(stage, "a1", "b1")
        await stage.create(pod("late", affinity=near(term())))
        said = await message(stage, "late")

        await stage.create(web("w", node_selector={HOST: "b1"}))

        assert said == "0/2 nodes are available: 2 node(s) didn't match pod affinity rules."
        assert await places(stage) == {"late": "b1", "w": "b1"}


async def test_pods_that_keep_apart_have_a_node_each() -> None:
    """And one too many waits."""
    async with staged(scheduler) as stage:
        await nodes(stage, "a1", "b1")

        for number in range(3):
            await stage.create(web(f"w{number}", affinity=apart(term())))

        found = await places(stage)
        assert sorted(name for name in found.values() if name) == ["a1", "b1"]
        text = "0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules."
        assert await message(stage, "w2") == text


async def test_a_pod_is_kept_away_by_those_that_are_there() -> None:
    """Though it has no rule itself."""
    async with staged(scheduler) as stage:
        await nodes(stage, "a1")
        await stage.create(pod("shy", affinity=apart(term())))

        await stage.create(web("w"))

        assert await places(stage) == {"shy": "a1", "w": None}
        text = "1 node(s) didn't satisfy existing pods anti-affinity rules."
        assert (await message(stage, "w")).endswith(text)


@pytest.mark.parametrize(
    ("more", "free"),
    [
        ({}, True),
        ({"namespaces": ["other"]}, False),
        ({"namespace_selector": kw.LabelSelector(match_labels={"team": "x"})}, False),
        ({"namespace_selector": kw.LabelSelector(match_labels={"team": "y"})}, True),
    ],
)
async def test_a_rule_is_about_its_own_namespace_unless_it_says_more(
    more: dict[str, Any], free: bool
) -> None:
    """By name, or by the labels of namespaces."""
    async with staged(scheduler) as stage:
        await nodes(stage, "a1")
        other = Namespace(metadata=kw.ObjectMeta(name="other", labels={"team": "x"}))
        await stage.create(other)
        there = web("there")
        there.metadata.namespace = "other"
        await stage.create(there)

        await stage.create(pod("here", affinity=apart(term(**more))))

        assert ((await places(stage))["here"] == "a1") is free


async def test_wishes_are_followed_where_they_can_be() -> None:
    """To be apart from others, but to run in any case."""
    async with staged(scheduler) as stage:
        await nodes(stage, "a1", "b1")
        wish = WeightedPodAffinityTerm(weight=100, pod_affinity_term=term())
        rule = PodAntiAffinity(preferred_during_scheduling_ignored_during_execution=[wish])

        for number in range(4):
            await stage.create(web(f"w{number}", affinity=Affinity(pod_anti_affinity=rule)))

        found = list((await places(stage)).values())
        assert (found.count("a1"), found.count("b1")) == (2, 2)


def even(**more: Any) -> list[TopologySpreadConstraint]:
    options = {"max_skew": 1, "when_unsatisfiable": "DoNotSchedule", **more}
    return [TopologySpreadConstraint(topology_key="zone", label_selector=WEB, **options)]


async def test_a_spread_is_kept_even_and_a_pod_waits_rather_than_break_it() -> None:
    """Zone b has no room for a second one."""
    async with staged(scheduler) as stage:
        await add_node(stage, node("a1", zone="a"))
        await add_node(stage, node("b1", zone="b"), pods="1")

        for number in range(4):
            await stage.create(web(f"w{number}", topology_spread_constraints=even()))

        found = list((await places(stage)).values())
        assert (found.count("a1"), found.count("b1"), found.count(None)) == (2, 1, 1)
        text = (
            "0/2 nodes are available: 1 Too many pods, 1 node(s) didn't match pod topology spread"
            " constraints."
        )
        assert await message(stage, "w3") == text


async def test_a_node_without_the_label_is_no_domain() -> None:
    """So a pod that must be spread cannot be there."""
    async with staged(scheduler) as stage:
        await add_node(stage, node("x1"))

        await stage.create(web("w", topology_spread_constraints=even()))

        assert (await message(stage, "w")).endswith("(missing required label).")


async def test_too_few_domains_count_as_empty_ones() -> None:
    """minDomains: with one zone, only one pod may run."""
    async with staged(scheduler) as stage:
        await nodes(stage, "a1")

        for number in range(2):
            spread = even(min_domains=2)
            await stage.create(web(f"w{number}", topology_spread_constraints=spread))

        assert list((await places(stage)).values()).count(None) == 1


async def test_a_spread_that_may_be_broken_is_a_wish() -> None:
    """ScheduleAnyway."""
    async with staged(scheduler) as stage:
        await nodes(stage, "a1", "a2", "b1")
        spread = even(when_unsatisfiable="ScheduleAnyway")

        for number in range(4):
            await stage.create(web(f"w{number}", topology_spread_constraints=spread))

        found = list((await places(stage)).values())
        assert found.count("b1") == 2

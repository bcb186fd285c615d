from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from kubewright.api import OwnerReference
from kubewright.embedded.scheduler.view import ClusterView
from tests.unit.embedded.controllers.stage import Stage, staged
from tests.unit.embedded.scheduler.samples import add_node, node, pod

OWNER = OwnerReference(
    api_version="apps/v1", kind="ReplicaSet", name="web", uid="web-uid", controller=True
)


@asynccontextmanager
async def viewed() -> AsyncIterator[tuple[Stage, ClusterView, list[str]]]:
    """Give what the scheduler knows, and a list that grows whenever something may fit now."""
    changes: list[str] = []
    async with staged() as stage:
        view = ClusterView(stage.cluster, lambda: changes.append("change"))
        await stage.clock.settle()
        yield stage, view, changes


async def test_pods_are_counted_where_they_are_until_they_end() -> None:
    """Their requests are given back then."""
    async with viewed() as (stage, view, _):
        await add_node(stage, node())
        one = await stage.create(pod("a", cpu="1", node_name="n1"))
        await stage.create(pod("b", cpu="2", node_name="n1"))
        [before] = [dict(each.used) for each in view.nodes]

        await stage.finish(one)

        [after] = view.nodes
        assert (before, after.used) == ({"cpu": 3000}, {"cpu": 2000})
        assert len(after.pods) == 1


async def test_pods_are_counted_for_their_owner_until_they_are_gone() -> None:
    """By that the pods of one owner are spread over nodes."""
    async with viewed() as (stage, view, _):
        await add_node(stage, node())
        pods = [pod(name, node_name="n1") for name in ("a", "b")]
        for one in pods:
            one.metadata.owner_references = [OWNER]
        made = [await stage.create(one) for one in pods]
        [before] = [dict(each.owners) for each in view.nodes]

        await stage.finish(made[0])

        assert (before, view.nodes[0].owners) == ({OWNER.uid: 2}, {OWNER.uid: 1})


async def test_what_is_assumed_counts_until_it_is_forgotten() -> None:
    """The server may refuse."""
    async with viewed() as (stage, view, _):
        await add_node(stage, node())
        one = await stage.create(pod("a", cpu="1"))

        view.assume(one, "n1")
        assumed = dict(view.nodes[0].used)
        view.forget(one.metadata.uid)

        assert assumed == {"cpu": 1000}
        assert (view.nodes[0].used, view.place_of(one.metadata.uid)) == ({"cpu": 0}, "")


async def test_what_is_assumed_and_then_told_counts_once() -> None:
    """And cannot be forgotten any more."""
    async with viewed() as (stage, view, _):
        await add_node(stage, node())
        one = await stage.create(pod("a", cpu="1"))
        view.assume(one, "n1")
        await stage.bind(one, "n1")

        view.forget(one.metadata.uid)

        assert view.nodes[0].used == {"cpu": 1000}


async def test_a_node_that_is_gone_is_no_place_but_its_pods_are_remembered() -> None:
    """It may come back."""
    async with viewed() as (stage, view, _):
        made = await add_node(stage, node())
        await stage.create(pod("a", cpu="1", node_name="n1"))
        await stage.client.delete(made)
        await stage.clock.settle()
        none = view.nodes

        await add_node(stage, node())

        assert none == []
        assert view.nodes[0].used == {"cpu": 1000}


async def test_a_heartbeat_of_a_node_is_no_change() -> None:
    """It comes every few seconds, from each node."""
    async with viewed() as (stage, view, changes):
        made = await add_node(stage, node())
        before = len(changes)

        await stage.change(made, lambda one: one.metadata.annotations.update(beat="1"))
        quiet = len(changes)
        await stage.change(made, lambda one: one.metadata.labels.update(zone="a"))

        assert quiet == before
        assert len(changes) == before + 1
        assert view.nodes[0].labels["zone"] == "a"

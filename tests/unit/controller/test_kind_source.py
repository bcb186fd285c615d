import asyncio
from typing import Any

import pytest

from kubewright._aio import VirtualClock
from kubewright.api.meta import ObjectMeta
from kubewright.api.owners import set_controller_reference, set_owner_reference
from kubewright.cache.entry import Event
from kubewright.cache.shard import Shard
from kubewright.client import Client
from kubewright.cluster import Cluster
from kubewright.controller import Controller, For, Owns, Request, Watches, generation_changed
from kubewright.kinds.core.v1 import ConfigMap, Secret
from kubewright.workqueue import LOW
from tests.unit.controller.world import Recorder, Shop, cluster_of, define_shops, running


async def shop(client: Client, name: str) -> Shop:
    """Make a shop."""
    return await client.create(Shop(metadata=ObjectMeta(name=name)))


def config(name: str, owner: Shop | None = None, **data: str) -> ConfigMap:
    """Return a ConfigMap, of *owner* if one is given."""
    made = ConfigMap(metadata=ObjectMeta(name=name, namespace="default"), data=data)
    if owner is not None:
        set_controller_reference(owner, made)
    return made


def told(seen: Recorder) -> list[str]:
    """Return each request with its reasons, and forget them."""
    found = [f"{run.request.name}: {', '.join(map(str, run.reasons))}" for run in seen.runs]
    seen.runs.clear()
    return found


async def test_a_change_of_the_reconciled_kind_is_a_request_for_it() -> None:
    """This is what a controller is for."""
    clock, seen = VirtualClock(), Recorder()
    async with cluster_of(clock) as (client, cluster):
        controller = Controller("test", seen, cluster=cluster, for_=Shop)
        async with running(cluster, controller, clock=clock):
            corner = await shop(client, "corner")
            await clock.settle()
            corner.spec.size = 7
            corner = await client.update(corner)
            await clock.settle()
            corner.status.phase = "Open"
            await client.status.update(corner)
            await clock.settle()
            await client.delete(corner)
            await clock.settle()

    assert told(seen) == [
        "corner: Shop ADDED default/corner",
        "corner: Shop MODIFIED default/corner",
        "corner: Shop DELETED default/corner",
    ]


async def test_what_exists_at_the_start_is_heard_of_with_low_priority() -> None:
    """Changes that happen meanwhile go first."""
    clock, seen = VirtualClock(), Recorder()
    priorities: dict[str, int] = {}

    async def reconcile(request: Request, run: Any) -> None:
        priorities[request.name] = controller.queue.priority_of(request)

    async with cluster_of(clock) as (client, cluster):
        await shop(client, "old")
        controller = Controller("test", reconcile, cluster=cluster, for_=Shop)
        async with running(cluster, controller, clock=clock):
            await shop(client, "new")
            await clock.settle()

    assert priorities == {"old": LOW, "new": 0}
    assert seen.runs == []


async def test_a_change_of_what_is_owned_is_a_request_for_the_owner() -> None:
    """Somebody deletes a child, and its owner makes it again."""
    clock, seen = VirtualClock(), Recorder()
    async with cluster_of(clock) as (client, cluster):
        controller = Controller("test", seen, cluster=cluster, for_=Shop, owns=[ConfigMap])
        async with running(cluster, controller, clock=clock):
            corner = await shop(client, "corner")
            await clock.settle()
            seen.runs.clear()
            child = await client.create(config("child", corner))
            await client.create(config("stranger"))
            await clock.settle()
            await client.delete(child)
            await clock.settle()

    assert told(seen) == [
        "corner: ConfigMap ADDED default/child",
        "corner: ConfigMap DELETED default/child",
    ]


async def test_a_change_of_owners_is_a_request_for_the_old_and_the_new_one() -> None:
    """The old one has lost a child, and must notice."""
    clock, seen = VirtualClock(), Recorder()
    async with cluster_of(clock) as (client, cluster):
        controller = Controller("test", seen, cluster=cluster, for_=Shop, owns=[ConfigMap])
        one, two = await shop(client, "one"), await shop(client, "two")
        child = await client.create(config("child", one))
        async with running(cluster, controller, clock=clock):
            await clock.settle()
            seen.runs.clear()
            child.metadata.owner_references = []
            set_controller_reference(two, child)
            await client.update(child)
            await clock.settle()

            assert sorted(seen.names) == ["one", "two"]


@pytest.mark.parametrize(("every", "names"), [(False, []), (True, ["corner"])])
async def test_owners_that_do_not_control_count_only_when_asked_for(
    every: bool, names: list[str]
) -> None:
    """A shared object has several owners and no controller."""
    clock, seen = VirtualClock(), Recorder()
    async with cluster_of(clock) as (client, cluster):
        owns = [Owns(ConfigMap, every_owner=every)]
        controller = Controller("test", seen, cluster=cluster, for_=Shop, owns=owns)
        corner = await shop(client, "corner")
        async with running(cluster, controller, clock=clock):
            seen.runs.clear()
            shared = config("shared")
            set_owner_reference(corner, shared)
            await client.create(shared)
            await clock.settle()

            assert seen.names == names


async def test_a_map_function_connects_kinds_that_do_not_own_each_other() -> None:
    """A secret that shops refer to; both states of it are asked about."""
    clock, seen = VirtualClock(), Recorder()

    def shops_of(secret: Secret) -> list[str]:
        return [secret.metadata.labels["shop"]] if "shop" in secret.metadata.labels else []

    async with cluster_of(clock) as (client, cluster):
        watches = [Watches(Secret, map=shops_of)]
        controller = Controller("test", seen, cluster=cluster, for_=Shop, watches=watches)
        async with running(cluster, controller, clock=clock):
            secret = await client.create(
                Secret(metadata=ObjectMeta(name="key", labels={"shop": "one"}))
            )
            await clock.settle()
            secret.metadata.labels = {"shop": "two"}
            await client.update(secret)
            await clock.settle()

    assert [run.request for run in seen.runs[:1]] == [Request("default", "one")]
    assert sorted(seen.names[1:]) == ["one", "two"]


@pytest.mark.parametrize("error", [ValueError, asyncio.CancelledError, GeneratorExit])
async def test_a_predicate_decides_what_counts_and_one_that_fails_lets_through(
    error: type[BaseException],
) -> None:
    """One reconcile too many does no harm; one too few may."""
    clock, seen = VirtualClock(), Recorder()

    def fails(event: Event[Shop]) -> bool:
        if event.key.name == "odd":
            raise error
        return False

    async with cluster_of(clock) as (client, cluster):
        controller = Controller("test", seen, cluster=cluster, for_=Shop, predicate=fails)
        async with running(cluster, controller, clock=clock):
            await shop(client, "odd")
            await shop(client, "even")
            await clock.settle()

    assert seen.names == ["odd"]


async def test_selected_objects_only() -> None:
    """What is left out by labels is neither kept nor heard of."""
    clock, seen = VirtualClock(), Recorder()
    async with cluster_of(clock) as (client, cluster):
        kind = For(Shop, labels={"tier": "web"}, predicate=generation_changed)
        controller = Controller("test", seen, cluster=cluster, for_=kind)
        async with running(cluster, controller, clock=clock):
            await client.create(Shop(metadata=ObjectMeta(name="web", labels={"tier": "web"})))
            await shop(client, "other")
            await clock.settle()

    assert seen.names == ["web"]


async def test_a_secondary_kind_that_is_missing_is_not_waited_for_and_picked_up_later() -> None:
    """An operator that can use another one's kind must also work without it."""
    clock, seen = VirtualClock(), Recorder()

    def owner(found: Shop) -> list[str]:
        return [found.metadata.name]

    async with cluster_of(clock, shops=False) as (client, cluster):
        watches = [Watches(Shop, map=owner)]
        controller = Controller("test", seen, cluster=cluster, for_=ConfigMap, watches=watches)
        async with running(cluster, controller, clock=clock):
            await client.create(config("a"))
            await clock.settle()
            without = seen.names
            await define_shops(client)
            await clock.advance(30)
            await shop(client, "late")
            await clock.settle()

    assert "a" in without
    assert "late" in seen.names


async def test_a_reconciled_kind_that_is_missing_is_waited_for() -> None:
    """Whoever asks why nothing happens finds it in the health page."""
    clock, seen = VirtualClock(), Recorder()
    async with cluster_of(clock, shops=False) as (client, cluster):
        controller = Controller("test", seen, cluster=cluster, for_=Shop)
        async with running(cluster, controller, clock=clock):
            problems = [problem.text for problem in controller.health()]
            await define_shops(client)
            await clock.advance(30)
            after = list(controller.health())
            await shop(client, "corner")
            await clock.settle()

    assert len(problems) == 1
    assert "waiting for the first list of shops" in problems[0]
    assert after == []
    assert seen.names == ["corner"]


async def test_a_kind_that_may_not_be_listed_holds_its_own_controller_and_no_other() -> None:
    """One missing rule must not freeze a whole operator."""
    clock, free, held = VirtualClock(), Recorder(), Recorder()
    async with cluster_of(clock, user="nobody") as (client, forbidden):
        allowed = Cluster(client, clock=clock)
        other = Controller("free", free, cluster=allowed, for_=Shop)
        owns = [Owns(ConfigMap, cluster=forbidden)]
        stuck = Controller("held", held, cluster=allowed, for_=Shop, owns=owns)
        async with running(allowed, forbidden, other, stuck, clock=clock):
            await shop(client, "corner")
            await clock.advance(5)
            problems = [problem.text for problem in stuck.health()]

    assert free.names == ["corner"]
    assert held.names == []
    (problem,) = problems  # the rule itself is on the same page, at the check of the informer
    assert problem.endswith("waiting for the first list of configmaps: see informer/configmaps")


async def test_requests_carry_the_name_of_their_cluster() -> None:
    """A controller of two clusters has to know where its object is."""
    clock, seen = VirtualClock(), Recorder()
    async with cluster_of(clock) as (client, _):
        east = Cluster(client, name="east", clock=clock)
        controller = Controller("test", seen, cluster=east, for_=Shop)
        async with running(east, controller, clock=clock):
            await shop(client, "corner")
            await clock.settle()

            assert seen.runs[0].request == Request("default", "corner", "east")
            assert list(controller.known()) == [Request("default", "corner", "east")]


async def test_each_object_is_reconciled_in_its_own_shard_whatever_changed() -> None:
    """A child has another uid than its parent; where it is in a shard, nobody would see it."""
    clock = VirtualClock()
    async with cluster_of(clock) as (client, _):
        clusters = [Cluster(client, shard=Shard(index, 2), clock=clock) for index in range(2)]
        seen = [Recorder() for _ in clusters]
        everybody = [f"shop-{number}" for number in range(12)]
        controllers = [
            Controller(
                f"test-{number}",
                seen[number],
                cluster=cluster,
                for_=Shop,
                owns=[ConfigMap],
                watches=[Watches(Secret, map=lambda secret: everybody)],
            )
            for number, cluster in enumerate(clusters)
        ]
        shops = [await shop(client, name) for name in everybody]
        async with running(*clusters, *controllers, clock=clock):
            first = [{run.request.name for run in one.runs} for one in seen]
            for one in seen:
                one.runs.clear()

            for owner in shops:
                await client.create(config(owner.metadata.name, owner))
            await clock.settle()
            by_child = [{run.request.name for run in one.runs} for one in seen]
            await client.create(Secret(metadata=ObjectMeta(name="all")))
            await clock.settle()
            by_map = [{run.request.name for run in one.runs} for one in seen]

    assert sorted(first[0] | first[1]) == sorted(everybody)
    assert first[0]
    assert first[1]
    assert not first[0] & first[1]
    assert by_child == first
    assert by_map == first

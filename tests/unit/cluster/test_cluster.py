"""`Cluster`: a client, a cache and events of one server, as one thing to run."""

import asyncio
from typing import Any

import pytest

from kubewright import log
from kubewright._aio import VirtualClock
from kubewright.api.meta import ObjectMeta
from kubewright.api.requests import Request
from kubewright.api.resource import Resource, gvk_of, mapping_of, resource
from kubewright.client import Config
from kubewright.client.transport import Response
from kubewright.cluster import CachedClient, Cluster
from kubewright.errors import LifecycleError
from kubewright.kinds.core.v1 import ConfigMap, Event
from kubewright.runnable import Checked, Readying, Runnable, Stage, stage_of
from tests.unit.cluster.clusters import lab


@resource(group="example.com", version="v1")
class Shop(Resource):
    """A kind that the server does not have."""


def config_map(name: str = "a") -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name, namespace="default"))


async def test_a_manager_can_run_it() -> None:
    """It is a runnable of the caches' stage, with readiness and health."""
    async with lab() as made:
        cluster = made.cluster

        assert isinstance(cluster, Runnable)
        assert isinstance(cluster, Readying)
        assert isinstance(cluster, Checked)
        assert stage_of(cluster) is Stage.CACHES


async def test_it_is_made_from_a_config_without_asking_anything() -> None:
    """Programs declare first and connect later; whoever made the client closes it."""
    clock = VirtualClock()
    cluster = Cluster(Config(server="http://127.0.0.1:1", namespace="shop"), clock=clock)

    async with cluster:
        assert cluster.client.namespace == "shop"
        assert cluster.clock is cluster.client.clock is clock
        assert str(cluster) == "<Cluster http://127.0.0.1:1>"

    with pytest.raises(LifecycleError, match="the client was closed"):
        await cluster.live.get(ConfigMap, "a")


async def test_a_client_that_was_given_stays_open() -> None:
    """Others may use it, too."""
    async with lab() as made:
        await made.cluster.close()

        await made.cluster.live.create(config_map())
        assert await made.cluster.live.find(ConfigMap, "a") is not None


async def test_a_cached_client_is_not_cached_twice() -> None:
    """A cluster made from another one's client has its own cache, over the same connection."""
    async with lab() as made:
        second = Cluster(made.cluster.client)

        assert not isinstance(second.live, CachedClient)
        assert second.live is made.cluster.live
        assert second.cache is not made.cluster.cache


async def test_events_are_delivered_while_it_runs() -> None:
    """Also those that were noted before, and those of a recorder that came later."""
    async with lab() as made:
        stored = await made.other.create(config_map())
        early = made.cluster.recorder("early")
        early.event(stored, reason="Made", message="before the start")
        await made.start()
        await made.clock.advance(1)
        late = made.cluster.recorder("late")
        late.event(stored, reason="Changed", message="while it runs")
        await made.clock.settle()

        reasons = {one.reason async for one in made.other.list(Event)}

        assert reasons == {"Made", "Changed"}
        assert made.cluster.recorder("late") is late


async def test_a_recorder_does_not_belong_to_who_asked_for_it_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It tells the events of all who come later; with the log fields of one, it would be wrong."""
    async with lab() as made:
        stored = await made.other.create(config_map())
        await made.start()
        send, seen = made.transport.send, list[Any]()

        async def noting(request: Request, **options: Any) -> Response:
            seen.append(dict(log.bound()))
            return await send(request, **options)

        monkeypatch.setattr(made.transport, "send", noting)
        with log.bind(name="first"):
            recorder = made.cluster.recorder("late")
            recorder.event(stored, reason="Late", message="b")
            await made.clock.settle()

        assert seen == [{}]


async def test_a_recorder_may_be_asked_for_while_it_stops() -> None:
    """A reconcile that is let finish may have something to tell, and must not fail for it."""
    async with lab() as made:
        stored = await made.other.create(config_map())
        running = await made.start()
        running.cancel()
        await asyncio.sleep(0)

        made.cluster.recorder("late").event(stored, reason="Late", message="b")

        await asyncio.wait([running])
        assert running.cancelled()


async def test_a_recorder_ends_with_its_last_holder_and_delivers_what_is_left() -> None:
    """Operators come and go at run time; a recorder of each would stay behind."""
    async with lab() as made:
        stored = await made.other.create(config_map())
        await made.start()
        tasks = len(asyncio.all_tasks())
        for _ in range(2):
            made.cluster.hold_recorder("leaver")
        recorder = made.cluster.recorder("leaver", kept=False)
        recorder.event(stored, reason="Leaving", message="bye")

        made.cluster.release_recorder("leaver")
        assert made.cluster.recorder("leaver", kept=False) is recorder
        made.cluster.release_recorder("leaver")
        await made.clock.settle()

        assert [one.reason async for one in made.other.list(Event)] == ["Leaving"]
        assert len(asyncio.all_tasks()) == tasks


async def test_a_recorder_that_somebody_asked_for_outlives_its_holders() -> None:
    """Their events would be dropped without a word."""
    async with lab() as made:
        recorder = made.cluster.recorder("stays")
        made.cluster.hold_recorder("stays")

        made.cluster.release_recorder("stays")

        assert made.cluster.recorder("stays") is recorder


async def test_events_that_are_left_are_delivered_at_the_end() -> None:
    """The last thing that an operator says is often the most telling."""
    async with lab() as made:
        stored = await made.other.create(config_map())
        recorder = made.cluster.recorder("leaver")
        await made.start()

        recorder.event(stored, reason="Stopping", message="bye")
        await made.stop()

        assert [one.reason async for one in made.other.list(Event)] == ["Stopping"]


async def test_it_runs_once() -> None:
    """An informer cannot begin anew, so neither can what is made of them."""
    async with lab() as made:
        await made.start()
        with pytest.raises(LifecycleError, match="it is running"):
            await made.cluster.run()

        await made.stop()

        with pytest.raises(LifecycleError, match="it is stopped"):
            await made.cluster.run()


async def test_without_informers_it_is_ready_at_once() -> None:
    """And asks nothing of anybody."""
    async with lab() as made:
        task = await made.start()

        assert made.transport.requests == []
        assert list(made.cluster.health()) == []
        assert not task.done()


async def test_health_names_the_cluster_where_there_are_several() -> None:
    """The name of an informer alone would not say of which one."""
    async with lab(name="east") as made:
        made.cluster.cache.informer(ConfigMap)

        (problem,) = made.cluster.health()

        assert problem.check == "east/informer/configmaps"


async def test_a_watched_kind_is_known_to_be_available_without_a_question() -> None:
    """A reconciler may ask each time it runs."""
    async with lab() as made:
        made.cluster.cache.informer(ConfigMap)
        made.cluster.cache.informer(Shop)
        await made.start()
        requests = len(made.transport.requests)

        present = await made.cluster.available(ConfigMap)
        missing = await made.cluster.available(Shop)

        assert (present, missing) == (True, False)
        assert len(made.transport.requests) == requests


async def test_any_other_kind_is_looked_for_in_discovery() -> None:
    """By class, by GVK or by mapping."""
    async with lab() as made:
        cluster = made.cluster

        assert await cluster.available(ConfigMap)
        assert await cluster.available(gvk_of(ConfigMap))
        assert await cluster.available(mapping_of(ConfigMap))
        assert not await cluster.available(Shop)


async def test_a_bug_below_ends_it_and_is_told() -> None:
    """A program that runs on and watches nothing would be worse."""
    async with lab() as made:
        made.cluster.cache.informer(ConfigMap)
        made.transport.bug = RuntimeError("a bug")
        before = asyncio.all_tasks()

        task = await made.begin()

        error = task.exception()
        assert isinstance(error, ExceptionGroup)
        assert error.split(RuntimeError)[1] is None
        assert asyncio.all_tasks() == before


async def test_who_applies_is_said_where_the_cluster_is_made() -> None:
    """Else every apply through it would fail, in production only."""
    made_here = Cluster(Config(server="http://127.0.0.1:1"), field_owner="shops")
    async with made_here, lab() as made:
        cluster = Cluster(made.cluster.live, field_owner="shops", clock=made.clock)
        for name, write in (("a", cluster.client.apply), ("b", cluster.live.create)):
            one = config_map(name)
            one.data = {"k": "v"}
            await write(one)
        stored = [await made.other.get("configmaps", name) for name in ("a", "b")]

        managers = [one["metadata"]["managedFields"][0]["manager"] for one in stored]
        assert managers[0] == "shops" != managers[1]
        assert made_here.live._defaults.field_owner == "shops"
        assert cluster.client.status._defaults.field_owner == "shops"
        assert cluster.client.namespace == cluster.live.namespace


async def test_an_apply_by_nobody_names_the_places_to_say_who() -> None:
    """The cluster is one of them."""
    async with Cluster(Config(server="http://127.0.0.1:1")) as cluster:
        with pytest.raises(ValueError, match=r"Cluster\(config, field_owner=...\)"):
            await cluster.client.apply(config_map())

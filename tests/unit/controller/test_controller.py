import asyncio
from typing import Any

import pytest

import kubewright as kw
from kubewright._aio import VirtualClock
from kubewright.api.meta import ObjectMeta
from kubewright.cluster import Cluster
from kubewright.controller import (
    Channel,
    Controller,
    For,
    Owns,
    Reason,
    Request,
    Run,
    Watches,
    generation_changed,
)
from kubewright.errors import LifecycleError, SchemeError
from kubewright.kinds.core.v1 import ConfigMap, Secret
from kubewright.runnable import Problem, Stage, stage_of
from kubewright.runs import Runs
from tests.unit.controller.world import (
    Recorder,
    Shop,
    Silent,
    add,
    cluster_of,
    make,
    metric,
    running,
)


class Undeclared(kw.Resource):
    """A class that was never declared as a kind."""


async def nothing(request: Request, run: Run) -> None:
    """Reconcile nothing."""


def not_async(request: Request, run: Run) -> None:
    """Be no reconciler."""


def names_of(secret: Secret) -> list[str]:
    """Map nothing."""
    return []


WATCHED = Watches(Secret, map=names_of)
WRONG: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"name": ""}, ValueError, "needs a name"),
    ({"for_": None}, ValueError, "would never do anything"),
    ({"workers": 0}, ValueError, "at least 1 worker, not 0"),
    ({"deadline": 0}, ValueError, "more than 0 seconds, or None"),
    ({"stop_grace": -1}, ValueError, "cannot be less than 0"),
    ({"reconcile": not_async}, TypeError, "write `async def reconcile"),
    ({"reconcile": None}, TypeError, "must be an async function"),
    ({"for_": Undeclared}, SchemeError, "decorate it"),
    ({"for_": "Shop"}, SchemeError, "is not a class"),
    ({"owns": [Undeclared]}, SchemeError, "decorate it"),
    ({"owns": [WATCHED]}, TypeError, "cannot be in owns="),
    ({"for_": None, "owns": [Secret]}, ValueError, "give it as for_="),
    ({"watches": [Secret]}, TypeError, r"write Watches\(Secret, map=...\)"),
    ({"watches": [For(Secret)]}, TypeError, "cannot be in watches="),
    ({"sources": [object()]}, TypeError, "is not a source"),
    ({"predicate": 5}, TypeError, "must be a function of an event"),
    ({"for_": For(Shop), "predicate": generation_changed}, ValueError, "once"),
    ({"for_": None, "watches": [WATCHED], "predicate": generation_changed}, ValueError, "for_="),
    ({"retry": {ValueError: 3}}, TypeError, "must be a Retry"),
    ({"cluster": None}, ValueError, "needs a cluster="),
]


@pytest.mark.parametrize(("wrong", "error", "words"), WRONG)
async def test_arguments_that_cannot_work_are_refused_at_once(
    wrong: dict[str, Any], error: type[Exception], words: str
) -> None:
    """The message says what is wrong and what to write, before anything runs."""
    clock = VirtualClock()
    async with cluster_of(clock, shops=False) as (_, cluster):
        options: dict[str, Any] = {
            "name": "test", "reconcile": nothing, "cluster": cluster, "for_": Shop, **wrong
        }  # fmt: skip

        with pytest.raises(error, match=words):
            Controller(**options)


async def test_it_starts_with_those_that_need_leadership() -> None:
    """Two replicas that both reconcile would fight."""
    assert stage_of(make(nothing, clock=VirtualClock())) is Stage.LEADER


async def test_its_informers_are_declared_before_it_runs() -> None:
    """A standby keeps its cache warm, and takes over at once."""
    clock, seen = VirtualClock(), Recorder()
    async with cluster_of(clock) as (client, cluster):
        controller = Controller("test", seen, cluster=cluster, for_=Shop, owns=[ConfigMap])
        await client.create(Shop(metadata=ObjectMeta(name="corner")))
        async with running(cluster, clock=clock):
            warm = [informer.synced for informer in cluster.cache]
            idle = seen.names
            async with running(controller, clock=clock):
                await clock.settle()

    assert warm == [True, True]
    assert idle == []
    assert seen.names == ["corner"]


async def test_two_of_the_same_name_run_side_by_side() -> None:
    """Two managers in one test must not meet in a table of names."""
    clock, one, two = VirtualClock(), Recorder(), Recorder()
    first, second = make(one, clock=clock, workers=2), make(two, clock=clock, workers=2)
    async with running(first, second, clock=clock):
        add(first, "a")
        add(second, "b")
        await clock.settle()

    assert (one.names, two.names) == (["a"], ["b"])
    assert metric("controller_runtime_max_concurrent_reconciles", "test") == 2


async def test_it_runs_once() -> None:
    """A queue that was shut down takes nothing more."""
    clock = VirtualClock()
    controller = make(nothing, clock=clock)
    async with running(controller, clock=clock):
        with pytest.raises(LifecycleError, match="it is running"):
            await controller.run()

    with pytest.raises(LifecycleError, match="it is stopped"):
        await controller.run()


async def test_one_that_has_stopped_is_refused_where_it_is_added_again() -> None:
    """Found later, by `run`, it would end the manager and everything in it."""
    clock = VirtualClock()
    controller = make(nothing, clock=clock)
    async with running(controller, clock=clock):
        await clock.settle()

    with pytest.raises(LifecycleError, match="again: it has stopped"):
        controller.record_to(Runs())


async def test_on_stop_what_runs_is_finished_and_nothing_is_begun() -> None:
    """A reconcile that is cut in the middle leaves half of its work."""
    clock, ended = VirtualClock(), []

    async def reconcile(request: Request, run: Run) -> None:
        await clock.sleep(5)
        ended.append(request.name)

    controller = make(reconcile, clock=clock)
    task = asyncio.create_task(controller.run())
    await clock.settle()
    add(controller, "a", "b")
    await clock.settle()

    task.cancel()
    await clock.advance(4)
    waits = not task.done()
    await clock.advance(60)

    assert waits
    assert task.cancelled()
    assert ended == ["a"]


async def test_on_stop_the_patience_ends_with_the_grace() -> None:
    """A reconcile that never ends must not keep the process from ending."""
    clock, cut = VirtualClock(), []

    async def reconcile(request: Request, run: Run) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cut.append(clock.monotonic())

    controller = make(reconcile, clock=clock, stop_grace=10.0)
    task = asyncio.create_task(controller.run())
    await clock.settle()
    add(controller, "a")
    await clock.settle()

    task.cancel()
    await clock.advance(60)

    assert cut == [10.0]
    assert task.cancelled()
    assert clock.sleepers == 0


async def test_a_second_cancel_is_final() -> None:
    """SIGTERM twice means now."""
    clock, cut = VirtualClock(), []

    async def reconcile(request: Request, run: Run) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cut.append(clock.monotonic())

    controller = make(reconcile, clock=clock)
    task = asyncio.create_task(controller.run())
    await clock.settle()
    add(controller, "a")
    await clock.settle()

    task.cancel()
    await clock.advance(1)
    task.cancel()
    await clock.settle()

    assert cut == [1.0]
    assert task.cancelled()


async def test_cancelled_while_it_starts_it_leaves_no_task_behind() -> None:
    """Leadership may be lost before the caches are full."""
    clock = VirtualClock()
    async with cluster_of(clock) as (_, cluster):
        before = len(asyncio.all_tasks())
        controller = Controller("test", nothing, cluster=cluster, for_=Shop)  # nothing fills it
        task = asyncio.create_task(controller.run())
        await clock.settle()

        task.cancel()
        await clock.settle()

        assert task.cancelled()
        assert len(asyncio.all_tasks()) == before


async def test_kinds_can_be_added_and_left_while_it_runs() -> None:
    """What a controller listens to may depend on what is installed."""
    clock, seen = VirtualClock(), Recorder()
    watched = Watches(Secret, map=lambda secret: [secret.metadata.name])
    async with cluster_of(clock) as (client, cluster):
        controller = Controller("test", seen, cluster=cluster, for_=Shop)
        async with running(cluster, controller, clock=clock):
            controller.watch(watched)
            await clock.settle()
            await client.create(Secret(metadata=ObjectMeta(name="heard")))
            await clock.settle()
            controller.unwatch(watched)
            await client.create(Secret(metadata=ObjectMeta(name="ignored")))
            await clock.settle()

            with pytest.raises(LookupError, match="does not listen to"):
                controller.unwatch(watched)

    assert seen.names == ["heard"]


async def test_clusters_come_and_go_while_it_runs() -> None:
    """One controller may look after a fleet that nobody knows in advance."""
    clock, seen = VirtualClock(), Recorder()
    async with cluster_of(clock) as (one, _), cluster_of(clock) as (two, _):
        east, west = Cluster(one, name="east", clock=clock), Cluster(two, name="west", clock=clock)
        controller = Controller("test", seen, cluster=east, for_=Shop)
        joined = For(Shop, cluster=west)
        async with running(east, west, controller, clock=clock):
            controller.watch(joined)
            await clock.settle()
            for client in (one, two):
                await client.create(Shop(metadata=ObjectMeta(name="a")))
            await clock.settle()
            controller.unwatch(joined)
            await two.create(Shop(metadata=ObjectMeta(name="b")))
            await clock.settle()

    assert {str(run.request) for run in seen.runs} == {"east:default/a", "west:default/a"}


async def test_a_source_that_is_left_holds_nothing_up() -> None:
    """A kind that may not be listed can be given up while workers wait for it."""
    clock, seen = VirtualClock(), Recorder()
    async with cluster_of(clock, user="nobody") as (client, forbidden):
        allowed = Cluster(client, clock=clock)
        held = Owns(ConfigMap, cluster=forbidden)
        controller = Controller("test", seen, cluster=allowed, for_=Shop, owns=[held])
        async with running(allowed, forbidden, controller, clock=clock):
            await client.create(Shop(metadata=ObjectMeta(name="corner")))
            await clock.advance(5)
            before = seen.names
            controller.unwatch(held)
            await clock.settle()

    assert before == []
    assert seen.names == ["corner"]


async def test_the_same_source_twice_is_refused() -> None:
    """It would be left only once."""
    channel = Channel()
    controller = make(nothing, clock=VirtualClock(), sources=[channel])

    with pytest.raises(LifecycleError, match="already"):
        controller.watch(channel)


async def test_another_kind_to_reconcile_is_refused() -> None:
    """A request does not say of which kind it is."""
    async with cluster_of(VirtualClock()) as (_, cluster):
        controller = Controller("test", nothing, cluster=cluster, for_=Shop)

        with pytest.raises(ValueError, match="reconciles another kind"):
            controller.watch(For(Secret))


async def test_a_stopped_controller_takes_no_more_sources() -> None:
    """Nobody would read them."""
    clock = VirtualClock()
    controller = make(nothing, clock=clock)
    async with running(controller, clock=clock):
        pass

    with pytest.raises(LifecycleError, match="has stopped"):
        controller.watch(Channel())


@pytest.mark.parametrize("error", [ConnectionError("gone"), asyncio.CancelledError()])
async def test_a_source_that_fails_is_started_again(error: BaseException) -> None:
    """A broker that restarts, or ends a task that it waits for, must not silence us for ever."""
    clock, seen = VirtualClock(), Recorder()

    class Broker:
        name = "broker"
        tries = 0

        async def run(self, sink: Any) -> None:
            self.tries += 1
            if self.tries == 1:
                raise error
            sink.add(Request("default", "a"), Reason(self.name))

    controller = make(seen, clock=clock, sources=[Broker()])
    async with running(controller, clock=clock):
        await clock.advance(60)

    assert seen.names == ["a"]


async def test_workers_wait_for_a_source_that_says_so() -> None:
    """A source of one's own may have a first list, too."""
    clock, seen, ready = VirtualClock(), Recorder(), asyncio.Event()

    class Slow(Silent):
        name = "slow"

        async def wait_ready(self) -> None:
            await ready.wait()

    controller = make(seen, clock=clock, sources=[Slow()])
    async with running(controller, clock=clock):
        add(controller, "a")
        await clock.settle()
        before = [problem.text for problem in controller.health()]
        ready.set()
        await controller.wait_started()
        await clock.settle()

    assert before == ["workers have not started: waiting for slow"]
    assert seen.names == ["a"]


async def test_a_reconcile_that_ignores_its_deadline_by_far_is_fatal_for_health() -> None:
    """Only a restart brings the worker back, so the probe has to ask for one."""
    clock = VirtualClock()
    go = asyncio.Event()

    async def deaf(request: Request, run: Run) -> None:
        while not go.is_set():
            try:
                await go.wait()
            except asyncio.CancelledError:
                continue

    controller = make(deaf, clock=clock, deadline=10.0)
    async with running(controller, clock=clock):
        add(controller, "a")
        await clock.advance(69)
        before = list(controller.health())
        await clock.advance(2)
        problems = list(controller.health())
        go.set()
        await clock.settle()
        after = list(controller.health())

    assert (before, after) == ([], [])
    assert [problem.fatal for problem in problems] == [True]
    assert "the reconcile of default/a has run for 71 s, its deadline is 10 s" in problems[0].text


async def test_too_few_workers_are_fatal_for_health() -> None:
    """They are replaced at once; where they are not, only a restart brings them back."""
    clock = VirtualClock()
    controller = make(Recorder(), clock=clock, workers=3)
    async with running(controller, clock=clock):
        before = list(controller.health())
        gone = [one for one in asyncio.all_tasks() if one.get_name().startswith("test worker")]
        gone[0].add_done_callback(lambda _: problems.extend(controller.health()))
        problems: list[Problem] = []
        gone[0].cancel()
        await clock.settle()
        after = list(controller.health())

    assert (before, after) == ([], [])
    assert [problem.fatal for problem in problems] == [True]
    assert "only 2 of 3 workers are left" in problems[0].text


async def test_enqueue_needs_no_source() -> None:
    """A program that knows better may say so."""
    clock, seen = VirtualClock(), Recorder()
    controller = make(seen, clock=clock)
    async with running(controller, clock=clock):
        controller.enqueue("shop/now")
        controller.enqueue("shop/later", after=60)
        await clock.settle()
        soon = seen.names
        await clock.advance(60)

    assert soon == ["now"]
    assert seen.names == ["now", "later"]
    assert [str(reason) for reason in seen.runs[0].reasons] == ["enqueue"]

"""Operators as their users declare them."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

import kubewright as kw
from kubewright.application.install import install_crds
from kubewright.kinds.core.v1 import ConfigMap, Pod, Secret
from kubewright.workqueue import ExponentialBackoff
from tests.unit.operator import at as example
from tests.unit.operator.world import Mall, Shop, config, running, shop, world


async def do_nothing(obj: Shop, ctx: kw.Context) -> None: ...


async def test_the_first_example_works() -> None:
    """The operator of the design, in its own words: one pod at the right time, and never again."""
    async with world(crds=(example.At,)) as w:
        manager = kw.Manager(w.cluster, clock=w.clock)
        example.operator.add_to(manager, w.cluster)
        async with manager:
            when = w.clock.now() + timedelta(seconds=5)
            spec = example.AtSpec(schedule=when, command="echo 'YAY'")
            await w.other.create(example.At(metadata=kw.ObjectMeta(name="example-at"), spec=spec))
            await w.pass_time(4)
            waiting = await w.other.get(example.At, "example-at")
            none_yet = await w.other.find(Pod, "example-at-pod")
            await w.pass_time(2)
            started = await w.other.get(example.At, "example-at")
            pod = await w.other.get(Pod, "example-at-pod")
            pod.status.phase = "Succeeded"
            await w.other.status.update(pod)
            await w.pass_time()
            done = await w.other.get(example.At, "example-at")
            await w.other.delete(Pod, "example-at-pod")
            await w.pass_time(3600)

            assert (waiting.status.phase, none_yet) == ("PENDING", None)
            assert (started.status.phase, done.status.phase) == ("RUNNING", "DONE")
            assert pod.spec.containers[0].command == ["echo", "YAY"]
            assert pod.metadata.owner_references[0].uid == done.metadata.uid
            assert await w.other.find(Pod, "example-at-pod") is None
            assert w.take_writes() == [
                "patch ats example-at status",
                "apply pods example-at-pod",
                "patch ats example-at status",
                "patch ats example-at status",
            ]


async def test_the_clusters_of_the_manager_are_meant_unless_others_are_named() -> None:
    """An operator that was added to nothing would do nothing, without a word."""
    operator = kw.Operator("shops")
    operator.reconciler(Shop)(do_nothing)
    async with world(crds=(Shop,)) as w:
        manager = kw.Manager(w.cluster)
        bare = kw.Manager(clock=w.clock)

        assert len(operator.add_to(manager)) == 1
        with pytest.raises(kw.ConfigError, match="no cluster to run in: write Manager"):
            operator.add_to(bare)
        operator.add_to(bare, w.cluster)
        assert bare.clusters == (w.cluster,)


async def test_a_channel_is_not_shared_by_clusters() -> None:
    """One of the two controllers would never hear of what was sent."""
    operator = kw.Operator("shops")
    operator.reconciler(Shop, sources=[kw.Channel("orders")])(do_nothing)
    async with world() as w:
        with pytest.raises(kw.SchemeError, match="its channel 'orders' can be read by one"):
            operator.add_to(kw.Manager(w.cluster), w.cluster, kw.Cluster(w.other, name="other"))


def test_a_decorator_without_parentheses_says_so() -> None:
    """It is the first thing that everybody forgets."""
    operator = kw.Operator("shops")

    with pytest.raises(TypeError, match=r"write @operator.reconciler\(Kind\)"):
        operator.reconciler(do_nothing)  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(TypeError, match=r"write @operator.cleanup\(Kind\)"):
        operator.cleanup(do_nothing)  # type: ignore[arg-type]  # wrong on purpose


def test_a_function_that_cannot_be_called_is_refused_when_it_is_declared() -> None:
    """Otherwise every reconcile would fail, and be tried again, for ever."""
    operator = kw.Operator("shops")

    async def forgetful(obj: Shop) -> None: ...

    with pytest.raises(TypeError, match=r"forgetful cannot be called with an object and a context"):
        operator.reconciler(Shop)(forgetful)  # type: ignore[arg-type]  # wrong on purpose


async def test_an_operator_installs_its_own_kinds() -> None:
    """A test needs no manifests; what is built in is left alone."""
    operator = kw.Operator("shops")
    operator.reconciler(Shop, owns=[ConfigMap])(do_nothing)
    async with world() as w:
        names = await w.clock.run(operator.install_crds(w.other))

        assert names == ["shops.example.com"]


def test_what_is_declared_is_known() -> None:
    """Roles, CRDs and caches are made from it, before anything runs."""
    operator = kw.Operator("shops")
    operator.reconciler(Shop, owns=[ConfigMap], workers=3)(do_nothing)
    operator.index(Secret, "type", lambda secret: [secret.type or ""])

    assert operator.kinds == (Shop, ConfigMap, Secret)
    assert [one.name for one in operator.declarations] == ["shop"]


def test_the_decorated_function_stays_what_it_is() -> None:
    """It can be called in a test without anything else."""
    operator = kw.Operator("shops")

    assert operator.reconciler(Shop)(do_nothing) is do_nothing
    assert operator.cleanup(Shop)(do_nothing) is do_nothing


def test_a_second_reconciler_of_a_kind_needs_a_name() -> None:
    """Which one is meant would be anybody's guess."""
    operator = kw.Operator("shops")
    operator.reconciler(Shop)(do_nothing)

    with pytest.raises(kw.SchemeError, match='name="shop-second"'):
        operator.reconciler(Shop)(do_nothing)
    operator.reconciler(Shop, name="prices")(do_nothing)

    assert [one.name for one in operator.declarations] == ["shop", "prices"]


@pytest.mark.parametrize("name", ["", "Shop Operator", "a/b"])
def test_the_name_must_do_for_all_that_is_named_after_it(name: str) -> None:
    """A lease, a finalizer, the owner of fields."""
    with pytest.raises(ValueError, match="an operator cannot be called"):
        kw.Operator(name)


def test_what_is_no_kind_is_refused_where_it_is_declared() -> None:
    """Not when the operator starts."""
    operator = kw.Operator("shops")

    with pytest.raises(kw.SchemeError, match="is not a kind"):
        operator.reconciler(int)  # type: ignore[type-var]  # as it should be
    with pytest.raises(TypeError, match="a reconciler is a function"):
        operator.reconciler(Shop)(None)  # type: ignore[call-overload]  # as it should be


async def test_several_reconcilers_run_side_by_side() -> None:
    """One operator may look after several kinds."""
    seen: list[str] = []
    operator = kw.Operator("shops")

    @operator.reconciler(Shop)
    async def shops(obj: Shop, ctx: kw.Context) -> None:
        seen.append(f"shop {obj.metadata.name}")

    @operator.reconciler(Mall)
    async def malls(obj: Mall, ctx: kw.Context) -> None:
        seen.append(f"mall {obj.metadata.name}")

    async with running(operator) as w:
        await w.other.create(shop())
        await w.other.create(Mall(metadata=kw.ObjectMeta(name="north")))
        await w.pass_time()

        assert sorted(seen) == ["mall north", "shop corner"]


async def test_an_index_is_read_from_the_cache() -> None:
    """By what is asked for, not by going through all of them."""
    found: list[list[str]] = []
    operator = kw.Operator("shops")
    operator.index(ConfigMap, "size", lambda one: [one.data.get("size", "")])

    @operator.reconciler(Shop)
    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        maps = ctx.cache.list(ConfigMap, index="size", value=str(obj.spec.size))
        found.append([one.metadata.name for one in maps])

    async with running(operator) as w:
        await w.other.create(config("small", size="1"))
        await w.other.create(config("large", size="9"))
        await w.pass_time()
        await w.other.create(shop(size=9))
        await w.pass_time()

        assert found == [["large"]]


async def test_other_things_run_with_it() -> None:
    """An HTTP endpoint, a consumer of messages."""
    operator, states = kw.Operator("shops"), []

    class Beside:
        async def run(self) -> None:
            states.append("runs")
            try:
                await asyncio.Event().wait()
            finally:
                states.append("stopped")

    operator.reconciler(Shop)(do_nothing)
    operator.add(Beside())
    async with running(operator):
        assert states == ["runs"]

    assert states == ["runs", "stopped"]


async def test_what_runs_with_it_may_be_made_from_the_cluster() -> None:
    """An HTTP endpoint answers from the cache, which does not exist when it is declared."""
    operator = kw.Operator("shops")
    seen: list[str] = []

    class Endpoint:
        def __init__(self, cache: kw.Cache) -> None:
            self.cache = cache

        async def run(self) -> None:
            seen.extend(one.metadata.name for one in self.cache.list(Shop))

    operator.reconciler(Shop)(do_nothing)
    operator.add(lambda cluster: Endpoint(cluster.cache))
    async with world() as w:
        await w.other.create(shop())
        manager = kw.Manager(w.cluster, clock=w.clock)
        operator.add_to(manager)
        async with manager:
            await w.pass_time()

    assert seen == ["corner"]


async def test_a_class_is_taken_for_what_makes_a_runnable() -> None:
    """It has a ``run``, as runnables do, but cannot be run."""
    operator = kw.Operator("shops")
    seen: list[str] = []

    class Beside:
        def __init__(self, cluster: kw.Cluster) -> None:
            seen.append(cluster.name)

        async def run(self) -> None:
            seen.append("runs")

    operator.reconciler(Shop)(do_nothing)
    operator.add(Beside)
    async with running(operator):
        assert seen == ["", "runs"]


async def test_a_change_elsewhere_and_other_sources_lead_to_runs() -> None:
    """All that a controller can listen to, an operator can."""
    reasons: list[str] = []
    operator, channel = kw.Operator("shops"), kw.Channel("bell")

    @operator.reconciler(
        Shop,
        watches=[kw.Watches(ConfigMap, map=lambda one: [one.metadata.labels["shop"]])],
        sources=[channel, kw.Interval(60)],
    )
    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        reasons.extend(one.source for one in ctx.reasons)

    async with running(operator) as w:
        await w.other.create(shop())
        await w.pass_time()
        other = config("a")
        other.metadata.labels = {"shop": "corner"}
        await w.other.create(other)
        await w.pass_time()
        await channel.send("default/corner")
        await w.pass_time(60)

        assert reasons == ["Shop", "ConfigMap", "bell", "interval"]


async def test_a_kind_that_is_not_installed_is_waited_for() -> None:
    """The operator may start before its CRD."""
    seen: list[str] = []
    operator = kw.Operator("ats")

    @operator.reconciler(example.At)
    async def reconcile(obj: example.At, ctx: kw.Context) -> None:
        seen.append(obj.metadata.name)

    async with running(operator) as w:
        await w.pass_time(30)
        await w.clock.run(install_crds(w.other, [example.At]))
        spec = example.AtSpec(schedule=w.clock.now(), command="true")
        await w.other.create(example.At(metadata=kw.ObjectMeta(name="late"), spec=spec))
        await w.pass_time(30)

        assert seen == ["late"]


@pytest.mark.parametrize(
    ("wrong", "advice"),
    [
        ({"owns": Pod}, r"write owns=\[Pod\]"),
        ({"watches": [Secret]}, r"write Watches\(Secret, map=...\)"),
        ({"sources": [kw.Channel]}, r"write Channel\(...\)"),
        ({"deadline": "5"}, r"the deadline of 'shop' is a number of seconds"),
        ({"workers": 0}, r"'shop' needs at least 1 worker"),
        ({"workers": -1, "name": "other"}, r"'other' needs at least 1 worker"),
        ({"retry": 3}, r"retry= takes a Retry"),
        ({"queue": kw.WorkQueue("mine")}, r"write queue=lambda name, clock: WorkQueue"),
        ({"rate_limiter": ExponentialBackoff()}, r"write rate_limiter=lambda clock:"),
        ({"queue": print, "rate_limiter": print}, r"give 'shop' a queue or a rate limiter"),
        ({"on_failure": asyncio.sleep}, r"the on_failure of 'shop' is a plain function"),
    ],
)
def test_what_cannot_work_is_refused_where_it_is_declared(
    wrong: dict[str, Any], advice: str
) -> None:
    """The traceback then leads to the line that is wrong, before anything has started."""
    with pytest.raises((TypeError, ValueError), match=advice):
        kw.Operator("shops").reconciler(Shop, **wrong)

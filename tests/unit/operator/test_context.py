"""What a reconciler can ask for."""

import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest

import kubewright as kw
from kubewright.api.requests import Request
from kubewright.client.transport import Response
from kubewright.kinds.core.v1 import ConfigMap, Event, Namespace, Secret
from kubewright.operator.apply import Applier
from kubewright.operator.child import Child
from kubewright.operator.children import Family
from kubewright.operator.context import Means, conditioned, create_once
from kubewright.operator.flapping import LIMIT
from kubewright.operator.wishes import Wishes
from tests.unit.operator.world import Mall, Shop, World, config, running, shop, world


async def seen_by(ask: Callable[[Shop, kw.Context], Any], **options: Any) -> Any:
    """Return what *ask* returns in the first reconcile."""
    answers: list[Any] = []

    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        if not answers:
            answers.append(await ask(obj, ctx))

    operator = kw.Operator("shops")
    operator.reconciler(Shop, **options)(reconcile)
    async with running(operator) as w:
        await w.other.create(shop())
        await w.pass_time()
    return answers[0]


async def test_it_says_what_is_reconciled_and_why() -> None:
    """And the time, which is that of the clock."""

    async def ask(obj: Shop, ctx: kw.Context) -> Any:
        return ctx.request, ctx.reasons, ctx.attempt, ctx.now().year

    request, reasons, attempt, year = await seen_by(ask)

    assert request == kw.Request("default", "corner")
    assert [str(one) for one in reasons] == ["Shop ADDED default/corner"]
    assert (attempt, year) == (1, 2026)


async def test_a_child_is_seen_by_the_run_that_applied_it() -> None:
    """The cache knows of our own writes at once."""

    async def ask(obj: Shop, ctx: kw.Context) -> Any:
        await ctx.apply(config("child"))
        return [one.metadata.name for one in ctx.children(ConfigMap)]

    assert await seen_by(ask, owns=[ConfigMap]) == ["child"]


async def test_a_child_whose_apply_failed_is_not_pruned() -> None:
    """It is wanted: a quota that is used up must not cost the child that is there."""
    operator, pruned = kw.Operator("shops"), []

    @operator.reconciler(Shop, owns=[ConfigMap])
    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        key = "good" if obj.spec.size == 1 else "not a key"
        with suppress(kw.APIError):
            await ctx.apply(config(**{key: "x"}))
        pruned.extend(await ctx.prune())

    async with running(operator) as w:
        await w.other.create(shop())
        await w.pass_time()
        await w.other.patch(Shop, "corner", {"spec": {"size": 2}})
        await w.pass_time()
        left = await w.other.get(ConfigMap, "corner")

    assert not pruned
    assert left.data == {"good": "x"}


async def test_only_some_kinds_can_be_pruned() -> None:
    """A run that applied the children of one kind only."""

    async def ask(obj: Shop, ctx: kw.Context) -> Any:
        for child in (config("a"), Secret(metadata=kw.ObjectMeta(name="b"))):
            await ctx.apply(child)
        ctx._applied.clear()
        return await ctx.prune(Secret), len(ctx._memory)

    assert await seen_by(ask, owns=[ConfigMap, Secret]) == (
        [Child("", "Secret", "default", "b")],
        1,
    )


async def test_what_is_not_owned_is_applied_and_stays() -> None:
    """It has no owner, so nothing takes it along."""

    async def ask(obj: Shop, ctx: kw.Context) -> Any:
        await ctx.apply(config("shared"), owner=False)
        return await ctx.prune(), ctx.children(ConfigMap)

    assert await seen_by(ask, owns=[ConfigMap]) == ([], [])


async def test_the_child_of_another_is_refused() -> None:
    """Before the server is asked, with a message that names who has it."""
    w: World
    failures: list[Exception] = []

    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        try:
            await ctx.apply(config("child"))
        except kw.AlreadyOwnedError as error:
            failures.append(error)

    operator = kw.Operator("shops")
    operator.reconciler(Shop, owns=[ConfigMap])(reconcile)
    async with running(operator) as w:
        await w.other.create(shop("first"))
        await w.pass_time()
        await w.other.create(shop("second"))
        await w.pass_time()

    assert "Shop 'first' controls it already" in str(failures[0])


async def test_whether_the_server_has_a_kind() -> None:
    """An operator may use a kind only where it is installed."""

    @kw.resource(group="nowhere.com", version="v1")
    class Ghost(kw.Resource): ...

    async def ask(obj: Shop, ctx: kw.Context) -> Any:
        return [await ctx.available(kind) for kind in (Shop, Mall, Ghost)]

    assert await seen_by(ask) == [True, True, False]


async def test_events_are_about_the_object_unless_another_is_named() -> None:
    """``kubectl describe`` shows them there."""

    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        child = await ctx.apply(config("child"))
        ctx.event("Opened", "the shop is open")
        ctx.event("Filled", "goods are there", type="Warning", object=child)

    operator = kw.Operator("shops")
    operator.reconciler(Shop, owns=[ConfigMap])(reconcile)
    async with running(operator) as w:
        await w.other.create(shop())
        await w.pass_time(5)
        events = await w.other.list(Event, namespace="default")

    found = {(one.type, one.reason, one.involved_object.name) for one in events}
    assert {("Normal", "Opened", "corner"), ("Warning", "Filled", "child")} <= found
    assert {one.source and one.source.component for one in events} == {"shops"}


async def test_a_condition_says_for_which_generation_it_is() -> None:
    """And since when, which does not move while its status stays."""

    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        ctx.set_condition("Ready", obj.spec.size > 0, "Fine" if obj.spec.size else "Empty", "text")

    operator = kw.Operator("shops")
    operator.reconciler(Shop)(reconcile)
    async with running(operator) as w:
        await w.other.create(shop())
        await w.pass_time(10)
        (first,) = (await w.shop()).status.conditions
        await w.other.patch(Shop, "corner", {"spec": {"size": 2}})
        await w.pass_time(10)
        (second,) = (await w.shop()).status.conditions

    assert (first.status, first.observed_generation) == ("True", 1)
    assert (second.status, second.observed_generation) == ("True", 2)
    assert first.last_transition_time == second.last_transition_time


def test_a_status_without_conditions_is_said() -> None:
    """With the line that is missing."""
    new = kw.Condition(type="Ready", status="True", reason="Fine")

    with pytest.raises(TypeError, match=r"declare `conditions: kw.Conditions = \[\]`"):
        conditioned(Mall(), new, datetime(2026, 1, 1, tzinfo=UTC))


async def test_an_object_that_two_writers_fight_about_is_warned_of(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Otherwise nobody knows why the operator is so busy."""
    w: World

    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        await ctx.apply(config("child", a="ours"))

    operator = kw.Operator("shops")
    operator.reconciler(Shop, owns=[ConfigMap])(reconcile)
    async with running(operator) as w:
        await w.other.create(shop())
        for _ in range(LIMIT + 5):
            await w.pass_time()
            await w.other.patch(ConfigMap, "child", {"data": {"a": "theirs"}})
        await w.pass_time()

    said = [one.getMessage() for one in caplog.records if one.levelno == logging.WARNING]
    assert len(said) == 1
    assert "data.a: 'theirs' -> 'ours'" in said[0]


async def test_a_kind_that_is_always_sent_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    """Nothing is wrong with it, but nobody would guess why it costs so many writes."""
    caplog.set_level(logging.INFO)

    async def ask(obj: Shop, ctx: kw.Context) -> Any:
        for name in ("a", "b"):
            await ctx.apply(Secret(metadata=kw.ObjectMeta(name=name)))
            await ctx.apply(config(name))

    await seen_by(ask, owns=[ConfigMap])

    hints = [one.getMessage() for one in caplog.records if "sent each time" in one.getMessage()]
    assert len(hints) == 1
    assert "declare Secret in owns= or watches=" in hints[0]


def prices(found: Iterable[ConfigMap]) -> int:
    """Return how many are called so: a cluster has ConfigMaps of its own."""
    return sum(one.metadata.name == "prices" for one in found)


async def test_what_names_no_namespace_is_in_that_of_the_object() -> None:
    """Otherwise it works in development, and reads another tenant's object in production."""
    seen: dict[str, Any] = {}
    operator = kw.Operator("shops")

    @operator.reconciler(Shop, owns=[ConfigMap])
    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        seen["cached"] = (await ctx.client.get(ConfigMap, "prices")).data
        seen["live"] = (await ctx.client.live.get(ConfigMap, "prices")).data
        seen["cache"] = ctx.cache.get(ConfigMap, "prices").data
        seen["lists"] = [
            len(await ctx.client.list(ConfigMap)),
            len(await ctx.client.live.list(ConfigMap)),
            len(ctx.cache.list(ConfigMap)),
        ]
        seen["all"] = [
            prices(await ctx.client.list(ConfigMap, namespace="")),
            prices(await ctx.client.live.list(ConfigMap, namespace="")),
            prices(ctx.cache.list(ConfigMap, namespace="")),
        ]
        seen["other"] = (await ctx.client.get(ConfigMap, "default/prices")).data
        seen["created"] = (await ctx.client.create(config("made"))).metadata.namespace
        ctx.event("Seen", "there it is", object=config("prices"))

    async with running(operator) as w:
        await w.other.create(Namespace(metadata=kw.ObjectMeta(name="tenant")))
        for namespace in ("default", "tenant"):
            one = config("prices", of=namespace)
            one.metadata.namespace = namespace
            await w.other.create(one)
        await w.pass_time()
        made = shop()
        made.metadata.namespace = "tenant"
        await w.other.create(made)
        await w.pass_time()
        events = await w.other.list(Event, namespace="tenant")

    mine = {"of": "tenant"}
    assert (seen["cached"], seen["live"], seen["cache"]) == (mine, mine, mine)
    assert seen["lists"] == [1, 1, 1]
    assert seen["all"] == [2, 2, 2]
    assert (seen["other"], seen["created"]) == ({"of": "default"}, "tenant")
    assert [one.involved_object.namespace for one in events] == ["tenant"]


async def test_an_object_without_a_namespace_lends_none() -> None:
    """To guess one would read whatever happens to be there."""
    refusals: list[str] = []
    counts: list[int] = []
    operator = kw.Operator("malls")

    @operator.reconciler(Mall, owns=[ConfigMap])
    async def reconcile(obj: Mall, ctx: kw.Context) -> None:
        for read in (ctx.client.get, ctx.client.live.get):
            with pytest.raises(ValueError, match="say which one") as refused:
                await read(ConfigMap, "prices")
            refusals.append(str(refused.value))
        with pytest.raises(ValueError, match="say which one"):
            ctx.cache.get(ConfigMap, "prices")
        counts.append(prices(await ctx.client.list(ConfigMap)))
        counts.append(prices(ctx.cache.list(ConfigMap)))

    async with running(operator) as w:
        await w.other.create(config("prices"))
        await w.other.create(Mall(metadata=kw.ObjectMeta(name="north")))
        await w.pass_time()

    assert refusals == ["configmaps live in namespaces: say which one"] * 2
    assert counts == [1, 1]


# --- What is made once ---


def password(name: str = "login") -> Secret:
    return Secret(metadata=kw.ObjectMeta(name=name))


async def test_what_is_created_is_made_once_and_kept() -> None:
    """A password that is made anew in each run locks everybody out."""
    made: list[str] = []
    operator = kw.Operator("shops")

    def fill(secret: Secret) -> None:
        made.append(f"{len(made)}")
        secret.string_data["password"] = made[-1]

    @operator.reconciler(Shop, owns=[Secret])
    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        live = await ctx.create(password(), fill=fill)
        assert await ctx.prune() == []
        obj.status.phase = live.data["password"].decode()

    async with running(operator) as w:
        await w.other.create(shop())
        await w.pass_time()
        first = w.take_writes()
        await w.other.patch(Shop, "corner", {"spec": {"size": 9}})
        await w.pass_time()

        kept = await w.other.get(Secret, "login")
        assert first == ["create secrets", "patch shops corner status"]
        assert w.take_writes() == ["patch shops corner status"]
        assert (made, kept.data) == (["0"], {"password": b"0"})
        assert kept.metadata.owner_references[0].name == "corner"


async def test_what_is_no_longer_created_is_pruned() -> None:
    """It is a child like any other."""
    operator = kw.Operator("shops")

    @operator.reconciler(Shop, owns=[Secret])
    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        if obj.spec.size == 1:
            await ctx.create(password())
        await ctx.prune()

    async with running(operator) as w:
        await w.other.create(shop())
        await w.pass_time()
        there = await w.other.find(Secret, "login")
        await w.other.patch(Shop, "corner", {"spec": {"size": 2}})
        await w.pass_time()

        assert there is not None
        assert await w.other.find(Secret, "login") is None


async def test_what_somebody_else_has_made_is_returned_as_it_is() -> None:
    """Also if the cache does not know of it, or keeps no such kind."""

    async def fill(secret: Secret) -> None:
        secret.string_data["password"] = "new"

    kinds: list[list[type[kw.Resource]]] = [[], [Secret]]
    for owned in kinds:
        operator, seen = kw.Operator("shops"), list[Any]()

        @operator.reconciler(Shop, owns=owned)
        async def reconcile(obj: Shop, ctx: kw.Context) -> None:
            other = password()
            other.string_data["password"] = "theirs"
            with suppress(kw.AlreadyExistsError):
                await w.other.create(other)
            seen.append((await ctx.create(password(), fill=fill)).data)  # noqa: B023  # run at once

        async with running(operator) as w:
            await w.other.create(shop())
            await w.pass_time()

        assert seen == [{"password": b"theirs"}]


async def test_what_belongs_to_others_is_not_taken_for_ours() -> None:
    """Not even if it was left by an earlier object of the same name: that goes any moment."""

    async def ask(obj: Shop, ctx: kw.Context) -> Any:
        for uid, name in (("1", "corner"), ("2", "other")):
            theirs = password(f"of-{name}")
            owner = kw.OwnerReference(
                api_version="example.com/v1", kind="Shop", name=name, uid=uid, controller=True
            )
            theirs.metadata.owner_references = [owner]
            await ctx.client.create(theirs)
        errors = []
        for name in ("corner", "other"):
            with pytest.raises(kw.AlreadyOwnedError) as refused:
                await ctx.create(password(f"of-{name}"))
            errors.append(str(refused.value))
        return errors

    earlier, other = await seen_by(ask)

    assert "belongs to an earlier Shop 'corner'" in earlier
    assert "Shop 'other' controls it already" in other


async def test_a_manifest_can_be_applied_and_created() -> None:
    """Most examples in the world are YAML."""
    manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}

    async def ask(obj: Shop, ctx: kw.Context) -> Any:
        live = await ctx.apply({**manifest, "data": {"a": "b"}})
        same = await ctx.create(manifest)
        with pytest.raises(TypeError, match="Give it apiVersion and kind"):
            await ctx.apply({"kind": "ConfigMap"})
        with pytest.raises(TypeError, match="ConfigMap is a class"):
            await ctx.apply(ConfigMap)  # type: ignore[call-overload]  # as users do
        return live["data"], same["data"], live.metadata.owner_references[0].name

    assert await seen_by(ask, owns=[ConfigMap]) == ({"a": "b"}, {"a": "b"}, "corner")


# --- Events ---


async def test_an_event_can_wait_until_the_status_is_written() -> None:
    """Who hears that it is open must find it open."""
    operator = kw.Operator("shops", failure_events=False)
    refused: list[str] = []

    @operator.reconciler(Shop)
    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        obj.status.phase = "Open"
        child = config("shelf")
        ctx.event("Opened", "it is", action="Open", related=child, after_status=True)
        with pytest.raises(ValueError, match="reason"):
            ctx.event("", "x", after_status=True)

    def refuse(request: Request) -> Response | None:
        if request.attempt.subresource == "status" and not refused:
            refused.append("status")
            return Response(500, (), b"")
        return None

    async with running(operator) as w:
        w.transport.intercept = refuse
        await w.other.create(shop())
        await w.pass_time(0.001)
        before = len(await w.other.list(Event))
        await w.pass_time(5)
        events = await w.other.list(Event)

    assert (refused, before) == (["status"], 0)
    assert [(one.reason, one.action, one.count) for one in events] == [("Opened", "Open", 1)]
    assert events[0].related is not None
    assert (events[0].related.kind, events[0].related.namespace) == ("ConfigMap", "default")


# --- Children that are made once ---


def means_of(w: World) -> Means:
    client = w.cluster.client
    family = Family(client, {})
    applier = Applier(client, family, field_owner="shops")
    wishes = Wishes([], [], w.cluster.cache.informer(Secret))
    return Means("shops", w.cluster, family, applier, w.clock, wishes)


async def test_of_two_who_make_it_one_succeeds_and_the_other_gets_that() -> None:
    """A cache that lags behind must not cost the password that is in use."""
    wanted = Secret(metadata=kw.ObjectMeta(name="a", namespace="default"))

    def fill(secret: Secret) -> None:
        secret.string_data["n"] = "1" if not wanted.string_data else "2"

    async with world() as w:
        first = await create_once(means_of(w), wanted, fill)
        second = await create_once(means_of(w), wanted, lambda one: one.string_data.update(n="2"))

    assert (first.changed, second.changed) == (True, False)
    assert first.live.data == second.live.data == {"n": b"1"}
    assert wanted.string_data == {}
    assert first.live.metadata.managed_fields[0].manager == "shops"

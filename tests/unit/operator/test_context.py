"""What a reconciler can ask for."""

import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest

import kubewright as kw
from kubewright.kinds.core.v1 import ConfigMap, Event, Secret
from kubewright.operator.child import Child
from kubewright.operator.context import conditioned
from kubewright.operator.flapping import LIMIT
from tests.unit.operator.world import Mall, Shop, World, config, running, shop


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

    with pytest.raises(TypeError, match=r"declare `conditions: list\[kw.Condition\] = \[\]`"):
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

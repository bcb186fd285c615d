"""Everything that a reconciler without async can do."""

from collections.abc import Callable
from typing import Any

import kubewright as kw
from kubewright.kinds.core.v1 import ConfigMap, Event
from tests.unit.operator.world import Mall, Shop, World, config, running, shop


async def seen_by(ask: Callable[[Shop, kw.SyncContext], Any]) -> tuple[Any, World]:
    """Return what *ask* returns in the first reconcile, which runs in a thread."""
    answers: list[Any] = []

    def reconcile(obj: Shop, ctx: kw.SyncContext) -> None:
        if not answers:
            answers.append(ask(obj, ctx))

    operator = kw.Operator("shops")
    operator.reconciler(Shop, owns=[ConfigMap])(reconcile)
    async with running(operator) as w:
        await w.other.create(shop())
        await w.pass_time(5)
        events = await w.other.list(Event, namespace="default")
        return (answers[0], [one.reason for one in events]), w


async def test_the_verbs_wait_for_their_answers() -> None:
    """Each is the verb of the client, typed as that is."""

    def ask(obj: Shop, ctx: kw.SyncContext) -> Any:
        client = ctx.client
        made = config("a", size="1")
        made.metadata.namespace = "default"
        made = client.create(made)
        made.data["size"] = "2"
        made = client.update(made)
        made.data["size"] = "3"
        made = client.patch(made)
        named = client.patch(ConfigMap, "a", {"data": {"more": "4"}}, namespace="default")
        dynamic = client.get("configmaps", "a", namespace="default")
        listed = [one.metadata.name for one in client.list(Shop, namespace="default")]
        client.delete(ConfigMap, "a", namespace="default", uid=made.metadata.uid)
        gone = client.find(ConfigMap, "a", namespace="default")
        applied = client.apply(Mall(metadata=kw.ObjectMeta(name="north")), field_owner="x")
        return named.data, dynamic["data"], listed, gone, applied.metadata.name

    (found, _), _ = await seen_by(ask)

    data = {"size": "3", "more": "4"}
    assert found == (data, data, ["corner"], None, "north")


async def test_the_context_is_that_of_an_async_reconciler() -> None:
    """Children, events, conditions and the rest."""

    def ask(obj: Shop, ctx: kw.SyncContext) -> Any:
        ctx.apply(config("a"))
        children = [one.metadata.name for one in ctx.children(ConfigMap)]
        ctx.event("Opened", "the shop is open")
        ctx.set_condition("Ready", True, "Fine")
        ctx.log.info("seen")
        return (
            children,
            ctx.prune(),
            ctx.available(Mall),
            obj.status.conditions[0].status,
            str(ctx.request),
            ctx.attempt,
            ctx.now().year,
            [one.source for one in ctx.reasons],
        )

    (found, events), _ = await seen_by(ask)

    assert found == (["a"], [], True, "True", "default/corner", 1, 2026, ["Shop"])
    assert events == ["Opened"]

"""An operator for a kind that has no class anywhere, and no definition when it starts."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

import kubewright as kw
from kubewright.client import Client
from kubewright.kinds.core.v1 import ConfigMap
from tests.conformance.crds import ANYTHING, CRDS, crd, object_of, version
from tests.conformance.wire import Wire

PATIENCE = 30.0


async def eventually(found: Callable[[], Awaitable[Any]]) -> Any:
    """Return what *found* returns, once that is something."""
    async with asyncio.timeout(PATIENCE):
        while not (answer := await found()):  # noqa: ASYNC110  # nothing tells us
            await asyncio.sleep(0.05)
        return answer


def make_operator(widget: kw.Kind) -> kw.Operator:
    """Return an operator that gives each widget a ConfigMap, and remembers it to the end."""
    operator = kw.Operator("widgets")
    config = kw.Kind("v1", "ConfigMap")

    @operator.reconciler(widget, owns=[config])
    async def reconcile(obj: kw.Unstructured, ctx: kw.Context) -> None:
        await ctx.apply(config(metadata={"name": obj.name}, data={"size": str(obj.spec["size"])}))
        await ctx.prune()
        obj.status["configs"] = len(ctx.children(config))
        ctx.set_condition("Ready", True, "Made")

    @operator.cleanup(widget)
    async def clean_up(obj: kw.Unstructured, ctx: kw.Context) -> None:
        await ctx.client.create(ConfigMap(metadata=kw.ObjectMeta(name=f"{obj.name}-was-here")))

    return operator


async def test_an_operator_works_for_a_kind_without_a_class_that_comes_later(
    client: Client, api: Wire, namespace: str
) -> None:
    """Its CRD is installed by somebody else, and maybe after the operator."""
    whole = object_of(spec=ANYTHING, status=ANYTHING)
    made = version(subresources={"status": {}}) | {"schema": {"openAPIV3Schema": whole}}
    definition = crd(made)
    group = definition["spec"]["group"]
    Widget = kw.Kind(f"{group}/v1", "Widget")  # noqa: N806  # it stands where a class would
    manager = kw.Manager(kw.Cluster(client, namespaces=[namespace]))
    make_operator(Widget).add_to(manager)
    async with manager:
        answer = api.ask("POST", CRDS, definition)
        assert answer.status == 201, answer.body
        try:
            await follow(client, Widget, manager)
        finally:
            api.ask("DELETE", f"{CRDS}/widgets.{group}")


async def follow(client: Client, widget: kw.Kind, manager: kw.Manager) -> None:
    """Take a widget through its life."""

    async def create() -> Any:
        try:
            return await client.create(widget(metadata={"name": "a"}, spec={"size": 1}))
        except (kw.NoMatchError, kw.NotFoundError):
            return None  # not established yet

    async def written(generation: int) -> Any:
        found = await client.get(widget, "a")
        conditions = found.status.get("conditions") or [{}]
        return found if conditions[0].get("observedGeneration") == generation else None

    await eventually(create)
    first = await eventually(lambda: written(1))
    assert first.status["configs"] == 1
    assert first.metadata.finalizers

    await client.patch(widget, "a", {"spec": {"size": 2}})
    await manager.settled(timeout=PATIENCE)
    assert await written(2) is not None
    child = await client.get(ConfigMap, "a")
    assert child.data == {"size": "2"}
    assert [one.uid for one in child.metadata.owner_references] == [first.metadata.uid]

    await client.delete(widget, "a")
    await manager.settled(timeout=PATIENCE)
    assert await client.find(widget, "a") is None
    assert await client.find(ConfigMap, "a-was-here") is not None


pytestmark = pytest.mark.timeout(120)

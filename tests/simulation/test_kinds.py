"""Operators for kinds without a class: all that a class can, and kinds that come and go."""

from typing import Any

import pytest

import kubewright as kw
from kubewright.api.kind_reference import Kind
from kubewright.client import Client
from kubewright.kinds.core.v1 import ConfigMap
from kubewright.testing import EmbeddedServer, VirtualClock, operator_test

LOOKED_AGAIN = 120.0
"""Seconds after which the cache has looked for a missing kind once more."""

Widget = Kind("example.com/v1", "Widget")
Part = Kind("v1", "ConfigMap")


def crd(plural: str = "widgets", *, scope: str = "Namespaced", status: bool = True) -> Any:
    """Return the definition of widgets."""
    free = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version: dict[str, Any] = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": free},
    }
    if status:
        version["subresources"] = {"status": {}}
    return kw.Unstructured(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.example.com"},
            "spec": {
                "group": "example.com",
                "names": {"plural": plural, "kind": "Widget"},
                "scope": scope,
                "versions": [version],
            },
        }
    )


def make_operator(kind: Kind = Widget, part: Kind = Part) -> kw.Operator:
    """Return an operator that makes as many parts as a widget says, and counts them."""
    operator = kw.Operator("widgets")

    @operator.reconciler(kind, owns=[part])
    async def reconcile(widget: kw.Unstructured, ctx: kw.Context) -> None:
        for number in range(widget.spec.get("parts", 1)):
            await ctx.apply(
                kw.Unstructured(
                    apiVersion="v1",
                    kind="ConfigMap",
                    metadata={"name": f"{widget.name}-{number}", "namespace": "default"},
                ),
                owner=bool(widget.namespace),
            )
        await ctx.prune()
        widget.status["parts"] = len(ctx.children(part))
        ctx.set_condition("Ready", True, "AllThere")

    @operator.cleanup(kind)
    async def clean_up(widget: kw.Unstructured, ctx: kw.Context) -> None:
        await ctx.client.create(
            ConfigMap(metadata=kw.ObjectMeta(name=f"{widget.name}-cleaned", namespace="default"))
        )

    return operator


async def parts_of(client: Client) -> list[str]:
    """Return the names of all parts."""
    return [one.name for one in await client.list(Part)]


async def test_children_status_conditions_and_finalizers_need_no_class() -> None:
    """People with a CRD of somebody else's have no class for it, and want to begin at once."""
    async with operator_test(make_operator(), objects=[crd()]) as test:
        await test.settled()
        await test.client.create(Widget(metadata={"name": "a"}, spec={"parts": 2}))
        await test.settled()

        made = await test.client.get(Widget, "a")
        assert made.status["parts"] == 2
        assert made.status["conditions"][0]["reason"] == "AllThere"
        assert made.metadata.finalizers == ["example.com/widgets"]
        assert await parts_of(test.client) == ["a-0", "a-1"]

        await test.client.patch(Widget, "a", {"spec": {"parts": 1}})
        await test.settled()
        assert await parts_of(test.client) == ["a-0"]

        await test.client.delete(Widget, "a")
        await test.settled()
        assert await test.client.find(Widget, "a") is None
        assert "a-cleaned" in await parts_of(test.client)


@kw.resource(group="example.com", version="v1", kind="Widget")
class TypedWidget(kw.Resource):
    """A class for widgets."""

    spec: dict[str, Any] = {}
    status: dict[str, Any] = {}


async def test_a_kind_with_and_without_a_class_in_one_operator() -> None:
    """Each reconciler, its clean-up and its `gone` get their own type, from one watch."""
    operator, seen = make_operator(), set[tuple[str, type]]()

    @operator.reconciler(TypedWidget, name="typed", owns=[ConfigMap])
    async def reconcile(widget: TypedWidget, ctx: kw.Context) -> None:
        seen.add(("reconcile", type(widget)))
        seen.update(("child", type(one)) for one in ctx.children(ConfigMap))

    @operator.gone(TypedWidget, name="typed")
    async def part(widget: TypedWidget, ctx: kw.Context) -> None:
        seen.add(("gone", type(widget)))

    async with operator_test(operator) as test:
        await test.client.create(Widget(metadata={"name": "a"}, spec={"parts": 2}))
        await test.settle()
        made = await test.client.get(Widget, "a")
        await test.client.delete(Widget, "a")
        await test.settle()

        assert made.status["parts"] == 2
        assert seen == {("reconcile", TypedWidget), ("child", ConfigMap), ("gone", TypedWidget)}
        assert "a-cleaned" in await parts_of(test.client)
        (cluster,) = test.manager.clusters
        assert isinstance(cluster, kw.Cluster)
        watching = {one.origin for one in cluster.cache}
        assert sorted(one.selection.mapping.kind for one in watching) == ["ConfigMap", "Widget"]


async def test_a_child_that_was_deleted_comes_back() -> None:
    """Its owner is found by a kind that only the server knows."""
    operator = make_operator(kind=Kind("widgets.example.com"), part=Kind("configmaps"))
    async with operator_test(operator, objects=[crd()]) as test:
        await test.client.create(Widget(metadata={"name": "a"}))
        await test.settled()
        await test.client.delete(Part, "a-0")
        await test.settled()

        assert await parts_of(test.client) == ["a-0"]


async def test_a_status_that_is_not_apart_is_written_all_the_same() -> None:
    """Not every CRD has the subresource."""
    async with operator_test(make_operator(), objects=[crd(status=False)]) as test:
        await test.client.create(Widget(metadata={"name": "a"}))
        await test.settled()

        made = await test.client.get(Widget, "a")
        assert made.status["parts"] == 1
        # A generation in such a status would make the next one, and so on for ever.
        assert "observedGeneration" not in made.status["conditions"][0]


@pytest.mark.parametrize("kind", [Widget, Kind("widgets.example.com")])
async def test_a_kind_that_comes_later_is_picked_up(kind: Kind) -> None:
    """An operator and its CRD are installed in any order."""
    async with operator_test(make_operator(kind)) as test:
        await test.client.create(crd())
        await test.advance(2)
        await test.client.create(Widget(metadata={"name": "a"}))
        await test.advance(LOOKED_AGAIN)

        assert (await test.client.get(Widget, "a")).status["parts"] == 1


async def test_a_kind_that_goes_and_returns_is_picked_up_where_it_lives_then() -> None:
    """Another plural and another scope: what was known of it does not count."""
    async with operator_test(make_operator()) as test:
        await test.client.create(crd())
        await test.advance(2)
        await test.client.create(Widget(metadata={"name": "a"}))
        await test.advance(LOOKED_AGAIN)
        await test.client.delete(Widget, "a")
        await test.settled()
        await test.client.delete(crd().gvk, "widgets.example.com")
        await test.advance(LOOKED_AGAIN)

        await test.client.create(crd("widgetries", scope="Cluster"))
        await test.advance(2)
        await test.client.create(Widget(metadata={"name": "b"}))
        await test.advance(LOOKED_AGAIN)

        assert (await test.client.get(Widget, "b")).status["parts"] == 0


async def test_namespaces_of_the_cache_do_not_hide_a_kind_that_is_in_none() -> None:
    """Whether a kind lives in namespaces is not known when the operator is declared."""
    clock = VirtualClock()
    async with EmbeddedServer(clock=clock) as server, server.client() as client:
        await clock.run(client.create(crd(scope="Cluster")))
        cluster = kw.Cluster(client, namespaces=["default"])
        informer = cluster.cache.informer(Widget)
        await clock.run(client.create(Widget(metadata={"name": "a"})))
        async with kw.Manager(cluster):
            await clock.settle()

            assert [one.name for one in cluster.cache.list(Widget)] == ["a"]
            assert informer.selection.mapping.namespaced is False
            assert (await cluster.client.get(Widget, "a")).name == "a"


def test_rules_are_those_of_the_most_likely_resource() -> None:
    """Nobody is asked when roles are made; an irregular plural is named as such."""
    rules = {(rule.resources, rule.verbs) for rule in make_operator().rules()}

    assert any(resources == ("widgets",) and "watch" in verbs for resources, verbs in rules)
    assert any("widgets/status" in resources for resources, _ in rules)


def test_a_kind_brings_no_crd() -> None:
    """It is somebody else's."""
    assert make_operator().kinds == (Widget, Part)


async def test_indexes_watches_and_selections_take_kinds() -> None:
    """Wherever a class can stand, a kind without one can."""
    operator = kw.Operator("readers")
    operator.index(Widget, "reads", lambda one: [one.spec.get("reads", "")])

    def readers(config: kw.Unstructured, ctx: kw.MapContext) -> list[kw.Unstructured]:
        return ctx.cache.list(Widget, index="reads", value=config.name)

    @operator.reconciler(
        kw.For(Widget, labels={"tier": "front"}), watches=[kw.Watches(Part, map=readers)]
    )
    def reconcile(widget: kw.Unstructured, ctx: kw.SyncContext) -> None:
        config = ctx.client.find(Part, widget.spec["reads"])
        widget.status["text"] = "" if config is None else config["data"]["text"]
        ctx.event("Read", f"{widget.name} has read")

    labels = {"tier": "front"}
    async with operator_test(operator, objects=[crd()]) as test:
        await test.client.create(
            Widget(metadata={"name": "a", "labels": labels}, spec={"reads": "x"})
        )
        await test.client.create(Widget(metadata={"name": "b"}, spec={"reads": "x"}))
        await test.settled()
        await test.client.create(Part(metadata={"name": "x"}, data={"text": "hello"}))
        await test.settled()

        assert (await test.client.get(Widget, "a")).status == {"text": "hello"}
        assert (await test.client.get(Widget, "b")).get("status") is None
        events = await test.client.list(Kind("v1", "Event"))
        assert {one["involvedObject"]["kind"] for one in events} == {"Widget"}

"""An apply is sent when something would change, and not otherwise."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

import kubewright as kw
from kubewright.kinds.apps.v1 import Deployment, DeploymentSpec
from kubewright.kinds.core.v1 import ConfigMap, Container, PodSpec, PodTemplateSpec
from kubewright.operator.apply import Applier, Memory, mark_of
from kubewright.operator.child import Child
from kubewright.operator.children import Family
from kubewright.operator.flapping import LIMIT
from tests.unit.operator.world import World, config, world


class Bench:
    """An applier of config maps and deployments over a running cluster."""

    def __init__(self, world: World) -> None:
        kinds: list[type[kw.Resource]] = [ConfigMap, Deployment]
        informers = {kind: world.cluster.cache.informer(kind) for kind in kinds}
        family = Family(world.cluster.client, informers)
        self.world = world
        self.memory = Memory()
        self.applier = Applier(world.cluster.client, family, field_owner="shops")

    async def apply(self, obj: Any) -> Any:
        """Apply *obj* in the namespace of the tests, and return the live object."""
        obj.metadata.namespace = "default"
        outcome = await self.applier.apply(obj, self.memory)
        self.last = outcome
        return outcome.live

    async def writes(self) -> list[str]:
        await self.world.pass_time()
        return self.world.take_writes()


@asynccontextmanager
async def bench() -> AsyncIterator[Bench]:
    async with world() as w:
        made = Bench(w)
        async with kw.Manager(w.cluster, clock=w.clock):
            yield made


def web(**labels: str) -> Deployment:
    pod = PodTemplateSpec(
        metadata=kw.ObjectMeta(labels={"app": "web"}),
        spec=PodSpec(containers=[Container(name="web", image="nginx")]),
    )
    return Deployment(
        metadata=kw.ObjectMeta(name="web", labels=labels),
        spec=DeploymentSpec(
            replicas=2, selector=kw.LabelSelector(match_labels={"app": "web"}), template=pod
        ),
    )


@pytest.mark.parametrize("make", [lambda: config(a="1"), web], ids=["ConfigMap", "Deployment"])
async def test_the_same_again_is_not_sent(make: Any) -> None:
    """An operator at rest writes nothing, whether its kinds count generations or not."""
    async with bench() as b:
        first = await b.apply(make())
        assert b.last.changed
        assert await b.writes() == [f"apply {b.last.live.kind.lower()}s {first.metadata.name}"]

        again = await b.apply(make())

        assert await b.writes() == []
        assert not b.last.changed
        assert (again.metadata.uid, again.metadata.resource_version) == (
            first.metadata.uid,
            first.metadata.resource_version,
        )


async def test_another_document_is_sent() -> None:
    """That is what it is for."""
    async with bench() as b:
        await b.apply(config(a="1"))

        await b.apply(config(a="2"))

        assert len(await b.writes()) == 2
        assert (await b.world.other.get(ConfigMap, "corner")).data == {"a": "2"}


async def test_a_new_process_applies_once_and_changes_nothing() -> None:
    """It remembers nothing; the server finds that all is as it should be."""
    async with bench() as b:
        first = await b.apply(config(a="1"))
        b.memory = Memory()

        again = await b.apply(config(a="1"))

        assert len(await b.writes()) == 2
        assert again.metadata.resource_version == first.metadata.resource_version
        assert not b.last.changed


@pytest.mark.parametrize(
    "patch",
    [
        {"spec": {"replicas": 5}},
        {"metadata": {"labels": {"team": "x"}}},
        {"metadata": {"labels": {"team": None}}},
    ],
    ids=["spec", "label changed", "label removed"],
)
async def test_what_others_changed_is_applied_again(patch: dict[str, Any]) -> None:
    """``kubectl scale`` by hand is undone."""
    async with bench() as b:
        await b.apply(web(team="a"))
        await b.world.pass_time()
        await b.world.other.patch(Deployment, "web", patch)
        await b.writes()

        live = await b.apply(web(team="a"))

        assert await b.writes() == ["apply deployments web"]
        assert b.last.changed
        assert (live.spec.replicas, live.metadata.labels) == (2, {"team": "a"})


@pytest.mark.parametrize(
    "patch",
    [
        {"metadata": {"labels": {"theirs": "x"}}},
        {"metadata": {"annotations": {"theirs": "x"}}},
        {"spec": {"minReadySeconds": 5}},
    ],
    ids=["label", "annotation", "field"],
)
async def test_what_others_own_is_left_alone(patch: dict[str, Any]) -> None:
    """Nothing that we applied has changed."""
    async with bench() as b:
        await b.apply(web(team="a"))
        await b.world.pass_time()
        await b.world.other.patch(Deployment, "web", patch)
        await b.writes()

        await b.apply(web(team="a"))

        assert await b.writes() == []


async def test_a_status_change_leads_to_no_write() -> None:
    """It is the most frequent change of all."""
    async with bench() as b:
        await b.apply(web())
        await b.world.pass_time()
        await b.world.other.status.patch(Deployment, "web", {"status": {"replicas": 2}})
        await b.writes()

        live = await b.apply(web())

        assert await b.writes() == []
        assert live.status.replicas == 2


async def test_an_object_that_was_deleted_is_made_anew() -> None:
    """Also if another of its name is there by then, which is not the one that was applied."""
    async with bench() as b:
        first = await b.apply(config(a="1"))
        await b.world.other.delete(ConfigMap, "corner")
        await b.world.pass_time()

        second = await b.apply(config(a="1"))
        await b.world.other.delete(ConfigMap, "corner")
        await b.world.other.create(config(b="2"))
        await b.world.pass_time()
        third = await b.apply(config(a="1"))

        assert len({first.metadata.uid, second.metadata.uid, third.metadata.uid}) == 3
        assert third.data == {"a": "1", "b": "2"}


async def test_an_object_that_somebody_else_made_just_like_ours_is_applied() -> None:
    """Its fields are not ours before: leaving one out later would not remove it."""
    async with bench() as b:
        await b.apply(config(a="1"))
        await b.world.other.delete(ConfigMap, "corner")
        await b.world.other.create(config(a="1"))
        await b.writes()

        await b.apply(config(a="1"))

        assert await b.writes() == ["apply configmaps corner"]


async def test_a_kind_that_is_not_cached_is_always_applied() -> None:
    """Without a look at the object nobody knows."""
    async with bench() as b:
        for _ in range(2):
            secret = kw.Unstructured(
                apiVersion="v1", kind="Secret", metadata={"name": "a", "namespace": "default"}
            )
            await b.applier.apply(secret, b.memory)

        assert await b.writes() == ["apply secrets a"] * 2


async def test_a_document_without_a_class_is_remembered_too() -> None:
    """And comes back as what it went in, though the cache has it typed."""
    async with bench() as b:
        wanted = kw.Unstructured(
            apiVersion="v1",
            kind="ConfigMap",
            metadata={"name": "a", "namespace": "default"},
            data={"a": "1"},
        )
        first = (await b.applier.apply(wanted, b.memory)).live
        await b.world.pass_time()

        again = (await b.applier.apply(wanted, b.memory)).live

        assert await b.writes() == ["apply configmaps a"]
        assert isinstance(again, kw.Unstructured)
        assert (again.gvk, again.resource_version) == (first.gvk, first.resource_version)


async def test_two_writers_who_undo_one_another_are_named() -> None:
    """Once, with the field that they fight about."""
    async with bench() as b:
        said = []
        for _ in range(LIMIT + 3):
            await b.apply(config(a="ours"))
            said.append(b.last.flapping)
            await b.world.other.patch(ConfigMap, "corner", {"data": {"a": "theirs"}})
            await b.world.pass_time()

        assert [one for one in said if one is not None] == [["data.a: 'theirs' -> 'ours'"]]


async def test_children_of_ever_other_names_do_not_fill_the_memory() -> None:
    """A parent that makes one a day lives for years."""
    async with bench() as b:
        for day in range(50):
            await b.apply(config(f"day-{day}"))
            b.memory.trim(1)

        assert len(b.memory) < 40
        assert b.memory.find(Child("", "ConfigMap", "default", "day-49")) is not None
        assert b.memory.find(Child("", "ConfigMap", "default", "day-0")) is None


def test_the_mark_of_a_document_is_that_of_its_content() -> None:
    """Two that were built alike are the same; the slightest change is another."""
    assert mark_of(config(a="1")) == mark_of(config(a="1"))
    assert mark_of(config(a="1")) != mark_of(config(a="2"))

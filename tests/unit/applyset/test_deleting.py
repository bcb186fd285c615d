"""Nothing goes with a set that is not in it."""

import asyncio

from kubewright.api.kind import GroupKind
from kubewright.api.unstructured import Unstructured
from kubewright.applyset import Change, Listener
from kubewright.kinds.apiextensions.v1 import CustomResourceDefinition
from kubewright.kinds.core.v1 import ConfigMap, Namespace
from tests.unit.applyset.objects import SHOPS, bench, config, crd, namespace, said, shop

IN = "in shop-system"
RELEASED = "released namespace/shop-system"
DEFINITIONS = GroupKind("apiextensions.k8s.io", "CustomResourceDefinition")
NAMESPACES = GroupKind("", "Namespace")
CRD = f"customresourcedefinition.apiextensions.k8s.io/{SHOPS}"


async def test_a_definition_with_objects_of_others_holds_up_the_deletion() -> None:
    """Also one that the set only knows by its label; nothing at all is deleted."""
    async with bench() as b:
        await b.apply(namespace(), crd(), config())
        await b.apply(shop(), parent=None)

        refused = await b.delete()
        dry = await b.delete(dry_run=True)
        there = await b.client.find("shops.example.com", "corner")
        allowed = await b.delete(instances="all")

        assert str(refused.failures[0]) == (
            f"{CRD}: 1 object of it would go, too: shop.example.com/corner in default"
        )
        assert (refused.changes, len(refused.left)) == ([], 2)
        assert [str(one) for one in dry.failures] == [str(one) for one in refused.failures]
        assert there is not None
        assert allowed.done
        assert said(allowed)[0] == "deleted shop.example.com/corner in default"


async def test_an_object_that_is_made_meanwhile_keeps_its_definition() -> None:
    """Deleting a set takes a while, and users do not stop."""
    held = config()
    held["metadata"]["finalizers"] = ["example.com/hold"]
    async with bench() as b:
        await b.apply(namespace(), crd(), held)

        async def make_a_shop() -> None:
            await b.set(None).apply([shop()])
            free = {"metadata": {"finalizers": None}}
            await b.client.patch(ConfigMap, "settings", free, namespace="shop-system")

        class Late(Listener):
            def changed(self, change: Change) -> None:
                if change.name.gvk.kind == "ConfigMap":
                    made.append(asyncio.create_task(make_a_shop()))

        made: list[asyncio.Task[None]] = []
        report = await b.clock.run(b.set(listener=Late()).delete())
        await asyncio.gather(*made)

        assert said(report) == [f"deleted configmap/settings {IN}"]
        assert [str(one.name) for one in report.failures] == [CRD]
        assert await b.client.find("shops.example.com", "corner") is not None


async def test_a_kind_that_is_not_served_keeps_its_definition() -> None:
    """Neither deleting nor pruning knows whether it has objects."""
    hidden = crd()
    hidden["spec"]["versions"][0]["served"] = False
    async with bench() as b:
        await b.apply(namespace(), crd())
        await b.apply(shop(), parent=None)
        await b.apply(namespace(), hidden)

        refused = await b.delete(instances="all")
        pruned = await b.apply(namespace())
        await b.client.patch(CustomResourceDefinition, SHOPS, {"spec": crd()["spec"]})

        assert "none of its versions is served" in str(refused.failures[0])
        assert refused.changes == []
        (kept,) = [one for one in pruned.changes if one.action == "kept"]
        assert "none of its versions is served" in kept.note
        assert await b.client.find("shops.example.com", "corner") is not None


async def test_a_namespace_that_was_there_before_stays_with_all_that_is_in_it() -> None:
    """A deployment that is put beside others must not take them with it."""
    async with bench() as b:
        before = namespace()
        before["metadata"]["labels"] = {"team": "theirs"}
        ours = namespace()
        ours["metadata"]["labels"] = {"pod-security.kubernetes.io/enforce": "restricted"}
        await b.client.apply(Unstructured(before), field_owner="theirs")
        await b.apply(config("theirs"), parent=None)
        await b.apply(ours, config())
        await b.apply(ours, config(a="b"))

        dry = await b.delete(dry_run=True)
        report = await b.delete(residents=True)

        after = await b.client.get(Namespace, "shop-system")
        assert said(report) == said(dry) == [f"deleted configmap/settings {IN}", RELEASED]
        assert report.changes[1].note == "it was there before"
        assert after.metadata.labels == {
            "team": "theirs",
            "kubernetes.io/metadata.name": "shop-system",
        }
        assert await b.client.find(ConfigMap, "theirs", namespace="shop-system") is not None
        assert await b.client.find(ConfigMap, "shop", namespace="shop-system") is None


async def test_a_namespace_in_which_others_are_holds_up_the_deletion() -> None:
    """Who made the namespace need not know who has moved in."""
    async with bench() as b:
        await b.apply(namespace(), config())
        await b.apply(namespace(), config())
        await b.apply(config("theirs"), parent=None)

        refused = await b.delete()
        kept = await b.delete(keep=[NAMESPACES], dry_run=True)
        allowed = await b.delete(residents=True)

        assert [str(one) for one in refused.failures] == [
            f"namespace/shop-system: 1 object of others would go, too: configmap/theirs {IN}"
        ]
        assert refused.changes == []
        assert RELEASED in said(kept)
        assert allowed.done
        assert await b.client.find(Namespace, "shop-system") is None


async def test_who_moves_in_meanwhile_keeps_the_namespace() -> None:
    """It is looked at again when all the rest is gone; the set stays known, and can be deleted."""
    held = config()
    held["metadata"]["finalizers"] = ["example.com/hold"]
    async with bench() as b:
        await b.apply(namespace(), held)

        async def move_in() -> None:
            await b.set(None).apply([config("theirs")])
            free = {"metadata": {"finalizers": None}}
            await b.client.patch(ConfigMap, "settings", free, namespace="shop-system")

        class Late(Listener):
            def changed(self, change: Change) -> None:
                if change.name.gvk.kind == "ConfigMap":
                    made.append(asyncio.create_task(move_in()))

        made: list[asyncio.Task[None]] = []
        report = await b.clock.run(b.set(listener=Late()).delete())
        await asyncio.gather(*made)

        assert said(report) == [f"deleted configmap/settings {IN}"]
        assert [str(one.name) for one in report.failures] == ["namespace/shop-system"]
        assert await b.set().find_contents() is not None


async def test_objects_of_a_kind_that_stays_stay_in_the_namespace_and_out_of_it() -> None:
    """Whoever keeps a CRD does so for the objects: those of the set leave it, too."""
    async with bench() as b:
        await b.apply(namespace(), crd(), shop("sample"))
        await b.apply(shop(where="shop-system"), parent=None)

        refused = await b.delete(keep=[DEFINITIONS])
        await b.client.delete("shops.example.com", "corner", namespace="shop-system")
        done = await b.delete(keep=[DEFINITIONS])

        assert [str(one) for one in refused.failures] == [
            f"namespace/shop-system: 1 object of others would go, too: shop.example.com/corner {IN}"
        ]
        assert sorted(said(done)) == [
            "deleted namespace/shop-system",
            f"released {CRD}",
            "released shop.example.com/sample in default",
        ]
        assert await b.client.find("shops.example.com", "sample") is not None

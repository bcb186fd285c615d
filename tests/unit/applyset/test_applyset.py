"""A set on a server: applied, applied again, pruned, deleted."""

import asyncio

import pytest

from kubewright.api.kind import GroupKind
from kubewright.api.meta import ObjectMeta
from kubewright.applyset import ApplySet, Change, Listener, Parent
from kubewright.client import Client, Config
from kubewright.errors import ConfigError, TransportError
from kubewright.kinds.apiextensions.v1 import CustomResourceDefinition
from kubewright.kinds.core.v1 import ConfigMap, Namespace
from tests.unit.applyset.objects import (
    PARENT,
    SHOPS,
    Heard,
    bench,
    config,
    crd,
    deployment,
    named,
    namespace,
    said,
    shop,
    webhooks,
)

IN = "in shop-system"
CRD = f"customresourcedefinition.apiextensions.k8s.io/{SHOPS}"
DEFINITIONS = GroupKind("apiextensions.k8s.io", "CustomResourceDefinition")


async def test_all_is_made_in_order_and_the_second_apply_changes_nothing() -> None:
    """Custom objects can be in the same set as their CRD, and in its new namespace."""
    everything = [webhooks(), shop(where="shop-system"), deployment(), config(), crd(), namespace()]
    async with bench() as b:
        first = await b.apply(*everything)
        version = (await b.client.get(ConfigMap, "settings", namespace="shop-system")).metadata
        second = await b.apply(*everything)
        again = (await b.client.get(ConfigMap, "settings", namespace="shop-system")).metadata

        assert said(first) == [
            "created namespace/shop-system",
            f"created {CRD}",
            f"created configmap/settings {IN}",
            f"created deployment.apps/shop {IN}",
            f"created shop.example.com/corner {IN}",
            "created validatingwebhookconfiguration.admissionregistration.k8s.io/shop",
        ]
        assert first.done
        assert second.count() == {"unchanged": 6}
        assert again.resource_version == version.resource_version


async def test_what_leaves_the_set_is_pruned_and_others_stay() -> None:
    """Also if the kind leaves with it; what somebody else made is nobody's business."""
    async with bench() as b:
        await b.apply(namespace(), config("a"), config("b"), webhooks())
        theirs = ObjectMeta(name="theirs", namespace="shop-system")
        await b.client.create(ConfigMap(metadata=theirs))

        report = await b.apply(namespace(), config("a"))

        assert said(report) == [
            "unchanged namespace/shop-system",
            f"unchanged configmap/a {IN}",
            "pruned validatingwebhookconfiguration.admissionregistration.k8s.io/shop",
            f"pruned configmap/b {IN}",
        ]
        found = await b.client.list(ConfigMap, namespace="shop-system")
        names = {one.metadata.name for one in found}
        assert names >= {"a", "theirs"}
        assert "b" not in names
        contents = await b.set().find_contents()
        assert contents is not None
        assert set(map(str, contents.kinds)) == {"ConfigMap", "Namespace"}


async def test_a_changed_field_is_named() -> None:
    """With what it was and what it is, as a person wants to see before the next release."""
    async with bench() as b:
        await b.apply(namespace(), config(size="1"))

        report = await b.apply(namespace(), config(size="2"))

        (change,) = [one for one in report.changes if one.action == "configured"]
        assert [str(one) for one in change.fields] == ["data.size '1' -> '2'"]


async def test_a_dry_run_says_the_same_and_changes_nothing() -> None:
    """Also about objects in a namespace and of a kind that do not exist yet."""
    everything = [namespace(), crd(), config(), shop(where="shop-system")]
    async with bench() as b:
        report = await b.apply(*everything, dry_run=True)
        there = [await b.client.find(Namespace, "shop-system"), await b.set().find_contents()]
        await b.apply(*everything, webhooks())
        later = await b.apply(namespace(), crd(), config(a="b"), dry_run=True)

        assert report.count() == {"created": 4}
        assert [one.note for one in report.changes] == [
            "",
            "",
            "not checked: its namespace is new",
            "not checked: example.com/v1 Shop is new",
        ]
        assert there == [None, None]
        assert later.count() == {"unchanged": 2, "configured": 1, "pruned": 2}
        assert await b.client.find("validatingwebhookconfigurations", "shop") is not None


async def test_a_dry_run_does_not_prune_what_moves_to_a_new_version() -> None:
    """It is the same object, although the server cannot say so before it serves the version."""
    newer = crd()
    (version,) = newer["spec"]["versions"]
    newer["spec"]["versions"] = [version, {**version, "name": "v2", "storage": False}]
    moved = {**shop(where="shop-system"), "apiVersion": "example.com/v2"}
    async with bench() as b:
        await b.apply(namespace(), crd(), shop(where="shop-system"))

        dry = await b.apply(namespace(), newer, moved, dry_run=True)
        done = await b.apply(namespace(), newer, moved)

        assert "pruned" not in dry.count()
        assert "pruned" not in done.count()


async def test_what_follows_a_failure_is_left_and_nothing_is_pruned() -> None:
    """The others of the same phase are still applied: their failures are told at once, too."""
    bad = config("bad", where="nowhere")
    worse = named("example.com/v7", "Nothing", "worse")
    async with bench() as b:
        await b.apply(namespace(), config("old"))

        report = await b.apply(namespace(), bad, config("good"), deployment(), worse)

        assert said(report) == [
            "unchanged namespace/shop-system",
            f"created configmap/good {IN}",
        ]
        assert [str(one.name) for one in report.failures] == ["configmap/bad in nowhere"]
        assert 'namespaces "nowhere" not found' in str(report.failures[0].error)
        assert [str(one) for one in report.left] == [
            f"deployment.apps/shop {IN}",
            "nothing.example.com/worse",
        ]
        assert not report.done
        assert await b.client.find(ConfigMap, "old", namespace="shop-system") is not None


async def test_a_kind_that_nobody_serves_is_a_failure() -> None:
    """Most often an operator that is not installed, such as Prometheus'."""
    monitor = named("monitoring.coreos.com/v1", "ServiceMonitor", "shop", namespace="shop-system")
    async with bench() as b:
        report = await b.apply(namespace(), monitor)

        (failure,) = report.failures
        assert "cannot find kind ServiceMonitor.monitoring.coreos.com" in str(failure)


async def test_a_field_of_another_owner_is_a_conflict_until_it_is_forced() -> None:
    """Nobody's change is undone without a word."""
    async with bench() as b:
        await b.apply(namespace(), config(size="1"))
        theirs = {"data": {"size": "9"}}
        await b.client.patch(
            ConfigMap, "settings", theirs, namespace="shop-system", field_owner="other"
        )

        refused = await b.apply(namespace(), config(size="2"))
        forced = await b.apply(namespace(), config(size="2"), force=True)

        (conflict,) = refused.failures[0].conflicts
        assert (conflict.field, conflict.owner) == (".data.size", "other using v1")
        assert forced.count() == {"unchanged": 1, "configured": 1}


async def test_an_object_of_another_set_is_not_taken_by_chance() -> None:
    """Two sets with one object would delete it from one another; force moves it."""
    async with bench() as b:
        await b.apply(namespace(), config(), parent=Parent("other", "shop-system"))

        refused = await b.apply(config())
        forced = await b.apply(config(), force=True)

        said_why = str(refused.failures[0])
        assert "it belongs to another set of objects, and whoever applies that one" in said_why
        assert forced.done


async def test_an_object_that_is_being_deleted_is_not_applied() -> None:
    """What is written to it would go with it, and what is in such a namespace, too."""
    held = config()
    held["metadata"]["finalizers"] = ["example.com/hold"]
    async with bench() as b:
        await b.apply(namespace(), held)
        await b.client.delete(ConfigMap, "settings", namespace="shop-system")

        report = await b.apply(namespace(), config())

        assert "it is being deleted. Wait until it is gone" in str(report.failures[0])


async def test_a_namespace_is_never_pruned_and_a_definition_without_objects_is() -> None:
    """All that is in a namespace would go, too. It stays in the set: a later apply looks again."""
    async with bench() as b:
        await b.apply(namespace(), namespace("extra"), crd())

        report = await b.apply(namespace())
        later = await b.apply(namespace())

        assert said(report) == [
            "unchanged namespace/shop-system",
            "kept namespace/extra",
            f"pruned {CRD}",
        ]
        assert report.changes[1].note == "all that is in it would go, too"
        assert said(later) == ["unchanged namespace/shop-system", "kept namespace/extra"]
        assert await b.client.find(Namespace, "extra") is not None


async def test_a_definition_with_objects_of_others_is_kept() -> None:
    """A kind that the project has dropped may still be somebody's data."""
    async with bench() as b:
        await b.apply(namespace(), crd())
        await b.apply(shop(), parent=None)

        kept = await b.apply(namespace())
        await b.client.delete("shops.example.com", "corner")
        pruned = await b.apply(namespace())

        (change,) = [one for one in kept.changes if one.action == "kept"]
        assert (str(change.name), change.note) == (CRD, "1 object of it would go, too")
        assert f"pruned {CRD}" in said(pruned)


async def test_objects_without_a_set_are_applied_and_keep_theirs() -> None:
    """``install`` and ``deploy`` apply the same CRDs."""
    async with bench() as b:
        await b.apply(namespace(), crd())

        alone = await b.apply(crd(), parent=None)
        after = await b.client.get(CustomResourceDefinition, SHOPS)

        assert alone.count() == {"unchanged": 1}
        assert after.metadata.labels["applyset.kubernetes.io/part-of"] == PARENT.id


async def test_a_set_is_deleted_from_the_end_and_leaves_nothing() -> None:
    """Also objects that are only known by their label; the parent goes before its namespace."""
    everything = [namespace(), crd(), config(), deployment(), webhooks()]
    async with bench() as b:
        await b.apply(*everything, config("more"))

        report = await b.delete(*everything)
        again = await b.delete(*everything)

        assert said(report) == [
            "deleted validatingwebhookconfiguration.admissionregistration.k8s.io/shop",
            f"deleted deployment.apps/shop {IN}",
            f"deleted configmap/settings {IN}",
            f"deleted configmap/more {IN}",
            f"deleted {CRD}",
            "deleted namespace/shop-system",
        ]
        assert report.done
        assert again.count() == {"missing": 5}
        assert await b.client.find(Namespace, "shop-system") is None


async def test_a_set_in_a_namespace_of_others_takes_its_parent_with_it() -> None:
    """The namespace stays, and so nothing else would take it."""
    parent = Parent("set", "default")
    async with bench() as b:
        await b.apply(config(where="default"), parent=parent)

        await b.delete(parent=parent)

        assert await b.client.find(ConfigMap, "settings") is None
        assert await b.client.find(ConfigMap, "set") is None


async def test_kinds_that_are_kept_leave_the_set() -> None:
    """The objects of a user outlive the operator, if that is what the user wants."""
    async with bench() as b:
        await b.apply(namespace(), crd())

        dry = await b.delete(namespace(), crd(), keep=[DEFINITIONS], dry_run=True)
        before = await b.client.get(CustomResourceDefinition, SHOPS)
        report = await b.delete(namespace(), crd(), keep=[DEFINITIONS])
        after = await b.client.get(CustomResourceDefinition, SHOPS)

        assert sorted(said(dry)) == [
            "deleted namespace/shop-system",
            f"released {CRD}",
        ]
        assert before.metadata.labels
        assert sorted(said(report)) == sorted(said(dry))
        assert not after.metadata.labels


async def test_what_cannot_go_holds_up_what_it_needs() -> None:
    """The message names the finalizer; the namespace is not deleted under it."""
    held = config()
    held["metadata"]["finalizers"] = ["example.com/hold"]
    async with bench() as b:
        await b.apply(namespace(), held)
        heard = Heard()

        report = await b.clock.run(b.set(timeout=5.0, listener=heard).delete())

        assert str(report.failures[0].error) == (
            "it is deleted, and not gone within 5 seconds: its finalizer 'example.com/hold' is"
            " still there"
        )
        assert [str(one) for one in report.left] == ["namespace/shop-system"]
        assert heard.waits == [f"configmap/settings {IN}: gone"]


async def test_a_set_cannot_have_its_own_parent_in_it() -> None:
    """It would write over the annotations that say what it has."""
    async with bench() as b:
        with pytest.raises(ConfigError, match=r"configmap/shop in shop-system stands for the set"):
            await b.apply(config("shop"))


async def test_the_parent_is_known_without_its_namespace_too() -> None:
    """It is the same object, wherever the client puts it."""
    async with bench() as b:
        with pytest.raises(ConfigError, match=r"configmap/set in default stands for the set"):
            await b.apply(config("set", where=""), parent=Parent("set", "default"))


async def test_a_server_that_does_not_answer_is_said_once() -> None:
    """Thirty objects would give thirty equal failures."""
    async with Client(Config(server="http://127.0.0.1:1")) as client:
        with pytest.raises(TransportError):
            await ApplySet(client, None).apply([config("a"), config("b")])


async def test_an_interrupted_apply_is_known_to_the_next_one() -> None:
    """The parent is written first, so what was made is pruned if it is not wanted any more."""
    async with bench() as b:
        done = asyncio.Event()

        class Stop(Listener):
            def changed(self, change: Change) -> None:
                if change.name.gvk.kind == "ConfigMap":
                    done.set()

        task = asyncio.create_task(
            b.set(listener=Stop()).apply([namespace(), config("a"), deployment()])
        )
        await b.clock.run(done.wait())
        task.cancel()
        await asyncio.wait([task])

        report = await b.apply(namespace(), config("b"))

        assert f"pruned configmap/a {IN}" in said(report)

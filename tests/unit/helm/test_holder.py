"""Whose a release is, when two custom objects have one name."""

import pytest

import kubewright as kw
from kubewright.api.kind import GroupKind
from kubewright.helm import HelmOperator, Watch
from kubewright.helm.holder import Holder, find_rival, holder_of
from kubewright.testing import EmbeddedServer, OperatorTest, operator_test
from tests.unit.helm.charts import SETTINGS, ConfigMap, Secret, Shop, chart, operator, shop

Warehouse = kw.Kind("example.com/v1alpha1", "Warehouse")
ClusterRole = kw.Kind("rbac.authorization.k8s.io/v1", "ClusterRole")
ROLE = (
    "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\n"
    "metadata: {name: '{{ .Release.Name }}'}\nrules: []\n"
)
BROKEN = (
    "---\n# Source: shop/a.yaml\napiVersion: v1\nkind: ConfigMap\n"
    "metadata: {name: a, labels: [x]}\n"
)
RELEASE = "sh.helm.release.v1.corner.v1"


def both() -> HelmOperator:
    """Return an operator of two kinds, with one chart for both."""
    of = chart({"settings.yaml": SETTINGS, "role.yaml": ROLE})
    return HelmOperator([Watch(kind=kind, chart=of) for kind in (Shop, Warehouse)], name="shops")


def warehouse(**values: object) -> kw.Unstructured:
    """Return a Warehouse that is called like the Shop."""
    return Warehouse(metadata={"name": "corner", "namespace": "default"}, spec=values)


async def state(test: OperatorTest) -> list[tuple[str, str, str, str]]:
    """Return the objects of the release, with their versions."""
    secrets = await test.client.list(Secret, labels={"owner": "helm"})
    found = [*secrets, await test.client.get(ConfigMap, "corner-settings")]
    found.append(await test.client.get(ClusterRole, "corner"))
    return [(one.kind, one.name, one.metadata.uid, one.resource_version) for one in found]


async def message(test: OperatorTest, kind: kw.Kind) -> str:
    """Return what the status of an object says of its failure."""
    conditions = (await test.client.get(kind, "corner")).status["conditions"]
    return str([one["message"] for one in conditions if one["type"] == "ReleaseFailed"])


async def test_second_object_of_a_name_is_refused_and_writes_nothing() -> None:
    """They would undo each other's work for ever, and each change would be the other's drift."""
    async with operator_test(both()) as test:
        await test.client.create(shop(colour="green"))
        await test.settled()
        before = await state(test)

        await test.client.create(warehouse(colour="red"))
        await test.settled()

        assert await state(test) == before
        assert "belongs to Shop.example.com 'corner'" in await message(test, Warehouse)
        assert await message(test, Shop) == "[]"


async def test_second_object_leaves_nothing_behind_it_when_it_goes() -> None:
    """And takes nothing along: the data is the first one's."""
    async with operator_test(both()) as test:
        await test.client.create(shop(colour="green"))
        await test.settled()
        before = await state(test)
        await test.client.create(warehouse(colour="green"))
        await test.settled()

        await test.client.delete(Warehouse, "corner")
        await test.settled()

        assert await test.client.find(Warehouse, "corner") is None
        assert await state(test) == before


async def test_second_object_has_its_turn_when_the_first_is_gone() -> None:
    """What the message asks for helps."""
    async with operator_test(both()) as test:
        await test.client.create(shop(colour="green"))
        await test.settled()
        await test.client.create(warehouse(colour="red"))
        await test.settled()

        await test.client.delete(Shop, "corner")
        await test.settled()

        assert (await test.client.get(ConfigMap, "corner-settings"))["data"] == {"colour": "red"}


async def test_of_two_at_once_one_wins() -> None:
    """Neither sees a release of the other when it begins."""
    async with operator_test(both()) as test:
        await test.client.create(shop(colour="green"))
        await test.client.create(warehouse(colour="red"))
        await test.advance(30)

        secrets = await test.client.list(Secret, labels={"owner": "helm"})
        (reference,) = {one.metadata.owner_references[0].kind for one in secrets}
        settings = await test.client.get(ConfigMap, "corner-settings")
        assert settings.metadata.owner_references[0].kind == reference
        assert len(secrets) == 1


async def test_release_of_an_object_that_is_gone_is_taken_over() -> None:
    """As after a backup is played back: the uids are others, and the Secrets name the old ones."""
    async with operator_test(operator()) as test:
        await test.client.create(shop())
        await test.settled()
        old = {"apiVersion": "example.com/v1", "kind": "Shop", "name": "corner", "uid": "gone"}
        patch = {"metadata": {"ownerReferences": [old]}}
        await test.client.patch(Secret, RELEASE, patch)
        await test.settled()

        secret = await test.client.get(Secret, RELEASE)
        uid = (await test.client.get(Shop, "corner")).metadata.uid
        assert [one.uid for one in secret.metadata.owner_references] == [uid]


async def test_release_that_helm_has_changed_stays_with_its_object() -> None:
    """The Secrets that helm writes name no owner, but the objects do."""
    shops = both()
    async with operator_test(shops) as test:
        await test.client.create(shop(colour="green"))
        await test.settled()
        await test.manager.remove(shops)
        helms = {"ownerReferences": None, "annotations": None}
        await test.client.patch(Secret, RELEASE, {"metadata": helms})
        await test.client.create(warehouse(colour="red"))
        HelmOperator([shops.watches[1]], name="shops").add_to(test.manager, serve_webhooks=None)
        await test.settled()

        settings = await test.client.get(ConfigMap, "corner-settings")
        assert settings["data"] == {"colour": "green"}
        assert "belongs to Shop.example.com 'corner'" in await message(test, Warehouse)


async def test_release_that_cannot_be_read_stays_with_its_object() -> None:
    """Whose it is, the metadata of its Secrets say."""
    async with operator_test(both()) as test:
        await test.client.create(shop(colour="green"))
        await test.settled()
        await test.client.patch(Shop, "corner", {"spec": {"colour": "blue"}})
        await test.settled()
        last = RELEASE.replace("v1.corner.v1", "v1.corner.v2")
        await test.client.patch(Secret, last, {"data": {"release": "JSUl"}})
        await test.settled()
        before = await state(test)

        await test.client.create(warehouse(colour="red"))
        await test.settled()
        assert "belongs to Shop.example.com 'corner'" in await message(test, Warehouse)
        await test.client.delete(Warehouse, "corner")
        await test.settled()

        assert await test.client.find(Warehouse, "corner") is None
        assert await state(test) == before


@pytest.mark.parametrize("more", ["", BROKEN])
async def test_removal_by_the_status_takes_nothing_of_others(more: str) -> None:
    """An object may remember a release that has gone to another one since, or what is broken."""
    shops = both()
    async with operator_test(shops) as test:
        await test.client.create(shop(colour="green"))
        await test.settled()
        status = (await test.client.get(Shop, "corner")).status
        await test.client.create(warehouse(colour="green"))
        await test.settled()
        await test.manager.remove(shops)
        release = {"name": "corner", "manifest": status["deployedRelease"]["manifest"] + more}
        shown = {"status": {"deployedRelease": release}}
        await test.client.status.patch(Warehouse, "corner", shown)
        await test.client.delete(Secret, RELEASE)
        await test.client.delete(Warehouse, "corner")
        HelmOperator([shops.watches[1]], name="shops").add_to(test.manager, serve_webhooks=None)
        await test.settled()

        assert await test.client.find(Warehouse, "corner") is None
        assert await test.client.find(ConfigMap, "corner-settings") is not None
        assert await test.client.find(ClusterRole, "corner") is not None


async def test_chart_may_be_renamed() -> None:
    """Whose the release is, its owner says."""
    templates = {"settings.yaml": SETTINGS, "role.yaml": ROLE}
    renamed = chart(templates, Chart_yaml="apiVersion: v2\nname: market\nversion: 0.1.0\n")
    shops = operator(chart(templates))
    async with operator_test(shops) as test:
        await test.client.create(shop())
        await test.settled()
        uid = (await test.client.get(ClusterRole, "corner")).metadata.uid

        await test.manager.remove(shops)
        operator(renamed).add_to(test.manager, serve_webhooks=None)
        await test.settled()

        assert await message(test, Shop) == "[]"
        assert (await test.client.get(ClusterRole, "corner")).metadata.uid == uid
        await test.client.delete(Shop, "corner")
        await test.settled()
        assert await test.client.find(ClusterRole, "corner") is None


async def test_removal_after_a_rename_removes_all() -> None:
    """Even if the object goes while no operator runs."""
    templates = {"settings.yaml": SETTINGS, "role.yaml": ROLE}
    renamed = chart(templates, Chart_yaml="apiVersion: v2\nname: market\nversion: 0.1.0\n")
    shops = operator(chart(templates))
    async with operator_test(shops) as test:
        await test.client.create(shop())
        await test.settled()
        await test.manager.remove(shops)
        await test.client.delete(Shop, "corner")

        operator(renamed).add_to(test.manager, serve_webhooks=None)
        await test.settled()

        assert await test.client.find(Shop, "corner") is None
        assert await test.client.find(ClusterRole, "corner") is None


async def test_owner_is_one_in_each_version_of_its_kind() -> None:
    """A kind is watched in a newer version some day."""
    async with EmbeddedServer() as server, server.client() as client:
        cluster = kw.Cluster(client)
        settings = await client.create(
            ConfigMap(metadata={"name": "corner", "namespace": "default"})
        )
        live = Holder(GroupKind("", "ConfigMap"), "corner", settings.metadata.uid)
        us = Holder(GroupKind("example.com", "Shop"), "corner", "us")
        gone = Holder(GroupKind("", "ConfigMap"), "corner", "before")
        unknown = Holder(GroupKind("example.com", "Nothing"), "corner", "x")

        rules = ClusterRole(metadata={"name": "corner"}, rules=[])
        uid = (await client.create(rules)).metadata.uid
        wide = Holder(GroupKind("rbac.authorization.k8s.io", "ClusterRole"), "corner", uid)

        assert await find_rival(cluster, live, us, "default") == live
        assert await find_rival(cluster, wide, us, "default") == wide
        for nobody in (None, us, gone, unknown):
            assert await find_rival(cluster, nobody, us, "default") is None

    references = [
        {"apiVersion": f"example.com/{version}", "kind": "Shop", "name": "corner", "uid": "us"}
        for version in ("v1", "v2")
    ]
    found = [holder_of(Secret(metadata={"name": "a", "ownerReferences": [r]})) for r in references]
    assert found[0] == found[1] == us

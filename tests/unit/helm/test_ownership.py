"""Whose an object is: nobody's data is taken over, given away, or deleted on the way."""

import pytest

import kubewright as kw
from kubewright.helm import Chart
from kubewright.helm.ownership import is_irreplaceable, is_kept
from kubewright.testing import OperatorTest, operator_test
from tests.unit.helm.charts import SETTINGS, ConfigMap, Secret, Shop, chart, operator, shop

FORCE = "helm.sdk.operatorframework.io/upgrade-force"
NAME, NAMESPACE = "meta.helm.sh/release-name", "meta.helm.sh/release-namespace"
FROZEN = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: kept
  annotations: {helm.sh/resource-policy: keep}
{{ if .Values.frozen }}immutable: true{{ end }}
data: {colour: {{ .Values.colour | quote }}}
"""
BAD = "{{ if .Values.bad }}" + SETTINGS.replace("-settings", "__bad") + "{{ end }}"


async def message(test: OperatorTest) -> str:
    """Return what the last condition of the shop says."""
    return str((await test.client.get(Shop, "corner")).status["conditions"][-1]["message"])


def owned_by_other() -> dict[str, object]:
    """Return a patch that hands an object over to another release."""
    return {"metadata": {"annotations": {NAME: "other"}}, "data": {"colour": "theirs"}}


def test_policy_is_read_as_helm_reads_it() -> None:
    """Capitals and spaces do not matter."""
    assert is_kept({"metadata": {"annotations": {"helm.sh/resource-policy": " Keep "}}})
    assert not is_kept({"metadata": {}})


@pytest.mark.parametrize(
    ("version", "kind", "found"),
    [
        ("v1", "PersistentVolumeClaim", True),
        ("v1", "Namespace", True),
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition", True),
        ("v1", "ConfigMap", False),
        ("example.com/v1", "Namespace", False),
    ],
)
def test_what_holds_more_than_itself(version: str, kind: str, found: bool) -> None:
    """Volumes, and what other objects go with."""
    assert is_irreplaceable(kw.Unstructured(apiVersion=version, kind=kind)) is found


async def test_rollback_does_not_replace_unless_asked() -> None:
    """Who has not asked for force has not asked for it in a rollback, either."""
    frozen = FROZEN.replace("  annotations: {helm.sh/resource-policy: keep}\n", "")
    async with operator_test(operator(chart({"a.yaml": frozen, "b.yaml": BAD}))) as test:
        await test.client.create(shop())
        await test.settled()
        before = (await test.client.get(ConfigMap, "kept")).metadata.uid

        values = {"colour": "red", "frozen": True, "bad": True}
        await test.client.patch(Shop, "corner", {"spec": values})
        await test.settled()

        assert (await test.client.get(ConfigMap, "kept")).metadata.uid == before


async def test_force_does_not_replace_what_is_kept() -> None:
    """A policy that says that it stays counts for changes, too."""
    async with operator_test(operator(chart({"a.yaml": FROZEN}))) as test:
        await test.client.create(shop(frozen=True))
        await test.settled()
        before = (await test.client.get(ConfigMap, "kept")).metadata.uid

        patch = {"metadata": {"annotations": {FORCE: "true"}}, "spec": {"colour": "red"}}
        await test.client.patch(Shop, "corner", patch)
        await test.settled()

        assert (await test.client.get(ConfigMap, "kept")).metadata.uid == before
        assert "is not made anew" in await message(test)


CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec:
  accessModes: [{{ .Values.mode }}]
  resources: {requests: {storage: 1Gi}}
"""


async def test_force_does_not_replace_a_volume() -> None:
    """All that is in it would be gone."""
    kind = kw.Kind("v1", "PersistentVolumeClaim")
    of = chart({"a.yaml": CLAIM}, values="mode: ReadWriteOnce\n")
    async with operator_test(operator(of)) as test:
        await test.client.create(shop())
        await test.settled()
        before = (await test.client.get(kind, "data")).metadata.uid

        patch = {"metadata": {"annotations": {FORCE: "true"}}, "spec": {"mode": "ReadWriteMany"}}
        await test.client.patch(Shop, "corner", patch)
        await test.settled()

        live = await test.client.get(kind, "data")
        assert (live.metadata.uid, live.metadata.deletion_timestamp) == (before, None)
        assert "is not made anew" in await message(test)


async def test_object_of_somebody_else_under_the_name_of_a_deleted_child_is_left_alone() -> None:
    """And the other children are mended all the same."""
    more = SETTINGS.replace("-settings", "-more")
    async with operator_test(operator(chart({"a.yaml": SETTINGS, "b.yaml": more}))) as test:
        await test.client.create(shop())
        await test.settled()
        theirs = ConfigMap(
            metadata={"name": "corner-settings", "namespace": "default"}, data={"mine": "1"}
        )
        await test.client.delete(ConfigMap, "corner-settings")
        await test.client.create(theirs)
        await test.client.delete(ConfigMap, "corner-more")
        await test.settled()

        assert (await test.client.get(ConfigMap, "corner-settings"))["data"] == {"mine": "1"}
        assert await test.client.find(ConfigMap, "corner-more") is not None
        assert "does not belong to the release" in await message(test)

        await test.client.delete(Shop, "corner")
        await test.settled()
        assert await test.client.find(ConfigMap, "corner-settings") is not None


async def test_object_that_was_handed_over_is_left_alone() -> None:
    """It outlives the custom object, too, which is not its owner any more."""
    async with operator_test(operator()) as test:
        await test.client.create(shop())
        await test.settled()

        await test.client.patch(ConfigMap, "corner-settings", owned_by_other())
        await test.settled()
        assert (await test.client.get(ConfigMap, "corner-settings"))["data"] == {"colour": "theirs"}

        await test.client.delete(Shop, "corner")
        await test.settled()
        live = await test.client.get(ConfigMap, "corner-settings")
        assert live.metadata.owner_references == []


async def test_upgrade_refuses_what_was_handed_over_before_anything_is_written() -> None:
    """A rollback would meet the same."""
    async with operator_test(operator(watch_dependent_resources=False)) as test:
        await test.client.create(shop())
        await test.settled()
        await test.client.patch(ConfigMap, "corner-settings", owned_by_other())

        await test.client.patch(Shop, "corner", {"spec": {"colour": "red"}})
        await test.settled()

        assert (await test.client.get(ConfigMap, "corner-settings"))["data"] == {"colour": "theirs"}
        assert len(await test.client.list(Secret, labels={"owner": "helm"})) == 1
        assert "does not belong to the release" in await message(test)


ELSEWHERE = SETTINGS.replace("metadata:", "metadata:\n  namespace: kube-public")


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("of", [chart(), chart({"a.yaml": ELSEWHERE})], ids=["owned", "elsewhere"])
async def test_marks_that_were_taken_away_come_back(of: Chart, restarts: bool) -> None:
    """It is known by its owner, by its uid, or by who has set its fields."""
    key = "kube-public/corner-settings" if "kube-public" in str(of.files) else "corner-settings"
    shops = operator(of)
    async with operator_test(shops) as test:
        await test.client.create(shop())
        await test.settled()
        if restarts:
            await test.clock.run(test.manager.remove(shops))

        bare = {"metadata": {"labels": None, "annotations": None}}
        await test.client.patch(ConfigMap, key, bare)
        if restarts:
            shops.add_to(test.manager, serve_webhooks=None)
        await test.settled()

        live = await test.client.get(ConfigMap, key)
        assert live.metadata.labels == {"app.kubernetes.io/managed-by": "Helm"}
        assert live.metadata.annotations[NAME] == "corner"
        assert live.metadata.annotations[NAMESPACE] == "default"


async def test_object_of_which_everything_was_changed_is_known_by_its_uid() -> None:
    """Nothing in it is ours any more, and it has no owner; yet it is the one that we have made."""
    key = "kube-public/corner-settings"
    async with operator_test(operator(chart({"a.yaml": ELSEWHERE}))) as test:
        await test.client.create(shop())
        await test.settled()

        bare = {"metadata": {"labels": None, "annotations": None}, "data": {"colour": "pink"}}
        await test.client.patch(ConfigMap, key, bare)
        await test.settled()

        assert (await test.client.get(ConfigMap, key))["data"] == {"colour": "blue"}


async def test_label_of_helm_alone_is_no_mark() -> None:
    """What ``helm template | kubectl apply`` makes has it."""
    async with operator_test(operator()) as test:
        await test.client.create(shop())
        await test.settled()
        labels = {"app.kubernetes.io/managed-by": "Helm"}
        metadata = {"name": "corner-settings", "namespace": "default", "labels": labels}
        await test.client.delete(ConfigMap, "corner-settings")
        await test.client.create(ConfigMap(metadata=metadata, data={"mine": "1"}))
        await test.settled()

        assert (await test.client.get(ConfigMap, "corner-settings"))["data"] == {"mine": "1"}


@pytest.mark.parametrize("restarts", [False, True])
async def test_object_that_somebody_has_kept_by_hand_stays(restarts: bool) -> None:
    """The server would collect what the custom object owns, whatever its annotations say."""
    shops = operator()
    async with operator_test(shops) as test:
        await test.client.create(shop())
        await test.settled()
        if restarts:
            await test.clock.run(test.manager.remove(shops))
        keep = {"metadata": {"annotations": {"helm.sh/resource-policy": "keep"}}}
        await test.client.patch(ConfigMap, "corner-settings", keep)
        if restarts:
            shops.add_to(test.manager, serve_webhooks=None)
        await test.settled()
        live = await test.client.get(ConfigMap, "corner-settings")
        assert live.metadata.owner_references == []

        await test.client.delete(Shop, "corner")
        await test.settled()

        assert await test.client.find(ConfigMap, "corner-settings") is not None


async def test_object_that_was_kept_just_before_the_removal_stays() -> None:
    """Nothing has looked at it since: the removal itself lets go of it."""
    async with operator_test(operator(watch_dependent_resources=False)) as test:
        await test.client.create(shop())
        await test.settled()
        keep = {"metadata": {"annotations": {"helm.sh/resource-policy": "keep"}}}
        await test.client.patch(ConfigMap, "corner-settings", keep)

        await test.client.delete(Shop, "corner")
        await test.settled()

        live = await test.client.get(ConfigMap, "corner-settings")
        assert live.metadata.owner_references == []

"""Installs, upgrades and removals that are interrupted, or meet a release of helm's own."""

from datetime import UTC, datetime

import pytest

import kubewright as kw
from kubewright.errors import DecodeError
from kubewright.helm.lifecycle import StepError, _is_final
from kubewright.helm.release import Release, read_release, secret_for
from kubewright.testing import OperatorTest, operator_test
from tests.unit.helm.charts import SETTINGS, ConfigMap, Secret, Shop, chart, operator, shop
from tests.unit.helm.test_hooks import Pod, end, with_hook

NOW = datetime(2026, 1, 1, tzinfo=UTC)
MANIFEST = (
    "---\n# Source: shop/templates/settings.yaml\n"
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: corner-settings\n"
    "data:\n  colour: {colour}\n"
)


def helms(version: int = 1, *, colour: str = "blue", status: str = "deployed") -> kw.Unstructured:
    """Return the Secret of a release that helm itself has installed."""
    release = Release(
        name="corner",
        namespace="default",
        version=version,
        status=status,  # type: ignore[arg-type]
        chart={"metadata": {"name": "shop", "version": "0.1.0"}},
        manifest=MANIFEST.format(colour=colour),
    )
    secret = secret_for(release, NOW)
    del secret["metadata"]["annotations"]
    return secret


def helms_child() -> kw.Unstructured:
    """Return the object of that release."""
    return ConfigMap(
        metadata={
            "name": "corner-settings",
            "namespace": "default",
            "labels": {"app.kubernetes.io/managed-by": "Helm"},
            "annotations": {
                "meta.helm.sh/release-name": "corner",
                "meta.helm.sh/release-namespace": "default",
            },
        },
        data={"colour": "blue", "old": "yes"},
    )


async def releases(test: OperatorTest) -> list[tuple[str, str]]:
    """Return the revisions of the release, and their statuses."""
    found = await test.client.list(Secret, labels={"owner": "helm"})
    return sorted((one.metadata.labels["version"], one.metadata.labels["status"]) for one in found)


async def crash(shops: kw.Application, test: OperatorTest, **values: object) -> None:
    """End the operator in the middle of its work, and start one that knows nothing.

    Args:
        shops: The operator.
        test: Where it runs.
        values: What is changed in between.
    """
    await test.clock.run(test.manager.remove(shops))
    if values:
        await test.client.patch(Shop, "corner", {"spec": values})
    shops.add_to(test.manager, serve_webhooks=None)
    await test.settle()


async def test_interrupted_install_is_gone_on_with() -> None:
    """The revision that was begun is finished; helm would refuse to touch it."""
    shops = with_hook("post-install")
    async with operator_test(shops) as test:
        await test.client.create(shop())
        await test.settle()
        assert await releases(test) == [("1", "pending-install")]

        await crash(shops, test)
        await end(test, "Succeeded")

        assert await releases(test) == [("1", "deployed")]


async def test_interrupted_upgrade_is_gone_on_with() -> None:
    """With values that have changed meanwhile, too."""
    shops = with_hook("pre-upgrade")
    async with operator_test(shops) as test:
        await test.client.create(shop())
        await test.settle()
        await test.client.patch(Shop, "corner", {"spec": {"colour": "red"}})
        await test.settle()
        assert await releases(test) == [("1", "deployed"), ("2", "pending-upgrade")]

        await crash(shops, test, colour="green")
        await end(test, "Succeeded")

        assert await releases(test) == [("1", "superseded"), ("2", "deployed")]
        assert (await test.client.get(ConfigMap, "corner-settings"))["data"] == {"colour": "green"}


async def test_object_of_an_interrupted_upgrade_is_pruned() -> None:
    """No finished revision has it, and nobody else would find it."""
    more = "{{ if .Values.more }}\n" + SETTINGS.replace("-settings", "-more") + "{{ end }}"
    hook = "{{ if .Values.more }}" + HOOK + "{{ end }}"
    shops = operator(chart({"a.yaml": SETTINGS, "b.yaml": more, "hook.yaml": hook}))
    async with operator_test(shops) as test:
        await test.client.create(shop())
        await test.settle()
        await test.client.patch(Shop, "corner", {"spec": {"more": True}})
        await test.settle()
        assert await test.client.find(ConfigMap, "corner-more") is not None

        await crash(shops, test, more=False)

        assert await test.client.find(ConfigMap, "corner-more") is None
        assert (await releases(test))[-1][1] == "deployed"


HOOK = """
apiVersion: v1
kind: Pod
metadata:
  name: corner-hook
  annotations: {helm.sh/hook: post-upgrade}
spec:
  containers: [{name: a, image: busybox}]
"""


async def test_interrupted_removal_is_gone_on_with() -> None:
    """Without the hooks that have run already."""
    shops = with_hook("post-delete", "hook-succeeded")
    async with operator_test(shops) as test:
        await test.client.create(shop())
        await test.settle()
        await test.client.delete(Shop, "corner")
        await test.settle()
        assert await releases(test) == [("1", "uninstalling")]

        await crash(shops, test)
        await end(test, "Succeeded")

        assert await test.client.find(Shop, "corner") is None
        assert await test.client.find(Pod, "corner-hook") is None
        assert await releases(test) == []


async def test_equal_release_of_helm_is_adopted_as_it_is() -> None:
    """Nothing restarts when an operator takes over what was installed by hand."""
    async with operator_test(operator(), objects=[helms(), helms_child()]) as test:
        await test.client.create(shop())
        await test.settled()

        assert await releases(test) == [("1", "deployed")]
        child = await test.client.get(ConfigMap, "corner-settings")
        assert child.metadata.owner_references[0].name == "corner"
        status = (await test.client.get(Shop, "corner")).status
        assert status["deployedRelease"]["name"] == "corner"


async def test_other_release_of_helm_is_upgraded() -> None:
    """To what the object says."""
    async with operator_test(operator(), objects=[helms(), helms_child()]) as test:
        await test.client.create(shop(colour="red"))
        await test.settled()

        assert await releases(test) == [("1", "superseded"), ("2", "deployed")]
        child = await test.client.get(ConfigMap, "corner-settings")
        assert child["data"]["colour"] == "red"


async def test_rollback_by_helm_is_answered_by_what_the_object_says() -> None:
    """The object is the truth; who wants the old values writes them there."""
    async with operator_test(operator()) as test:
        await test.client.create(shop())
        await test.settled()

        await test.client.create(helms(2, colour="pink"))
        await test.settled()

        assert (await releases(test))[-1] == ("3", "deployed")
        assert (await test.client.get(ConfigMap, "corner-settings"))["data"] == {"colour": "blue"}


@pytest.mark.parametrize("status", ["pending-install", "pending-rollback", "uninstalling"])
async def test_helm_at_work_is_left_alone_for_five_minutes(status: str) -> None:
    """Two that write at once would mix two revisions; later, helm has died."""
    pending = helms(status=status)
    async with operator_test(operator(), objects=[pending]) as test:
        await test.client.create(shop())
        await test.settled()
        assert await test.client.find(ConfigMap, "corner-settings") is None

        await test.advance(301)

        assert (await releases(test))[-1] == ("2", "deployed")


async def test_release_of_another_chart_is_refused_and_survives() -> None:
    """An upgrade would remove what it consists of."""
    other = read_release(helms())
    other.chart = {"metadata": {"name": "bakery"}}
    secret = secret_for(other, NOW)
    async with operator_test(operator(), objects=[secret, helms_child()]) as test:
        await test.client.create(shop())
        await test.settled()
        status = (await test.client.get(Shop, "corner")).status
        assert "of the chart 'bakery'" in status["conditions"][-1]["message"]

        await test.client.delete(Shop, "corner")
        await test.settled()

        assert await test.client.find(Shop, "corner") is None
        assert await releases(test) == [("1", "deployed")]


@pytest.mark.parametrize("status", ["failed", "superseded"])
async def test_unfinished_release_of_another_chart_is_refused_and_survives(status: str) -> None:
    """It has objects, too, and they are no leftovers of ours."""
    other = read_release(helms(status=status))
    other.chart = {"metadata": {"name": "bakery"}}
    other.manifest = other.manifest.replace("corner-settings", "bread")
    secret = secret_for(other, NOW)
    del secret["metadata"]["annotations"]
    bread = helms_child()
    bread["metadata"]["name"] = "bread"
    async with operator_test(operator(), objects=[secret, bread]) as test:
        await test.client.create(shop())
        await test.settled()

        status_there = (await test.client.get(Shop, "corner")).status
        assert "of the chart 'bakery'" in status_there["conditions"][-1]["message"]
        assert await test.client.find(ConfigMap, "bread") is not None
        assert await releases(test) == [("1", status)]


async def test_failed_release_of_helm_is_not_cleaned_up() -> None:
    """Of the same chart it is gone on from, and what helm has made is not pruned."""
    failed = read_release(helms(status="failed"))
    failed.manifest = failed.manifest.replace("corner-settings", "bread")
    secret = secret_for(failed, NOW)
    del secret["metadata"]["annotations"]
    bread = helms_child()
    bread["metadata"]["name"] = "bread"
    async with operator_test(operator(), objects=[secret, bread]) as test:
        await test.client.create(shop())
        await test.settled()

        assert await releases(test) == [("1", "failed"), ("2", "deployed")]
        assert await test.client.find(ConfigMap, "bread") is not None


WRONG = SETTINGS.replace("-settings", "-more{{ .Values.bad }}")
"""With an object that the server refuses, if the values say so; it comes after the good one."""


async def test_failed_install_leaves_what_was_there() -> None:
    """A claim that was marked for adoption holds data that no install has made."""
    marked = helms_child()
    templates = {"a.yaml": SETTINGS, "b.yaml": WRONG, "c.yaml": WRONG.replace("-more", "-able")}
    of = chart(templates)
    async with operator_test(operator(of), objects=[marked]) as test:
        uid = (await test.client.get(ConfigMap, "corner-settings")).metadata.uid
        await test.client.create(shop(bad="_"))
        await test.settled()
        await test.advance(60)

        assert {status for _, status in await releases(test)} == {"failed"}
        assert (await test.client.get(ConfigMap, "corner-settings")).metadata.uid == uid
        await test.client.patch(Shop, "corner", {"spec": {"bad": ""}})
        await test.settled()
        assert (await releases(test))[-1][1] == "deployed"
        assert await test.client.find(ConfigMap, "corner-able") is not None


async def test_failed_upgrade_leaves_what_was_there() -> None:
    """The rollback removes what the upgrade has made, and not what it has found."""
    more = "{{ if .Values.more }}\n" + SETTINGS.replace("-settings", "-marked") + "{{ end }}"
    made = more.replace("-marked", "-made")
    templates = {"a.yaml": SETTINGS, "b.yaml": more, "c.yaml": made, "d.yaml": WRONG}
    async with operator_test(operator(chart(templates))) as test:
        await test.client.create(shop())
        await test.settled()
        marked = helms_child()
        marked["metadata"]["name"] = "corner-marked"
        uid = (await test.client.create(marked)).metadata.uid

        await test.client.patch(Shop, "corner", {"spec": {"more": True, "bad": "_"}})
        await test.settled()
        assert [status for _, status in await releases(test)] == [
            "superseded",
            "failed",
            "deployed",
        ]
        assert await test.client.find(ConfigMap, "corner-made") is None
        await test.client.patch(Shop, "corner", {"spec": {"more": False, "bad": ""}})
        await test.settled()

        assert (await releases(test))[-1][1] == "deployed"
        assert (await test.client.get(ConfigMap, "corner-marked")).metadata.uid == uid


async def test_interrupted_install_that_fails_later_undoes_its_own_work() -> None:
    """What the first try has made is not taken for what was there."""
    hook = HOOK.replace("post-upgrade", "post-install")
    made = SETTINGS.replace("-settings", "-made")
    shops = operator(chart({"a.yaml": SETTINGS, "b.yaml": made, "hook.yaml": hook}))
    async with operator_test(shops, objects=[helms_child()]) as test:
        await test.client.create(shop())
        await test.settle()
        assert await test.client.find(ConfigMap, "corner-made") is not None
        assert await releases(test) == [("1", "pending-install")]

        await crash(shops, test)
        await end(test, "Failed")

        assert await releases(test) == [("1", "failed")]
        assert await test.client.find(ConfigMap, "corner-made") is None
        assert await test.client.find(ConfigMap, "corner-settings") is not None


async def test_release_that_is_not_deployed_any_more_is_no_first_install() -> None:
    """A rollback of helm that has failed leaves it like that, and the objects run."""
    async with operator_test(operator(chart({"a.yaml": SETTINGS, "b.yaml": WRONG}))) as test:
        await test.client.create(shop())
        await test.settled()
        uid = (await test.client.get(ConfigMap, "corner-settings")).metadata.uid
        await test.client.patch(Shop, "corner", {"spec": {"bad": "_", "colour": "red"}})
        superseded = {"metadata": {"labels": {"status": "superseded"}}}
        await test.client.patch(Secret, "sh.helm.release.v1.corner.v1", superseded)
        await test.settled()

        settings = await test.client.get(ConfigMap, "corner-settings")
        assert (settings.metadata.uid, settings["data"]) == (uid, {"colour": "blue"})
        assert (await releases(test))[1:] == [("2", "failed"), ("3", "deployed")]


async def test_failed_install_after_a_lost_secret_leaves_the_objects() -> None:
    """They run, and hold data; that nobody knows of a release does not make them new."""
    async with operator_test(operator(chart({"a.yaml": SETTINGS, "b.yaml": WRONG}))) as test:
        await test.client.create(shop())
        await test.settled()
        uid = (await test.client.get(ConfigMap, "corner-settings")).metadata.uid
        await test.client.patch(Shop, "corner", {"spec": {"bad": "_"}})
        await test.client.delete(Secret, "sh.helm.release.v1.corner.v1")
        await test.settled()

        assert await releases(test) == [("1", "failed")]
        assert (await test.client.get(ConfigMap, "corner-settings")).metadata.uid == uid


async def test_removal_waits_if_asked() -> None:
    """A child with a finalizer of its own holds up the object."""
    async with operator_test(operator()) as test:
        asked = shop()
        asked["metadata"]["annotations"] = {"helm.sdk.operatorframework.io/uninstall-wait": "true"}
        await test.client.create(asked)
        await test.settled()
        held = {"metadata": {"finalizers": ["example.com/held"]}}
        await test.client.patch(ConfigMap, "corner-settings", held)

        await test.client.delete(Shop, "corner")
        await test.settled()
        status = (await test.client.get(Shop, "corner")).status
        assert "waits for ConfigMap default/corner-settings" in str(status["conditions"])
        await test.client.patch(ConfigMap, "corner-settings", {"metadata": {"finalizers": None}})
        await test.advance(6)

        assert await test.client.find(Shop, "corner") is None


async def test_old_revisions_are_removed() -> None:
    """Ten are kept, as by helm."""
    async with operator_test(operator()) as test:
        await test.client.create(shop())
        await test.settled()

        for number in range(12):
            await test.client.patch(Shop, "corner", {"spec": {"colour": f"{number}"}})
            await test.settled()

        found = await releases(test)
        assert len(found) == 10
        assert ("13", "deployed") in found


async def test_object_that_does_not_accept_a_change_is_made_anew_if_asked() -> None:
    """An annotation allows it, since what it holds is lost."""
    fixed = SETTINGS + "immutable: true\n"
    async with operator_test(operator(chart({"a.yaml": fixed}))) as test:
        await test.client.create(shop())
        await test.settled()
        await test.client.patch(Shop, "corner", {"spec": {"colour": "red"}})
        await test.settled()
        assert (await test.client.get(ConfigMap, "corner-settings"))["data"] == {"colour": "blue"}

        force = {"helm.sdk.operatorframework.io/upgrade-force": "true"}
        patch = {"metadata": {"annotations": force}, "spec": {"colour": "green"}}
        await test.client.patch(Shop, "corner", patch)
        await test.settled()

        assert (await test.client.get(ConfigMap, "corner-settings"))["data"] == {"colour": "green"}


def test_error_of_a_step_has_its_reason() -> None:
    """The condition shows it."""
    assert StepError("UpgradeError", "no").reason == "UpgradeError"


async def test_namespace_that_goes_takes_its_releases_along() -> None:
    """Hooks cannot be made in it any more, and its Secrets may be gone first."""
    role = (
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\n"
        "metadata: {name: '{{ .Release.Name }}'}\nrules: []\n"
    )
    hook = HOOK.replace("post-upgrade", "pre-delete")
    kind = kw.Kind("rbac.authorization.k8s.io/v1", "ClusterRole")
    namespace = kw.Kind("v1", "Namespace")
    async with operator_test(operator(chart({"a.yaml": role, "hook.yaml": hook}))) as test:
        await test.client.create(namespace(metadata={"name": "market"}))
        obj = shop()
        obj["metadata"]["namespace"] = "market"
        await test.client.create(obj)
        await test.settled()
        assert await test.client.find(kind, "corner") is not None

        await test.client.delete(namespace, "market")
        await test.advance(60)

        assert await test.client.find(kind, "corner") is None
        assert await test.client.find(Shop, "market/corner") is None
        assert await test.client.find(namespace, "market") is None


async def test_release_without_its_secrets_is_removed_by_the_status() -> None:
    """What is cluster-wide would stay otherwise."""
    role = (
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\n"
        "metadata: {name: '{{ .Release.Name }}'}\nrules: []\n"
    )
    kind = kw.Kind("rbac.authorization.k8s.io/v1", "ClusterRole")
    shops = operator(chart({"a.yaml": role}))
    async with operator_test(shops) as test:
        await test.client.create(shop())
        await test.settled()
        await test.clock.run(test.manager.remove(shops))
        await test.client.delete(Secret, "sh.helm.release.v1.corner.v1")

        await test.client.delete(Shop, "corner")
        shops.add_to(test.manager, serve_webhooks=None)
        await test.settled()

        assert await test.client.find(kind, "corner") is None
        assert await test.client.find(Shop, "corner") is None


async def test_failed_release_of_helm_with_a_wrong_object_can_be_removed() -> None:
    """No server took that object, so there is none to remove; the others go."""
    wrong = (
        MANIFEST.format(colour="blue")
        + "---\n"
        + MANIFEST.format(colour="blue").replace(
            "name: corner-settings", "name: wrong\n  labels: [x]"
        )
    )
    release = Release(
        name="corner", namespace="default", version=1, status="failed",
        chart={"metadata": {"name": "shop"}}, manifest=wrong, inputs="a",
    )  # fmt: skip
    async with operator_test(operator(), objects=[secret_for(release, NOW)]) as test:
        await test.client.create(shop())
        await test.settled()
        assert await test.client.find(ConfigMap, "corner-settings") is not None

        await test.client.delete(Shop, "corner")
        await test.settled()

        assert await test.client.find(Shop, "corner") is None
        assert await test.client.find(ConfigMap, "corner-settings") is None
        assert not await test.client.list(Secret, labels={"owner": "helm"})


def test_body_that_cannot_be_read_fails_the_step() -> None:
    """The same body would fail again, so the revision is not left pending."""
    assert _is_final(DecodeError("labels"))

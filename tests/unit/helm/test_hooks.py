"""Hooks: made, waited for, and deleted as their policies say."""

import pytest

import kubewright as kw
from kubewright.testing import OperatorTest, operator_test
from tests.unit.helm.charts import SETTINGS, ConfigMap, Shop, chart, operator, shop

Pod = kw.Kind("v1", "Pod")

HOOK = """\
apiVersion: v1
kind: Pod
metadata:
  name: {{{{ .Release.Name }}}}-hook
  annotations:
    helm.sh/hook: {event}
    helm.sh/hook-delete-policy: {policy}
spec:
  containers: [{{name: a, image: busybox}}]
"""


def with_hook(event: str, policy: str = "before-hook-creation") -> kw.Application:
    """Return an operator whose chart has a pod as a hook."""
    hook = HOOK.format(event=event, policy=policy)
    return operator(chart({"settings.yaml": SETTINGS, "hook.yaml": hook}))


async def end(test: OperatorTest, phase: str) -> None:
    """Let the pod of the hook end."""
    await test.client.status.patch(Pod, "corner-hook", {"status": {"phase": phase}})
    await test.settle()


async def test_hook_is_waited_for() -> None:
    """A migration must be done before its program starts."""
    async with operator_test(with_hook("pre-install")) as test:
        await test.client.create(shop())
        await test.settle()
        assert await test.client.find(ConfigMap, "corner-settings") is None
        status = (await test.client.get(Shop, "corner")).status
        assert [one["type"] for one in status["conditions"]] == ["Initialized"]

        await end(test, "Succeeded")

        assert await test.client.find(ConfigMap, "corner-settings") is not None
        hook = await test.client.get(Pod, "corner-hook")
        assert hook.metadata.owner_references[0].name == "corner"


async def test_hook_that_fails_fails_the_install() -> None:
    """And is deleted if its policy says so; the message names it."""
    async with operator_test(with_hook("pre-install", "hook-failed")) as test:
        await test.client.create(shop())
        await test.settle()

        await end(test, "Failed")

        status = (await test.client.get(Shop, "corner")).status
        failed = next(one for one in status["conditions"] if one["type"] == "ReleaseFailed")
        assert "the pre-install hook Pod corner-hook" in failed["message"]
        assert await test.client.find(Pod, "corner-hook") is None
        assert await test.client.find(ConfigMap, "corner-settings") is None


async def test_hook_that_succeeds_is_deleted_if_it_says_so() -> None:
    """Otherwise it stays for its log."""
    async with operator_test(with_hook("post-install", "hook-succeeded")) as test:
        await test.client.create(shop())
        await test.settle()
        assert await test.client.find(ConfigMap, "corner-settings") is not None

        await end(test, "Succeeded")

        assert await test.client.find(Pod, "corner-hook") is None


async def test_hook_that_never_ends_is_given_up() -> None:
    """After five minutes, as with Helm."""
    async with operator_test(with_hook("pre-install")) as test:
        await test.client.create(shop())

        await test.advance(301)

        status = (await test.client.get(Shop, "corner")).status
        assert "ReleaseFailed" in {one["type"] for one in status["conditions"]}


async def test_hooks_before_and_after_the_removal_run() -> None:
    """The object waits for them."""
    async with operator_test(with_hook("pre-delete,post-delete", "hook-succeeded")) as test:
        await test.client.create(shop())
        await test.settled()
        await test.client.delete(Shop, "corner")
        await test.settle()
        assert await test.client.find(ConfigMap, "corner-settings") is not None

        await end(test, "Succeeded")
        assert await test.client.find(ConfigMap, "corner-settings") is None
        assert await test.client.find(Shop, "corner") is not None
        await end(test, "Succeeded")

        assert await test.client.find(Shop, "corner") is None


async def test_hook_that_is_not_wanted_any_more_is_not_waited_for() -> None:
    """Who has mistyped an image mends it, or deletes the object, without waiting five minutes."""
    async with operator_test(with_hook("pre-install")) as test:
        await test.client.create(shop())
        await test.settle()

        await test.client.delete(Shop, "corner")
        await test.advance(6)

        assert await test.client.find(Shop, "corner") is None


SETTING = """\
apiVersion: v1
kind: {kind}
metadata:
  name: {name}
  annotations: {{helm.sh/hook: "{event}"{more}}}
"""
KEEP = ", helm.sh/resource-policy: keep"
BOTH = "pre-install,pre-upgrade"


def with_setting(
    event: str = BOTH, more: str = "", *, name: str = "conf", kind: str = "ConfigMap"
) -> kw.Application:
    """Return an operator whose chart has a hook that is there at once."""
    hook = SETTING.format(event=event, more=more, name=name, kind=kind)
    return operator(chart({"settings.yaml": SETTINGS, "hook.yaml": hook}))


async def uid_of(test: OperatorTest, name: str = "conf") -> str:
    """Return which object has the name."""
    return (await test.client.get(ConfigMap, name)).metadata.uid


@pytest.mark.parametrize("policy", ["before-hook-creation", "hook-failed"])
@pytest.mark.parametrize("hook", [None, "market/corner"])
async def test_object_of_others_is_no_hook_to_be_deleted(policy: str, hook: str | None) -> None:
    """Whoever has made it wants it; the message says what to do."""
    marks = {"kubewright.dev/helm-hook-of": hook, "helm.sh/hook": "pre-install"} if hook else {}
    metadata = {"name": "conf", "namespace": "default", "annotations": marks}
    theirs = ConfigMap(metadata=metadata, data={"precious": "yes"})
    shops = with_setting(more=f", helm.sh/hook-delete-policy: {policy}")
    async with operator_test(shops, objects=[theirs]) as test:
        await test.client.create(shop())
        await test.settled()

        assert (await test.client.get(ConfigMap, "conf"))["data"] == {"precious": "yes"}
        status = (await test.client.get(Shop, "corner")).status
        assert "is not a hook of this release. Remove it" in str(status["conditions"])


async def test_hook_is_made_anew_for_each_upgrade() -> None:
    """That of the revision before is ours to delete, whoever has it as its owner."""
    async with operator_test(with_setting()) as test:
        await test.client.create(shop())
        await test.settled()
        before = await uid_of(test)

        await test.client.patch(Shop, "corner", {"spec": {"colour": "red"}})
        await test.settled()

        assert await uid_of(test) != before


@pytest.mark.parametrize("instance", ["corner", "market"])
async def test_hook_that_helm_has_left_is_made_anew(instance: str) -> None:
    """Helm goes by the name; a release that is adopted has such hooks. Others' are left alone."""
    metadata = {
        "name": "conf",
        "namespace": "default",
        "annotations": {"helm.sh/hook": BOTH},
        "labels": {"app.kubernetes.io/instance": instance},
    }
    async with operator_test(with_setting()) as test:
        left = ConfigMap(metadata=metadata, data={"old": "yes"})
        await test.client.create(left, field_owner="helm")
        await test.client.create(shop())
        await test.settled()

        found = await test.client.get(ConfigMap, "conf")
        assert ("data" in found) is (instance != "corner")


async def test_hook_that_is_kept_outlives_the_release() -> None:
    """It has no owner, and is not made anew by an upgrade or by the next release of the name."""
    async with operator_test(with_setting(more=KEEP)) as test:
        await test.client.create(shop())
        await test.settled()
        before = await uid_of(test)
        assert (await test.client.get(ConfigMap, "conf")).metadata.owner_references == []
        await test.client.patch(Shop, "corner", {"spec": {"colour": "red"}})
        await test.settled()
        await test.client.delete(Shop, "corner")
        await test.settled()
        await test.client.create(shop())
        await test.settled()

        assert await uid_of(test) == before
        assert await test.client.find(ConfigMap, "corner-settings") is not None


async def test_hook_that_somebody_has_kept_by_hand_outlives_the_release() -> None:
    """Its owner is taken away before the custom object goes."""
    async with operator_test(with_setting()) as test:
        await test.client.create(shop())
        await test.settled()
        keep = {"metadata": {"annotations": {"helm.sh/resource-policy": "keep"}}}
        await test.client.patch(ConfigMap, "conf", keep)

        await test.client.delete(Shop, "corner")
        await test.settled()

        assert (await test.client.get(ConfigMap, "conf")).metadata.owner_references == []


async def test_volume_of_a_hook_is_not_made_anew_unless_the_chart_says_so() -> None:
    """What is in it would be lost with each upgrade."""
    kind = kw.Kind("v1", "PersistentVolumeClaim")
    spec = "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n"
    hook = SETTING.format(event=BOTH, more="", name="conf", kind=kind.kind) + spec
    async with operator_test(operator(chart({"a.yaml": SETTINGS, "b.yaml": hook}))) as test:
        await test.client.create(shop())
        await test.settled()
        before = (await test.client.get(kind, "conf")).metadata.uid

        await test.client.patch(Shop, "corner", {"spec": {"colour": "red"}})
        await test.settled()

        assert (await test.client.get(kind, "conf")).metadata.uid == before
        assert (await test.client.get(ConfigMap, "corner-settings"))["data"] == {"colour": "red"}


@pytest.mark.parametrize("policy", ["", "hook-succeeded"])
async def test_hook_may_have_a_generated_name(policy: str) -> None:
    """One is made for each revision, found again by its marks, and the one before is deleted."""
    text = SETTINGS.replace(
        "name: {{ .Release.Name }}-settings",
        "generateName: note-\n  annotations: {helm.sh/hook: 'post-install,post-upgrade',"
        f" helm.sh/hook-delete-policy: '{policy}'}}",
    )
    async with operator_test(operator(chart({"a.yaml": text}))) as test:
        await test.client.create(shop())
        await test.settled()
        first = [one.name for one in await test.client.list(ConfigMap) if "note" in one.name]
        await test.client.patch(Shop, "corner", {"spec": {"colour": "red"}})
        await test.settled()
        then = [one.name for one in await test.client.list(ConfigMap) if "note" in one.name]
        await test.client.delete(Shop, "corner")
        await test.settled()

        assert (len(first), len(then)) == ((0, 0) if policy else (1, 1))
        assert policy or first != then
        assert not [one for one in await test.client.list(ConfigMap) if "note" in one.name]


async def test_hook_of_an_unknown_kind_is_told() -> None:
    """The install would hang otherwise, and nobody would know why."""
    text = SETTINGS.replace("v1", "none.example.com/v1").replace(
        "metadata:", "metadata:\n  annotations: {helm.sh/hook: pre-install}"
    )
    async with operator_test(operator(chart({"a.yaml": text}))) as test:
        await test.client.create(shop())
        await test.settled()

        status = (await test.client.get(Shop, "corner")).status
        failed = next(one for one in status["conditions"] if one["type"] == "ReleaseFailed")
        assert "pre-install hook ConfigMap corner-settings: cannot find kind" in failed["message"]

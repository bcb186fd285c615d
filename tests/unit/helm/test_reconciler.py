"""Releases as custom objects want them: installed, upgraded, mended, rolled back and removed."""

import random
from base64 import b64encode
from typing import Any

import pytest

import kubewright as kw
from kubewright.errors import NotFoundError
from kubewright.helm import HelmOperator
from kubewright.helm.release import read_release
from kubewright.testing import OperatorTest, operator_test
from tests.unit.helm.charts import BOMB, SETTINGS, ConfigMap, Secret, Shop, chart, operator, shop

JOB = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{{{ .Release.Name }}}}-{name}
  annotations:
    helm.sh/hook: {event}
    helm.sh/hook-weight: "{weight}"
data: {{revision: "{{{{ .Release.Revision }}}}"}}
"""


async def releases(test: OperatorTest, name: str = "corner") -> list[tuple[str, str]]:
    """Return the revisions of a release, and their statuses."""
    found = await test.client.list(Secret, labels={"owner": "helm", "name": name})
    labels = [one.metadata.labels for one in found]
    return sorted((one["version"], one["status"]) for one in labels)


async def settings(test: OperatorTest, name: str = "corner") -> dict[str, Any]:
    """Return what is in the ConfigMap of a release."""
    found: dict[str, Any] = (await test.client.get(ConfigMap, f"{name}-settings"))["data"]
    return found


async def condition(test: OperatorTest, kind: str) -> dict[str, Any]:
    """Return a condition of the Shop, empty if it has none."""
    found = (await test.client.get(Shop, "corner")).status.get("conditions", [])
    return next((one for one in found if one["type"] == kind), {})


async def set_values(test: OperatorTest, **values: object) -> None:
    """Change the values of the Shop, and let the operator work."""
    await test.client.patch(Shop, "corner", {"spec": values})
    await test.settled()


async def test_object_is_installed_as_a_release() -> None:
    """Its children, its release Secret, its status: all that users of operator-sdk expect."""
    with_notes = chart(templates__NOTES_txt="Paint {{ .Release.Name }} {{ .Values.colour }}.")
    async with operator_test(operator(with_notes)) as test:
        await test.client.create(shop(colour="green"))
        await test.settled()

        obj = await test.client.get(Shop, "corner")
        child = await test.client.get(ConfigMap, "corner-settings")
        secret = await test.client.get(Secret, "sh.helm.release.v1.corner.v1")
        assert child["data"] == {"colour": "green"}
        assert child.metadata.owner_references[0].uid == obj.metadata.uid
        assert child.metadata.labels["app.kubernetes.io/managed-by"] == "Helm"
        assert obj.metadata.finalizers == ["helm.sdk.operatorframework.io/uninstall-release"]
        assert (await condition(test, "Initialized"))["status"] == "True"
        deployed = await condition(test, "Deployed")
        assert (deployed["reason"], deployed["message"]) == (
            "InstallSuccessful",
            "Paint corner green.",
        )
        release = read_release(secret)
        assert obj.status["deployedRelease"] == {"name": "corner", "manifest": release.manifest}
        assert (release.status, release.config) == ("deployed", {"colour": "green"})
        assert secret.metadata.labels["status"] == "deployed"


async def test_change_of_values_is_an_upgrade() -> None:
    """The revision before is superseded, and the status says what is deployed."""
    async with operator_test(operator()) as test:
        await test.client.create(shop(colour="green"))
        await test.settled()

        await set_values(test, colour="red")

        assert await settings(test) == {"colour": "red"}
        assert await releases(test) == [("1", "superseded"), ("2", "deployed")]
        assert (await condition(test, "Deployed"))["reason"] == "UpgradeSuccessful"


async def test_object_that_a_new_manifest_leaves_out_is_pruned() -> None:
    """What no revision has any more would stay for ever otherwise."""
    extra = {
        "settings.yaml": SETTINGS,
        "more.yaml": "{{ if .Values.more }}\n"
        + SETTINGS.replace("-settings", "-more")
        + "{{ end }}",
    }
    async with operator_test(operator(chart(extra))) as test:
        await test.client.create(shop(more=True))
        await test.settled()
        assert await test.client.find(ConfigMap, "corner-more") is not None

        await set_values(test, more=False)

        assert await test.client.find(ConfigMap, "corner-more") is None
        assert await test.client.find(ConfigMap, "corner-settings") is not None


async def test_child_that_was_changed_or_deleted_is_mended() -> None:
    """By its watch, and without a new revision."""
    async with operator_test(operator()) as test:
        await test.client.create(shop())
        await test.settled()

        await test.client.patch(ConfigMap, "corner-settings", {"data": {"colour": "pink"}})
        await test.settled()
        assert await settings(test) == {"colour": "blue"}
        await test.client.delete(ConfigMap, "corner-settings")
        await test.settled()

        assert await settings(test) == {"colour": "blue"}
        assert await releases(test) == [("1", "deployed")]


async def test_nothing_is_written_at_rest() -> None:
    """Neither later, nor after a restart."""
    shops = operator()
    async with operator_test(shops) as test:
        await test.client.create(shop())
        await test.settled()
        before = await versions(test)

        await test.advance(3600)
        await restart(shops, test)

        assert await versions(test) == before


async def restart(shops: HelmOperator, test: OperatorTest) -> None:
    """End the operator, and let a new one that knows nothing take its place."""
    await test.manager.remove(shops)
    shops.add_to(test.manager, serve_webhooks=None)
    await test.settled()


async def versions(test: OperatorTest) -> dict[str, str]:
    """Return the versions of all that belongs to the release."""
    kinds = [Shop, ConfigMap, Secret]
    return {
        f"{kind.kind} {one.name}": one.resource_version
        for kind in kinds
        for one in await test.client.list(kind, namespace="default")
    }


async def test_deleted_object_takes_its_release_along() -> None:
    """Children, release Secrets and hooks; what Helm's policy keeps stays."""
    kept = SETTINGS.replace("-settings", "-kept").replace(
        "metadata:", "metadata:\n  annotations: {helm.sh/resource-policy: keep}"
    )
    of = chart({"settings.yaml": SETTINGS, "kept.yaml": kept})
    async with operator_test(operator(of)) as test:
        await test.client.create(shop())
        await test.settled()
        child = await test.client.get(ConfigMap, "corner-kept")
        assert not child.metadata.owner_references

        await test.client.delete(Shop, "corner")
        await test.settled()

        assert await test.client.find(Shop, "corner") is None
        assert await test.client.find(ConfigMap, "corner-settings") is None
        assert await test.client.find(ConfigMap, "corner-kept") is not None
        assert await releases(test) == []


async def test_cluster_scoped_child_goes_with_the_finalizer() -> None:
    """An owner reference from outside of its namespace would have it collected at once."""
    role = (
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\n"
        "metadata: {name: '{{ .Release.Name }}'}\nrules: []\n"
    )
    kind = kw.Kind("rbac.authorization.k8s.io/v1", "ClusterRole")
    async with operator_test(operator(chart({"role.yaml": role}))) as test:
        await test.client.create(shop())
        await test.settled()
        made = await test.client.get(kind, "corner")
        assert not made.metadata.owner_references

        await test.client.delete(Shop, "corner")
        await test.settled()

        with pytest.raises(NotFoundError):
            await test.client.get(kind, "corner")


async def test_hooks_run_at_their_moments_and_in_their_order() -> None:
    """With the number of the release, which ``helm template`` does not know."""
    events = ("pre-install", "post-install", "pre-upgrade", "test")
    hooks = {f"{event}.yaml": JOB.format(name=event, event=event, weight=0) for event in events}
    async with operator_test(operator(chart({"settings.yaml": SETTINGS, **hooks}))) as test:
        await test.client.create(shop())
        await test.settled()
        made = {one.name: one["data"] for one in await test.client.list(ConfigMap)}
        assert made["corner-pre-install"] == made["corner-post-install"] == {"revision": "1"}
        assert "corner-pre-upgrade" not in made
        assert "corner-test" not in made

        await set_values(test, colour="red")

        found = await test.client.get(ConfigMap, "corner-pre-upgrade")
        assert found["data"] == {"revision": "2"}


async def test_failed_upgrade_is_rolled_back() -> None:
    """Users keep what worked, and the status says why it is not what they want."""
    broken = SETTINGS + '{{ if eq .Values.colour "black" }}\n  Not A Key!: x\n{{ end }}'
    async with operator_test(operator(chart({"settings.yaml": broken}))) as test:
        await test.client.create(shop(colour="green"))
        await test.settled()

        await set_values(test, colour="black")

        assert await settings(test) == {"colour": "green"}
        failed = await condition(test, "ReleaseFailed")
        assert failed["reason"] == "UpgradeError"
        assert "Not A Key!" in failed["message"]
        assert "Rolled back to revision 1" in failed["message"]
        assert await releases(test) == [("1", "superseded"), ("2", "failed"), ("3", "deployed")]


async def test_failed_upgrade_is_not_tried_again_at_once() -> None:
    """Each try writes, and each write is a change: without a pause it would never rest."""
    broken = SETTINGS + '{{ if eq .Values.colour "black" }}\n  Not A Key!: x\n{{ end }}'
    async with operator_test(operator(chart({"settings.yaml": broken}))) as test:
        await test.client.create(shop(colour="green"))
        await test.settled()
        await set_values(test, colour="black")
        assert len(await releases(test)) == 3

        await test.advance(4)
        assert len(await releases(test)) == 3
        await set_values(test, colour="white")

        assert await settings(test) == {"colour": "white"}
        assert await condition(test, "ReleaseFailed") == {}


async def test_failed_install_leaves_nothing_behind() -> None:
    """But the record that says what was wrong."""
    templates = {"settings.yaml": SETTINGS, "wrong.yaml": SETTINGS.replace("-settings", "_wrong!")}
    async with operator_test(operator(chart(templates))) as test:
        await test.client.create(shop())
        await test.settled()

        assert await test.client.find(ConfigMap, "corner-settings") is None
        failed = await condition(test, "ReleaseFailed")
        assert failed["reason"] == "InstallError"
        assert "corner_wrong!" in failed["message"]
        assert await releases(test) == [("1", "failed")]


async def test_template_error_names_file_and_line() -> None:
    """It is the author of the values who reads it; nothing is installed."""
    templates = {"settings.yaml": SETTINGS, "bad.yaml": '{{ required "say who" .Values.who }}'}
    async with operator_test(operator(chart(templates))) as test:
        await test.client.create(shop())
        await test.settled()

        failed = await condition(test, "ReleaseFailed")
        assert "shop/templates/bad.yaml:1:3" in failed["message"]
        assert "say who" in failed["message"]
        assert await releases(test) == []


async def test_values_that_do_not_fit_the_schema_are_refused() -> None:
    """The release that is there stays."""
    schema = '{"properties": {"colour": {"type": "string"}}}'
    of = chart()
    of.files["values.schema.json"] = schema.encode()
    async with operator_test(operator(of)) as test:
        await test.client.create(shop(colour="green"))
        await test.settled()

        await set_values(test, colour=5)

        found = await condition(test, "Irreconcilable")
        assert found["reason"] == "ReconcileError"
        assert "colour" in found["message"]
        assert await settings(test) == {"colour": "green"}
        assert await releases(test) == [("1", "deployed")]


async def test_object_of_somebody_else_is_not_taken() -> None:
    """It would be overwritten, and removed with the release."""
    foreign = ConfigMap(metadata={"name": "corner-settings", "namespace": "default"})
    async with operator_test(operator(), objects=[foreign]) as test:
        await test.client.create(shop())
        await test.settled()

        failed = await condition(test, "ReleaseFailed")
        assert "does not belong to the release 'corner'" in failed["message"]
        assert "data" not in await test.client.get(ConfigMap, "corner-settings")


async def test_random_values_are_kept() -> None:
    """A new password for each upgrade would lock the users of the old one out."""
    secret = (
        "apiVersion: v1\nkind: Secret\nmetadata: {name: '{{ .Release.Name }}'}\n"
        "stringData: {password: '{{ randAlphaNum 20 }}', colour: '{{ .Values.colour }}'}\n"
    )
    async with operator_test(operator(chart({"secret.yaml": secret}))) as test:
        await test.client.create(shop(colour="green"))
        await test.settled()
        before = (await test.client.get(Secret, "corner"))["data"]

        await set_values(test, colour="red")

        after = (await test.client.get(Secret, "corner"))["data"]
        assert after["password"] == before["password"]
        assert after["colour"] != before["colour"]


async def test_overrides_lie_over_the_values() -> None:
    """Who runs the operator decides, and the object is told."""
    async with operator_test(operator(override_values={"colour": "grey"})) as test:
        await test.client.create(shop(colour="green"))
        await test.settled()

        assert await settings(test) == {"colour": "grey"}
        events = await test.client.list(kw.Kind("events.k8s.io/v1", "Event"), namespace="default")
        assert "OverrideValuesInUse" in {one["reason"] for one in events}


ROLE = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: '{{ .Release.Name }}'}
rules: []
"""


@pytest.mark.parametrize("with_another", [True, False])
async def test_record_that_cannot_be_read_holds_nothing_up(with_another: bool) -> None:
    """The status names it; and the object can be deleted, with all that was installed."""
    kind = kw.Kind("rbac.authorization.k8s.io/v1", "ClusterRole")
    role = f"{{{{ if .Values.role }}}}\n{ROLE}{{{{ end }}}}"
    async with operator_test(operator(chart({"a.yaml": SETTINGS, "role.yaml": role}))) as test:
        await test.client.create(shop(role=not with_another))
        await test.settled()
        if with_another:
            await set_values(test, role=True)
        last = f"sh.helm.release.v1.corner.v{2 if with_another else 1}"

        await test.client.patch(Secret, last, {"data": {"release": "JSUl"}})
        await test.settled()
        found = await condition(test, "Irreconcilable")
        assert (found["status"], found["reason"]) == ("True", "ReconcileError")
        assert f"the Secret {last} does not hold a release" in found["message"]
        assert await test.client.find(kind, "corner") is not None
        await test.client.delete(Shop, "corner")
        await test.settled()

        assert await test.client.find(Shop, "corner") is None
        assert await test.client.find(kind, "corner") is None
        assert await test.client.find(ConfigMap, "corner-settings") is None


async def test_record_that_is_restored_clears_the_status() -> None:
    """Nothing was done meanwhile."""
    async with operator_test(operator()) as test:
        await test.client.create(shop())
        await test.settled()
        secret = await test.client.get(Secret, "sh.helm.release.v1.corner.v1")
        await test.client.patch(Secret, secret.name, {"data": {"release": "JSUl"}})
        await test.settled()
        assert await condition(test, "Irreconcilable")

        await test.client.patch(Secret, secret.name, {"data": secret["data"]})
        await test.settled()

        assert await condition(test, "Irreconcilable") == {}
        assert await releases(test) == [("1", "deployed")]


@pytest.mark.parametrize("had_finalizer", [True, False])
async def test_name_that_no_release_may_have_is_refused(had_finalizer: bool) -> None:
    """Before the finalizer, which nobody could take off again; and if it is there, it goes."""
    name = "x" * 70
    obj = shop(name)
    if had_finalizer:
        obj.metadata.finalizers = ["helm.sdk.operatorframework.io/uninstall-release"]
    async with operator_test(operator()) as test:
        await test.client.create(obj)
        await test.settled()
        found = await test.client.get(Shop, name)
        failed = next(c for c in found.status["conditions"] if c["type"] == "ReleaseFailed")
        assert failed["message"].startswith("its name has 70 letters")
        assert bool(found.metadata.finalizers) is had_finalizer

        await test.client.delete(Shop, name)
        await test.settled()

        assert await test.client.find(Shop, name) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("metadata: {name: a, labels: [x]}", "metadata.labels"),
        (
            "metadata: {name: a, labels: [x], annotations: {helm.sh/hook: pre-install}}",
            "metadata.labels",
        ),
        ("apiVersion: a/b/c\nmetadata: {name: a}", "not an apiVersion"),
    ],
)
async def test_object_of_another_shape_is_told_in_the_status(text: str, message: str) -> None:
    """With its template; nothing is installed."""
    start = "kind: ConfigMap\n" if "apiVersion" in text else "apiVersion: v1\nkind: ConfigMap\n"
    async with operator_test(operator(chart({"wrong.yaml": f"{start}{text}\n"}))) as test:
        await test.client.create(shop())
        await test.settled()

        failed = await condition(test, "ReleaseFailed")
        assert "shop/templates/wrong.yaml" in failed["message"]
        assert message in failed["message"]
        assert await releases(test) == []


async def test_name_in_data_that_looks_like_true_is_a_text() -> None:
    """As Helm and kubectl take it."""
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  on: x\n  1: y\n"
    async with operator_test(operator(chart({"a.yaml": text}))) as test:
        await test.client.create(shop())
        await test.settled()

        assert (await test.client.get(ConfigMap, "a"))["data"] == {"true": "x", "1": "y"}


async def test_object_with_a_generated_name_is_refused() -> None:
    """It could never be found again."""
    text = SETTINGS.replace("name: {{ .Release.Name }}-settings", "generateName: a-")
    async with operator_test(operator(chart({"a.yaml": text}))) as test:
        await test.client.create(shop())
        await test.settled()

        failed = await condition(test, "ReleaseFailed")
        assert (
            "shop/templates/a.yaml: it renders an object with a generateName" in failed["message"]
        )


@pytest.mark.parametrize("kind", ["Deployed", "ReleaseFailed"])
async def test_message_that_no_object_can_hold_is_cut_off(kind: str) -> None:
    """Notes may be long, and a template may fail with all of its values."""
    long = '{{ repeat 60000 "0123456789012345678901234567890123456789" }}'
    fail = {"settings.yaml": SETTINGS, "b.yaml": "{{ fail (include `long` .) }}"}
    define = {"_long.tpl": '{{ define "long" }}' + long + "{{ end }}"}
    notes = chart(templates__NOTES_txt=long)
    of = notes if kind == "Deployed" else chart(fail | define)
    async with operator_test(operator(of)) as test:
        await test.client.create(shop())
        await test.settled()

        message = (await condition(test, kind))["message"]
        assert len(message) < 40_000
        assert message.endswith("letters more)")


@pytest.mark.parametrize("size", [1_000_000, 2_400_000])
async def test_release_that_fits_into_no_secret_is_refused(size: int) -> None:
    """With what to do about it, and before anything is installed."""
    noise = b64encode(random.Random(1).randbytes(size)).decode()
    async with operator_test(operator(chart(files__a_txt=noise))) as test:
        await test.client.create(shop())
        await test.settled()

        failed = await condition(test, "ReleaseFailed")
        assert "does not fit into its Secret" in failed["message"]
        assert ".helmignore" in failed["message"]
        assert await test.client.find(ConfigMap, "corner-settings") is None
        assert await releases(test) == []


async def test_values_that_are_nested_too_deeply_are_refused() -> None:
    """The status says so."""
    values: dict[str, Any] = {}
    for _ in range(300):
        values = {"a": values}
    async with operator_test(operator()) as test:
        await test.client.create(shop(**values))
        await test.settled()

        assert "nested too deeply" in (await condition(test, "ReleaseFailed"))["message"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kind: CustomResourceDefinition\n", "crds/a.yaml: it renders an object without apiVer"),
        ("{{ if .Values.x }}\nkind: A\n{{ end }}\n", "crds/a.yaml: what it renders is not YAML"),
        ("apiVersion: v1\nkind: A\nmetadata: {name: a}\n" + BOMB, "crds/a.yaml: it is too large"),
    ],
)
async def test_file_in_crds_that_is_none_is_refused(text: str, message: str) -> None:
    """Helm prints it as it is."""
    async with operator_test(operator(chart(crds__a_yaml=text))) as test:
        await test.client.create(shop())
        await test.settled()

        assert message in (await condition(test, "ReleaseFailed"))["message"]
        assert await releases(test) == []


async def test_other_objects_in_crds_are_made_as_well() -> None:
    """As Helm does; nobody waits until a ConfigMap is established."""
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other, namespace: default}\n"
    async with operator_test(operator(chart(crds__a_yaml=text))) as test:
        await test.client.create(shop())
        await test.settled()

        assert await releases(test) == [("1", "deployed")]
        assert await test.client.find(ConfigMap, "other") is not None

"""What is written of the objects of a release."""

import kubewright as kw
from kubewright.testing import operator_test
from tests.unit.helm.charts import SETTINGS, ConfigMap, Shop, chart, operator, shop

Job = kw.Kind("batch/v1", "Job")
Definition = kw.Kind("apiextensions.k8s.io/v1", "CustomResourceDefinition")

CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: tills.example.com}
spec:
  group: example.com
  names: {kind: Till, listKind: TillList, plural: tills, singular: till}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""
JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: %s}
spec:
  %s
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: busybox}]
"""
TTL = "ttlSecondsAfterFinished: 60"
TILL = "apiVersion: example.com/v1\nkind: Till\nmetadata: {name: '{{ .Release.Name }}'}\n"


async def test_definitions_come_before_the_objects_of_their_kind() -> None:
    """Those in ``crds/`` stay when the release goes: other releases may have objects of them."""
    of = chart({"till.yaml": TILL}, crds__tills_yaml=CRD)
    async with operator_test(operator(of)) as test:
        await test.client.create(shop())
        await test.settled()
        assert await test.client.find(kw.Kind("example.com/v1", "Till"), "corner") is not None

        await test.client.delete(Shop, "corner")
        await test.settled()

        assert await test.client.find(kw.Kind("example.com/v1", "Till"), "corner") is None
        assert await test.client.find(Definition, "tills.example.com") is not None


async def test_definition_among_the_templates_is_waited_for() -> None:
    """The server needs a moment until it has the kind."""
    async with operator_test(operator(chart({"a.yaml": TILL, "b.yaml": CRD}))) as test:
        await test.client.create(shop())
        await test.settled()

        assert await test.client.find(kw.Kind("example.com/v1", "Till"), "corner") is not None


async def test_missing_kind_is_named() -> None:
    """The cluster lacks a CRD, such as that of a ServiceMonitor."""
    async with operator_test(operator(chart({"till.yaml": TILL}))) as test:
        await test.client.create(shop())
        await test.settled()

        status = (await test.client.get(Shop, "corner")).status
        assert "cannot find kind Till.example.com in version v1" in str(status["conditions"])


async def test_label_that_was_taken_away_comes_back() -> None:
    """It is what the object is watched by."""
    async with operator_test(operator()) as test:
        await test.client.create(shop())
        await test.settled()

        patch = {"metadata": {"labels": {"app.kubernetes.io/managed-by": None}}}
        await test.client.patch(ConfigMap, "corner-settings", patch)
        await test.settled()

        live = await test.client.get(ConfigMap, "corner-settings")
        assert live.metadata.labels["app.kubernetes.io/managed-by"] == "Helm"


async def test_fields_of_others_stay() -> None:
    """An autoscaler, a mesh, a person: what the chart does not speak of is not its business."""
    async with operator_test(operator()) as test:
        await test.client.create(shop())
        await test.settled()

        await test.client.patch(ConfigMap, "corner-settings", {"data": {"theirs": "x"}})
        await test.settled()

        live = await test.client.get(ConfigMap, "corner-settings")
        assert live["data"] == {"colour": "blue", "theirs": "x"}


async def test_object_in_another_namespace_has_no_owner_and_goes_with_the_release() -> None:
    """The server would collect it at once if it had one."""
    elsewhere = SETTINGS.replace("metadata:", "metadata:\n  namespace: kube-public")
    async with operator_test(operator(chart({"a.yaml": elsewhere}))) as test:
        await test.client.create(shop())
        await test.settled()
        key = "kube-public/corner-settings"
        assert not (await test.client.get(ConfigMap, key)).metadata.owner_references
        await test.client.delete(ConfigMap, key)
        await test.settled()
        assert await test.client.find(ConfigMap, key) is not None

        await test.client.delete(Shop, "corner")
        await test.settled()

        assert await test.client.find(ConfigMap, key) is None


TWICE = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: '{{ .Release.Name }}'}
spec:
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec:
      containers:
      - name: a
        image: "{{ .Values.colour }}"
        env: [{name: A, value: "1"}, {name: A, value: "2"}]
"""


async def test_entry_that_is_there_twice_is_written_as_helm_does() -> None:
    """A variable that values add to those of the chart; server-side apply refuses it."""
    kind = kw.Kind("apps/v1", "Deployment")
    async with operator_test(operator(chart({"a.yaml": TWICE}))) as test:
        await test.client.create(shop())
        await test.settled()
        await test.client.patch(Shop, "corner", {"spec": {"colour": "red"}})
        await test.settled()

        live = await test.client.get(kind, "corner")
        (container,) = live["spec"]["template"]["spec"]["containers"]
        assert (container["image"], len(container["env"])) == ("red", 2)
        before = live.resource_version
        await test.advance(60)
        assert (await test.client.get(kind, "corner")).resource_version == before


async def test_field_that_is_dropped_goes_from_what_was_written_whole() -> None:
    """A patch leaves what it does not name, so it has to name it; fields of others stay."""
    labels = "labels: {{ .Values.labels | toJson }}, annotations: {{ .Values.marks | toJson }}}"
    twice = TWICE.replace("'}\nspec", "', " + labels + "\nspec", 1)
    kind = kw.Kind("apps/v1", "Deployment")
    async with operator_test(operator(chart({"a.yaml": twice}))) as test:
        await test.client.create(shop(labels={"old": "yes"}, marks={}))
        await test.settled()
        await test.client.patch(kind, "corner", {"metadata": {"labels": {"theirs": "yes"}}})
        await test.settled()

        keep = {"helm.sh/resource-policy": "keep"}
        values = {"labels": {"old": None, "new": "yes"}, "marks": keep}
        await test.client.patch(Shop, "corner", {"spec": values})
        await test.settled()

        live = await test.client.get(kind, "corner")
        assert set(live.metadata.labels) == {"new", "theirs", "app.kubernetes.io/managed-by"}
        assert live.metadata.owner_references == []
        assert live["spec"]["replicas"] == 1

        await test.client.delete(Shop, "corner")
        await test.settled()
        assert await test.client.find(kind, "corner") is not None


async def test_field_that_is_dropped_together_with_the_entry_that_was_twice_goes() -> None:
    """The apply does not know what a patch before it has set."""
    labels = "labels: {{ .Values.labels | toJson }}}"
    once = "[{name: A, value: '1'}{{ if .Values.labels.old }}, {name: A, value: '2'}{{ end }}]"
    twice = TWICE.replace("'}\nspec", "', " + labels + "\nspec", 1)
    twice = twice.replace('[{name: A, value: "1"}, {name: A, value: "2"}]', once)
    kind = kw.Kind("apps/v1", "Deployment")
    async with operator_test(operator(chart({"a.yaml": twice}))) as test:
        await test.client.create(shop(labels={"old": "yes", "later": "yes"}))
        await test.settled()

        await test.client.patch(Shop, "corner", {"spec": {"labels": {"old": None}}})
        await test.settled()

        live = await test.client.get(kind, "corner")
        assert set(live.metadata.labels) == {"later", "app.kubernetes.io/managed-by"}
        assert live["spec"]["replicas"] == 1
        (container,) = live["spec"]["template"]["spec"]["containers"]
        assert container["env"] == [{"name": "A", "value": "1"}]

        await test.client.patch(Shop, "corner", {"spec": {"labels": {"later": None}}})
        await test.settled()
        live = await test.client.get(kind, "corner")
        assert set(live.metadata.labels) == {"app.kubernetes.io/managed-by"}


async def test_job_that_goes_when_it_is_done_is_not_run_again() -> None:
    """A migration must not run each hour; a Job without a time to live comes back."""
    jobs = {f"{name}.yaml": JOB % (name, ttl) for name, ttl in (("keeps", ""), ("goes", TTL))}
    async with operator_test(operator(chart(jobs))) as test:
        await test.client.create(shop())
        await test.settled()

        for name in ("keeps", "goes"):
            await test.client.delete(Job, name, propagation="Background")
        await test.settled()

        assert [one.name for one in await test.client.list(Job)] == ["keeps"]


async def test_each_change_is_mended_also_of_what_was_as_it_should_be() -> None:
    """What has agreed once is not compared again until its version changes, and then it is."""
    two = {"settings.yaml": SETTINGS, "b.yaml": SETTINGS.replace("-settings", "-b")}
    async with operator_test(operator(chart(two))) as test:
        await test.client.create(shop())
        await test.settled()
        found = []
        for colour in ("pink", "grey"):
            await test.client.patch(ConfigMap, "corner-b", {"data": {"colour": "grey"}})
            await test.settled()
            await test.client.patch(ConfigMap, "corner-settings", {"data": {"colour": colour}})
            await test.settled()
            await test.client.delete(ConfigMap, "corner-b")
            await test.settled()
            names = ("corner-settings", "corner-b")
            found += [(await test.client.get(ConfigMap, name))["data"]["colour"] for name in names]

    assert found == ["blue"] * 4

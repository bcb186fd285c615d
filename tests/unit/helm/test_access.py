"""The rights that charts need."""

import pytest

import kubewright as kw
from kubewright.helm.access import (
    kinds_in,
    kinds_of,
    rules_for_charts,
    rules_for_kind,
    rules_for_objects,
)
from kubewright.helm.manifest import Hook, Rendering
from tests.unit.helm.charts import chart

CRON = """\
{{- if .Capabilities.APIVersions.Has "batch/v1" }}
apiVersion: batch/v1
{{- else }}
apiVersion: {{ ternary "batch/v1beta1" "batch/v2alpha1" .Values.old }}
{{- end }}
kind: {{ .Values.once | ternary "Job" "CronJob" }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
"""


def test_kinds_behind_conditions_count() -> None:
    """Other values would need rights that the operator does not have."""
    assert kinds_in(chart({"a.yaml": CRON})) == {
        ("batch", "Job"),
        ("batch", "CronJob"),
        ("rbac.authorization.k8s.io", "RoleBinding"),
    }


def test_computed_version_is_that_of_kubernetes() -> None:
    """Charts of Bitnami have a template for each version."""
    text = 'apiVersion: {{ include "common.apiVersion" . }}\nkind: StatefulSet\n'

    assert kinds_in(chart({"a.yaml": text})) == {("apps", "StatefulSet")}


def test_rules_name_resources_and_verbs() -> None:
    """Releases and events are always among them."""
    rules = rules_for_charts([chart({"a.yaml": CRON}), chart(crds__a_yaml="kind: X")])

    assert {one.resources[0] for one in rules} >= {
        "secrets", "events", "jobs", "cronjobs", "rolebindings", "customresourcedefinitions",
    }  # fmt: skip
    assert any("bind" in one.verbs for one in rules if "clusterroles" in one.resources)


@pytest.mark.parametrize("events", ["test", '"test"', "test-success,test-failure"])
def test_objects_for_tests_take_no_rights(events: str) -> None:
    """`helm test` makes them, with the rights of who runs it."""
    annotation = f"metadata: {{annotations: {{helm.sh/hook: {events}}}}}"
    text = f"apiVersion: v1\nkind: Pod\n{annotation}\n---\napiVersion: v1\nkind: Service\n"

    assert kinds_in(chart({"a.yaml": text})) == {("", "Service")}


def test_hooks_at_other_moments_take_rights() -> None:
    """Also if they are for tests as well."""
    text = 'kind: Job\nmetadata:\n  annotations:\n    "helm.sh/hook": "test, post-install"\n'

    assert kinds_in(chart({"a.yaml": text})) == {("batch", "Job")}


def test_kinds_of_a_release_are_those_that_were_rendered() -> None:
    """With its hooks, but for tests."""
    job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\n"
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
    hooks = [Hook("a", "Job", "a", job, ["pre-install"]), Hook("a", "Pod", "a", pod, ["test"])]
    rendering = Rendering("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n", hooks)

    assert kinds_of(rendering) == {("apps", "Deployment"), ("batch", "Job")}


def test_rules_are_for_the_namespaces_of_releases() -> None:
    """Cluster-wide rights are asked for only where there is no other way."""
    text = "apiVersion: v1\nkind: Service\n---\napiVersion: v1\nkind: PersistentVolume\n"
    shop = kw.Kind("example.com/v1", "Shop")

    charts = rules_for_charts([chart({"a.yaml": text})], namespaces=["b", "a"])
    kind = rules_for_kind(shop, namespaces=["a"])

    where = {(one.resources[0], one.namespace) for one in [*charts, *kind]}
    assert where == {
        ("secrets", "a"), ("secrets", "b"), ("events", "a"), ("events", "b"), ("services", "a"),
        ("services", "b"), ("persistentvolumes", ""), ("shops", "a"), ("shops/status", "a"),
        ("shops/finalizers", "a"),
    }  # fmt: skip


def test_giving_rights_away_is_for_who_has_them() -> None:
    """Roles of projects have the rules that their charts give away, and not the verb escalate."""
    role = ("rbac.authorization.k8s.io", "Role")

    rules = rules_for_objects(chart(), [role])

    assert not any("escalate" in one.verbs for one in rules)

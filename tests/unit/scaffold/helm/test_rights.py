from typing import Any

import pytest
import yaml

from kubewright.errors import SchemaError
from kubewright.scaffold.codeless.rights import Rights
from kubewright.scaffold.helm.chart import Chart, chart_of, default_chart
from kubewright.scaffold.helm.rights import kind_rules, manifest_rights, template_rights
from kubewright.scaffold.project import ProjectResource
from kubewright.scaffold.templates import Templates

RBAC = "rbac.authorization.k8s.io/v1"


def chart(**files: str) -> Chart:
    """Return a chart with these templates."""
    named = {f"templates/{name}.yaml": text for name, text in files.items()}
    about = "apiVersion: v2\nname: shop\nversion: 1.0.0\n"
    return chart_of({"Chart.yaml": about, "templates/x.txt": "x", **named}, place="shop")


def rights(*documents: dict[str, Any], namespaced: bool = False) -> Rights:
    """Return what it takes to install *documents*."""
    return manifest_rights(yaml.safe_dump_all(documents), chart(), namespaced=namespaced)


def pairs(found: Rights) -> set[tuple[str, str]]:
    """Return the groups and resources that are allowed."""
    return {(group, one) for rule in found.rules for group in rule.groups for one in rule.resources}


def test_each_kind_of_the_manifest_is_allowed() -> None:
    """Also those in lists, and such as Kubernetes does not have, with a note."""
    found = rights(
        {"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Service"}]},
        {"apiVersion": "apps/v1", "kind": "Deployment"},
        {"apiVersion": "cert-manager.io/v1", "kind": "Certificate"},
    )

    assert pairs(found) == {
        ("", "services"),
        ("apps", "deployments"),
        ("cert-manager.io", "certificates"),
    }
    assert {verb for rule in found.rules for verb in rule.verbs} == {
        "create", "delete", "get", "list", "patch", "update", "watch",
    }  # fmt: skip
    [note] = found.notes
    assert note.startswith("certificates of cert-manager.io is a guess at the plural of a kind")


def test_roles_are_given_away_by_those_who_have_their_rights() -> None:
    """API servers refuse a role with more than its maker may do."""
    rule = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}
    role = {"apiVersion": RBAC, "kind": "Role", "metadata": {"name": "mine"}, "rules": [rule]}
    bindings = [
        {"apiVersion": RBAC, "kind": "RoleBinding", "roleRef": {"kind": kind, "name": name}}
        for kind, name in (("Role", "mine"), ("ClusterRole", "view"))
    ]

    found = rights(role, *bindings).rules

    assert [one.document() for one in found if "pods" in one.resources] == [rule]
    [bind] = [one.document() for one in found if one.verbs == ("bind",)]
    assert (bind["resources"], bind["resourceNames"]) == (["clusterroles"], ["view"])


def test_urls_in_roles_are_kept() -> None:
    """A chart for monitoring has such rules."""
    rule = {"nonResourceURLs": ["/metrics"], "verbs": ["get"]}
    role = {"apiVersion": RBAC, "kind": "ClusterRole", "metadata": {"name": "m"}, "rules": [rule]}

    assert rule in [one.document() for one in rights(role).rules]
    assert rule not in [one.document() for one in rights(role, namespaced=True).rules]


def test_an_operator_of_one_namespace_has_no_rights_outside() -> None:
    """No Role can give them; the note says what to do."""
    found = rights(
        {"apiVersion": RBAC, "kind": "ClusterRole", "metadata": {"name": "a"}},
        {"apiVersion": "v1", "kind": "Service"},
        namespaced=True,
    )

    assert pairs(found) == {("", "services")}
    assert found.notes[0].startswith("the chart has clusterroles, which are in no namespace")


def test_a_broken_rule_is_told() -> None:
    """The chart cannot be installed anyway."""
    role = {"apiVersion": RBAC, "kind": "Role", "metadata": {"name": "a"}, "rules": [{"verbs": []}]}

    with pytest.raises(SchemaError, match="a rule of Role in the chart is broken"):
        rights(role)


def test_crds_of_the_chart_are_installed_too() -> None:
    """Helm creates them before all else."""
    made = chart()
    files = {**made.files, "crds/a.yaml": "kind: CustomResourceDefinition\n"}

    found = manifest_rights("", made._replace(files=files), namespaced=False)

    assert pairs(found) == {("apiextensions.k8s.io", "customresourcedefinitions")}


def test_templates_say_what_they_may_render_to() -> None:
    """Without the program helm, that is all there is to know."""
    found = template_rights(default_chart("Shop", Templates()), namespaced=False)

    assert pairs(found) == {
         ("", "serviceaccounts"), ("", "services"), ("apps", "deployments"),
        ("autoscaling", "horizontalpodautoscalers"), ("networking.k8s.io", "ingresses"),
    }  # fmt: skip
    assert found.notes == ()


def test_templates_of_charts_inside_count() -> None:
    """They are installed with the chart."""
    made = chart()
    job = "apiVersion: \"batch/v1\"  # old\nkind: 'Job'\n"
    files = {**made.files, "charts/till/templates/a.yaml": job, "charts/till/values.yaml": job}

    found = template_rights(made._replace(files=files), namespaced=False)

    assert pairs(found) == {("batch", "jobs")}


def test_a_kind_that_values_decide_about_is_told() -> None:
    """Nobody would know which right is missing."""
    made = chart(
        a="kind: {{ .Values.kind }}\n", b="apiVersion: {{ x }}\nkind: Ingress\n---\nkind: Job\n"
    )

    found = template_rights(made, namespaced=False)

    assert pairs(found) == {("networking.k8s.io", "ingresses"), ("batch", "jobs")}
    assert found.notes == ("helm-charts/shop/templates/a.yaml has a kind that values decide about",)


def test_roles_that_were_not_rendered_are_told() -> None:
    """What is in them is not known, and it takes more than the right to create them."""
    found = template_rights(chart(a=f"apiVersion: {RBAC}\nkind: Role\n"), namespaced=False)

    assert found.notes[0].startswith("the chart has roles or bindings: add the rules of these")


def test_the_objects_themselves_are_read_and_their_status_is_written() -> None:
    """And a finalizer is put on them, which is an update."""
    shop = ProjectResource(kind="Shop", version="v1", group="town", domain="example.com")

    assert [one.resources for one in kind_rules(shop)] == [
        ("shops",), ("shops/finalizers",), ("shops/status",),
    ]  # fmt: skip

"""Which files are made from an operator, and what is in them."""

from pathlib import Path
from typing import Any

import pytest

import kubewright as kw
from kubewright.crd import PolicyRule, from_yaml
from kubewright.errors import ConfigError, SchemaError
from kubewright.kinds.apps.v1 import Deployment
from kubewright.kinds.core.v1 import Namespace, Secret
from kubewright.scaffold.manifests import (
    CONVERSION,
    MARK,
    ROLE,
    WEBHOOKS,
    is_ours,
    manifests_of,
    single_manifests,
    widened,
)
from kubewright.scaffold.project import Project, ProjectResource
from kubewright.webhook import WebhookServing

BASE = "config/crd/bases/shop.example.com_stands.yaml"
Document = dict[str, Any]


class StandSpec(kw.Model):
    size: int = 1


@kw.resource(group="shop.example.com", version="v1")
class Stand(kw.Resource):
    """A stand on a market."""

    spec: StandSpec = kw.field(default_factory=StandSpec)


@kw.resource(group="shop.example.com", version="v1alpha1", kind="Stand", storage=False)
class OldStand(kw.Resource):
    """A stand, as it was."""

    width: int = 1


class Unclear(kw.Model):
    price: int | str = 1


@kw.resource(group="shop.example.com", version="v1")
class Faulty(kw.Resource):
    """Has a field of which no schema can be made."""

    spec: Unclear = kw.field(default_factory=Unclear)


def project(**more: Any) -> Project:
    """Return a project whose code is this module."""
    return Project(domain="example.com", project_name="market", repo="tests", **more)


def market(
    kind: Any = Stand, *, webhooks: bool = False, conversion: bool = False, **options: Any
) -> kw.Operator:
    """Return an operator for stands."""
    operator = kw.Operator("market", rules=options.pop("rules", ()))

    @operator.reconciler(kind, **options)
    async def reconcile(stand: Stand, ctx: kw.Context) -> None: ...

    if webhooks:

        @operator.defaulter(Stand)
        def set_defaults(stand: Stand) -> None: ...

        @operator.validator(Stand)
        def check(stand: Stand, ctx: kw.AdmissionContext[Stand]) -> None: ...

    if conversion:
        versions = operator.conversion(Stand)

        @versions.to_hub(OldStand)
        def newer(old: OldStand) -> Stand:
            return Stand(spec=StandSpec(size=old.width))

        @versions.from_hub(OldStand)
        def older(stand: Stand) -> OldStand:
            return OldStand(width=stand.spec.size)

    return operator


def nothing(namespace: Namespace) -> list[kw.Request]:
    """Return no stand to look after when *namespace* changes."""
    return []


def role(documents: list[Document], kind: str) -> Document:
    """Return the only document of *kind*."""
    (found,) = (one for one in documents if one["kind"] == kind)
    return found


def allowed(documents: list[Document], kind: str) -> dict[str, list[str]]:
    """Return the verbs on each resource in the role of *kind*."""
    rules = role(documents, kind)["rules"]
    return {name: rule["verbs"] for rule in rules for name in rule["resources"]}


def test_an_operator_without_webhooks_has_a_crd_and_a_role() -> None:
    """The names are those of controller-gen, which kustomizations of others list as well."""
    files = manifests_of(market(owns=[Deployment]), project())

    assert sorted(files) == [BASE, ROLE]
    (crd,) = from_yaml(files[BASE])
    assert crd["metadata"] == {"name": "stands.shop.example.com"}
    documents = from_yaml(files[ROLE])
    assert [(one["kind"], one["metadata"]["name"]) for one in documents] == [
        ("ClusterRole", "manager-role")
    ]
    assert allowed(documents, "ClusterRole") == {
        "deployments": ["create", "delete", "get", "list", "patch", "watch"],
        "events": ["create", "patch"],
        "stands": ["get", "list", "watch"],
        "stands/finalizers": ["update"],
    }


def test_every_file_says_that_it_is_generated() -> None:
    """Nobody should edit it, and only such files are overwritten and removed."""
    files = manifests_of(market(webhooks=True, conversion=True), project())

    assert sorted(files) == [BASE, CONVERSION, ROLE, WEBHOOKS]
    assert all(is_ours(text) and text.startswith(MARK) for text in files.values())
    assert not is_ours("apiVersion: v1\n" + MARK)
    assert is_ours(files[ROLE].replace("\n", "\r\n")), "as git writes it on Windows"


def test_a_new_project_has_a_role_that_allows_nothing() -> None:
    """The binding of the scaffold names it from the first day on."""
    documents = from_yaml(manifests_of(kw.Operator("market"), project())[ROLE])

    assert [(one["kind"], one["rules"]) for one in documents] == [("ClusterRole", [])]


def test_with_the_prefix_of_the_project_configurations_have_the_names_looked_for() -> None:
    """The operator writes the authority of its certificate into them, by these names."""
    operator = market(webhooks=True)

    found = from_yaml(manifests_of(operator, project())[WEBHOOKS])

    names = [f"market-{one['metadata']['name']}" for one in found]
    assert tuple(names) == operator.webhooks.configuration_names
    for one in found:
        service = one["webhooks"][0]["clientConfig"]["service"]
        assert f"market-{service['name']}" == WebhookServing().named("market", "").service
        assert service["namespace"] == "system"


def test_the_rights_for_the_certificate_are_in_a_second_role_with_its_binding() -> None:
    """A Secret must not be open in all namespaces; names in rules are not changed by kustomize."""
    operator = market(webhooks=True)

    documents = from_yaml(manifests_of(operator, project())[ROLE])

    kinds = ["ClusterRole", "Role", "RoleBinding"]
    assert [one["kind"] for one in documents] == kinds
    secrets = [one for one in role(documents, "Role")["rules"] if "resourceNames" in one]
    assert [one["resourceNames"] for one in secrets] == [["market-webhook-server-cert"]]
    binding = role(documents, "RoleBinding")
    assert binding["metadata"] == {"name": "manager-rolebinding", "namespace": "system"}
    assert binding["roleRef"] == {
        "apiGroup": "rbac.authorization.k8s.io",
        "kind": "Role",
        "name": "manager-role",
    }
    assert binding["subjects"] == [
        {"kind": "ServiceAccount", "name": "controller-manager", "namespace": "system"}
    ]
    named = {
        name
        for rule in role(documents, "ClusterRole")["rules"]
        for name in rule.get("resourceNames", ())
    }
    assert named == {target.name for target in operator.webhooks.targets()}


def test_a_conversion_is_in_a_patch_and_not_in_the_crd() -> None:
    """Whoever applies config/crd alone has no Service, and objects could not be read."""
    files = manifests_of(market(conversion=True), project())

    (crd,) = from_yaml(files[BASE])
    assert "conversion" not in crd["spec"]
    assert [one["name"] for one in crd["spec"]["versions"]] == ["v1", "v1alpha1"]
    (patch,) = from_yaml(files[CONVERSION])
    assert patch["metadata"] == crd["metadata"]
    service = patch["spec"]["conversion"]["webhook"]["clientConfig"]["service"]
    assert service == {
        "name": "market-webhook-service",
        "namespace": "system",
        "path": "/convert",
    }
    assert WEBHOOKS not in files


def test_an_operator_for_its_own_namespace_has_a_role_there() -> None:
    """Whoever deploys it needs no rights on the cluster."""
    documents = from_yaml(manifests_of(market(), project(namespaced=True))[ROLE])

    assert [one["kind"] for one in documents] == ["Role"]
    assert documents[0]["metadata"] == {"name": "manager-role", "namespace": "system"}
    assert "stands" in allowed(documents, "Role")


def test_kinds_without_namespaces_need_a_cluster_role_in_any_case() -> None:
    """It comes with its binding, since that of the scaffold is for the Role."""
    operator = market(watches=[kw.Watches(Namespace, map=nothing)])

    documents = from_yaml(manifests_of(operator, project(namespaced=True))[ROLE])

    assert [one["kind"] for one in documents] == ["Role", "ClusterRole", "ClusterRoleBinding"]
    assert allowed(documents, "ClusterRole") == {"namespaces": ["get", "list", "watch"]}
    assert "namespace" not in role(documents, "ClusterRoleBinding")["metadata"]


@pytest.mark.parametrize("namespace", ["system", "market-system"])
def test_a_rule_for_the_own_namespace_is_in_the_role(namespace: str) -> None:
    """By the name that it has in config/, or by that after kustomize."""
    rule = PolicyRule(("",), ("secrets",), ("get",), namespace=namespace)

    documents = from_yaml(manifests_of(market(rules=[rule]), project())[ROLE])

    assert allowed(documents, "Role") == {"secrets": ["get"]}
    assert widened(market(rules=[rule]), project()) == []


def test_rights_in_other_namespaces_are_rights_in_all_and_that_is_told() -> None:
    """Kustomize would move a Role for another namespace, and the operator would lack its rights."""
    operator = market(kw.For(Stand, namespaces=["east", "west"]))

    documents = from_yaml(manifests_of(operator, project())[ROLE])

    assert [one["kind"] for one in documents] == ["ClusterRole"]
    assert "stands" in allowed(documents, "ClusterRole")
    assert widened(operator, project()) == ["east", "west"]


def test_kinds_of_others_have_no_crd() -> None:
    """Who owns a kind installs it; ours would replace theirs."""
    declared = project(resources=[ProjectResource(
        kind="Stand", version="v1", group="shop", domain="example.com", external=True
    )])  # fmt: skip
    elsewhere = Project(domain="example.com", project_name="market", repo="somewhere")

    assert list(manifests_of(market(), declared)) == [ROLE]
    assert list(manifests_of(market(), elsewhere)) == [ROLE]


def test_an_operator_with_another_name_is_refused() -> None:
    """Deployed, it would look for its webhook configurations under names that nothing has."""
    with pytest.raises(ConfigError, match=r"called 'other'.*'market'.*kw\.Operator\('market'\)"):
        manifests_of(kw.Operator("other"), project())


def test_a_field_without_a_schema_is_named_with_its_file_and_line() -> None:
    """An editor opens it with a click."""
    operator = kw.Operator("market")

    @operator.reconciler(Faulty)
    async def reconcile(faulty: Faulty, ctx: kw.Context) -> None: ...

    line = next(
        number
        for number, text in enumerate(Path(__file__).read_text().splitlines(), 1)
        if text.startswith("    price:")
    )
    with pytest.raises(SchemaError, match=rf"test_manifests\.py:{line}: Faulty\.spec\.price"):
        manifests_of(operator, project())
    with pytest.raises(SchemaError, match=rf"test_manifests\.py:{line}: Faulty\.spec\.price"):
        single_manifests(operator)


def test_something_else_than_a_rule_is_refused() -> None:
    """Such as a mapping in the form that the YAML will have."""
    wrong: Any = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}

    with pytest.raises(ConfigError, match="is not an RBAC rule"):
        manifests_of(market(rules=[wrong]), project())


def test_manifests_without_a_project_can_be_applied_as_they_are() -> None:
    """They have the final names, and the namespace in which the operator will run."""
    operator = market(webhooks=True, conversion=True)

    files = single_manifests(operator, namespace="stalls")

    assert list(files) == ["crd.yaml", "rbac.yaml", "webhooks.yaml"]
    (crd,) = from_yaml(files["crd.yaml"])
    where = crd["spec"]["conversion"]["webhook"]["clientConfig"]["service"]
    assert (where["name"], where["namespace"]) == ("market-webhook-service", "stalls")
    roles = [(one["kind"], one["metadata"]) for one in from_yaml(files["rbac.yaml"])]
    assert roles == [
        ("ClusterRole", {"name": "market"}),
        ("Role", {"name": "market", "namespace": "stalls"}),
    ]
    *configurations, service = from_yaml(files["webhooks.yaml"])
    names = tuple(one["metadata"]["name"] for one in configurations)
    assert names == operator.webhooks.configuration_names
    assert service["metadata"] == {"name": "market-webhook-service", "namespace": "stalls"}


def test_without_a_project_empty_files_are_left_out() -> None:
    """A file with a comment alone is refused by kubectl."""
    assert single_manifests(kw.Operator("market")) == {}
    assert list(single_manifests(market())) == ["crd.yaml", "rbac.yaml"]
    assert list(single_manifests(market(conversion=True))) == [
        "crd.yaml",
        "rbac.yaml",
        "webhooks.yaml",
    ]


def test_secrets_of_reconcilers_stay_readable_everywhere() -> None:
    """The narrow right for the certificate must not take the place of a wide one."""
    documents = from_yaml(manifests_of(market(webhooks=True, owns=[Secret]), project())[ROLE])

    assert "secrets" in allowed(documents, "ClusterRole")

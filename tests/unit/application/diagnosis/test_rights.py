from msgspec.structs import replace

import kubewright as kw
from kubewright.api.kind import ObjectKey
from kubewright.application.diagnosis import Patient
from kubewright.application.diagnosis.rights import (
    Binding,
    grant,
    judge_binding,
    judge_rights,
    look,
    rules_for,
)
from kubewright.crd import PolicyRule, from_yaml
from kubewright.kinds.core.v1 import Namespace, Pod, ServiceAccount
from kubewright.kinds.rbac.v1 import ClusterRoleBinding, RoleBinding
from kubewright.testing import EmbeddedServer
from tests.unit.application.diagnosis.ward import installed, made, told

ACCOUNT = ObjectKey("shops", "shop")
PODS = PolicyRule(("",), ("pods",), ("get",))
SECRETS = PolicyRule(("",), ("secrets",), ("get",), namespace="shops")


def operator() -> kw.Operator:
    """Return an operator that watches pods."""
    made_ = kw.Operator("shop")

    @made_.reconciler(Pod)
    async def reconcile(pod: Pod, ctx: kw.Context) -> None:
        """Do nothing."""

    return made_


def leases(*flags: str) -> list[tuple[str, ...]]:
    """Return the resources of the rules of Leases with these flags."""
    found = rules_for(operator(), installed(flags=", ".join(flags)))
    return [one.resources for one in found if "leases" in one.resources]


def test_the_flags_of_the_deployment_decide_which_rights_are_needed() -> None:
    """Without leader election, nobody needs a Lease."""
    assert leases("--leader-elect") == [("leases",)]
    assert leases() == []
    namespaces = rules_for(operator(), installed(flags="--namespace=a, --namespace=b"))
    assert {one.namespace for one in namespaces if "pods" in one.resources} == {"a", "b"}


def test_a_project_for_one_namespace_needs_rights_in_its_own() -> None:
    """Its scaffold has ``--namespace=$(WATCH_NAMESPACE)``; no rights are missing in "$(…)"."""
    watch = "[{name: WATCH_NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}]"

    found = rules_for(operator(), installed(flags="--namespace=$(WATCH_NAMESPACE)", env=watch))

    assert {one.namespace for one in found} == {"shops"}


async def test_rights_in_a_namespace_that_is_not_known_are_not_judged() -> None:
    """A ConfigMap may say which one it is; rights in "$(WATCH)" would be missing for sure."""
    place = installed(flags="--namespace=$(WATCH)")
    async with EmbeddedServer() as server, server.client() as client:
        await client.create(Namespace(metadata=kw.ObjectMeta(name="shops")))
        await client.create(ServiceAccount(metadata=kw.ObjectMeta(name="shop", namespace="shops")))
        patient = Patient(client, operator=operator(), installation=place)

        found = [one async for one in look(patient)]

    assert told(found) == [("info", "deployment/shop in namespace shops")]
    assert "--namespace=$(WATCH)" in found[0].what


async def test_rights_for_system_are_those_of_the_operators_namespace() -> None:
    """That is what a project calls it; nobody ever makes a namespace of that name."""
    ours = kw.Operator("shop", rules=[replace(PODS, namespace="system")])
    async with EmbeddedServer() as server, server.client() as client:
        await client.create(Namespace(metadata=kw.ObjectMeta(name="shops")))
        await client.create(ServiceAccount(metadata=kw.ObjectMeta(name="shop", namespace="shops")))
        patient = Patient(client, operator=ours, installation=installed())

        (found,) = [one async for one in look(patient)]

    assert found.what.splitlines()[1:] == ["  get pods in namespace shops"]


def test_missing_rights_are_listed_with_the_manifest_that_grants_them() -> None:
    """Whoever may grant them pastes it; whoever may not sends it to somebody who may."""
    (found,) = judge_rights([PODS, SECRETS], ACCOUNT, deploy="kubewright deploy")

    assert told([found]) == [("error", "serviceaccount/shop in namespace shops")]
    assert found.what.splitlines()[1:] == ["  get pods", "  get secrets in namespace shops"]
    assert found.mend[1] == "kubewright deploy"
    assert found.mend[-1].startswith("kubectl apply --filename - <<'END'\napiVersion:")
    assert found.mend[-1].endswith("\nEND")


def test_the_grant_is_bound_to_the_account() -> None:
    """A role alone grants nothing."""
    documents = from_yaml(grant([PODS, SECRETS], ACCOUNT))

    assert [one["kind"] for one in documents] == [
        "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding",
    ]  # fmt: skip
    assert documents[3]["metadata"]["namespace"] == "shops"
    assert documents[1]["subjects"] == [
        {"kind": "ServiceAccount", "name": "shop", "namespace": "shops"}
    ]


def test_nothing_is_said_of_rights_that_are_there() -> None:
    """That is the usual case."""
    assert list(judge_rights([], ACCOUNT, deploy="")) == []


def test_a_binding_without_its_role_goes_with_the_rights_that_it_does_not_give() -> None:
    """If rights are missing it explains them; alone it is a fault of its own."""
    text = "metadata: {name: shop, namespace: a}\nroleRef: {kind: Role, name: gone}"
    binding = made(RoleBinding, text)

    (found,) = judge_binding(Binding(binding, role_exists=False), ACCOUNT)

    assert told([found]) == [("warning", "rolebinding/shop in namespace a")]
    assert found.causes == ("serviceaccount/shop in namespace shops",)
    assert found.mend[-1] == "kubectl delete rolebinding shop --namespace a"
    assert list(judge_binding(Binding(binding, role_exists=True), ACCOUNT)) == []


def test_a_cluster_wide_binding_has_no_namespace() -> None:
    """Its command has none either."""
    text = "metadata: {name: shop}\nroleRef: {kind: ClusterRole, name: gone}"

    (found,) = judge_binding(Binding(made(ClusterRoleBinding, text), role_exists=False), ACCOUNT)

    assert found.mend[-1] == "kubectl delete clusterrolebinding shop"

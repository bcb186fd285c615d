"""May the operator do all that it declares, and do the bindings of its account lead anywhere?"""

import json
from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import Any, NamedTuple

from kubewright.api.kind import ObjectKey
from kubewright.application.application import Application
from kubewright.application.diagnosis.finding import Finding, error, fine, info, named, warning
from kubewright.application.diagnosis.installation import Installation
from kubewright.application.diagnosis.patient import Patient
from kubewright.application.rights import missing_rights, user_of
from kubewright.crd import PolicyRule, roles
from kubewright.kinds.authorization.v1 import (
    NonResourceAttributes,
    SubjectAccessReview,
    SubjectAccessReviewSpec,
)
from kubewright.kinds.core.v1 import ServiceAccount
from kubewright.kinds.rbac.v1 import ClusterRole, ClusterRoleBinding, Role, RoleBinding

__all__ = ["Binding", "judge_binding", "judge_rights", "look", "rules_for"]


class Binding(NamedTuple):
    """A binding of a service account, and whether what it names is there.

    Attributes:
        binding: The binding.
        role_exists: Whether its role is there.
    """

    binding: RoleBinding | ClusterRoleBinding
    role_exists: bool


async def look(patient: Patient) -> AsyncGenerator[Finding, None]:
    """Judge the account of the operator, its rights, and its bindings."""
    place = patient.installation
    if place is None or not place.exists:
        return
    account = place.account
    if await patient.client.find(ServiceAccount, account) is None:
        yield error(
            named("serviceaccount", account.name, account.namespace),
            "There is no such service account, and the operator runs, or is to run, as it.",
            why="Its pods cannot be created.",
            mend=[f"kubectl create serviceaccount {account.name} --namespace {account.namespace}"],
        )
        return
    if patient.operator is not None and place.deployment is not None:
        async for one in _look_at_rights(patient, patient.operator, place):
            yield one
    async for one in _look_at_bindings(patient, account):
        yield one


async def _look_at_rights(
    patient: Patient, operator: Application, place: Installation
) -> AsyncGenerator[Finding, None]:
    user, groups = user_of(place.account)
    asked = NonResourceAttributes(path="/healthz", verb="get")
    spec = SubjectAccessReviewSpec(user=user, groups=groups, non_resource_attributes=asked)
    await patient.client.create(SubjectAccessReview(spec=spec))  # raises if we may not ask
    if unknown := [one for one in place.flags.get("namespace", ()) if "$(" in one]:
        yield info(
            place.subject,
            f"Where it looks is not known: it runs with --namespace={unknown[0]}, and its"
            " Deployment does not say what that is.",
            why="So it is not known either where it needs rights.",
            mend=[f"kubectl logs {place.ref} --tail 50"],
        )
        return
    rules = rules_for(operator, place)
    missing = await missing_rights(
        patient.client, rules, account=place.account, home=place.namespace
    )
    for one in judge_rights(missing, place.account, deploy=patient.commands.deploy):
        yield one
    if not missing:
        yield fine(f"service account {place.account} has all rights that the operator declares")


def rules_for(operator: Application, place: Installation) -> list[PolicyRule]:
    """Return the rules that *operator* needs with the flags that it runs with."""
    makes_certificate = not place.is_on("no-webhooks") and not place.value("webhook-cert-path")
    metrics = place.value("metrics-bind-address", "0") not in {"", "0"}
    lease = place.value("leader-elect-namespace") or place.namespace
    home = place.value("webhook-namespace") or place.namespace
    return operator.rules(
        namespaces=tuple(one for one in place.flags.get("namespace", ()) if one),
        leader_election=lease if place.is_on("leader-elect") else "",
        metrics_secure=metrics and place.is_on("metrics-secure"),
        webhook_secret=home if makes_certificate else "",
    )


def judge_rights(
    missing: Sequence[PolicyRule], account: ObjectKey, *, deploy: str
) -> Iterator[Finding]:
    """Say which rules an account lacks, with the manifest that grants them."""
    if not missing:
        return
    yield error(
        named("serviceaccount", account.name, account.namespace),
        "It lacks rights that the operator declares:\n"
        + "\n".join(f"  {one}" for one in _told(missing)),
        why="The operator is refused where it needs them, and tries again and again.",
        mend=[
            "# Deploy the operator again, with the roles of this version:",
            deploy,
            "# Or grant only what is missing:",
            f"kubectl apply --filename - <<'END'\n{grant(missing, account)}END",
        ],
    )


def grant(rules: Sequence[PolicyRule], account: ObjectKey) -> str:
    """Return manifests of roles with *rules*, and of their bindings to *account*, as short YAML."""
    documents: list[dict[str, Any]] = []
    for role in roles(f"{account.name}-missing-rights", rules):
        documents += [role, _binding_of(role, account)]
    return "---\n".join("".join(_lines(one)) for one in documents)


def _lines(document: dict[str, Any]) -> Iterator[str]:
    """Yield a line for each rule: whoever pastes it can read it first."""
    for key, value in document.items():
        if isinstance(value, list):
            yield f"{key}:\n"
            yield from (f"- {json.dumps(one)}\n" for one in value)
        else:
            yield f"{key}: {value if isinstance(value, str) else json.dumps(value)}\n"


def _binding_of(role: dict[str, Any], account: ObjectKey) -> dict[str, Any]:
    group = "rbac.authorization.k8s.io"
    reference = {"apiGroup": group, "kind": role["kind"], "name": role["metadata"]["name"]}
    subject = {"kind": "ServiceAccount", "name": account.name, "namespace": account.namespace}
    return {
        "apiVersion": role["apiVersion"],
        "kind": f"{role['kind']}Binding",
        "metadata": dict(role["metadata"]),
        "roleRef": reference,
        "subjects": [subject],
    }


def _told(rules: Sequence[PolicyRule]) -> Iterator[str]:
    """Yield a line for each rule: the verbs, the resources, and where."""
    for rule in rules:
        groups = [f".{one}" if one else "" for one in rule.groups]
        what = ", ".join(f"{one}{group}" for one in rule.resources for group in groups)
        names = f" {', '.join(rule.resource_names)}" if rule.resource_names else ""
        where = f" in namespace {rule.namespace}" if rule.namespace else ""
        yield f"{', '.join(rule.verbs)} {what}{names}{where}"


# --- Bindings ---


async def _look_at_bindings(patient: Patient, account: ObjectKey) -> AsyncGenerator[Finding, None]:
    client = patient.client
    cluster_wide = [one async for one in client.list(ClusterRoleBinding)]
    namespaced = [one async for one in client.list(RoleBinding)]
    bindings: list[ClusterRoleBinding | RoleBinding] = [*cluster_wide, *namespaced]
    for binding in bindings:
        if not _is_about(binding, account):
            continue
        reference = binding.role_ref
        if reference.kind == "ClusterRole":
            role: object = await client.find(ClusterRole, reference.name)
        else:
            where = binding.metadata.namespace
            role = await client.find(Role, reference.name, namespace=where)
        for finding in judge_binding(Binding(binding, role is not None), account):
            yield finding


def _is_about(binding: RoleBinding | ClusterRoleBinding, account: ObjectKey) -> bool:
    return any(
        one.kind == "ServiceAccount"
        and (one.namespace or binding.metadata.namespace) == account.namespace
        and one.name == account.name
        for one in binding.subjects
    )


def judge_binding(found: Binding, account: ObjectKey) -> Iterator[Finding]:
    """Say whether the role of a binding is there."""
    binding, reference = found.binding, found.binding.role_ref
    if found.role_exists:
        return
    kind, where = type(binding).__name__.lower(), binding.metadata.namespace or ""
    option = f" --namespace {where}" if where else ""
    yield warning(
        named(kind, binding.metadata.name, where),
        f"It gives service account {account} the {reference.kind} {reference.name}, which does not"
        " exist.",
        why="A binding without its role grants nothing.",
        mend=[
            "# Deploy the operator again, with its roles; or if nobody needs the binding any more:",
            f"kubectl delete {kind} {binding.metadata.name}{option}",
        ],
        causes=(named("serviceaccount", account.name, account.namespace),),
    )

"""Rows of who may do what, of admission, certificates and API services."""

from functools import partial
from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table import text
from kubewright.apiserver.table.duration import Ages, human_duration
from kubewright.apiserver.table.printer import AGE, NAME, Cells, Printer, column
from kubewright.apiserver.table.text import NONE, UNSET, part


def _binding(obj: Obj, age: Ages) -> list[Any]:
    meta, role = obj["metadata"], part(obj, "roleRef")
    names: dict[Any, list[str]] = {"User": [], "Group": [], "ServiceAccount": []}
    for subject in obj.get("subjects") or ():
        name = subject.get("name", "")
        if subject.get("kind") == "ServiceAccount":
            name = f"{subject.get('namespace', '')}/{name}"
        if subject.get("kind") in names:
            names[subject["kind"]].append(name)
    return [
        meta.get("name", ""),
        f"{role.get('kind', '')}/{role.get('name', '')}",
        age(meta.get("creationTimestamp")),
        *(", ".join(found) for found in names.values()),
    ]


def _bindings(noun: str) -> Printer:
    return Printer(
        (
            NAME,
            column("Role", "The role that is given."),
            AGE,
            column("Users", f"Users in the {noun}", wide=True),
            column("Groups", f"Groups in the {noun}", wide=True),
            column("ServiceAccounts", f"ServiceAccounts in the {noun}", wide=True),
        ),
        _binding,
    )


ROLE_BINDINGS = _bindings("roleBinding")
CLUSTER_ROLE_BINDINGS = _bindings("clusterRoleBinding")


def _webhooks(obj: Obj, age: Ages) -> list[Any]:
    meta, count = obj["metadata"], len(obj.get("webhooks") or ())
    return [meta.get("name", ""), count, age(meta.get("creationTimestamp"))]


WEBHOOKS = Printer(
    (
        NAME,
        column(
            "Webhooks",
            "Webhooks indicates the number of webhooks registered in this configuration",
            "integer",
        ),
        AGE,
    ),
    _webhooks,
)


def _policy(obj: Obj, age: Ages, *, rules: str) -> list[Any]:
    meta, spec = obj["metadata"], part(obj, "spec")
    kind = spec.get("paramKind")
    return [
        meta.get("name", ""),
        len(spec.get(rules) or ()),
        f"{kind.get('apiVersion', '')}/{kind.get('kind', '')}" if kind else UNSET,
        age(meta.get("creationTimestamp")),
    ]


_PARAM_KIND = column(
    "ParamKind", "ParamKind specifies the kind of resources used to parameterize this policy"
)
VALIDATING_POLICIES = Printer(
    (
        NAME,
        column(
            "Validations",
            "Validations indicates the number of validation rules defined in this configuration",
            "integer",
        ),
        _PARAM_KIND,
        AGE,
    ),
    partial(_policy, rules="validations"),
)
MUTATING_POLICIES = Printer(
    (
        NAME,
        column(
            "Mutations",
            "Mutation indicates the number of mutations rules defined in this configuration",
            "integer",
        ),
        _PARAM_KIND,
        AGE,
    ),
    partial(_policy, rules="mutations"),
)


def _policy_binding(obj: Obj, age: Ages) -> list[Any]:
    meta, spec = obj["metadata"], part(obj, "spec")
    return [
        meta.get("name", ""),
        spec.get("policyName", ""),
        _parameter(spec.get("paramRef")),
        age(meta.get("creationTimestamp")),
    ]


def _parameter(reference: Obj | None) -> str:
    if reference is None:
        return UNSET
    if reference.get("name"):
        # A name without a namespace may be of a cluster-wide kind, which cannot be told from here.
        return f"{reference.get('namespace') or '*'}/{reference['name']}"
    found = reference.get("selector")
    return UNSET if found is None else _go_selector(found)


def _go_selector(found: Obj) -> str:
    """Return a selector as Go prints the message itself."""
    labels = "".join(
        f"{key}: {value}," for key, value in sorted((found.get("matchLabels") or {}).items())
    )
    rules = "".join(
        f"LabelSelectorRequirement{{Key:{item.get('key', '')},Operator:{item.get('operator', '')},"
        f"Values:[{' '.join(item.get('values') or ())}],}},"
        for item in found.get("matchExpressions") or ()
    )
    return (
        f"&LabelSelector{{MatchLabels:map[string]string{{{labels}}},"
        f"MatchExpressions:[]LabelSelectorRequirement{{{rules}}},}}"
    )


POLICY_BINDINGS = Printer(
    (
        NAME,
        column(
            "PolicyName",
            "PolicyName indicates the policy definition which the policy binding binded to",
        ),
        column(
            "ParamRef", "ParamRef indicates the param resource which sets the configuration param"
        ),
        AGE,
    ),
    _policy_binding,
)


def _signing_request(obj: Obj, age: Ages) -> list[Any]:
    meta, spec = obj["metadata"], part(obj, "spec")
    seconds = spec.get("expirationSeconds")
    return [
        meta.get("name", ""),
        age(meta.get("creationTimestamp")),
        spec.get("signerName") or NONE,
        spec.get("username", ""),
        NONE if seconds is None else human_duration(seconds),
        _decision(part(obj, "status")),
    ]


def _decision(status: Obj) -> str:
    kinds = {item.get("type") for item in status.get("conditions") or ()}
    shown = next((kind for kind in ("Denied", "Approved") if kind in kinds), "Pending")
    failed = ",Failed" if "Failed" in kinds else ""
    return f"{shown}{failed}{',Issued' if status.get('certificate') else ''}"


SIGNING_REQUESTS = Printer(
    (
        NAME,
        AGE,
        column("SignerName", "Who shall sign."),
        column("Requestor", "Who asks."),  # codespell:ignore requestor  # the name is theirs
        column("RequestedDuration", "For how long."),
        column("Condition", "What was decided."),
    ),
    _signing_request,
)


def _trust_bundle(obj: Obj, age: Ages) -> list[Any]:
    return [obj["metadata"].get("name", ""), part(obj, "spec").get("signerName") or NONE]


TRUST_BUNDLES = Printer(
    (NAME, column("SignerName", "Whose certificates these are.")), _trust_bundle
)


def _pod_certificate(obj: Obj, age: Ages) -> list[Any]:
    spec, state = part(obj, "spec"), "Pending"
    for item in part(obj, "status").get("conditions") or ():
        if item.get("type") in ("Issued", "Denied", "Failed"):
            state = item["type"]
    names = ("podName", "serviceAccountName", "nodeName", "signerName")
    return [
        obj["metadata"].get("name", ""),
        *(spec.get(name, "") for name in names),
        state,
        text.labels(spec.get("unverifiedUserAnnotations")),
    ]


POD_CERTIFICATES = Printer(
    (
        NAME,
        column("PodName", "The pod that it is for."),
        column("ServiceAccountName", "The service account of the pod."),
        column("NodeName", "The node of the pod."),
        column("SignerName", "Who shall sign."),
        column("State", "Is the request Pending, Issued, Denied, or Failed?"),
        column("UnverifiedUserAnnotations", "What the pod says besides."),
    ),
    _pod_certificate,
)


def _api_service(obj: Obj, age: Ages) -> list[Any]:
    meta, service = obj["metadata"], part(obj, "spec").get("service")
    found = text.condition(part(obj, "status").get("conditions"), "Available")
    shown = "Unknown" if found is None else found.get("status", "")
    if found is not None and shown != "True" and found.get("reason"):
        shown = f"{shown} ({found['reason']})"
    place = f"{service.get('namespace', '')}/{service.get('name', '')}" if service else "Local"
    return [meta.get("name", ""), place, shown, age(meta.get("creationTimestamp"))]


API_SERVICES = Printer(
    (
        NAME,
        column("Service", "The reference to the service that hosts this API endpoint."),
        column("Available", "Whether this service is available."),
        AGE,
    ),
    _api_service,
)


def _flow_schema(obj: Obj, age: Ages) -> list[Any]:
    meta, spec = obj["metadata"], part(obj, "spec")
    method = spec.get("distinguisherMethod")
    dangling = text.condition(part(obj, "status").get("conditions"), "Dangling")
    return [
        meta.get("name", ""),
        part(spec, "priorityLevelConfiguration").get("name", ""),
        spec.get("matchingPrecedence", 0),
        method.get("type", "") if method else NONE,
        age(meta.get("creationTimestamp")),
        "?" if dangling is None else dangling.get("status", ""),
    ]


def _by_precedence(objects: list[Obj]) -> tuple[list[Obj], Cells]:
    return sorted(objects, key=_precedence), _flow_schema


def _precedence(obj: Obj) -> tuple[int, str]:
    return part(obj, "spec").get("matchingPrecedence", 0), obj["metadata"].get("name", "")


FLOW_SCHEMAS = Printer(
    (
        NAME,
        column("PriorityLevel", "The priority level of matching requests."),
        column("MatchingPrecedence", "Schemas of lower numbers are asked first."),
        column("DistinguisherMethod", "By what flows are told apart."),
        AGE,
        column("MissingPL", "references a broken or non-existent PriorityLevelConfiguration"),
    ),
    _flow_schema,
    of_list=_by_precedence,
)


def _priority_level(obj: Obj, age: Ages) -> list[Any]:
    meta, spec = obj["metadata"], part(obj, "spec")
    limited = spec.get("limited")
    queuing = part(part(limited or {}, "limitResponse"), "queuing")
    return [
        meta.get("name", ""),
        spec.get("type", ""),
        limited.get("nominalConcurrencyShares", 0) if limited else NONE,
        *(queuing.get(name, NONE) for name in ("queues", "handSize", "queueLengthLimit")),
        age(meta.get("creationTimestamp")),
    ]


PRIORITY_LEVELS = Printer(
    (
        NAME,
        column("Type", "Whether requests are limited."),
        column("NominalConcurrencyShares", "The share of requests at a time."),
        column("Queues", "How many queues there are."),
        column("HandSize", "Among how many queues a flow chooses."),
        column("QueueLengthLimit", "How many requests may wait in a queue."),
        AGE,
    ),
    _priority_level,
)

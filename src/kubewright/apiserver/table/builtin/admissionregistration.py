"""Rows of the group ``admissionregistration.k8s.io``."""

from functools import partial
from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import AGE, NAME, Printer, column
from kubewright.apiserver.table.text import UNSET, part


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
        # A name without a namespace may belong to a cluster-scoped kind; nothing here tells.
        return f"{reference.get('namespace') or '*'}/{reference['name']}"
    found = reference.get("selector")
    return UNSET if found is None else _go_selector(found)


def _go_selector(found: Obj) -> str:
    """Return a selector as Go prints its protobuf message."""
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

"""Calls beside rights: which calls no rule allows, and which rights no call needed."""

from collections.abc import Iterable, Mapping

import msgspec

from kubewright.application.calls import Call, Calls, Trace
from kubewright.application.rights import Right, rights_in
from kubewright.crd.rbac import PolicyRule

__all__ = [
    "Comparison",
    "Exempt",
    "Missing",
    "Unused",
    "allows",
    "compare",
]

EVERYBODY: tuple[PolicyRule, ...] = (
    PolicyRule(
        urls=(
            "/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez", "/openapi", "/openapi/*",
            "/readyz", "/version", "/version/",
        ),
        verbs=("get",),
    ),
    PolicyRule(
        ("authorization.k8s.io",),
        ("selfsubjectaccessreviews", "selfsubjectrulesreviews"),
        ("create",),
    ),
    PolicyRule(("authentication.k8s.io",), ("selfsubjectreviews",), ("create",)),
)  # fmt: skip
"""What every user may do who is logged in: system:discovery and system:basic-user."""

ALWAYS: tuple[tuple[PolicyRule, str], ...] = (
    (
        PolicyRule(("",), ("events",), ("create", "patch")),
        "Kubewright records an event for each failure",
    ),
    (
        PolicyRule(("coordination.k8s.io",), ("leases",), ("create", "get", "update")),
        "for leader election, without which tests run",
    ),
    (
        PolicyRule(("authentication.k8s.io",), ("tokenreviews",), ("create",)),
        "to ask who reads the metrics; tests serve none",
    ),
    (
        PolicyRule(("authorization.k8s.io",), ("subjectaccessreviews",), ("create",)),
        "to ask who may read the metrics; tests serve none",
    ),
)
"""Rights that Kubewright itself needs in a cluster, and why no test shows it."""

_BLOCKING = "some clusters ask for it before a child may block the deletion of its owner"

_SHOWN_BY: Mapping[str, frozenset[str]] = {
    "get": frozenset({"get", "list", "watch"}),
    "list": frozenset({"list", "watch"}),
    "watch": frozenset({"list", "watch"}),
}
"""Calls that prove that a right to read is needed.

Who may list may see all that a watch or a get shows. Which of them an informer uses depends on the
age of the server; and after a conflict, or a second operator, an object is read that never was in
a test.
"""


class Missing(msgspec.Struct):
    """A right that calls needed, and no rule gives.

    Attributes:
        right: The right. Its namespace is that of the calls.
        names: The names of the first few objects.
        trace: How often, and where first.
        home: The namespace of the role that should give it; empty for a ClusterRole.
    """

    right: Right
    names: list[str]
    trace: Trace
    home: str = ""


class Unused(msgspec.Struct):
    """A right that no call needed.

    Attributes:
        right: The right.
        declared: What it was derived from, as people know it.
    """

    right: Right
    declared: list[str]


class Exempt(msgspec.Struct):
    """A right that no call needed, and that is right nevertheless.

    Attributes:
        right: The right.
        reason: Why it stays.
    """

    right: Right
    reason: str


class Comparison(msgspec.Struct):
    """What comes out of comparing calls with rights."""

    missing: list[Missing]
    unused: list[Unused]
    exempt: list[Exempt]


def compare(
    calls: Calls,
    rules: Iterable[PolicyRule],
    *,
    exempt: Iterable[tuple[PolicyRule, str]] = (),
    origins: Mapping[Right, list[str]] | None = None,
) -> Comparison:
    """Compare *calls* with what *rules* allow.

    Args:
        calls: What was done.
        rules: What may be done.
        exempt: More rights that may stay unused, and why; namespaces do not count.
        origins: Where rights come from; of those without a namespace.
    """
    granted = list(dict.fromkeys(right for rule in rules for right in rights_in(rule)))
    reasons = {
        right.in_every_namespace: why
        for rule, why in (*ALWAYS, *exempt)
        for right in rights_in(rule)
    }
    found = Comparison(_missing(calls, granted), [], [])
    for right in granted:
        if _is_needed(right, calls):
            continue
        if reason := _reason(right, reasons):
            found.exempt.append(Exempt(right, reason))
        else:
            declared = (origins or {}).get(right.in_every_namespace, [])
            found.unused.append(Unused(right, declared))
    return found


def allows(right: Right, call: Call) -> bool:
    """Return whether *right* allows *call*, as RBAC decides it."""
    if right.verb not in {"*", call.verb}:
        return False
    if right.url or call.url:
        return bool(right.url and call.url) and _matches_url(right.url, call.url)
    _, slash, subresource = call.resource.partition("/")
    return (
        right.group in {"*", call.group}
        and right.resource in {"*", call.resource, f"*/{subresource}" if slash else "*"}
        and right.name in {"", call.name}
        and right.namespace in {"", call.namespace}
    )


def _matches_url(pattern: str, url: str) -> bool:
    if pattern.endswith("*"):
        return url.startswith(pattern.rstrip("*"))
    return pattern == url


def _missing(calls: Calls, granted: list[Right]) -> list[Missing]:
    everything = [*granted, *(right for rule in EVERYBODY for right in rights_in(rule))]
    found: dict[Right, Missing] = {}
    for call, trace in sorted(calls.items(), key=lambda one: one[0]):
        if any(allows(right, call) for right in everything):
            continue
        right = Right(call.namespace, call.group, call.resource, call.verb, url=call.url)
        known = found.setdefault(right, Missing(right, [], Trace(0, trace.test, trace.place)))
        known.trace.count += trace.count
        if call.name:
            known.names.append(call.name)
    return list(found.values())


def _is_needed(right: Right, calls: Calls) -> bool:
    verbs = _SHOWN_BY.get(right.verb, frozenset({right.verb}))
    alike = [right._replace(verb=verb) for verb in verbs]
    return any(allows(one, call) for call in calls for one in alike)


def _reason(right: Right, reasons: Mapping[Right, str]) -> str:
    if right.verb == "update" and right.resource.endswith("/finalizers"):
        return _BLOCKING
    anywhere = right.in_every_namespace
    return reasons.get(anywhere) or reasons.get(anywhere._replace(name=""), "")

"""The rights that an operator needs, as RBAC rules, and which of them are missing."""

import asyncio
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from kubewright.api.kind_reference import kind_text
from kubewright.api.resource import has_status_subresource
from kubewright.cache.selection import namespace_set
from kubewright.controller.declaration import Declaration
from kubewright.controller.watches import KindWatch
from kubewright.crd.rbac import READ, PolicyRule, merged_rules
from kubewright.log import get_logger

if TYPE_CHECKING:
    from kubewright.api.kind import ObjectKey
    from kubewright.client import Client
    from kubewright.kinds.authorization.v1 import SelfSubjectAccessReview, SubjectAccessReview

__all__ = [
    "SYSTEM",
    "Right",
    "merged_rights",
    "missing_rights",
    "parts_of",
    "rights_in",
    "rules_of",
    "text_of",
    "user_of",
]

_log = get_logger(__name__)

SYSTEM: str = "system"
"""What rules of a project call the namespace of the operator; kustomize writes its real name."""

_Namespaces: TypeAlias = Sequence[str]

_EVENT = ("create", "patch")
_LEASE = ("get", "create", "update")
_REVIEWS = (
    ("authentication.k8s.io", "tokenreviews"),
    ("authorization.k8s.io", "subjectaccessreviews"),
)
_EVERYWHERE = ("",)
_OF_NO_NAMESPACE = "default"  # the namespace of events about objects without one
_AT_ONCE = 8
_ANSWER_WITHIN = 2.0


class Right(NamedTuple):
    """One verb on one resource, or on one URL; in all namespaces if none is named."""

    namespace: str
    group: str
    resource: str
    verb: str
    name: str = ""
    url: str = ""

    @property
    def in_every_namespace(self) -> "Right":
        """The same, wherever the object is."""
        return self._replace(namespace="")


def rules_of(
    declarations: Iterable[Declaration],
    *,
    indexed: Iterable[KindWatch[Any]] = (),
    namespaces: Iterable[str] | None = None,
    leader_election: str = "",
    metrics_secure: bool = False,
    more: Iterable[PolicyRule] = (),
) -> list[PolicyRule]:
    """Return the RBAC rules that reconcilers need, merged.

    Kinds that were declared with their own cluster are left out: the rights are granted there.

    Args:
        declarations: The reconcilers.
        indexed: Kinds that are watched only for reading.
        namespaces: Where the operator looks; by default everywhere.
        leader_election: The namespace of the Lease, if there is leader election.
        metrics_secure: Whether the server is asked who may read the metrics.
        more: Rules given by hand. A rule without a namespace goes into the ClusterRole.

    Raises:
        TypeError: One of *more* is not a `PolicyRule`.

    Example:
        >>> [rule.resources for rule in rules_of([], leader_election="shop")]
        [('events',), ('leases',)]
    """
    named = sorted(namespace_set(namespaces))
    home = named or _EVERYWHERE
    found = {right for one in declarations for _, part in parts_of(one, named) for right in part}
    for watch in indexed:
        found.update(_on(watch, home, READ))
    if leader_election:
        found.update(_rights([leader_election], "coordination.k8s.io", "leases", _LEASE))
        found.update(_rights([leader_election], "", "events", _EVENT))  # leader election events
    if metrics_secure:
        for group, resource in _REVIEWS:
            found.update(_rights(_EVERYWHERE, group, resource, ["create"]))
    declared = merged_rights(right for right in found if not _is_covered(right, found))
    return merged_rules([*declared, *map(_check_rule, more)])


async def missing_rights(
    client: "Client",
    rules: Iterable[PolicyRule],
    *,
    account: "ObjectKey | None" = None,
    home: str = "",
) -> list[PolicyRule]:
    """Return those *rules*, made by `rules_of`, that the user of *client* lacks, merged.

    The server is asked about each verb on each resource. If it does not answer within two seconds,
    the right counts as granted: this is only a hint, and the server decides anyway.

    Args:
        client: Asks the server.
        rules: The rights.
        account: A service account whose rights these are, instead of the user's.
        home: The namespace of the operator. Rules of a project call it ``system``: a right there is
            not missing if it is granted at home.
    """
    asked = [right for rule in rules for right in rights_in(rule) if not right.url]
    questions = iter(asked)
    missing: list[Right] = []

    async def ask() -> None:
        for one in questions:  # all tasks take from the same iterator
            if await _is_allowed(client, one, account):
                continue
            own = one._replace(namespace=home) if home and one.namespace == SYSTEM else one
            if own == one or not await _is_allowed(client, own, account):
                missing.append(own)

    async with asyncio.TaskGroup() as group:
        for _ in range(_AT_ONCE):
            group.create_task(ask())
    return merged_rights(missing)


def user_of(account: "ObjectKey") -> tuple[str, list[str]]:
    """Return the name and the groups that a service account has for RBAC."""
    every = "system:serviceaccounts"
    groups = [every, f"{every}:{account.namespace}", "system:authenticated"]
    return f"system:serviceaccount:{account.namespace}:{account.name}", groups


def text_of(rules: Iterable[PolicyRule]) -> str:
    """Return *rules* as YAML to paste into roles; comments say into which.

    Example:
        >>> print(text_of([PolicyRule(groups=("",), resources=("pods",), verbs=("get",))]))
        # in a ClusterRole:
        - apiGroups: [""]
          resources: ["pods"]
          verbs: ["get"]
    """
    by_namespace: dict[str, list[str]] = {}
    for rule in merged_rules(rules):
        by_namespace.setdefault(rule.namespace, []).append(_rule_text(rule))
    alike: dict[str, list[str]] = {}
    for namespace, texts in by_namespace.items():
        alike.setdefault("\n".join(texts), []).append(namespace)
    return "\n".join(f"{_heading(where)}\n{text}" for text, where in alike.items())


# --- Needed rights ---


def parts_of(
    declaration: Declaration, namespaces: Iterable[str] | None = None
) -> Iterator[tuple[str, list[Right]]]:
    """Yield what *declaration* says that is done, and the rights that this takes.

    Kinds in other clusters are left out.
    """
    home = sorted(namespace_set(namespaces)) or _EVERYWHERE
    primary = declaration.primary
    if primary.cluster is not None:
        return
    kind = kind_text(primary.kind)
    yield f"reconciles {kind}", [*_on(primary, home, READ)]
    yield f"writes the status of {kind}", [*_status_of(declaration, home)]
    if declaration.cleanup is not None:
        yield f"cleans up after {kind}", [*_on(primary, home, ["patch"])]
    if declaration.owns:
        # For OwnerReferencesPermissionEnforcement: children block the owner's deletion.
        blocking = _on(primary, home, ["update"], subresource="finalizers")
        yield f"owns children of {kind}", [*blocking]
    for child in declaration.owns:
        # An apply is a patch, and a create if the object is new.
        yield f"owns {kind_text(child.kind)}", [*_on(child, home, (*READ, *child.verbs))]
    for other in declaration.watches:
        yield f"watches {kind_text(other.kind)}", [*_on(other, home, READ)]
    yield "records events", [*_rights(_event_namespaces(primary, home), "", "events", _EVENT)]


def _status_of(declaration: Declaration, home: _Namespaces) -> Iterator[Right]:
    primary, kind = declaration.primary, declaration.primary.kind
    if declaration.function is None or not primary.writes_status:
        return  # of a plain reconciler, its rules say what it writes
    if not isinstance(kind, type):
        yield from _on(primary, home, ["patch"], subresource="status")  # it most likely has one
    elif "status" in kind.__struct_fields__:
        apart = "status" if has_status_subresource(kind) else ""
        yield from _on(primary, home, ["patch"], subresource=apart)


def _on(
    watch: KindWatch[Any], home: _Namespaces, verbs: Iterable[str], *, subresource: str = ""
) -> Iterator[Right]:
    if watch.cluster is not None:
        return
    mapping = watch.mapping
    resource = f"{mapping.plural}/{subresource}" if subresource else mapping.plural
    yield from _rights(_namespaces_of(watch, home), mapping.group, resource, verbs)


def _namespaces_of(watch: KindWatch[Any], home: _Namespaces) -> _Namespaces:
    if not watch.mapping.namespaced:
        return _EVERYWHERE
    return sorted(namespace_set(watch.namespaces)) or home


def _event_namespaces(primary: KindWatch[Any], home: _Namespaces) -> _Namespaces:
    if primary.mapping.namespaced:
        return _namespaces_of(primary, home)
    return home if "" in home else [*home, _OF_NO_NAMESPACE]


def _rights(
    namespaces: _Namespaces, group: str, resource: str, verbs: Iterable[str]
) -> Iterator[Right]:
    return (Right(where, group, resource, verb) for verb in verbs for where in namespaces)


def _is_covered(right: Right, others: set[Right]) -> bool:
    """Say whether *others* include the same right in every namespace."""
    return bool(right.namespace) and right.in_every_namespace in others


# --- Rights and rules ---


def merged_rights(rights: Iterable[Right]) -> list[PolicyRule]:
    """Return the rules that give *rights*, merged."""
    return merged_rules(
        PolicyRule(urls=(one.url,), verbs=(one.verb,))
        if one.url
        else PolicyRule(
            groups=(one.group,),
            resources=(one.resource,),
            verbs=(one.verb,),
            resource_names=(one.name,) if one.name else (),
            namespace=one.namespace,
        )
        for one in rights
    )


def _check_rule(rule: object) -> PolicyRule:
    if isinstance(rule, PolicyRule):
        return rule
    raise TypeError(
        f"{rule!r:.80} is not an RBAC rule: give a kubewright.crd.PolicyRule, or what"
        " kubewright.crd.rules_for returns"
    )


def rights_in(rule: PolicyRule) -> Iterator[Right]:
    """Yield what *rule* allows, one verb on one thing at a time."""
    for group in rule.groups:
        for resource in rule.resources:
            for right in _rights([rule.namespace], group, resource, rule.verbs):
                yield from (right._replace(name=name) for name in rule.resource_names or ("",))
    for url in rule.urls:
        yield from (Right("", "", "", verb, url=url) for verb in rule.verbs)


def _heading(namespaces: list[str]) -> str:
    if namespaces == [""]:
        return "# in a ClusterRole:"
    if len(namespaces) == 1:
        return f"# in a Role in the namespace {namespaces[0]}:"
    return f"# in Roles in each of the namespaces {', '.join(namespaces)}:"


def _rule_text(rule: PolicyRule) -> str:
    lines = [f"{name}: {json.dumps(value)}" for name, value in rule.document().items()]
    return "- " + "\n  ".join(lines)


# --- Granted rights ---


async def _is_allowed(client: "Client", right: Right, account: "ObjectKey | None") -> bool:
    try:
        async with client.clock.timeout(_ANSWER_WITHIN):
            answer = await client.create(_review(right, account))
    except Exception as error:  # noqa: BLE001  # whatever it is, it must not end the operator
        _log.debug(
            "right not checked",
            verb=right.verb, resource=right.resource, group=right.group,
            namespace=right.namespace, error=error,
        )  # fmt: skip
        return True
    return answer.status.allowed


def _review(
    right: Right, account: "ObjectKey | None"
) -> "SelfSubjectAccessReview | SubjectAccessReview":
    from kubewright.kinds.authorization.v1 import (
        ResourceAttributes,
        SelfSubjectAccessReview,
        SelfSubjectAccessReviewSpec,
        SubjectAccessReview,
        SubjectAccessReviewSpec,
    )

    resource, _, subresource = right.resource.partition("/")
    asked = ResourceAttributes(
        namespace=right.namespace,
        group=right.group,
        resource=resource,
        subresource=subresource,
        name=right.name,
        verb=right.verb,
    )
    if account is None:
        return SelfSubjectAccessReview(spec=SelfSubjectAccessReviewSpec(resource_attributes=asked))
    user, groups = user_of(account)
    return SubjectAccessReview(
        spec=SubjectAccessReviewSpec(user=user, groups=groups, resource_attributes=asked)
    )

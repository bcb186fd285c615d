"""The rights that an operator needs, as RBAC rules, and which of them are missing."""

import asyncio
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from kubewright.api.resource import has_status_subresource
from kubewright.cache.selection import namespace_set
from kubewright.controller.declaration import Declaration
from kubewright.controller.watches import KindWatch
from kubewright.crd.rbac import READ, PolicyRule, merged_rules
from kubewright.log import get_logger

if TYPE_CHECKING:
    from kubewright.client import Client
    from kubewright.kinds.authorization.v1 import SelfSubjectAccessReview

__all__ = ["missing_rights", "rules_of", "text_of"]

_log = get_logger(__name__)

_Namespaces: TypeAlias = Sequence[str]

_CHILD = (
    *READ,
    "create",
    "patch",
    "delete",
)  # an apply is a patch, and a create if the object is new
_EVENT = ("create", "patch")
_LEASE = ("get", "create", "update")
_EVERYWHERE = ("",)
_OF_NO_NAMESPACE = "default"  # the namespace of events about objects without one
_AT_ONCE = 8
_ANSWER_WITHIN = 2.0


class _Right(NamedTuple):
    """One verb on one resource; in all namespaces if none is named."""

    namespace: str
    group: str
    resource: str
    verb: str
    name: str = ""

    @property
    def in_every_namespace(self) -> "_Right":
        return self._replace(namespace="")


def rules_of(
    declarations: Iterable[Declaration],
    *,
    indexed: Iterable[KindWatch[Any]] = (),
    namespaces: Iterable[str] | None = None,
    leader_election: str = "",
    more: Iterable[PolicyRule] = (),
) -> list[PolicyRule]:
    """Return the RBAC rules that reconcilers need, merged.

    Kinds that were declared with their own cluster are left out: the rights are granted there.

    Args:
        declarations: The reconcilers.
        indexed: Kinds that are watched only for reading.
        namespaces: Where the operator looks; by default everywhere.
        leader_election: The namespace of the Lease, if there is leader election.
        more: Rules given by hand. A rule without a namespace goes into the ClusterRole.

    Raises:
        TypeError: One of *more* is not a `PolicyRule`.

    Example:
        >>> [rule.resources for rule in rules_of([], leader_election="shop")]
        [('events',), ('leases',)]
    """
    home = sorted(namespace_set(namespaces)) or _EVERYWHERE
    found = {right for one in declarations for right in _rights_of(one, home)}
    for watch in indexed:
        found.update(_on(watch, home, READ))
    if leader_election:
        found.update(_rights([leader_election], "coordination.k8s.io", "leases", _LEASE))
        found.update(_rights([leader_election], "", "events", _EVENT))  # leader election events
    declared = _merged(right for right in found if not _is_covered(right, found))
    return merged_rules([*declared, *map(_check_rule, more)])


async def missing_rights(client: "Client", rules: Iterable[PolicyRule]) -> list[PolicyRule]:
    """Return those *rules*, made by `rules_of`, that the user of *client* lacks, merged.

    The server is asked about each verb on each resource. If it does not answer within two seconds,
    the right counts as granted: this is only a hint, and the server decides anyway.
    """
    questions = iter([right for rule in rules for right in _rights_in(rule)])
    missing: list[_Right] = []

    async def ask() -> None:
        # All tasks take from the same iterator.
        missing.extend([one for one in questions if not await _is_allowed(client, one)])

    async with asyncio.TaskGroup() as group:
        for _ in range(_AT_ONCE):
            group.create_task(ask())
    return _merged(missing)


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


def _rights_of(declaration: Declaration, home: _Namespaces) -> Iterator[_Right]:
    primary = declaration.primary
    if primary.cluster is not None:
        return
    yield from _on(primary, home, READ)
    kind = primary.kind
    if declaration.function is None:
        pass  # a plain reconciler: its rules say what it writes
    elif not isinstance(kind, type):
        yield from _on(primary, home, ["patch"], subresource="status")  # it most likely has one
    elif "status" in kind.__struct_fields__:
        apart = "status" if has_status_subresource(kind) else ""
        yield from _on(primary, home, ["patch"], subresource=apart)
    if declaration.cleanup is not None:
        yield from _on(primary, home, ["patch"])
    if declaration.owns:
        # For OwnerReferencesPermissionEnforcement: children block the owner's deletion.
        yield from _on(primary, home, ["update"], subresource="finalizers")
    for child in declaration.owns:
        yield from _on(child, home, _CHILD)
    for other in declaration.watches:
        yield from _on(other, home, READ)
    yield from _rights(_event_namespaces(primary, home), "", "events", _EVENT)


def _on(
    watch: KindWatch[Any], home: _Namespaces, verbs: Iterable[str], *, subresource: str = ""
) -> Iterator[_Right]:
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
) -> Iterator[_Right]:
    return (_Right(where, group, resource, verb) for verb in verbs for where in namespaces)


def _is_covered(right: _Right, others: set[_Right]) -> bool:
    """Say whether *others* include the same right in every namespace."""
    return bool(right.namespace) and right.in_every_namespace in others


# --- Rights and rules ---


def _merged(rights: Iterable[_Right]) -> list[PolicyRule]:
    return merged_rules(
        PolicyRule(
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


def _rights_in(rule: PolicyRule) -> Iterator[_Right]:
    for group in rule.groups:
        for resource in rule.resources:
            for right in _rights([rule.namespace], group, resource, rule.verbs):
                yield from (right._replace(name=name) for name in rule.resource_names or ("",))


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


async def _is_allowed(client: "Client", right: _Right) -> bool:
    try:
        async with client.clock.timeout(_ANSWER_WITHIN):
            answer = await client.create(_review(right))
    except Exception as error:  # noqa: BLE001  # whatever it is, it must not end the operator
        _log.debug(
            "right not checked",
            verb=right.verb, resource=right.resource, group=right.group,
            namespace=right.namespace, error=error,
        )  # fmt: skip
        return True
    return answer.status.allowed


def _review(right: _Right) -> "SelfSubjectAccessReview":
    from kubewright.kinds.authorization.v1 import (
        ResourceAttributes,
        SelfSubjectAccessReview,
        SelfSubjectAccessReviewSpec,
    )

    resource, _, subresource = right.resource.partition("/")
    return SelfSubjectAccessReview(
        spec=SelfSubjectAccessReviewSpec(
            resource_attributes=ResourceAttributes(
                namespace=right.namespace,
                group=right.group,
                resource=resource,
                subresource=subresource,
                name=right.name,
                verb=right.verb,
            )
        )
    )

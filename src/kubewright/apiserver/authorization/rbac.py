"""RBAC: what the roles that are bound to a user allow.

Decisions are needed for every request, while roles change rarely. So the rules of a user in a
namespace are gathered once, and what they say about a verb on a resource is worked out once; both
are forgotten as soon as any role or binding changes.
"""

from collections.abc import Iterator
from typing import NamedTuple

from kubewright.apiserver.authentication.user import (
    MASTERS,
    UserInfo,
    service_account_name,
)
from kubewright.apiserver.authorization.attributes import AccessAttributes, Decision, Rule
from kubewright.apiserver.authorization.rules import aggregate, allows_path, allows_resource
from kubewright.apiserver.meta.field import quoted
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Obj, Reader

GROUP: str = "rbac.authorization.k8s.io"
ROLES: GroupResource = GroupResource(GROUP, "roles")
ROLE_BINDINGS: GroupResource = GroupResource(GROUP, "rolebindings")
CLUSTER_ROLES: GroupResource = GroupResource(GROUP, "clusterroles")
CLUSTER_ROLE_BINDINGS: GroupResource = GroupResource(GROUP, "clusterrolebindings")

_SUBJECTS_KEPT = 1024
_DECISIONS_KEPT = 4096

Revisions = tuple[int, int, int, int]


class _Grant(NamedTuple):
    """A rule that applies, and the reason that is given for what it allows."""

    rule: Rule
    reason: str


class _Candidate(NamedTuple):
    """A rule that allows the verb, for these names or for all."""

    names: frozenset[str] | None
    decision: Decision


class _Subject:
    """All that one user may do in one namespace."""

    __slots__ = ("_grants", "_known", "_refusal")

    def __init__(self, grants: list[_Grant], errors: list[str]) -> None:
        self._grants = grants
        self._refusal = Decision(
            allowed=False, reason=f"RBAC: {aggregate(errors)}" if errors else ""
        )
        self._known: dict[tuple[str, ...], tuple[_Candidate, ...]] = {}

    def decide(self, asked: AccessAttributes) -> Decision:
        key: tuple[str, ...] = (asked.verb, asked.path)
        if asked.is_resource:
            key = (asked.verb, asked.group, asked.resource, asked.subresource)
        candidates = self._known.get(key)
        if candidates is None:
            candidates = self._learn(key, asked)
        for names, decision in candidates:
            if names is None or asked.name in names:
                return decision
        return self._refusal

    def _learn(self, key: tuple[str, ...], asked: AccessAttributes) -> tuple[_Candidate, ...]:
        if len(self._known) >= _DECISIONS_KEPT:
            self._known.clear()
        found = self._known[key] = tuple(self._candidates(asked))
        return found

    def _candidates(self, asked: AccessAttributes) -> Iterator[_Candidate]:
        for rule, reason in self._grants:
            if not _allows(rule, asked):
                continue
            names = rule.get("resourceNames") if asked.is_resource else None
            yield _Candidate(frozenset(names) if names else None, Decision(True, reason))
            if not names:
                return


def _allows(rule: Rule, asked: AccessAttributes) -> bool:
    if not asked.is_resource:
        return allows_path(rule, asked.verb, asked.path)
    return allows_resource(
        rule, asked.verb, asked.group, resource=asked.resource, subresource=asked.subresource
    )


class RBAC:
    """Decides by the roles and bindings that are stored."""

    knows_all_rules: bool = True

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._revisions: Revisions = (-1, -1, -1, -1)
        self._subjects: dict[tuple[str, tuple[str, ...], str], _Subject] = {}

    def authorize(self, attributes: AccessAttributes) -> Decision:
        """Decide about one request."""
        user = attributes.user
        if MASTERS in user.groups:
            return _SUPERUSER
        revisions = self._current()
        if revisions != self._revisions:
            self._subjects.clear()
            self._revisions = revisions
        key = (user.name, user.groups, attributes.namespace)
        subject = self._subjects.get(key)
        if subject is None:
            subject = self._remember(key, user)
        return subject.decide(attributes)

    def rules_for(self, user: UserInfo, namespace: str) -> tuple[list[Rule], list[str]]:
        """Return all rules for *user* in *namespace*, and which roles are missing."""
        grants, errors = self._grants(user, namespace)
        return [grant.rule for grant in grants], errors

    def find_role(self, reference: Obj, namespace: str) -> Obj | None:
        """Return the role that a binding in *namespace* refers to."""
        if reference.get("kind") == "ClusterRole":
            return self._reader.find_object(CLUSTER_ROLES, "", reference.get("name", ""))
        return self._reader.find_object(ROLES, namespace, reference.get("name", ""))

    def _current(self) -> Revisions:
        of = self._reader.revision_of
        return of(ROLES), of(ROLE_BINDINGS), of(CLUSTER_ROLES), of(CLUSTER_ROLE_BINDINGS)

    def _remember(self, key: tuple[str, tuple[str, ...], str], user: UserInfo) -> _Subject:
        if len(self._subjects) >= _SUBJECTS_KEPT:
            self._subjects.clear()
        found = self._subjects[key] = _Subject(*self._grants(user, key[2]))
        return found

    def _grants(self, user: UserInfo, namespace: str) -> tuple[list[_Grant], list[str]]:
        grants: list[_Grant] = []
        errors: list[str] = []
        for binding, subject in self._bindings(user, namespace):
            within = binding["metadata"].get("namespace", "")
            reference = binding.get("roleRef") or {}
            role = self.find_role(reference, within)
            if role is None:
                errors.append(_missing(reference))
                continue
            reason = f"RBAC: allowed by {_described(binding, subject)}"
            grants += [_Grant(rule, reason) for rule in role.get("rules") or ()]
        return grants, errors

    def _bindings(self, user: UserInfo, namespace: str) -> Iterator[tuple[Obj, Obj]]:
        """Yield each binding that applies, with the first of its subjects that does."""
        bindings = list(self._reader.list(CLUSTER_ROLE_BINDINGS))
        if namespace:
            bindings += self._reader.list(ROLE_BINDINGS, namespace)
        for binding in bindings:
            within = binding["metadata"].get("namespace", "")
            for subject in binding.get("subjects") or ():
                if _applies(subject, user, within):
                    yield binding, subject
                    break


_SUPERUSER = Decision(allowed=True)


def _applies(subject: Obj, user: UserInfo, namespace: str) -> bool:
    kind, name = subject.get("kind"), subject.get("name", "")
    if kind == "User":
        return bool(name == user.name)
    if kind == "Group":
        return name in user.groups
    if kind != "ServiceAccount":
        return False
    within = subject.get("namespace") or namespace
    return bool(within) and user.name == service_account_name(within, name)


def _described(binding: Obj, subject: Obj) -> str:
    metadata, reference = binding["metadata"], binding.get("roleRef") or {}
    namespace = metadata.get("namespace", "")
    name = f"{metadata['name']}/{namespace}" if namespace else metadata["name"]
    kind = "RoleBinding" if namespace else "ClusterRoleBinding"
    to = subject.get("name", "")
    if subject.get("kind") == "ServiceAccount":
        to = f"{to}/{subject.get('namespace') or namespace}"
    role = f"{reference.get('kind', '')} {quoted(reference.get('name', ''))}"
    return f"{kind} {quoted(name)} of {role} to {subject.get('kind', '')} {quoted(to)}"


def _missing(reference: Obj) -> str:
    kind = reference.get("kind", "")
    if kind not in ("Role", "ClusterRole"):
        return f"unsupported role reference kind: {quoted(kind)}"
    return f"{kind.lower()}.{GROUP} {quoted(reference.get('name', ''))} not found"

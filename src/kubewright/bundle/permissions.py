"""The rights of an operator, as a ClusterServiceVersion says them: for each service account."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from kubewright.bundle.collection import Collection, Object, name_of, namespace_of
from kubewright.bundle.document import at, items, mapping, text

__all__ = ["Permissions", "accounts_of", "permissions"]


class Permissions(NamedTuple):
    """What becomes of roles and their bindings.

    Attributes:
        namespaced: ``spec.install.spec.permissions``.
        cluster: ``spec.install.spec.clusterPermissions``.
        left: The roles, bindings and accounts that stay objects of the bundle.
    """

    namespaced: list[Object]
    cluster: list[Object]
    left: list[Object]


def accounts_of(collection: Collection, extra: Iterable[str] = ()) -> list[str]:
    """Return the service accounts that OLM makes: those of the Deployments, and *extra*."""
    found = {
        text(at(one, "spec", "template", "spec", "serviceAccountName")) or "default"
        for one in collection.deployments
    }
    return sorted({*found, *extra})


def permissions(collection: Collection, extra: Iterable[str] = ()) -> Permissions:
    """Return the rights of the operator's service accounts, by account.

    A role that is bound to one of these is taken in; so is its binding, unless it is for others,
    too. Everything else stays as it is.
    """
    accounts = accounts_of(collection, extra)
    roles = {_key(one): one for one in collection.roles}
    rules: dict[tuple[bool, str], list[Any]] = {}
    taken: list[Object] = []
    left: list[Object] = []
    for binding in collection.bindings:
        role = roles.get(_bound(binding))
        own = [one for one in _subjects(binding, role is not None) if one in accounts]
        if role is None or not own:
            left.append(binding)
            continue
        taken.append(role)
        for account in own:
            key = (binding["kind"] == "ClusterRoleBinding", account)
            rules.setdefault(key, []).extend(items(role.get("rules")))
        others = [one for one in items(binding.get("subjects")) if not _is_own(one, accounts)]
        if others:
            left.append({**binding, "subjects": others})
    needed = {_bound(one) for one in left}
    left = [one for one in collection.roles if one not in taken or _key(one) in needed] + left
    left += [one for one in collection.accounts if name_of(one) not in accounts]
    return Permissions(
        _listed(rules, accounts, cluster=False), _listed(rules, accounts, cluster=True), left
    )


def _key(role: Object) -> tuple[str, str, str]:
    namespace = namespace_of(role) if role["kind"] == "Role" else ""
    return str(role["kind"]), namespace, name_of(role)


def _bound(binding: Object) -> tuple[str, str, str]:
    """Return the role that a binding is about."""
    kind = text(at(binding, "roleRef", "kind"))
    namespace = namespace_of(binding) if kind == "Role" else ""
    return kind, namespace, text(at(binding, "roleRef", "name"))


def _subjects(binding: Object, known: bool) -> list[str]:
    found = [mapping(one) for one in items(binding.get("subjects"))] if known else []
    return [text(one.get("name")) for one in found if one.get("kind") == "ServiceAccount"]


def _is_own(subject: Any, accounts: list[str]) -> bool:
    return at(subject, "kind") == "ServiceAccount" and at(subject, "name") in accounts


def _listed(
    rules: dict[tuple[bool, str], list[Any]], accounts: list[str], *, cluster: bool
) -> list[Object]:
    return [
        {"serviceAccountName": account, "rules": rules[cluster, account]}
        for account in accounts
        if rules.get((cluster, account))
    ]

"""The roles that an operator is deployed with, read from manifests."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from kubewright.crd.manifest import from_yaml
from kubewright.crd.rbac import PolicyRule
from kubewright.errors import ConfigError, SchemaError

__all__ = ["ROLES", "Role", "bound_roles", "read_documents", "read_roles", "roles_in"]

ROLES: tuple[str, ...] = ("ClusterRole", "Role")
"""The kinds that have rules."""
_LISTS = {
    "groups": "apiGroups",
    "resources": "resources",
    "verbs": "verbs",
    "resource_names": "resourceNames",
    "urls": "nonResourceURLs",
}


class Role(NamedTuple):
    """One ClusterRole or Role.

    Attributes:
        kind: Which of the two.
        name: Its name.
        place: The file that it is in.
        rules: What it allows, each in its namespace.
        document: The manifest.
    """

    kind: str
    name: str
    place: str
    rules: list[PolicyRule]
    document: dict[str, Any]

    @property
    def namespace(self) -> str:
        """Its namespace; empty for a ClusterRole, and if the manifest names none."""
        return str(self.document["metadata"].get("namespace") or "") if self.kind == "Role" else ""

    def __str__(self) -> str:
        return f"{self.kind} {self.name} in {self.place}"


def read_documents(path: Path) -> list[dict[str, Any]]:
    """Return the manifests in the file *path*.

    Raises:
        ConfigError: It cannot be read, or is not YAML.
    """
    try:
        return from_yaml(path.read_text("utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"cannot read the role: there is no file {path}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read the role {path}: {error}") from error
    except SchemaError as error:
        raise ConfigError(f"{path}: {error}") from error


def read_roles(path: Path) -> list[Role]:
    """Return all roles in the file *path*.

    Raises:
        ConfigError: It has none, or one of them is not valid.
    """
    found = list(roles_in(read_documents(path), place=str(path)))
    if not found:
        raise ConfigError(
            f"{path} has no ClusterRole and no Role. Name the file with the operator's role"
        )
    return found


def roles_in(documents: Iterable[dict[str, Any]], *, place: str) -> Iterator[Role]:
    """Yield the roles among *documents*.

    Raises:
        ConfigError: One of them is not valid.
    """
    for document in documents:
        kind = document.get("kind")
        if kind not in ROLES:
            continue
        name = _metadata(document).get("name")
        if not isinstance(name, str):
            raise ConfigError(f"{place}: a {kind} has no metadata.name")
        where = f"{place}: {kind} {name}"
        namespace = str(_metadata(document).get("namespace") or "") if kind == "Role" else ""
        rules = document.get("rules") or []
        if not isinstance(rules, list):
            raise ConfigError(f"{where}: rules is a list, not {rules!r:.60}")
        read = [_rule(one, f"{where}: rules[{i}]", namespace) for i, one in enumerate(rules)]
        yield Role(kind, name, place, read, document)


def bound_roles(files: Mapping[str, Iterable[dict[str, Any]]]) -> list[Role]:
    """Return the roles that some binding among *files* gives to a service account.

    Rules of a ClusterRole that a RoleBinding names hold in its namespace.

    Args:
        files: The documents of each file, by its path.

    Raises:
        ConfigError: Nothing is bound, or a role that is bound is not there.
    """
    roles = {
        (role.kind, role.name): role
        for place, documents in files.items()
        for role in roles_in(documents, place=place)
    }
    found: list[Role] = []
    for place, documents in files.items():
        for binding in documents:
            if binding.get("kind") not in {"ClusterRoleBinding", "RoleBinding"}:
                continue
            if not _is_for_account(binding):
                continue
            found.append(_bound(roles, binding, place))
    if not found:
        raise ConfigError(
            f"no role is bound to a service account in {', '.join(files) or 'config/rbac'}. Write a"
            " ClusterRoleBinding, or name the roles with --role"
        )
    return found


def _bound(roles: Mapping[tuple[str, str], Role], binding: dict[str, Any], place: str) -> Role:
    reference = binding.get("roleRef")
    reference = reference if isinstance(reference, dict) else {}
    wanted = (str(reference.get("kind")), str(reference.get("name")))
    if wanted not in roles:
        raise ConfigError(
            f"{place}: the {binding['kind']} {_metadata(binding).get('name')} names the"
            f" {' '.join(wanted)}, which no file has"
        )
    role = roles[wanted]
    if binding["kind"] == "RoleBinding" and role.kind == "ClusterRole":
        namespace = str(_metadata(binding).get("namespace") or "")
        rules = [_in(rule, namespace) for rule in role.rules if not rule.urls]
        return role._replace(rules=rules)
    return role


def _in(rule: PolicyRule, namespace: str) -> PolicyRule:
    return PolicyRule(
        rule.groups, rule.resources, rule.verbs, rule.resource_names, namespace=namespace
    )


def _is_for_account(binding: dict[str, Any]) -> bool:
    subjects = binding.get("subjects")
    if not isinstance(subjects, list):
        return False
    return any(isinstance(one, dict) and one.get("kind") == "ServiceAccount" for one in subjects)


def _metadata(document: dict[str, Any]) -> dict[str, Any]:
    found = document.get("metadata")
    return found if isinstance(found, dict) else {}


def _rule(document: object, place: str, namespace: str) -> PolicyRule:
    if not isinstance(document, dict):
        raise ConfigError(f"{place} is a mapping, not {document!r:.60}")
    if unknown := document.keys() - set(_LISTS.values()):
        known = ", ".join(sorted(_LISTS.values()))
        raise ConfigError(f"{place} has {', '.join(sorted(unknown))}; there are: {known}")
    given: dict[str, Any] = {}
    for field, name in _LISTS.items():
        value = document.get(name) or []
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise ConfigError(f"{place}.{name} is a list of texts, not {value!r:.60}")
        given[field] = tuple(value)
    try:
        return PolicyRule(**given, namespace="" if given["urls"] else namespace)
    except ValueError as error:
        raise ConfigError(f"{place} is not valid: {error}") from error

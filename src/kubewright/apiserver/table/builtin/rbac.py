"""Rows of the group ``rbac.authorization.k8s.io``."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import AGE, NAME, Printer, column
from kubewright.apiserver.table.text import part


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

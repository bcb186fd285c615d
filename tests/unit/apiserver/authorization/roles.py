"""Roles and bindings for tests, short to write."""

from typing import Any

from kubewright.apiserver.authorization.rbac import (
    CLUSTER_ROLE_BINDINGS,
    CLUSTER_ROLES,
    GROUP,
    ROLE_BINDINGS,
    ROLES,
)
from tests.unit.apiserver.memory_reader import MemoryReader

Obj = dict[str, Any]


def rule(verbs: str, resources: str, *, groups: str = "", names: str = "") -> Obj:
    found: Obj = {
        "verbs": verbs.split(),
        "apiGroups": groups.split() or [""],
        "resources": resources.split(),
    }
    if names:
        found["resourceNames"] = names.split()
    return found


def paths(verbs: str, urls: str) -> Obj:
    return {"verbs": verbs.split(), "nonResourceURLs": urls.split()}


def role(name: str, *rules: Obj, namespace: str = "", **more: Any) -> Obj:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"metadata": metadata, "rules": list(rules), **more}


def binding(name: str, reference: str, *subjects: str, namespace: str = "") -> Obj:
    kind, _, target = reference.partition(" ")
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {
        "metadata": metadata,
        "roleRef": {"apiGroup": GROUP, "kind": kind, "name": target},
        "subjects": [_subject(*one.split(" ")) for one in subjects],
    }


def _subject(kind: str, name: str) -> Obj:
    within, slash, account = name.partition("/")
    if kind == "ServiceAccount" and slash:
        return {"kind": kind, "namespace": within, "name": account}
    return {"kind": kind, "name": name}


def store(*objects: Obj) -> MemoryReader:
    """Return a reader of these roles and bindings; a namespace decides which kind each is."""
    reader = MemoryReader()
    for obj in objects:
        local = "namespace" in obj["metadata"]
        if "roleRef" in obj:
            reader.put(ROLE_BINDINGS if local else CLUSTER_ROLE_BINDINGS, obj)
        else:
            reader.put(ROLES if local else CLUSTER_ROLES, obj)
    return reader

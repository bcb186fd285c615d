"""What the replay server says about itself: versions, groups and resources, in the old format.

Kopf asks for all of it, and for lists and watches of namespaces and custom resource definitions.
"""

import json
from typing import Any

VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
EMPTY = {
    "/api/v1/namespaces": ("v1", "Namespace"),
    CRDS: ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
}
"""Collections that exist and hold nothing: their paths, versions and kinds."""


def documents() -> dict[str, bytes]:
    """Return each document by its path."""
    core = [
        _resource("configmaps", "ConfigMap", namespaced=True),
        _resource("namespaces", "Namespace", namespaced=False),
        _resource("pods", "Pod", namespaced=True),
        _resource("pods/status", "Pod", namespaced=True),
    ]
    crds = [_resource("customresourcedefinitions", "CustomResourceDefinition", namespaced=False)]
    version = {"groupVersion": "apiextensions.k8s.io/v1", "version": "v1"}
    group = {"name": "apiextensions.k8s.io", "versions": [version], "preferredVersion": version}
    answers: dict[str, dict[str, Any]] = {
        "/version": {"major": "1", "minor": "37", "gitVersion": "v1.37.0"},
        "/api": {"kind": "APIVersions", "versions": ["v1"]},
        "/api/v1": _resources("v1", core),
        "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": [group]},
        "/apis/apiextensions.k8s.io/v1": _resources("apiextensions.k8s.io/v1", crds),
    }
    return {path: json.dumps(answer).encode() for path, answer in answers.items()}


def empty_list(path: str, version: int) -> bytes:
    """Return the list of a collection that holds nothing."""
    api_version, kind = EMPTY[path]
    metadata = {"resourceVersion": str(version)}
    answer = {"kind": f"{kind}List", "apiVersion": api_version, "metadata": metadata, "items": []}
    return json.dumps(answer).encode()


def not_found(path: str) -> bytes:
    """Return the Status of a 404."""
    status = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": f"the replay server has no {path}",
        "reason": "NotFound",
        "code": 404,
    }
    return json.dumps(status).encode()


def _resources(group_version: str, resources: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": group_version,
        "resources": resources,
    }


def _resource(name: str, kind: str, *, namespaced: bool) -> dict[str, Any]:
    return {
        "name": name,
        "singularName": kind.lower(),
        "namespaced": namespaced,
        "kind": kind,
        "verbs": VERBS,
    }

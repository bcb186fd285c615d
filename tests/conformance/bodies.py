"""Small objects as plain JSON, for tests that speak HTTP."""

from typing import Any

CONTAINER: dict[str, Any] = {"name": "main", "image": "busybox"}


def config_map(name: str, *, labels: dict[str, str] | None = None, **data: str) -> dict[str, Any]:
    """Return a ConfigMap with *data*."""
    metadata: dict[str, Any] = {"name": name}
    if labels:
        metadata["labels"] = labels
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def pod(name: str, **spec: Any) -> dict[str, Any]:
    """Return the least that a pod can be; *spec* goes into its spec."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"containers": [CONTAINER], **spec},
    }


def template(app: str = "a") -> dict[str, Any]:
    """Return a pod template with the label *app*."""
    return {"metadata": {"labels": {"app": app}}, "spec": {"containers": [CONTAINER]}}


def deployment(name: str, **spec: Any) -> dict[str, Any]:
    """Return a Deployment; *spec* goes into its spec."""
    selector = {"matchLabels": {"app": "a"}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {"selector": selector, "template": template(), **spec},
    }


def service(name: str, **spec: Any) -> dict[str, Any]:
    """Return a Service with one port; *spec* goes into its spec."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name},
        "spec": {"ports": [{"port": 80}], **spec},
    }


def names(listed: dict[str, Any]) -> list[str]:
    """Return the names of the items of a list, in its order."""
    return [one["metadata"]["name"] for one in listed["items"]]

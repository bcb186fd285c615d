"""A small operator made with Kopf: a ConfigMap for every shop, a status, and an event."""

from typing import Any

import kopf  # type: ignore[import-not-found]  # only in .venv-clients
from kubernetes import client, config  # type: ignore[import-not-found]  # as above


@kopf.on.startup()  # type: ignore[untyped-decorator]  # mypy does not see Kopf
def start(settings: kopf.OperatorSettings, **_: Any) -> None:
    """Log in as the other client does."""
    config.load_kube_config()
    settings.posting.level = 20


@kopf.on.create("example.org", "v1", "shops")  # type: ignore[untyped-decorator]  # mypy does not see Kopf
def create(body: Any, spec: Any, name: str, namespace: str, **_: Any) -> dict[str, Any]:
    """Make the ConfigMap; what is returned goes into the status."""
    made = {"metadata": {"name": name}, "data": {"owner": spec["owner"]}}
    kopf.adopt(made, owner=body)
    client.CoreV1Api().create_namespaced_config_map(namespace, made)
    kopf.info(body, reason="Opened", message=f"{name} is open")
    return {"opened": True}


@kopf.on.update("example.org", "v1", "shops", field="spec.owner")  # type: ignore[untyped-decorator]  # mypy does not see Kopf
def update(new: str, name: str, namespace: str, patch: Any, **_: Any) -> None:
    """Follow the owner."""
    client.CoreV1Api().patch_namespaced_config_map(name, namespace, {"data": {"owner": new}})
    patch.status["owner"] = new


@kopf.on.delete("example.org", "v1", "shops")  # type: ignore[untyped-decorator]  # mypy does not see Kopf
def delete(name: str, namespace: str, **_: Any) -> None:
    """Leave a note behind."""
    note = {"metadata": {"name": f"{name}-closed"}}
    client.CoreV1Api().create_namespaced_config_map(namespace, note)

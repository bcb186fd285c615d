"""An operator with Kopf: a handler as its documentation has it, with the official client."""

import json
import logging
import sys
import threading
from typing import Any

import kopf  # type: ignore[import-not-found]  # only in .venv-bench
import kubernetes  # type: ignore[import-not-found]  # only in .venv-bench

from bench.runtime.tally import Tally

WORK = json.loads(sys.argv[1])
TALLY = Tally(WORK["widgets"])
THREAD = threading.local()  # a client for each: they take turns at the connections of one


@kopf.on.startup()  # type: ignore[untyped-decorator]  # as above
def configure(settings: kopf.OperatorSettings, **_: Any) -> None:
    """Allow as many at a time as the others have; post no events, as the others do."""
    settings.execution.max_workers = WORK["workers"]
    settings.posting.enabled = False


@kopf.on.create("bench.kubewright.dev", "v1", "widgets")  # type: ignore[untyped-decorator]  # as above
def create(name: str, namespace: str, spec: Any, patch: Any, **_: Any) -> None:
    """Apply the child; Kopf writes the status after this has returned."""
    TALLY.began()
    child = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": namespace},
        "data": {"size": str(spec["size"])},
    }
    kopf.adopt(child)
    if not hasattr(THREAD, "api"):
        THREAD.api = kubernetes.client.CoreV1Api(kubernetes.client.ApiClient())
    THREAD.api.patch_namespaced_config_map(
        name,
        namespace,
        child,
        field_manager="bench",
        force=True,
        _content_type="application/apply-patch+yaml",
    )
    patch.status["ready"] = True


@kopf.on.event("bench.kubewright.dev", "v1", "widgets")  # type: ignore[untyped-decorator]  # as above
async def event(name: str, status: Any, **_: Any) -> None:
    """See that the status is written: only then is a Widget done."""
    if status.get("ready"):
        TALLY.done(name)


@kopf.on.event("", "v1", "configmaps")  # type: ignore[untyped-decorator]  # as above
async def child_event(**_: Any) -> None:
    """Watch the children, as the others do."""


if __name__ == "__main__":
    logging.disable()
    kubernetes.config.load_kube_config()
    kopf.run(standalone=True, namespaces=[WORK["namespace"]])

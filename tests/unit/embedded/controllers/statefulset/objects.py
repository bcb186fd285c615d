"""StatefulSets for tests of pure functions."""

from typing import Any

import msgspec

from kubewright.kinds.apps.v1 import StatefulSet
from tests.unit.embedded.controllers.world import workload

CLAIM: dict[str, Any] = {
    "metadata": {"name": "data", "labels": {"kept": "yes"}},
    "spec": {"accessModes": ["ReadWriteOnce"]},
    "status": {"phase": "Pending"},
}


def stateful_set(replicas: int = 3, **spec: Any) -> StatefulSet:
    """Return a set that exists."""
    made = msgspec.convert(workload(replicas=replicas, **spec), StatefulSet)
    made.api_version, made.kind = "apps/v1", "StatefulSet"
    made.metadata.uid = "uid-web"
    made.metadata.generation = 1
    return made

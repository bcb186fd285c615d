"""Deployments and replica sets for tests of pure functions."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from kubewright.kinds.apps.v1 import Deployment, ReplicaSet
from kubewright.kinds.core.v1 import PodTemplateSpec
from tests.unit.embedded.controllers.world import template, workload

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def deployment(replicas: int = 10, **spec: Any) -> Deployment:
    """Return a deployment that exists, and rolls by quarters."""
    rolling = {"maxSurge": "25%", "maxUnavailable": "25%"}
    defaults = {
        "replicas": replicas,
        "strategy": {"type": "RollingUpdate", "rollingUpdate": rolling},
        "progressDeadlineSeconds": 600,
        "revisionHistoryLimit": 2,
    }
    made = msgspec.convert(workload(**{**defaults, **spec}), Deployment)
    made.api_version, made.kind = "apps/v1", "Deployment"
    made.metadata.uid = "uid-web"
    made.metadata.generation = 1
    return made


def replica_set(
    image: str = "good",
    size: int = 0,
    *,
    available: int | None = None,
    age: float = 0.0,
    **notes: Any,
) -> ReplicaSet:
    """Return a set, all of whose pods are available unless it says otherwise."""
    made = msgspec.convert(workload(image, image, replicas=size), ReplicaSet)
    made.spec.template = msgspec.convert(template(image, app="web"), PodTemplateSpec)
    made.metadata.creation_timestamp = NOW - timedelta(seconds=age)
    made.metadata.annotations = {
        f"deployment.kubernetes.io/{name.replace('_', '-')}": str(value)
        for name, value in notes.items()
    }
    up = size if available is None else available
    made.status.replicas = size
    made.status.ready_replicas = made.status.available_replicas = up
    made.status.terminating_replicas = 0
    return made

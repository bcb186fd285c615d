"""The status of a StatefulSet."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from kubewright.embedded.controllers.history import Snapshot
from kubewright.embedded.controllers.pod_state import PodState
from kubewright.embedded.controllers.statefulset.identity import REVISION_LABEL
from kubewright.kinds.apps.v1 import StatefulSet, StatefulSetStatus

__all__ = ["is_up", "reported"]


def is_up(pod: PodState, min_ready: int, now: datetime) -> bool:
    """Return whether *pod* runs, and has been ready for long enough."""
    return pod.phase == "Running" and pod.is_available(min_ready, now)


def reported(
    owner: StatefulSet,
    pods: Sequence[PodState],
    *,
    current: str,
    update: Snapshot,
    now: datetime,
) -> StatefulSetStatus:
    """Return the status of *owner* with current counts.

    Args:
        owner: The set.
        pods: All of its pods.
        current: The name of the revision that it comes from.
        update: The revision that it goes to.
        now: The time.
    """
    new = update.revision.metadata.name
    staying = [pod.labels.get(REVISION_LABEL) for pod in pods if not pod.deleting]
    running = [pod for pod in pods if pod.phase == "Running" and pod.ready]
    min_ready = owner.spec.min_ready_seconds or 0
    status = msgspec.structs.replace(
        owner.status,
        observed_generation=owner.metadata.generation,
        replicas=len(pods),
        ready_replicas=len(running) or None,
        available_replicas=sum(pod.is_available(min_ready, now) for pod in running),
        current_revision=current,
        update_revision=new,
        current_replicas=staying.count(current) or None,
        updated_replicas=staying.count(new) or None,
        collision_count=update.collisions,
    )
    if _is_updated(owner, status):
        status.current_replicas = status.updated_replicas
        status.current_revision = new
    return status


def _is_updated(owner: StatefulSet, status: StatefulSetStatus) -> bool:
    strategy = owner.spec.update_strategy
    rolling = strategy is None or strategy.type == "RollingUpdate"
    counts = (status.updated_replicas, status.ready_replicas, status.replicas)
    return rolling and all((count or 0) == (owner.spec.replicas or 0) for count in counts)

"""Pods as the cache keeps them, and their states, for tests of pure functions."""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import kubewright as kw
from kubewright import _json
from kubewright.cache.codec import Codec
from kubewright.cache.entry import Entry
from kubewright.embedded.controllers.pod_state import PodState
from kubewright.kinds.core.v1 import Pod

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
CODEC = Codec(partial(kw.api.read, kind=Pod))


def entry(
    name: str = "a",
    *,
    phase: str = "Running",
    ready_for: float | None = None,
    age: float = 0.0,
    node: str = "",
    deleting: bool = False,
    restarts: int = 0,
    spec: dict[str, Any] | None = None,
    **metadata: Any,
) -> Entry[Pod]:
    """Return a pod, ready for so many seconds unless that is ``None``."""
    conditions = []
    if ready_for is not None:
        since = NOW - timedelta(seconds=ready_for)
        conditions.append({"type": "Ready", "status": "True", "lastTransitionTime": since})
    document = {
        "metadata": {
            "name": name,
            "namespace": "default",
            "uid": f"uid-{name}",
            "resourceVersion": "1",
            "creationTimestamp": NOW - timedelta(seconds=age),
            "deletionTimestamp": NOW if deleting else None,
            **metadata,
        },
        "spec": {"nodeName": node or None, **(spec or {})},
        "status": {
            "phase": phase,
            "conditions": conditions,
            "containerStatuses": [{"restartCount": restarts}] if restarts else [],
        },
    }
    return CODEC.entry(_json.encode(document))


def state(name: str = "a", **options: Any) -> PodState:
    """Return the state of such a pod."""
    return PodState.of(entry(name, **options))

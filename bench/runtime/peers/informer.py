"""The official client's `SharedInformer`, a `queue.Queue`, and one worker."""

import queue
from typing import Any

from kubernetes import client, config  # type: ignore[import-not-found]  # only in .venv-bench
from kubernetes.informer import (  # type: ignore[import-not-found]  # only in .venv-bench
    SharedInformer,
)

from bench.measure import EventTimer, Numbers, Work
from bench.peers.informer import list_pods

__all__ = ["list_pods", "watch_pods"]


def watch_pods(work: Work) -> Numbers:
    """Measure changes through all of it, to a reconciler that does nothing."""
    config.load_kube_config()
    informer = SharedInformer(client.CoreV1Api().list_pod_for_all_namespaces)
    keys: queue.Queue[tuple[str, str]] = queue.Queue()

    def put(pod: Any) -> None:
        keys.put((pod.metadata.namespace, pod.metadata.name))

    informer.add_event_handler("ADDED", put)
    informer.add_event_handler("MODIFIED", put)
    informer.start()
    for _ in range(work.pods):
        keys.get()
    timer = EventTimer(work.events)
    while True:
        keys.get()
        if timer.hit():
            return timer.result()

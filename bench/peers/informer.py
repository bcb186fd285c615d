"""The official client's `SharedInformer`: its own list, watch and cache."""

import threading
from typing import Any

from kubernetes import client, config  # type: ignore[import-not-found]  # only in .venv-bench
from kubernetes.informer import (  # type: ignore[import-not-found]  # only in .venv-bench
    SharedInformer,
)

from bench.measure import EventTimer, ListTimer, Numbers, Work


def _informer(work: Work, timer: EventTimer) -> tuple[Any, threading.Event, threading.Event]:
    """Return an informer, and what is set when it has listed and when it has watched."""
    config.load_kube_config()
    informer = SharedInformer(client.CoreV1Api().list_pod_for_all_namespaces)
    listed, watched = threading.Event(), threading.Event()
    seen = 0

    def added(pod: Any) -> None:
        nonlocal seen
        seen += 1
        if seen == work.pods:
            listed.set()

    def modified(pod: Any) -> None:
        if timer.hit():
            watched.set()

    informer.add_event_handler("ADDED", added)
    informer.add_event_handler("MODIFIED", modified)
    return informer, listed, watched


def list_pods(work: Work) -> Numbers:
    """Measure the list."""
    informer, listed, _ = _informer(work, EventTimer(work.events))
    timer = ListTimer()
    informer.start()
    listed.wait()
    return timer.done(informer.cache.list_keys(), expected=work.pods)


def watch_pods(work: Work) -> Numbers:
    """Measure the watch."""
    timer = EventTimer(work.events)
    informer, _, watched = _informer(work, timer)
    informer.start()
    watched.wait()
    return timer.result()

"""Kubewright's runtime as users have it: `Cluster` and `Controller`, default settings."""

import asyncio
import time
from collections.abc import Coroutine
from typing import Literal

from bench.measure import ListTimer, Numbers, Work
from bench.ours import requests
from bench.runtime.changes import Changes
from bench.runtime.seen import Seen
from kubewright.cache import Event
from kubewright.client import Config
from kubewright.cluster import Cluster
from kubewright.controller import Controller, Request, Run
from kubewright.kinds.core.v1 import ConfigMap, Namespace, Pod
from kubewright.manager import Manager
from kubewright.workqueue import WorkQueue

__all__ = ["latency", "list_pods", "queue", "requests", "watch_pods"]

BATCH = 10_000
Compress = Literal["auto"] | bool


async def _list_pods(work: Work, compress: Compress) -> Numbers:
    cluster = Cluster(Config.load(), compress=compress)
    await cluster.live.list(Namespace)  # the connection is not the list's
    timer = ListTimer()
    informer = cluster.cache.informer(Pod)
    seen = 0

    def handle(event: object) -> None:
        nonlocal seen
        seen += 1

    registration = informer.add_handler(handle)
    running = asyncio.create_task(cluster.run())
    await _first(running, registration.wait_synced())
    numbers = timer.done(informer.store, expected=work.pods)
    if seen != work.pods:
        raise SystemExit(f"the handler heard of {seen} pods and should have of {work.pods}")
    return numbers


async def _watch_pods(work: Work, compress: Compress, recorded: bool) -> Numbers:
    cluster = Cluster(Config.load(), compress=compress)
    changes, done = Changes(work.events), asyncio.Event()

    async def reconcile(request: Request, run: Run) -> None:
        if changes.reconciled(len(controller.queue)):
            done.set()

    def handle(event: Event[Pod]) -> None:
        if not event.initial:
            changes.seen()

    controller = Controller("pods", reconcile, cluster=cluster, for_=Pod)
    cluster.cache.informer(Pod).add_handler(handle)
    await _control(cluster, controller, done, recorded=recorded)
    return changes.result()


async def _latency(work: Work) -> Numbers:
    cluster = Cluster(Config.load(), namespaces=[work.namespace])
    seen, done = Seen(work.patches), asyncio.Event()

    async def reconcile(request: Request, run: Run) -> None:
        found = await cluster.client.find(ConfigMap, request.key)
        if found and request.name == "one" and seen.note(found.metadata.labels["seq"]):
            done.set()

    controller = Controller("configmaps", reconcile, cluster=cluster, for_=ConfigMap)
    await _control(cluster, controller, done)
    return seen.times


async def _control(
    cluster: Cluster, controller: Controller, done: asyncio.Event, *, recorded: bool = False
) -> None:
    manager = Manager(cluster)
    if recorded:
        manager.runs.record()
    manager.add(controller)
    await _first(asyncio.create_task(manager.run()), done.wait())


async def _first(running: "asyncio.Task[None]", waited: Coroutine[None, None, object]) -> None:
    """Wait until the work is done; a runtime that ends first has failed."""
    waiting = asyncio.ensure_future(waited)
    await asyncio.wait({running, waiting}, return_when=asyncio.FIRST_COMPLETED)
    if not waiting.done():
        running.result()
        raise SystemExit("the runtime ended before its work was done")
    waiting.result()


async def _queue(work: Work) -> Numbers:
    requests = [Request(f"ns-{number % 20}", f"pod-{number}") for number in range(BATCH)]
    queue = WorkQueue[Request]()  # without a name it keeps no metrics, as client-go's does here
    rounds = work.cycles // BATCH
    before = time.process_time()
    for _ in range(rounds):
        for request in requests:
            queue.add(request)
        for _ in range(BATCH):
            request = await queue.get()
            queue.forget(request)
            queue.done(request)
    used = (time.process_time() - before) / (rounds * BATCH)
    return {"cpu_us": used * 1e6, "per_second": 1 / used}


def _run(main: Coroutine[None, None, Numbers]) -> Numbers:
    # Never closed: an orderly end is no part of what is measured.
    return asyncio.Runner().run(main)


def list_pods(work: Work, *, compress: Compress = "auto") -> Numbers:
    """Measure an informer until it holds every pod and has told its handler so."""
    return _run(_list_pods(work, compress))


def watch_pods(work: Work, *, compress: Compress = "auto", recorded: bool = False) -> Numbers:
    """Measure changes through cache, handler and queue to a reconciler that does nothing."""
    return _run(_watch_pods(work, compress, recorded))


def latency(work: Work) -> Numbers:
    """Note when each change of the ConfigMap is reconciled."""
    return _run(_latency(work))


def queue(work: Work) -> Numbers:
    """Measure add, get, forget and done: ten thousand keys in, then out."""
    return _run(_queue(work))

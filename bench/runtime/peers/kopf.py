"""Kopf: its handlers are its reconcilers, called through its own queues."""

import asyncio
from typing import Any

import kopf  # type: ignore[import-not-found]  # only in .venv-bench

from bench.measure import Numbers, Work
from bench.peers.kopf import list_pods, watch_pods
from bench.runtime.seen import Seen

__all__ = ["latency", "list_pods", "watch_pods"]


def latency(work: Work) -> Numbers:
    """Note when each change of the ConfigMap is handled."""
    seen, registry = Seen(work.patches), kopf.get_default_registry()

    async def watch() -> None:
        done = asyncio.Event()

        @kopf.on.startup(registry=registry)  # type: ignore[untyped-decorator]  # as above
        def configure(settings: kopf.OperatorSettings, **_: Any) -> None:
            settings.posting.enabled = False

        @kopf.on.event("", "v1", "configmaps", registry=registry)  # type: ignore[untyped-decorator]  # as above
        async def handle(name: str, labels: Any, **_: Any) -> None:
            if name == "one" and seen.note(labels["seq"]):
                done.set()

        running = kopf.operator(registry=registry, standalone=True, namespaces=[work.namespace])
        operator = asyncio.create_task(running)
        waiting = asyncio.create_task(done.wait())
        await asyncio.wait({operator, waiting}, return_when=asyncio.FIRST_COMPLETED)
        if not done.is_set():
            operator.result()

    asyncio.Runner().run(watch())
    return seen.times

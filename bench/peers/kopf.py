"""Kopf: an operator with one event handler that does nothing; standalone, without posting events.

It has no client to make requests with, so it takes no part in those.
"""

import asyncio
import sys
from collections.abc import Callable
from typing import Any

import kopf  # type: ignore[import-not-found]  # only in .venv-bench

from bench.measure import EventTimer, ListTimer, Numbers, Work

_RUNNER = asyncio.Runner()  # never closed: an orderly end of 10,000 workers would take a minute


def _operator(on_listed: Callable[[str], None], on_change: Callable[[], None]) -> Any:
    """Return the coroutine of an operator that calls back for each pod listed and each change."""
    registry = kopf.get_default_registry()  # the one that brings the login handlers

    @kopf.on.startup(registry=registry)  # type: ignore[untyped-decorator]  # as above
    def configure(settings: kopf.OperatorSettings, **_: Any) -> None:
        settings.posting.enabled = False

    @kopf.on.event("", "v1", "pods", registry=registry)  # type: ignore[untyped-decorator]  # as above
    async def handle(type: str | None, name: str | None, **_: Any) -> None:  # noqa: A002  # its name
        if type is None:
            on_listed(str(name))
        else:
            on_change()

    return kopf.operator(registry=registry, standalone=True, clusterwide=True)


async def _list_pods(work: Work) -> Numbers:
    listed: set[str] = set()
    done = asyncio.Event()

    def on_listed(name: str) -> None:
        listed.add(name)
        if len(listed) == work.pods:
            done.set()

    timer = ListTimer()
    operator = asyncio.create_task(_operator(on_listed, lambda: None))
    await _first(operator, done)
    return timer.done(listed, expected=work.pods)


async def _watch_pods(work: Work) -> Numbers:
    listed: set[str] = set()
    timer, done = EventTimer(work.events), asyncio.Event()

    def on_change() -> None:
        if len(listed) < work.pods:
            sys.exit("a change came before the list was handled: give the server a longer delay")
        if timer.hit():
            done.set()

    operator = asyncio.create_task(_operator(listed.add, on_change))
    await _first(operator, done)
    return timer.result()


async def _first(operator: "asyncio.Task[Any]", done: asyncio.Event) -> None:
    """Wait until the work is done; an operator that ends first has failed."""
    waiting = asyncio.create_task(done.wait())
    await asyncio.wait({operator, waiting}, return_when=asyncio.FIRST_COMPLETED)
    if not done.is_set():
        operator.result()
        sys.exit("the operator ended before its work was done")


def list_pods(work: Work) -> Numbers:
    """Measure the list."""
    return _RUNNER.run(_list_pods(work))


def watch_pods(work: Work) -> Numbers:
    """Measure the watch."""
    return _RUNNER.run(_watch_pods(work))

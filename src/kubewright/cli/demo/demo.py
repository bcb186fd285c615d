"""The command ``kubewright demo``: a cluster, an operator and a custom resource, in ten seconds."""

import asyncio
import shutil
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from kubewright import log
from kubewright._aio import Clock, TaskSet
from kubewright.api.kind import GroupVersionKind
from kubewright.api.resource import gvk_of
from kubewright.api.unstructured import Unstructured
from kubewright.application import Application
from kubewright.cli.demo.screen import Row, Screen, screen
from kubewright.cli.load import load_operator
from kubewright.cli.loop import loop_factory
from kubewright.client import Client
from kubewright.cluster import Cluster
from kubewright.embedded import LocalCluster
from kubewright.errors import KubewrightError
from kubewright.kinds.core.v1 import Pod
from kubewright.manager import Manager
from kubewright.manager.signals import stopping_on_signals

__all__ = ["OPERATOR", "Demo", "run"]

OPERATOR: Path = Path(__file__).with_name("_operator.py")
"""The same file as ``examples/at/at.py``, so that it is there after an installation, too."""
NAME: str = "example-at"
COMMAND: str = "echo YAY"
DELAY: timedelta = timedelta(seconds=5)
PATIENCE: float = 30.0
"""Seconds after which the demo fails: the command is due in 5, and takes less than one."""
INTERRUPTED: int = 130
"""The exit status of a program that Ctrl-C has ended."""


def run() -> int:
    """Run the demo once; return the exit status."""
    log.configure("error", "console")
    shown = screen()
    operator = load_operator(str(OPERATOR))
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(_run(operator, shown))


async def _run(operator: Application, shown: Screen) -> int:
    task = asyncio.current_task()
    assert task is not None
    with stopping_on_signals(task.cancel):
        try:
            await Demo(operator, shown).run()
        except asyncio.CancelledError:
            shown.fail("stopped; everything is cleaned up")
            return INTERRUPTED
        except KubewrightError as error:
            shown.fail(f"the demo failed: {error}")
            return 1
    return 0


class Demo:
    """The steps of the demo, in the order of its `run`.

    Args:
        operator: The operator that reconciles the object.
        shown: Where to show it.
        clock: Where time comes from.
    """

    def __init__(self, operator: Application, shown: Screen, clock: Clock | None = None) -> None:
        self._operator = operator
        self._kind: Any = operator.declarations[0].primary.kind
        self._screen = shown
        self._clock = clock or Clock()
        self._began = self._clock.monotonic()

    async def run(self) -> None:
        """Show everything.

        Raises:
            KubewrightError: Something did not work.
        """
        self._screen.title(
            "A Kubernetes cluster, an operator and a custom resource: all here, now."
        )
        async with self._start_cluster() as client, self._run_operator(client):
            row = await self.apply(client)
            await self.follow(client, row)
            self._screen.log(f"{NAME}-pod", await client.logs(f"{NAME}-pod"))
            self._began = self._clock.monotonic()
        self._screen.show_step(
            "cleaned up", f"in {self._elapsed()}: no process, port or file is left"
        )
        self.say_what_next()

    def say_what_next(self) -> None:
        """Show how to go on; ``make demo`` runs before anything is installed."""
        there = shutil.which("kubewright") is not None
        first = "" if there else ", after `pip install .` in an environment of your own"
        self._screen.title(f"That operator is {OPERATOR}. Work on a copy of it{first}:")
        self._screen.title(f"  cp {OPERATOR} at.py && kubewright dev at.py")

    def _elapsed(self) -> str:
        return f"{self._clock.monotonic() - self._began:.1f} s"

    @asynccontextmanager
    async def _start_cluster(self) -> AsyncIterator[Client]:
        simulate = sys.platform != "linux"  # processes can be supervised only there
        pods = "simulated" if simulate else "processes of this machine"
        async with LocalCluster(simulate=simulate) as cluster, cluster.client() as client:
            self._screen.show_step(
                "cluster", f"{cluster.url}, after {self._elapsed()}; pods are {pods}"
            )
            yield client

    @asynccontextmanager
    async def _run_operator(self, client: Client) -> AsyncIterator[None]:
        (crd,) = await self._operator.install_crds(client)
        manager = Manager(Cluster(client, field_owner=self._operator.name))
        self._operator.add_to(manager)
        async with manager:
            self._screen.show_step("operator", f"{self._operator.name}, which looks after {crd}")
            yield

    async def apply(self, client: Client) -> Row:
        """Apply the object, and return what to show of it."""
        due = (self._clock.now() + DELAY).replace(microsecond=0)
        gvk = gvk_of(self._kind)
        content = {
            "apiVersion": gvk.api_version,
            "kind": gvk.kind,
            "metadata": {"name": NAME},
            "spec": {"schedule": f"{due:%Y-%m-%dT%H:%M:%SZ}", "command": COMMAND},
        }
        await client.apply(Unstructured(content))
        self._screen.show_step(
            "applied", f'{gvk.kind} {NAME}: run "{COMMAND}" at {due:%H:%M:%S} UTC'
        )
        return Row(NAME, due, self._clock.now())

    async def follow(self, client: Client, row: Row) -> None:
        """Show each change until the phase is DONE.

        Raises:
            KubewrightError: That takes too long; the message says how far it came.
        """
        try:
            with self._screen.showing(row) as changed:
                async with self._clock.timeout(PATIENCE), TaskSet() as tasks:
                    tasks.start(_follow_pod(client, row, changed))
                    await _follow(client, gvk_of(self._kind), row, changed)
        except TimeoutError:
            pod = f"its pod is {row.pod_phase}" if row.pod else "it has no pod"
            raise KubewrightError(
                f"{NAME} is {row.phase or 'without a phase'} after {PATIENCE:g} s, and {pod}"
            ) from None


async def _follow(
    client: Client, kind: GroupVersionKind, row: Row, changed: Callable[[], None]
) -> None:
    async with client.watch(kind, initial_events=True) as events:
        async for event in events:
            phase = (event.object.get("status") or {}).get("phase", "")
            if phase != row.phase:
                row.phase = phase
                changed()
            if phase == "DONE":
                return


async def _follow_pod(client: Client, row: Row, changed: Callable[[], None]) -> None:
    async with client.watch(Pod, namespace=client.namespace, initial_events=True) as events:
        async for event in events:
            pod = event.object
            now = (pod.metadata.name, pod.status.phase or "Pending")
            if now != (row.pod, row.pod_phase):
                row.pod, row.pod_phase = now
                changed()

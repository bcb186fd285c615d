"""Run a command at a time: by hand, with two informers and a work queue."""

import argparse
import asyncio
import shlex
import signal
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import kubewright as kw
from kubewright import log
from kubewright.api import is_controlled_by
from kubewright.kinds.core.v1 import Container, Pod, PodSpec

# The API server refuses what does not match, so the operator never sees it.
UTC = "^[1-9][0-9T:.-]*Z$"
SHELL_WORDS = r"""^\s*(([^\s'"\\]|\\.|'[^']*'|"([^"\\]|\\.)*")\s*)+$"""
WORKERS = 2

logger = log.get_logger("at")


class AtSpec(kw.Model):
    """What to run, and when."""

    schedule: Annotated[datetime, kw.Pattern(UTC)]
    """When to run the command, in UTC, such as 2030-01-01T12:00:00Z. The past means at once."""
    command: Annotated[str, kw.Pattern(SHELL_WORDS)]
    """The command line, split as a shell splits words. Every quote must be closed."""


class AtStatus(kw.Model):
    """How far it is."""

    phase: Literal["PENDING", "RUNNING", "DONE"] = "PENDING"
    """PENDING until the time has come, RUNNING while the pod runs, DONE when it has ended."""


@kw.resource(
    group="cnat.programming-kubernetes.info",
    version="v1alpha1",
    columns=[kw.Column("Phase", ".status.phase"), kw.Column("Schedule", ".spec.schedule")],
)
class At(kw.Resource):
    """Runs a command once, at a time."""

    spec: AtSpec
    status: AtStatus | None = None  # None: nobody has written one yet


def pod_for(at: At) -> Pod:
    """Return the pod that runs the command."""
    command = shlex.split(at.spec.command)
    pod = Pod(
        metadata=kw.ObjectMeta(
            name=f"{at.metadata.name}-pod",
            namespace=at.metadata.namespace,
            labels={"app": at.metadata.name},
        ),
        spec=PodSpec(
            restart_policy="OnFailure",
            containers=[Container(name="busybox", image="busybox", command=command)],
        ),
    )
    kw.set_controller_reference(at, pod)  # so that it goes away with the At
    return pod


class AtController:
    """Keeps all Ats as they should be.

    The informers bring what exists into memory and tell of changes. Handlers only note in the queue
    which At to look at; workers look at the whole of it, however many changes there were.
    """

    def __init__(self, client: kw.Client, namespaces: list[str] | None = None) -> None:
        self.client = client
        self.queue = kw.WorkQueue[kw.ObjectKey]("ats", clock=client.clock)
        self.cache = kw.Cache(client, namespaces=namespaces)
        self.ats = self.cache.informer(At)
        self.pods = self.cache.informer(Pod)
        self.ats.add_handler(lambda event: self.queue.add(event.key))
        self.pods.add_handler(self.pod_changed)

    def pod_changed(self, event: kw.Event[Any]) -> None:
        """Note that the At of a pod needs a look."""
        for owner in event.entry.owners:
            if owner.controller and owner.kind == "At":
                self.queue.add(kw.ObjectKey(event.key.namespace, owner.name))

    async def run(self) -> None:
        """Work until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.cache.run())
            await self.ats.wait_for_sync()  # or a pod that exists would be taken for missing
            await self.pods.wait_for_sync()
            for _ in range(WORKERS):
                tasks.create_task(self.work())

    async def work(self) -> None:
        """Take one key after the other; what failed is tried again, later each time."""
        while True:
            key = await self.queue.get()
            try:
                wait = await self.reconcile(key)
            except kw.InvalidError as error:  # no retry can fix that
                logger.warning("reconcile failed for good", key=str(key), error=str(error))
            except Exception as error:  # noqa: BLE001  # whatever it is, the others go on
                logger.warning("reconcile failed", key=str(key), error=str(error))
                self.queue.add_rate_limited(key)
            else:
                self.queue.forget(key)  # of its failures
                if wait > 0:
                    self.queue.add_after(key, wait)
            finally:
                self.queue.done(key)

    async def reconcile(self, key: kw.ObjectKey) -> float:
        """Make the pod when it is time, once; return in how many seconds to look again, or 0."""
        at = self.ats.store.find(key)
        if at is None or at.metadata.deletion_timestamp is not None:
            return 0  # what it owns goes with it
        phase = at.status.phase if at.status else "PENDING"
        if phase == "DONE":  # once is once, even if somebody deletes the pod later
            return 0
        pod = self.pods.store.find(kw.ObjectKey(key.namespace, f"{key.name}-pod"))
        if pod is None and phase == "PENDING":
            wait = (at.spec.schedule - self.client.clock.now()).total_seconds()
            if wait > 0:
                await self.show(at, "PENDING")
                return wait
            pod = await self.client.create(pod_for(at))
        if pod is not None and not is_controlled_by(pod, at):
            raise kw.AlreadyOwnedError(f"the pod {pod.metadata.name} does not belong to {key}")
        ended = pod is None or pod.status.phase in {"Succeeded", "Failed"}  # None: it was deleted
        await self.show(at, "DONE" if ended else "RUNNING")
        return 0

    async def show(self, at: At, phase: str) -> None:
        """Write the phase, if that changes anything."""
        if at.status is None or at.status.phase != phase:
            await self.client.status.patch(At, at.key, {"status": {"phase": phase}})
            logger.info("phase changed", key=str(at.key), phase=phase)


async def main(kubeconfig: Path | None, namespaces: list[str] | None) -> None:
    """Run the controller until a signal comes."""
    log.configure()
    async with kw.Client(kw.Config.load(kubeconfig), field_owner="cnat") as client:
        running = asyncio.ensure_future(AtController(client, namespaces).run())
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, running.cancel)
        with suppress(asyncio.CancelledError):
            await running


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kubeconfig", type=Path, help="as kubectl finds it, unless given")
    parser.add_argument("--namespace", action="append", help="look after this one; all if not")
    arguments = parser.parse_args()
    asyncio.run(main(arguments.kubeconfig, arguments.namespace))

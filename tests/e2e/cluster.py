"""A whole cluster for these tests: an API server, ours or Kubernetes', and what runs pods."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import Future
from contextlib import ExitStack
from pathlib import Path
from typing import Self

import kubewright as kw
from kubewright.embedded.kubelet import KubeletServer
from kubewright.embedded.node import Node, ProcessRuntime
from kubewright.embedded.scheduler import scheduler
from kubewright.testing import EmbeddedCluster, RealServer

PROGRAMS = ("etcd", "kube-apiserver", "kube-controller-manager")
"""What ``real`` needs."""
FLAGS = ("--kubelet-preferred-address-types=InternalIP",)
"""The name of our node does not resolve."""


class EndToEndCluster:
    """A server, controllers, a scheduler and a node that runs containers as local processes.

    With ``real``, the server and the controllers are those of Kubernetes; the rest is ours.
    """

    def __init__(self, choice: str) -> None:
        self.choice = choice
        self._server: RealServer | EmbeddedCluster = (
            RealServer(controllers=True, apiserver_flags=FLAGS)
            if choice == "real"
            else EmbeddedCluster(simulate=False)
        )
        self._stack = ExitStack()

    @property
    def kubeconfig_file(self) -> Path:
        """A kubeconfig of the administrator."""
        return self._server.kubeconfig_file

    def config(self) -> kw.Config:
        """Return the configuration of a client of the administrator."""
        return self._server.config()

    def write_kubeconfig(self, user: str, path: Path) -> Path:
        """Write a kubeconfig of a new user, without any permissions yet."""
        return self._server.write_kubeconfig(path, self._server.add_user(user))

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(self._server)
            if self.choice == "real":
                stack.enter_context(Machine(self.config(), parts))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *exc: object) -> None:
        self._stack.close()


async def parts(cluster: kw.Cluster) -> Iterable[kw.Runnable]:
    """Return what a server with controllers lacks: a scheduler, and a node with its kubelet."""
    node = Node("node-1", cluster=cluster, runtime=ProcessRuntime())
    kubelet = KubeletServer(node.access)
    await kubelet.start()
    node.kubelet_port = kubelet.port
    return [scheduler(cluster), kubelet, node]


class Machine:
    """Runs the result of *parts* in a thread with its own event loop.

    Args:
        config: The API server that they work on.
        parts: Makes them, in that event loop.
    """

    def __init__(
        self, config: kw.Config, parts: Callable[[kw.Cluster], Awaitable[Iterable[kw.Runnable]]]
    ) -> None:
        self._config = config
        self._parts = parts
        self._started: Future[Callable[[], object]] = Future()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()))

    def __enter__(self) -> Self:
        self._thread.start()
        self._started.result()
        return self

    def __exit__(self, *exc: object) -> None:
        self._started.result()()
        self._thread.join()

    async def _run(self) -> None:
        loop, stop = asyncio.get_running_loop(), asyncio.Event()
        try:
            async with kw.Client(self._config, field_owner="machine") as client:
                cluster = kw.Cluster(client)
                manager = kw.Manager(cluster, grace_period=5)
                for part in await self._parts(cluster):
                    manager.add(part)
                async with manager:
                    self._started.set_result(lambda: loop.call_soon_threadsafe(stop.set))
                    await stop.wait()
        except BaseException as error:
            if self._started.done():
                raise
            self._started.set_exception(error)

"""`LocalCluster`: Kubernetes on one machine, as one object."""

import asyncio
import secrets
import tempfile
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypedDict

from kubewright._aio import Clock
from kubewright._pki.files import PathLike, named_path
from kubewright._pki.keypair import KeyPair
from kubewright.apiserver.server import APIServer
from kubewright.client import Client, Config, TLSConfig
from kubewright.client.rest import log_warning
from kubewright.cluster import Cluster
from kubewright.embedded import controllers
from kubewright.embedded.addresses import NODES, AddressPlan
from kubewright.embedded.local import LocalServer
from kubewright.embedded.node.node import Node
from kubewright.embedded.node.simulated.runtime import SimulatedRuntime
from kubewright.embedded.proxy import EndpointResolver, ServiceProxy
from kubewright.embedded.reach import Reach
from kubewright.embedded.scheduler import scheduler
from kubewright.embedded.storage.default_class import ensure_default_class
from kubewright.embedded.storage.folders import Folders
from kubewright.embedded.storage.provisioner import folder_provisioner
from kubewright.embedded.transport import InProcessTransport
from kubewright.errors import ConfigError, LifecycleError
from kubewright.manager import Manager

if TYPE_CHECKING:
    from kubewright.client.rest import WarningHandler
    from kubewright.embedded.node.runtime import Runtime
    from kubewright.runnable import Runnable

__all__ = ["ClusterOptions", "LocalCluster"]

ADMIN: str = "kubernetes-admin"
MASTERS: tuple[str, ...] = ("system:masters",)
GRACE: float = 5.0
BINDER: str = "persistentvolume-binder"


class ClusterOptions(TypedDict, total=False):
    """The arguments of `LocalCluster`, for code that passes them on; their defaults are there."""

    nodes: int
    simulate: bool
    data_dir: PathLike | None
    host: str
    port: int
    controllers: Iterable[str] | None
    rbac: bool
    clock: Clock | None


class LocalCluster:
    """A Kubernetes cluster in this process: API server, controllers, scheduler and nodes.

    It is for development and tests on one machine. It runs during an ``async with`` block, and
    leaves nothing behind: no process, no port, no file.

    Args:
        nodes: How many nodes there are.
        simulate: Whether containers only pretend to run. Otherwise, their commands run as local
            processes of this user, without any isolation.
        data_dir: Where objects, and the files of volume claims, are kept across restarts; ``None``
            keeps objects in memory only.
        host: The address to listen on.
        port: The port; 0 for any that is free.
        controllers: The names of the controllers to run, as kube-controller-manager calls them; all
            unless given, none for an empty list.
        rbac: Whether users need permissions; if not, anyone with credentials may do everything.
        clock: Where time comes from; with a virtual clock, containers must be simulated.

    Raises:
        ConfigError: These arguments do not go together, or the folder cannot be used.

    Example:
        async with LocalCluster() as cluster, cluster.client() as client:
            await client.create(deployment)
            await kw.wait_for(client, Deployment, "web", is_available, timeout=10)
    """

    def __init__(  # noqa: PLR0913  # one for each thing that can be chosen
        self,
        *,
        nodes: int = 1,
        simulate: bool = True,
        data_dir: PathLike | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
        controllers: Iterable[str] | None = None,
        rbac: bool = True,
        clock: Clock | None = None,
    ) -> None:
        if not 0 <= nodes <= NODES:
            raise ConfigError(f"a cluster cannot have {nodes} nodes: choose 0 to {NODES}.")
        if not simulate and clock is not None and type(clock) is not Clock:
            raise ConfigError(
                "local processes live in real time: simulate containers in virtual time, with"
                " simulate=True."
            )
        self.nodes: tuple[str, ...] = tuple(f"node-{number}" for number in range(1, nodes + 1))
        """The names of its nodes."""
        self.clock: Clock = clock or Clock()
        """Where its time comes from."""
        self.rbac: bool = rbac
        """Whether users need permissions."""
        self._simulate = simulate
        self._data_dir = named_path("data_dir", data_dir)
        self._address = (host, port)
        self._controllers = None if controllers is None else tuple(controllers)
        self._first_folder = Path(tempfile.gettempdir(), f"kubewright-node-{secrets.token_hex(4)}")
        self._addresses = AddressPlan()
        self._reach: Reach
        self._api: APIServer | None = None
        self._server: LocalServer[APIServer] | None = None
        self._stopping = asyncio.Event()
        self._work: asyncio.Task[None] | None = None

    # What users need.

    @property
    def api(self) -> "APIServer":
        """The API server itself; its ``audit`` lists every call."""
        if self._api is None:
            raise LifecycleError(_NOT_RUNNING)
        return self._api

    @property
    def url(self) -> str:
        """The address of the API server."""
        return self._running.url

    @property
    def ca_data(self) -> bytes:
        """The certificate of the authority that signs server and client certificates, in PEM."""
        return self._running.ca_data

    def client_pair(self, user: str, groups: tuple[str, ...] = ()) -> KeyPair:
        """Return a client certificate for *user* in *groups*, with its key."""
        return self._running.client_pair(user, groups)

    def client(self, *, namespace: str = "default", field_owner: str = "kubewright") -> "Client":
        """Return an administrator's client, without a network, whose default is *namespace*.

        Use it in the event loop of the cluster only.
        """
        return self._client(namespace, field_owner)

    def kubeconfig(self, name: str = "kubewright") -> dict[str, Any]:
        """Return a kubeconfig for the administrator, with one context called *name*."""
        from kubewright._pki.kubeconfig import credentials, document

        pair = self.client_pair(ADMIN, MASTERS)
        entry = credentials(certificate=pair.certificate, key=pair.key)
        # The user has the name of the context: kubectl merges the files in KUBECONFIG by name.
        return document(self.url, (name, entry), ca_data=self.ca_data, name=name)

    def write_kubeconfig(self, path: PathLike, name: str = "kubewright") -> Path:
        """Write a kubeconfig for the administrator to *path*, readable by this user only.

        Raises:
            ConfigError: The file cannot be written, or has other content that is not ours.
        """
        from kubewright._pki import kubeconfig

        target = named_path("path", path)
        assert target is not None
        kubeconfig.check_target(target)
        kubeconfig.write(target, self.kubeconfig(name))
        return target

    # Life.

    async def start(self) -> Self:
        """Start everything, and return when the API server answers and the nodes are registered.

        Raises:
            ConfigError: The address is taken, or a folder cannot be used; nothing runs then.
        """
        if self._server is not None:
            raise LifecycleError("cannot start the cluster: it runs already")
        self._stopping = asyncio.Event()  # a new one: it may run in another event loop this time
        if type(self.clock) is Clock:  # there are no sockets in virtual time
            self._addresses.claim()
        try:
            self._api, self._server = await self._start_server()
        except BaseException:
            self._addresses.release()
            raise
        ready = asyncio.Event()
        self._work = asyncio.create_task(self._run(ready), name="embedded cluster")
        readying = asyncio.ensure_future(ready.wait())
        try:
            await asyncio.wait({readying, self._work}, return_when=asyncio.FIRST_COMPLETED)
            if not ready.is_set():
                await self._work  # raises the error
        except BaseException:
            await self.stop(0)
            raise
        finally:
            readying.cancel()
        return self

    async def stop(self, grace: float = GRACE) -> None:
        """Stop everything, including all processes of its pods; may be called twice.

        Args:
            grace: Seconds that requests under way may take.

        Raises:
            Exception: The error of a controller or node, if one has failed.
        """
        server, self._server = self._server, None
        if server is None:
            return
        work, self._work = self._work, None
        self._stopping.set()
        try:
            if work is not None and not work.cancelled():
                await work
        finally:
            await server.stop(grace)
            self._addresses.release()

    async def wait(self) -> None:
        """Wait until it is stopped.

        Raises:
            Exception: A controller or node has failed; the cluster no longer works.
        """
        if self._work is None:
            raise LifecycleError(_NOT_RUNNING)
        await asyncio.shield(self._work)

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()

    # How it is made.

    @property
    def _running(self) -> "LocalServer[APIServer]":
        if self._server is None:
            raise LifecycleError(_NOT_RUNNING)
        return self._server

    def _client(
        self, namespace: str, owner: str, on_warning: "WarningHandler | None" = None
    ) -> "Client":
        config = Config(
            server=self.url,
            namespace=namespace,
            tls=TLSConfig(ca_data=self.ca_data),
            source="the embedded cluster",
        )
        return Client(
            config,
            transport=InProcessTransport(self.api, user_agent=owner, clock=self.clock),
            field_owner=owner,
            on_warning=on_warning or log_warning,
            clock=self.clock,
        )

    async def _start_server(self) -> "tuple[APIServer, LocalServer[APIServer]]":
        self._reach = Reach(clock=self.clock)
        host, port = self._address
        server = LocalServer(
            partial(
                APIServer,
                data_dir=self._data_dir,
                rbac=self.rbac,
                service_accounts=True,
                service_cidr=self._addresses.service_cidr,
                loopback_endpoints=True,
                node=self._reach,
                resolver=self._resolver(),
                clock=self.clock,
            ),
            host=host,
            port=port,
            folder=self._data_dir / "pki" if self._data_dir else None,
        )
        return server.api, await server.start()

    def _resolver(self) -> "type[EndpointResolver] | None":
        """Return what finds services at their endpoints; in virtual time nobody listens there."""
        if type(self.clock) is not Clock:
            return None

        return EndpointResolver

    async def _run(self, ready: asyncio.Event) -> None:
        """Run everything except for the API server, until `stop`."""
        # Warnings are for users; the controller that writes the deprecated Endpoints has no choice.
        client = self._client("default", "kube-controller-manager", lambda warning: None)
        async with client:
            if self._has_storage:
                await ensure_default_class(client)
            async with self._manager(client):
                ready.set()
                await self._stopping.wait()

    @property
    def _has_storage(self) -> bool:
        """Whether claims are bound here; then there are volumes for them, too."""
        return self._controllers is None or BINDER in self._controllers

    def _manager(self, client: "Client") -> "Manager":
        cluster = Cluster(client)
        manager = Manager(cluster, grace_period=GRACE)
        for part in controllers.make(cluster, self._controllers):
            manager.add(part)
        if self._has_storage:
            manager.add(folder_provisioner(cluster, self._folders()))
        manager.add(scheduler(cluster))
        for part in self._machines(cluster):
            manager.add(part)
        return manager

    def _machines(self, cluster: "Cluster") -> "Iterator[Runnable]":
        """Yield the nodes, each with addresses of its own, and the proxy to their services."""
        nodes = [
            Node(name, cluster=cluster, runtime=runtime, pod_cidr=self._addresses.pod_cidr(number))
            for number, (name, runtime) in enumerate(
                zip(self.nodes, self._runtimes(), strict=False)  # the runtimes never end
            )
        ]
        for node in nodes:
            self._reach.add(node.name, node.access)
        yield from nodes
        if type(self.clock) is Clock:
            yield ServiceProxy(cluster, connect=self._reach.connect)

    def _runtimes(self) -> "Iterator[Runtime]":
        """Yield a new runtime for each node."""
        if self._simulate:
            while True:
                yield SimulatedRuntime(clock=self.clock)
        from kubewright.embedded.node.process.runtime import ProcessRuntime

        claims = self._claims_folder
        yield ProcessRuntime(self._first_folder, claims=claims, clock=self.clock)
        while True:
            yield ProcessRuntime(claims=claims, clock=self.clock)

    @property
    def _claims_folder(self) -> Path:
        """The folder of the folders of claims: a pod finds its claims on every node.

        It is in the data folder, or in that of the first node, which ends with the cluster.
        """
        return (self._data_dir or self._first_folder).resolve() / "claims"

    def _folders(self) -> Folders:
        if not self._simulate:
            return Folders(self._claims_folder, real=True)
        return Folders(self._claims_folder) if self._data_dir else Folders()


_NOT_RUNNING = "the cluster does not run; use it inside `async with LocalCluster() as …`"

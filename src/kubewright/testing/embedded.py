"""The embedded API server for tests: in a thread of its own, or in the event loop of the test."""

import asyncio
import concurrent.futures
import secrets
import shutil
import tempfile
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

import msgspec

from kubewright._aio import Clock, VirtualClock
from kubewright.errors import LifecycleError
from kubewright.testing.access import Access, write_private
from kubewright.testing.server import User

if TYPE_CHECKING:
    from kubewright._pki.files import PathLike
    from kubewright.apiserver.server import APIServer
    from kubewright.client import Client
    from kubewright.client.transport import Transport
    from kubewright.embedded import LocalCluster, LocalServer
    from kubewright.testing.faults import Faults

T = TypeVar("T")

__all__ = ["EmbeddedServer"]

RBAC: str = "/apis/rbac.authorization.k8s.io/v1"
GRACE: float = 1.0


class EmbeddedServer(Access):
    """Kubewright's own API server, of the same shape as `RealServer`.

    With ``with`` it runs in a thread of its own, and anything can talk to it: code without an
    event loop, kubectl, other processes. With ``async with`` it runs in the event loop of the
    test, and `client` talks to it without a network. There are no nodes: a pod stays pending.

    Three users log in by token: `admin` may do everything, `reader` may read
    everything, and `nobody` may do nothing. `add_user` creates more at any time.

    Args:
        rbac: Whether users need permissions; if not, every user may do everything.
        controllers: Whether to collect garbage, empty deleted namespaces, and release claims and
            volumes.
        data_dir: Where objects are kept across restarts; ``None`` keeps them in memory.
        authorization_webhook_config: The config file, a kubeconfig, of a webhook that is asked
            about what RBAC does not allow.
        authentication_webhook_config: The config file of a webhook that is asked about tokens that
            the server does not know.
        clock: Where the server's time comes from, such as a virtual clock.

    Example:
        async with EmbeddedServer() as server, server.client() as client:
            await client.create(ConfigMap(metadata=ObjectMeta(name="a")))
    """

    def __init__(
        self,
        *,
        rbac: bool = True,
        controllers: bool = True,
        data_dir: "PathLike | None" = None,
        authorization_webhook_config: "PathLike | None" = None,
        authentication_webhook_config: "PathLike | None" = None,
        clock: Clock | None = None,
    ) -> None:
        self.admin: User = User("admin", ("system:masters",), token=secrets.token_hex(16))
        self.reader: User = User("reader", token=secrets.token_hex(16))
        self.nobody: User = User("nobody", token=secrets.token_hex(16))
        self._rbac = rbac
        self._controllers = controllers
        self._data_dir = data_dir
        self._webhooks = (authorization_webhook_config, authentication_webhook_config)
        self._clock = clock
        self._folder: Path | None = None
        self._server: LocalServer[APIServer] | LocalCluster | None = None
        self._api: APIServer | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._stopping: asyncio.Event | None = None

    # What tests need.

    @property
    def url(self) -> str:
        """The address."""
        return self._running.url

    @property
    def ca_data(self) -> bytes:
        """The certificate authority in PEM."""
        return self._running.ca_data

    @property
    def api(self) -> "APIServer":
        """The API server itself. With ``with``, it belongs to the event loop of its thread."""
        if self._api is None:
            raise LifecycleError(_NOT_RUNNING)
        return self._api

    @property
    def clock(self) -> Clock | None:
        """Where its time comes from; ``None`` for real time."""
        return self._clock

    @property
    def folder(self) -> Path:
        """A folder with the authority and a kubeconfig. It is removed on stop."""
        running = self._running
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="kubewright-embedded-"))
            write_private(self._folder / "ca.crt", running.ca_data)
            self.write_kubeconfig(self._folder / "admin.kubeconfig")
        return self._folder

    def add_user(self, name: str, groups: Sequence[str] = ()) -> User:
        """Return a new user with a client certificate; RBAC gives them permissions."""
        pair = self._running.client_pair(name, tuple(groups))
        return User(name, tuple(groups), certificate=pair.certificate, key=pair.key)

    def client(
        self,
        user: User | None = None,
        *,
        namespace: str = "default",
        faults: "Faults | None" = None,
    ) -> "Client":
        """Return a client of *user*, or of the administrator, whose default is *namespace*.

        In the event loop of the server it uses no network, and *faults* say what goes wrong on the
        way; elsewhere it is an ordinary client.
        """
        from kubewright.client import Client
        from kubewright.embedded import InProcessTransport

        user = user or self.admin
        config = self.config(user).replace(namespace=namespace)
        if self._thread is not None or user.token is None:
            if faults is not None:
                raise LifecycleError("faults need a server in this event loop: use `async with`")
            return Client(config, field_owner="test")
        headers = (("Authorization", f"Bearer {user.token}"),)
        transport: Transport = InProcessTransport(self.api, headers=headers, clock=self._clock)
        if faults is not None:
            from kubewright.testing.faults import FaultyTransport

            transport = FaultyTransport(transport, faults, clock=self._clock)
        config = config.replace(token=None)  # the transport says who it is
        return Client(config, transport=transport, field_owner="test", clock=self._clock)

    def compact(self) -> int:
        """Forget all history, so that old resource versions are gone; return the last revision."""

        def compact() -> int:
            self.api.store.compact()
            return self.api.store.revision

        return self._in_loop(compact)

    # Life.

    def start(self) -> Self:
        """Start the server in a thread, and return when it answers.

        Raises:
            ConfigError: The data folder cannot be used.
        """
        self._require_stopped()
        ready: concurrent.futures.Future[None] = concurrent.futures.Future()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve(ready)),
            name="kubewright-apiserver",
            daemon=True,  # a test run that dies must not hang here
        )
        self._thread.start()
        try:
            ready.result()
        except BaseException:
            self._thread.join()
            self._thread = None
            raise
        return self

    def stop(self) -> None:
        """Stop the server, and remove its files; may be called twice."""
        thread, self._thread = self._thread, None
        if thread is not None:
            assert self._loop is not None
            assert self._stopping is not None
            self._loop.call_soon_threadsafe(self._stopping.set)
            thread.join()
        self._forget()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    async def __aenter__(self) -> Self:
        self._require_stopped()
        if isinstance(self._clock, VirtualClock):
            await self._clock.__aenter__()  # so that nothing in this event loop waits in real time
        try:
            await self._open()
        except BaseException:
            await self._leave_virtual_time()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._leave_virtual_time()  # first: sockets close in real time
        try:
            await self._running.stop(GRACE)
        finally:
            self._forget()

    async def _leave_virtual_time(self) -> None:
        if isinstance(self._clock, VirtualClock):
            await self._clock.__aexit__(None, None, None)

    # How it is made.

    @property
    def _running(self) -> "LocalServer[APIServer] | LocalCluster":
        if self._server is None:
            raise LifecycleError(_NOT_RUNNING)
        return self._server

    def _require_stopped(self) -> None:
        if self._server is not None or self._thread is not None:
            raise LifecycleError("cannot start the server: it runs already")

    async def _serve(self, ready: "concurrent.futures.Future[None]") -> None:
        """Run in the thread until `stop`."""
        self._stopping = asyncio.Event()
        try:
            await self._open()
        except BaseException as error:  # noqa: BLE001  # it is raised where start was called
            ready.set_exception(error)
            return
        ready.set_result(None)
        await self._stopping.wait()
        await self._running.stop(GRACE)

    async def _open(self) -> None:
        from kubewright.apiserver.authentication.user import UserInfo

        self._loop = asyncio.get_running_loop()
        api, server = await self._start_server()
        try:
            for user in (self.admin, self.reader, self.nobody):
                assert user.token is not None
                api.users.add_user(UserInfo(user.name, groups=user.groups), user.token)
            if self._rbac:
                await self._allow_reader(api)
        except BaseException:
            await server.stop(0)
            raise
        self._api, self._server = api, server

    async def _start_server(self) -> "tuple[APIServer, LocalServer[APIServer] | LocalCluster]":
        """Start the API server, and what serves it."""
        from kubewright._pki.files import named_path
        from kubewright.apiserver.server import APIServer
        from kubewright.embedded import LocalServer

        data_dir = named_path("data_dir", self._data_dir)
        authorization, authentication = self._webhooks
        server = LocalServer(
            partial(
                APIServer,
                data_dir=data_dir,
                rbac=self._rbac,
                controllers=self._controllers,
                authorization_webhook=authorization,
                authentication_webhook=authentication,
                clock=self._clock,
            ),
            folder=data_dir / "pki" if data_dir else None,
            publish=False,  # without ConfigMaps of its own: tests count those that they made
        )
        return server.api, await server.start()

    async def _allow_reader(self, api: "APIServer") -> None:
        rules = [
            {"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]},
            {"nonResourceURLs": ["*"], "verbs": ["get"]},
        ]
        group = "rbac.authorization.k8s.io"
        role = {"apiGroup": group, "kind": "ClusterRole", "name": "kubewright-reader"}
        subject = {"apiGroup": group, "kind": "User", "name": self.reader.name}
        await _create(api, "ClusterRole", {"rules": rules})
        await _create(api, "ClusterRoleBinding", {"roleRef": role, "subjects": [subject]})

    def _in_loop(self, work: Callable[[], T]) -> T:
        """Run *work* in the event loop of the server, and return its result."""
        if self._thread is None:
            return work()
        assert self._loop is not None

        async def working() -> T:
            return work()

        return asyncio.run_coroutine_threadsafe(working(), self._loop).result()

    def _forget(self) -> None:
        folder, self._folder = self._folder, None
        self._server = self._api = self._loop = self._stopping = None
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


_NOT_RUNNING = "the server does not run; use it inside `with EmbeddedServer() as …`"


async def _create(api: "APIServer", kind: str, content: dict[str, object]) -> None:
    from kubewright.apiserver.wire.request import JSON, Request

    body = {"kind": kind, "metadata": {"name": "kubewright-reader"}, **content}
    answer = await api.handle(
        Request(
            "POST",
            f"{RBAC}/{kind.lower()}s",
            headers={"content-type": JSON},
            body=msgspec.json.encode(body),
            trusted=True,
        )
    )
    status = getattr(answer, "status", 0)
    if status not in {201, 409}:  # 409: it was kept in the data folder
        raise LifecycleError(f"the embedded server did not accept a {kind}: {answer!r}")

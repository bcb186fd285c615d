"""A real etcd and kube-apiserver on this machine, from the programs in ``$KUBEBUILDER_ASSETS``."""

import asyncio
import contextlib
import http.client
import secrets
import shutil
import tempfile
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from kubewright.errors import LifecycleError
from kubewright.testing import probe
from kubewright.testing.access import Access, write_private
from kubewright.testing.assets import get_program
from kubewright.testing.commands import (
    HOST,
    apiserver_command,
    controller_manager_command,
    etcd_command,
)
from kubewright.testing.ports import free_ports
from kubewright.testing.process import Process, StartError
from kubewright.testing.server import User

if TYPE_CHECKING:
    from kubewright._pki.authority import Authority
    from kubewright._pki.files import PathLike

__all__ = ["RealServer"]

ATTEMPTS: int = 5
START_TIMEOUT: float = 60
HOSTS: tuple[str, ...] = (HOST, "localhost", "kubernetes", "kubernetes.default.svc")
RBAC: str = "rbac.authorization.k8s.io"
NO_ANSWER: tuple[type[Exception], ...] = (OSError, http.client.HTTPException)


class RealServer(Access):
    """A kube-apiserver with its own etcd, which leaves nothing behind when it stops.

    There are no controllers, no scheduler and no nodes unless *controllers* asks for
    kube-controller-manager: a pod stays pending, and a deleted namespace stays terminating. The
    processes end with ours, even if ours is killed.

    Three users log in by token: `admin` may do everything, `reader` may read
    everything, and `nobody` may do nothing. `add_user` creates more at any time.

    Args:
        assets: The folder of the programs, instead of ``$KUBEBUILDER_ASSETS``.
        controllers: Whether to start kube-controller-manager as well.
        apiserver_flags: More flags for kube-apiserver, such as ``--feature-gates=…``.
        authorization_webhook_config: The config file, a kubeconfig, of a webhook that is asked
            about what RBAC does not allow.
        authentication_webhook_config: The config file of a webhook that is asked about tokens that
            the server does not know.

    Example:
        with RealServer() as server:
            subprocess.run(["kubectl", "--kubeconfig", server.kubeconfig_file, "get", "ns"])
    """

    def __init__(
        self,
        *,
        assets: Path | None = None,
        controllers: bool = False,
        apiserver_flags: Sequence[str] = (),
        authorization_webhook_config: "PathLike | None" = None,
        authentication_webhook_config: "PathLike | None" = None,
    ) -> None:
        self.admin: User = User("admin", ("system:masters",), token=secrets.token_hex(16))
        self.reader: User = User("reader", token=secrets.token_hex(16))
        self.nobody: User = User("nobody", token=secrets.token_hex(16))
        self._assets = assets
        self._controllers = controllers
        self._flags = tuple(apiserver_flags)
        self._webhooks = (authorization_webhook_config, authentication_webhook_config)
        self._folder: Path | None = None
        self._authority: Authority | None = None
        self._processes: list[Process] = []
        self._cancelled = threading.Event()
        self._etcd_url = ""
        self._url = ""

    # What tests need.

    @property
    def url(self) -> str:
        """The address of kube-apiserver."""
        self._require_started()
        return self._url

    @property
    def folder(self) -> Path:
        """The folder with certificates, logs and data. It is removed on stop."""
        self._require_started()
        assert self._folder is not None
        return self._folder

    @property
    def ca_data(self) -> bytes:
        """The certificate authority in PEM."""
        return self.ca_file.read_bytes()

    def add_user(self, name: str, groups: Sequence[str] = ()) -> User:
        """Return a new user with a client certificate; RBAC gives them permissions."""
        self._require_started()
        assert self._authority is not None
        pair = self._authority.client(name, tuple(groups))
        return User(name, tuple(groups), certificate=pair.certificate, key=pair.key)

    def compact(self) -> int:
        """Forget all history, so that old resource versions are gone; return the last revision.

        kube-apiserver keeps a window of recent changes in its own memory: watches from inside
        that window go on, while paged lists that began before end with 410.
        """
        self._require_started()
        found = probe.request(self._etcd_url, "POST", "/v3/kv/range", body={"key": "AA=="})
        revision = int(found.json()["header"]["revision"])
        body = {"revision": str(revision), "physical": True}
        answer = probe.request(self._etcd_url, "POST", "/v3/kv/compaction", body=body)
        if answer.status != http.client.OK:
            raise LifecycleError(f"etcd did not compact: {answer.body.decode(errors='replace')}")
        return revision

    # Life.

    def start(self) -> Self:
        """Start the processes and wait until they answer.

        Raises:
            ConfigError: A program is missing.
            StartError: A process ended, or did not answer in time; the log's end is in the message.
        """
        if self._folder is not None:
            raise LifecycleError("cannot start the server: it runs already")
        self._cancelled.clear()
        for attempt in range(1, ATTEMPTS + 1):
            try:
                self._start_once()
            except BaseException as error:
                self.stop()
                if attempt == ATTEMPTS or not _port_was_taken(error):
                    raise
            else:
                break
        return self

    def stop(self) -> None:
        """Stop the processes, last started first, and remove their files."""
        while self._processes:
            self._processes.pop().stop()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._folder = self._authority = None

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
        # A thread cannot be cancelled, only asked to stop. We wait for it all the same: otherwise
        # nothing would stop what it starts.
        starting = asyncio.ensure_future(asyncio.to_thread(self.start))
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            self._cancelled.set()
            with contextlib.suppress(Exception):
                await starting
            await asyncio.to_thread(self.stop)  # it may have started before we asked
            raise

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await asyncio.to_thread(self.stop)

    # How it is made.

    def _require_started(self) -> None:
        if self._folder is None:
            raise LifecycleError("the server does not run; use it inside `with RealServer() as …`")

    def _start_once(self) -> None:
        names = ["etcd", "kube-apiserver"]
        names += ["kube-controller-manager"] if self._controllers else []
        programs = {name: get_program(name, self._assets) for name in names}
        self._folder = Path(tempfile.mkdtemp(prefix="kubewright-real-"))
        self._write_files()
        self._start_etcd(programs["etcd"])
        self._start_apiserver(programs["kube-apiserver"])
        if self._controllers:
            self._start_controllers(programs["kube-controller-manager"])

    def _write_files(self) -> None:
        from kubewright._pki.authority import Authority, new_signing_key

        self._authority = Authority("kubewright-test-ca")
        serving = self._authority.serving(*HOSTS)
        for name, content in {
            "ca.crt": self._authority.certificate,
            "serving.crt": serving.certificate,
            "serving.key": serving.key,
            "accounts.key": new_signing_key(),
            "tokens.csv": _tokens(self.admin, self.reader, self.nobody),
        }.items():
            write_private(self.folder / name, content)

    def _start_etcd(self, program: Path) -> None:
        port, peer_port = free_ports(2)
        self._etcd_url = f"http://{HOST}:{port}"
        command = etcd_command(program, self.folder, port=port, peer_port=peer_port)
        # Stopped last and asked to remove the folder, so that a killed test run leaves no files.
        process = self._launch("etcd", command, remove=self.folder)
        self._wait(process, lambda: _answers(self._etcd_url, "/health"))

    def _start_apiserver(self, program: Path) -> None:
        (port,) = free_ports(1)
        self._url = f"https://{HOST}:{port}"
        command = apiserver_command(
            program, self.folder, port=port, etcd_url=self._etcd_url, webhooks=self._webhooks
        )
        process = self._launch("kube-apiserver", [*command, *self._flags])
        # The default namespace comes a moment after the server calls itself ready.
        self._wait(process, partial(self._serves, "/readyz"))
        self._wait(process, partial(self._serves, "/api/v1/namespaces/default"))
        self.write_kubeconfig(self.kubeconfig_file)
        self._allow_reader()
        self._wait(process, partial(self._serves, "/api/v1/namespaces", user=self.reader))

    def _start_controllers(self, program: Path) -> None:
        (port,) = free_ports(1)
        url = f"https://{HOST}:{port}"
        command = controller_manager_command(
            program, self.folder, port=port, kubeconfig=self.kubeconfig_file
        )
        process = self._launch("kube-controller-manager", command)
        self._wait(process, partial(_answers, url, "/healthz", ca_data=self.ca_data))

    def _wait(self, process: Process, answers: Callable[[], bool]) -> None:
        def asks() -> bool:
            if self._cancelled.is_set():
                raise LifecycleError(f"the start of {process.name} was cancelled")
            return answers()

        process.wait_until(asks, timeout=START_TIMEOUT)

    def _launch(self, name: str, command: list[str], *, remove: Path | None = None) -> Process:
        process = Process(name, command, log=self.folder / f"{name}.log", remove=remove)
        self._processes.append(process)
        process.start()
        return process

    def _serves(self, path: str, *, user: User | None = None) -> bool:
        return _answers(self._url, path, user=user or self.admin, ca_data=self.ca_data)

    def _allow_reader(self) -> None:
        # Not the role `view`: a controller fills that one, and may not be running.
        rules = [
            {"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]},
            {"nonResourceURLs": ["*"], "verbs": ["get"]},
        ]
        role = {"apiGroup": RBAC, "kind": "ClusterRole", "name": "kubewright-reader"}
        subject = {"apiGroup": RBAC, "kind": "User", "name": self.reader.name}
        self._create_rbac("ClusterRole", rules=rules)
        self._create_rbac("ClusterRoleBinding", roleRef=role, subjects=[subject])

    def _create_rbac(self, kind: str, **content: object) -> None:
        body = {"kind": kind, "metadata": {"name": "kubewright-reader"}, **content}
        answer = probe.ask(self, "POST", f"/apis/{RBAC}/v1/{kind.lower()}s", body=body)
        if answer.status != http.client.CREATED:
            raise StartError(f"kube-apiserver did not accept a {kind}: {answer.body!r}")


def _tokens(*users: User) -> bytes:
    rows = (f'{user.token},{user.name},{user.name},"{",".join(user.groups)}"\n' for user in users)
    return "".join(rows).encode()


def _answers(
    url: str, path: str, *, user: User | None = None, ca_data: bytes | None = None
) -> bool:
    try:
        answer = probe.request(url, "GET", path, user=user, ca_data=ca_data, timeout=2)
    except NO_ANSWER:
        return False
    return answer.status == http.client.OK


def _port_was_taken(error: BaseException) -> bool:
    return isinstance(error, StartError) and "address already in use" in str(error)
